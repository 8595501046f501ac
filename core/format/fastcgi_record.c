/*
 * fastcgi_record.c -- see fastcgi_record.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/fastcgi_record.h"



enum { VERSION = 1, REQUEST = 1, RESPONDER = 1, KEEP = 1 };


/* --- sent ---------------------------------------------------------------- */

char *
lun_fastcgi_put_head(char *p, unsigned type, size_t length, size_t padding)
{
    const char  head[LUN_FASTCGI_HEAD] = {
        VERSION, (char) type, 0, REQUEST, (char) (length >> 8),
        (char) length, (char) padding, 0
    };

    LUN_CHECK(length <= LUN_FASTCGI_MOST && padding < 8);
    return lun_copy(p, head, sizeof(head));
}


char *
lun_fastcgi_put_begin(char *p, bool keep)
{
    const char  body[] = { 0, RESPONDER, keep ? KEEP : 0, 0, 0, 0, 0, 0 };

    p = lun_fastcgi_put_head(p, LUN_FASTCGI_BEGIN, sizeof(body), 0);
    return lun_copy(p, body, sizeof(body));
}


static size_t
record_count(size_t n)
{
    return (n + LUN_FASTCGI_MOST - 1) / LUN_FASTCGI_MOST;
}


size_t
lun_fastcgi_stream_size(size_t n, size_t *before)
{
    *before = record_count(n) * LUN_FASTCGI_HEAD;
    return *before + n + lun_fastcgi_padding(n) + LUN_FASTCGI_HEAD;
}


char *
lun_fastcgi_put_stream(char *room, unsigned type, size_t n)
{
    char        *p = room;
    size_t       piece, pad;
    const char  *from = room + record_count(n) * LUN_FASTCGI_HEAD;

    /* Each record's bytes move down by the heads that come behind it: never
       over bytes that are still to be moved. */
    for ( ; n != 0; n -= piece) {
        piece = lun_min(n, (size_t) LUN_FASTCGI_MOST);
        pad = lun_fastcgi_padding(piece);
        p = lun_fastcgi_put_head(p, type, piece, pad);

        if (p != from) {
            memmove(p, from, piece);
        }

        memset(p + piece, 0, pad);
        p += piece + pad;
        from += piece;
    }

    return lun_fastcgi_put_head(p, type, 0, 0);
}


/* --- received ------------------------------------------------------------ */

static lun_fastcgi_verdict
refuse(lun_fastcgi_parser *p, const char *what, unsigned value)
{
    p->what = what;
    p->value = value;

    return LUN_FASTCGI_BAD;
}


static lun_fastcgi_verdict
take_head(lun_fastcgi_parser *p)
{
    const uint8_t  *h = p->head;

    if (h[0] != VERSION) {
        return refuse(p, "unsupported FastCGI protocol version", h[0]);
    }

    if (h[1] != LUN_FASTCGI_STDOUT && h[1] != LUN_FASTCGI_STDERR
        && h[1] != LUN_FASTCGI_END)
    {
        return refuse(p, "invalid FastCGI record type", h[1]);
    }

    if (h[2] != 0) {
        return refuse(p, "unexpected FastCGI request id high byte", h[2]);
    }

    if (h[3] != REQUEST) {
        return refuse(p, "unexpected FastCGI request id low byte", h[3]);
    }

    p->type = h[1];
    p->length = (size_t) h[4] << 8 | h[5];
    p->left = p->length;
    p->padding = h[6];

    return LUN_FASTCGI_MORE;
}


static size_t
take(const char **pos, const char *end, size_t most)
{
    size_t  n = lun_min((size_t) (end - *pos), most);

    *pos += n;
    return n;
}


/*
 * RECORD is said when the padding has gone, so that the bytes behind it begin a
 * head.
 */
lun_fastcgi_verdict
lun_fastcgi_next(lun_fastcgi_parser *p, const char **pos, const char *end,
    lun_str *piece)
{
    size_t       n;
    const char  *from = *pos;

    if (p->have < LUN_FASTCGI_HEAD) {
        n = take(pos, end, LUN_FASTCGI_HEAD - p->have);
        memcpy(p->head + p->have, from, n);
        p->have += n;
        from = *pos;

        if (p->have < LUN_FASTCGI_HEAD) {
            return LUN_FASTCGI_MORE;
        }

        if (take_head(p) == LUN_FASTCGI_BAD) {
            return LUN_FASTCGI_BAD;
        }
    }

    n = take(pos, end, p->left);
    p->left -= n;

    if (n != 0) {
        *piece = lun_str_of(from, n);
        return LUN_FASTCGI_DATA;
    }

    if (p->left == 0) {
        p->padding -= take(pos, end, p->padding);

        if (p->padding == 0) {
            p->have = 0;
            return LUN_FASTCGI_RECORD;
        }
    }

    return LUN_FASTCGI_MORE;
}


void
lun_fastcgi_unread(lun_fastcgi_parser *p, size_t n)
{
    LUN_CHECK(p->have == LUN_FASTCGI_HEAD && n <= p->length - p->left);
    p->left += n;
}

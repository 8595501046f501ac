/*
 * upreq_answer.c -- what protocols do alike when they read an answer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_answer.h"

#include "base/check.h"


lun_header
lun_upreq_field(lun_str name, lun_str value)
{
    lun_header  h = { .name = name, .value = value };

    h.hash = lun_header_hash(name);
    h.known = (int16_t) lun_header_known_out(name, h.hash);

    return h;
}


/* --- how long it is ------------------------------------------------------ */

lun_rc
lun_upreq_take_length(lun_upreq *x, const lun_header *h)
{
    lun_upreq_answer  *a = &x->answer;

    if (a->head_length >= 0) {
        lun_upreq_log_duplicate(x, h);
        return LUN_ERROR;
    }

    if (h->value.len == 0 || !lun_is_digit(h->value.data[0])
        || lun_str_to_i64(h->value, &a->head_length) != LUN_OK)
    {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid "
                "\"Content-Length\" header: \"%.*s: %.*s\"", LUN_S(h->name),
                LUN_S(h->value));
        return LUN_ERROR;
    }

    return LUN_OK;
}


int64_t
lun_upreq_set_length(lun_upreq *x, bool head)
{
    lun_upreq_answer  *a = &x->answer;

    if (head || a->status == 204 || a->status == 304) {
        a->length = head ? a->head_length : -1;
        return 0;
    }

    a->length = a->head_length;
    return a->length;
}


lun_rc
lun_upreq_take_framed(const lun_upreq *x, int64_t *left, size_t len)
{
    if (*left < 0) {
        return LUN_OK;
    }

    if ((int64_t) len > *left) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent response body larger "
                "than indicated content length");
        return LUN_ERROR;
    }

    *left -= (int64_t) len;
    return LUN_OK;
}


lun_rc
lun_upreq_end_framed(const lun_upreq *x, int64_t left)
{
    if (left > 0) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream prematurely closed "
                "stream");
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* --- what is wrong with it ----------------------------------------------- */

void
lun_upreq_log_duplicate(const lun_upreq *x, const lun_header *h)
{
    const lun_header  *first = lun_header_find(&x->answer.list, h->name);

    if (first != NULL) {
        lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent duplicate header "
                "line: \"%.*s: %.*s\", previous value: \"%.*s: %.*s\"",
                LUN_S(h->name), LUN_S(h->value), LUN_S(first->name),
                LUN_S(first->value));
    }
}


void
lun_upreq_log_invalid(const lun_upreq *x, const char *what, const char *pos,
    const char *end)
{
    bool         in_name = true;
    const char  *p;

    LUN_CHECK(pos <= end);

    for (p = pos; p != end; p++) {
        if (in_name ? (unsigned char) *p <= ' ' || (p == pos && *p == ':')
                    : (unsigned char) *p < ' ' && *p != '\t')
        {
            break;
        }

        in_name &= *p != ':';
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "upstream sent invalid %s: "
            "\"%.*s\\x%02x...\"", what, (int) (p - pos), pos,
            p != end ? (unsigned) (unsigned char) *p : 0);
}


void
lun_upreq_log_more(const lun_upreq *x)
{
    lun_log(LUN_LOG_WARN, x->r->log, 0, "upstream sent more data than "
            "specified in \"Content-Length\" header");
}


bool
lun_upreq_skip_line(const char **pos, const char *end)
{
    size_t       n = (size_t) (end - *pos);
    const char  *lf;

    LUN_CHECK(*pos <= end);

    lf = lun_str_starts(lun_str_of(*pos, n), LUN_STR("HTTP/"))
         ? memchr(*pos, '\n', n) : NULL;

    *pos = lf != NULL ? lf + 1 : *pos;
    return lf != NULL;
}


/* --- pieces of records --------------------------------------------------- */

/* Up to behind the empty line at the end of a header; 0: it has none yet. */
static size_t
whole_header(const char *pos, const char *end)
{
    const char  *p = pos;

    while (p != NULL && p != end) {
        if (*p == '\n') {
            return (size_t) (p + 1 - pos);
        }

        if (*p == '\r' && end - p > 1 && p[1] == '\n') {
            return (size_t) (p + 2 - pos);
        }

        p = memchr(p, '\n', (size_t) (end - p));
        p = p != NULL ? p + 1 : NULL;
    }

    return 0;
}


/* Most headers come in one piece: then nothing else needs a place. */
static size_t
room_for(const lun_upreq *x, const char *pos, const char *end)
{
    size_t  n = whole_header(pos, end);

    return n != 0 && n <= x->conf->buffer_size ? n : x->conf->buffer_size;
}


void
lun_upreq_gather(const lun_upreq *x, lun_upreq_room *room, const char **pos,
    const char *end)
{
    size_t  n;

    LUN_CHECK(*pos <= end);

    if (room->start == NULL) {
        n = room_for(x, *pos, end);
        room->start = lun_pool_text(x->r->pool, n);
        room->pos = room->last = room->start;
        room->end = room->start + n;
    }

    n = lun_min((size_t) (end - *pos), (size_t) (room->end - room->last));
    room->last = lun_copy(room->last, *pos, n);
    *pos += n;
}

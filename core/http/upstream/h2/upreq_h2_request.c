/*
 * upreq_h2_request.c -- a request in HTTP/2: on a new connection preface and
 * settings, a block of fields, a body within the server's windows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2_priv.h"

#include "base/check.h"
#include "base/fmt.h"
#include "format/hpack.h"


enum {
    PREFACE_SIZE = 24,
    SETTING_SIZE = 6,
    SETTINGS_SIZE = 3 * SETTING_SIZE,
    WINDOW_SIZE = 4,
    START_SIZE = PREFACE_SIZE + LUN_FRAME_HEAD + SETTINGS_SIZE
                 + LUN_FRAME_HEAD + WINDOW_SIZE,

    TABLE_SIZE = 1,                /* settings */
    ENABLE_PUSH = 2,
    INITIAL_WINDOW = 4
};


/* --- fields -------------------------------------------------------------- */

/* It means the same on every connection, so it is made once for all tries. */
lun_rc
lun_upreq_h2_make(lun_upreq *x, const lun_array *fields, lun_buf **head)
{
    size_t           i, size = 0;
    char            *text, *p;
    lun_upreq_h2    *s = lun_upreq_h2_of(x);
    const lun_pair  *f = fields->items;

    for (i = 0; i < fields->count; i++) {
        size += lun_hpack_bound(f[i].key, f[i].value);
    }

    text = p = lun_pool_text(x->r->pool, size);

    for (i = 0; i < fields->count; i++) {
        p = lun_hpack_put(p, f[i].key, f[i].value);
    }

    LUN_CHECK((size_t) (p - text) <= size);

    s->block = lun_str_of(text, (size_t) (p - text));
    s->bodiless = x->body == NULL && !x->streamed;
    *head = lun_buf_new_str(x->r->pool, s->block);     /* until `begin` */

    return LUN_OK;
}


/* --- frames -------------------------------------------------------------- */

static char *
put_setting(char *p, unsigned id, uint32_t value)
{
    *p++ = (char) (id >> 8);
    *p++ = (char) id;

    return lun_frame_put_u32(p, value);
}


static char *
put_start(char *p)
{
    p = lun_copy(p, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", PREFACE_SIZE);
    p = lun_frame_put_head(p, SETTINGS_SIZE, LUN_FRAME_SETTINGS, 0, 0);
    p = put_setting(p, TABLE_SIZE, 0);
    p = put_setting(p, ENABLE_PUSH, 0);
    p = put_setting(p, INITIAL_WINDOW, LUN_H2_STREAM_WINDOW);
    p = lun_frame_put_head(p, WINDOW_SIZE, LUN_FRAME_WINDOW_UPDATE, 0, 0);

    return lun_frame_put_u32(p, LUN_H2_MAX_WINDOW - LUN_H2_FIRST_WINDOW);
}


/* The block in frames of their largest size. */
static char *
put_block(char *p, const lun_upreq_h2 *s)
{
    size_t       piece, n = s->block.len;
    unsigned     type = LUN_FRAME_HEADERS;
    unsigned     flags = s->bodiless ? LUN_FRAME_END_STREAM : 0;
    const char  *from = s->block.data;

    do {
        piece = lun_min(n, (size_t) LUN_FRAME_MOST);
        n -= piece;
        flags |= n == 0 ? LUN_FRAME_END_HEADERS : 0;
        p = lun_frame_put_head(p, piece, type, flags, s->stream->id);
        p = lun_copy(p, from, piece);
        from += piece;
        type = LUN_FRAME_CONTINUATION;
        flags = 0;
    } while (n != 0);

    return p;
}


/* It has a stream; what comes before the first one goes with that. */
void
lun_upreq_h2_begin(lun_upreq *x)
{
    bool           is_first;
    size_t         frames;
    lun_buf       *b;
    lun_upreq_h2  *s = lun_upreq_h2_of(x);

    is_first = lun_link_stream_begin(s->stream, s->bodiless);
    frames = s->block.len / LUN_FRAME_MOST + 1;
    b = lun_buf_new_room(x->r->pool, (is_first ? START_SIZE : 0)
                                     + frames * LUN_FRAME_HEAD + s->block.len);

    if (is_first) {
        b->last = put_start(b->last);
    }

    b->last = put_block(b->last, s);
    s->stream->head = (size_t) (b->last - b->pos);
    x->head = x->head_last = b;
}


/* What stands around it is the stream's business. */
int64_t
lun_upreq_h2_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    return lun_link_stream_frame(lun_upreq_h2_of(x)->stream, size, last);
}

/*
 * upreq_h2_request.c -- a request in HTTP/2: on a new connection preface and
 * settings, a block of fields, a body within the server's windows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/upreq_h2_priv.h"

#include "base/check.h"
#include "base/fmt.h"
#include "http/upstream/h2/hpack.h"


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

/* What belongs to a connection of HTTP/1. */
static const lun_str  barred[] = {
    LUN_STR_INIT("connection"), LUN_STR_INIT("proxy-connection"),
    LUN_STR_INIT("te"), LUN_STR_INIT("transfer-encoding"),
    LUN_STR_INIT("keep-alive"), LUN_STR_INIT("upgrade")
};


/* --- fields -------------------------------------------------------------- */

bool
lun_upreq_h2_is_barred(lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(barred); i++) {
        if (lun_str_caseeq(name, barred[i])) {
            return true;
        }
    }

    return false;
}


static bool
is_small(lun_str name)
{
    size_t  i;

    for (i = 0; i < name.len; i++) {
        if (name.data[i] >= 'A' && name.data[i] <= 'Z') {
            return false;
        }
    }

    return true;
}


void
lun_upreq_h2_add(lun_pool *pool, lun_array *fields, lun_str name,
    lun_str value)
{
    char  *text;

    if (value.len == 0 && name.data[0] == ':') {
        return;
    }

    if (!is_small(name)) {
        text = lun_pool_text(pool, name.len);
        lun_mem_lower(text, name.data, name.len);
        name.data = text;
    }

    *(lun_pair *) lun_array_push(fields) = (lun_pair) { name, value };
}


/* Of all that it may say, this alone has a meaning here. */
bool
lun_upreq_h2_takes_trailers(const lun_request *r)
{
    const lun_header  *te = r->in.known[LUN_HIN_TE];

    return te != NULL
           && lun_str_casefind(te->value, LUN_STR("trailers")) != NULL;
}


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
    p = put_setting(p, INITIAL_WINDOW, LUN_H2_MAX_WINDOW);
    p = lun_frame_put_head(p, WINDOW_SIZE, LUN_FRAME_WINDOW_UPDATE, 0, 0);

    return lun_frame_put_u32(p, LUN_H2_MAX_WINDOW - LUN_H2_USUAL_WINDOW);
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
        p = lun_frame_put_head(p, piece, type, flags, s->stream);
        p = lun_copy(p, from, piece);
        from += piece;
        type = LUN_FRAME_CONTINUATION;
        flags = 0;
    } while (n != 0);

    return p;
}


/* A connection stands: it has the next of its streams. */
void
lun_upreq_h2_begin(lun_upreq *x)
{
    bool            is_new = x->conn->protocol_state == NULL;
    size_t          frames;
    lun_buf        *b;
    lun_conn       *c = x->conn;
    lun_upreq_h2   *s = lun_upreq_h2_of(x);
    lun_h2_server  *server;

    if (is_new) {
        c->protocol_state = lun_h2_server_new(c);
        c->on_pooled = lun_h2_on_idle;
    }

    server = c->protocol_state;
    LUN_CHECK(lun_h2_may_follow(server));

    s->server = server;
    s->stream = server->next_stream;
    s->window = server->initial;
    server->next_stream += 2;

    frames = s->block.len / LUN_FRAME_MOST + 1;
    b = lun_buf_new_room(x->r->pool, (is_new ? START_SIZE : 0)
                                     + frames * LUN_FRAME_HEAD + s->block.len);

    if (is_new) {
        b->last = put_start(b->last);
    }

    b->last = put_block(b->last, s);
    x->head = x->head_last = b;
}


int64_t
lun_upreq_h2_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    char           *p;
    int64_t         n = lun_min(size, (int64_t) LUN_FRAME_MOST), open;
    lun_upreq_h2   *s = lun_upreq_h2_of(x);
    lun_h2_server  *server = s->server;

    /* A server that makes its windows smaller makes what is left of one
       negative; an end without bytes needs none. */
    open = lun_max(lun_min(s->window, server->window), (int64_t) 0);
    n = lun_min(n, open);

    if (s->bodiless || (n == 0 && size != 0)) {
        return 0;
    }

    p = lun_frame_put_head(f->room, (size_t) n, LUN_FRAME_DATA,
                           last && n == size ? LUN_FRAME_END_STREAM : 0,
                           s->stream);
    f->before = lun_str_of(f->room, (size_t) (p - f->room));
    s->window -= n;
    server->window -= n;

    if (n != 0) {
        lun_h2_earn(server);
    }

    return n;
}

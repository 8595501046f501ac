/*
 * grpc_request.c -- a request in HTTP/2: preface, settings, one stream.
 *
 * Every connection is new, so the fields are compressed with an empty table,
 * and mean the same to each server that they are sent to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/grpc/grpc_priv.h"

#include "base/fmt.h"
#include "base/uri.h"


enum {
    PREFACE_SIZE = 24,
    SETTINGS_SIZE = 12,            /* two of them */
    ENABLE_PUSH = 2,
    INITIAL_WINDOW = 4,
    MAX_WINDOW = 0x7fffffff,
    USUAL_WINDOW = 65535
};

/* What belongs to a connection, and to HTTP/1. */
static const lun_str  not_passed[] = {
    LUN_STR_INIT("host"), LUN_STR_INIT("connection"), LUN_STR_INIT("te"),
    LUN_STR_INIT("transfer-encoding"), LUN_STR_INIT("keep-alive"),
    LUN_STR_INIT("expect"), LUN_STR_INIT("upgrade"),
    LUN_STR_INIT("content-length")
};


/* --- fields -------------------------------------------------------------- */

static void
add(lun_array *fields, lun_str name, lun_str value)
{
    nghttp2_nv  *nv = lun_array_push(fields);

    nv->name = (uint8_t *) (uintptr_t) name.data;
    nv->namelen = name.len;
    nv->value = (uint8_t *) (uintptr_t) value.data;
    nv->valuelen = value.len;
}


static const lun_grpc_header *
find_set(const lun_grpc_conf *conf, lun_str name)
{
    size_t                  i;
    const lun_grpc_header  *h;

    if (conf->set == NULL) {
        return NULL;
    }

    h = conf->set->items;

    for (i = 0; i < conf->set->count; i++, h++) {
        if (lun_str_caseeq(h->name, name)) {
            return h;
        }
    }

    return NULL;
}


static bool
is_passed(const lun_grpc_conf *conf, lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(not_passed); i++) {
        if (lun_str_caseeq(name, not_passed[i])) {
            return false;
        }
    }

    return find_set(conf, name) == NULL;
}


/* The path as it came; or, where it was rewritten, what it is now. */
static lun_str
path_of(lun_request *r)
{
    char    *text, *p;
    size_t   n;

    if (!r->uri_is_new && !r->internal) {
        return r->target;
    }

    n = lun_uri_escaped_len(r->uri, LUN_ESCAPE_URI);
    text = lun_pool_text(r->pool, n + 1 + r->args.len);
    p = lun_uri_escape(text, r->uri, LUN_ESCAPE_URI);

    if (r->args.len != 0) {
        *p++ = '?';
        p = lun_copy_str(p, r->args);
    }

    return lun_str_of(text, (size_t) (p - text));
}


static lun_str
lower(lun_pool *pool, lun_str name)
{
    char  *text = lun_pool_text(pool, name.len);

    lun_mem_lower(text, name.data, name.len);
    return lun_str_of(text, name.len);
}


static void
add_usual(lun_upreq *x, const lun_grpc_conf *conf, lun_array *fields)
{
    lun_str                 text;
    lun_request            *r = x->r;
    const lun_header       *te = r->in.known[LUN_HIN_TE];
    const lun_grpc_state   *s = x->protocol_data;
    const lun_grpc_header  *host = find_set(conf, LUN_STR("host"));

    add(fields, LUN_STR(":method"), r->method_name);
    add(fields, LUN_STR(":scheme"), x->target.tls != NULL ? LUN_STR("https")
                                                          : LUN_STR("http"));
    add(fields, LUN_STR(":path"), path_of(r));
    text = host != NULL ? lun_script_run(&r->session, host->value)
                        : s->url.host_header;

    if (text.len != 0) {
        add(fields, LUN_STR(":authority"), text);
    }

    if (find_set(conf, LUN_STR("content-length")) == NULL
        && r->in.content_length >= 0)
    {
        add(fields, LUN_STR("content-length"),
            lun_pool_fmt(r->pool, "%" PRId64, r->in.content_length));
    }

    /* Of all that it may say, this alone has a meaning here. */
    if (te != NULL && find_set(conf, LUN_STR("te")) == NULL
        && lun_str_casefind(te->value, LUN_STR("trailers")) != NULL)
    {
        add(fields, LUN_STR("te"), LUN_STR("trailers"));
    }
}


static void
add_fields(lun_upreq *x, lun_array *fields)
{
    size_t                  i;
    lun_str                 text;
    lun_request            *r = x->r;
    const lun_grpc_conf    *conf = lun_http_conf(r, &lun_http_grpc);
    const lun_grpc_header  *h;

    add_usual(x, conf, fields);

    for (i = 0; conf->set != NULL && i < conf->set->count; i++) {
        h = lun_array_at(conf->set, i);
        text = lun_script_run(&r->session, h->value);

        if (text.len != 0 && !lun_str_eq(h->name, LUN_STR("host"))) {
            add(fields, h->name, text);
        }
    }

    lun_header_each(&r->in.list, in) {
        if (is_passed(conf, in->name)) {
            add(fields, lower(r->pool, in->name), in->value);
        }
    }
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
put_preface(char *p)
{
    p = lun_copy(p, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", PREFACE_SIZE);
    p = lun_frame_put_head(p, SETTINGS_SIZE, LUN_FRAME_SETTINGS, 0, 0);
    p = put_setting(p, ENABLE_PUSH, 0);
    p = put_setting(p, INITIAL_WINDOW, MAX_WINDOW);
    p = lun_frame_put_head(p, 4, LUN_FRAME_WINDOW_UPDATE, 0, 0);

    return lun_frame_put_u32(p, MAX_WINDOW - USUAL_WINDOW);
}


/* A block in frames of their largest size. */
static char *
put_block(char *p, const uint8_t *block, size_t n, unsigned flags)
{
    size_t    piece;
    unsigned  type = LUN_FRAME_HEADERS;

    do {
        piece = lun_min(n, (size_t) LUN_FRAME_MOST);
        n -= piece;
        flags |= n == 0 ? LUN_FRAME_END_HEADERS : 0;
        p = lun_frame_put_head(p, piece, type, flags, LUN_GRPC_STREAM);
        p = lun_copy(p, block, piece);
        block += piece;
        type = LUN_FRAME_CONTINUATION;
        flags = 0;
    } while (n != 0);

    return p;
}


/* -1: logged. */
static ptrdiff_t
compress(lun_upreq *x, const lun_array *fields, uint8_t **block)
{
    size_t                 bound;
    ssize_t                n = -1;
    nghttp2_hd_deflater   *d;

    if (nghttp2_hd_deflate_new(&d, 4096) == 0) {
        bound = nghttp2_hd_deflate_bound(d, fields->items, fields->count);
        *block = lun_pool_alloc(x->r->pool, bound);
        n = nghttp2_hd_deflate_hd(d, *block, bound, fields->items,
                                  fields->count);
        nghttp2_hd_deflate_del(d);
    }

    if (n < 0) {
        lun_log(LUN_LOG_ALERT, x->r->log, 0, "compressing a gRPC request's "
                "header failed");
    }

    return n;
}


lun_rc
lun_grpc_make(lun_upreq *x, lun_buf **head)
{
    size_t            size, frames;
    lun_buf          *b;
    uint8_t          *block;
    lun_array         fields;
    ptrdiff_t         n;
    lun_grpc_state   *s = x->protocol_data;

    lun_array_init(&fields, x->r->pool, sizeof(nghttp2_nv), 32);
    add_fields(x, &fields);
    n = compress(x, &fields, &block);

    if (n < 0) {
        return LUN_ERROR;
    }

    s->bodiless = x->body == NULL && !x->streamed;
    frames = (size_t) n / LUN_FRAME_MOST + 1;
    size = PREFACE_SIZE + LUN_FRAME_HEAD + SETTINGS_SIZE + LUN_FRAME_HEAD + 4
           + frames * LUN_FRAME_HEAD + (size_t) n;
    b = lun_buf_new_room(x->r->pool, size);
    b->last = put_preface(b->last);
    b->last = put_block(b->last, block, (size_t) n,
                        s->bodiless ? LUN_FRAME_END_STREAM : 0);
    *head = b;

    return LUN_OK;
}


int64_t
lun_grpc_frame(lun_upreq *x, int64_t size, bool last, lun_upreq_frame *f)
{
    char            *p;
    int64_t          n = lun_min(size, (int64_t) LUN_FRAME_MOST);
    lun_grpc_state  *s = x->protocol_data;

    /* A server that makes its windows smaller makes what is left of one
       negative; an end without bytes needs none. */
    n = lun_min(n, lun_max(lun_min(s->window, s->conn_window), (int64_t) 0));

    if (s->bodiless || (n == 0 && size != 0)) {
        return 0;
    }

    p = lun_frame_put_head(f->room, (size_t) n, LUN_FRAME_DATA,
                           last && n == size ? LUN_FRAME_END_STREAM : 0,
                           LUN_GRPC_STREAM);
    f->before = lun_str_of(f->room, (size_t) (p - f->room));
    s->window -= n;
    s->conn_window -= n;

    return n;
}

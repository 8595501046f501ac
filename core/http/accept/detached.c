/*
 * detached.c -- a request that no client waits for.
 *
 * All that the other request knows is in its own memory, in its connection's
 * input buffer or in that of TLS: whatever may be asked for later is copied,
 * and variables that only the socket can tell are asked for first.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/detached.h"

#include "format/proxy_protocol.h"
#include "http/accept/log_context.h"
#include "http/body.h"
#include "http/conf/core_conf.h"
#include "http/request_header.h"
#include "net/conn_io.h"
#include "session/var_settle.h"


typedef struct {
    lun_errand                errand;
    const lun_detached_kind  *kind;
    lun_request              *r;
    lun_task                  task;
    void                     *data;
} detached;


/* --- its protocol: nobody hears it --------------------------------------- */

static lun_rc
drop_header(lun_request *r)
{
    r->header_sent = 1;
    return LUN_OK;
}


static lun_rc
drop_body(lun_request *r, lun_buf *in)
{
    for ( ; in != NULL; in = in->next) {
        in->pos = in->last;
        in->file_pos = in->file_last;
    }

    return LUN_OK;
}


/* Its body is complete from the beginning. */
static lun_rc
pull_body(lun_request *r, lun_str *bytes)
{
    *bytes = LUN_STR("");
    return LUN_OK;
}


static lun_rc
send_continue(lun_request *r)
{
    return LUN_OK;
}


static void
send_hints(lun_request *r, const lun_header_list *hints)
{
}


/* Nobody is there who could leave. */
static void
watch_nobody(lun_request *r)
{
}


static void
end_detached(lun_request *r)
{
    detached  *d = r->stream;
    lun_conn  *c = r->conn;

    if (d->kind->end != NULL) {
        d->kind->end(r, d->data);
    }

    r->logged |= !lun_core_conf_of(r)->log_subrequest;
    lun_request_free(r);
    lun_conn_close(c);
    lun_errand_end(&d->errand);
    lun_errand_put(&d->errand);
}


static const lun_http_protocol  nobody = {
    .send_header   = drop_header,
    .send_body     = drop_body,
    .pull_body     = pull_body,
    .send_continue = send_continue,
    .send_hints    = send_hints,
    .watch         = watch_nobody,
    .finish        = end_detached,
    .drop          = end_detached
};


bool
lun_is_detached(const lun_request *r)
{
    return r->protocol == &nobody;
}


void *
lun_detached_data(const lun_request *r, const lun_detached_kind *kind)
{
    const detached  *d = r->protocol == &nobody ? r->stream : NULL;

    return d != NULL && d->kind == kind && d->r == r ? d->data : NULL;
}


/* --- its connection ------------------------------------------------------ */

static lun_err
send_nothing(lun_conn *c, const lun_slice *slices, size_t n, bool more,
    size_t *sent)
{
    LUN_NEVER("nobody is sent anything");
}


static void
close_nothing(lun_conn *c)
{
}


/* A client's that spoke TLS is one that speaks TLS. */
static const lun_conn_io  no_io = {
    .traits = LUN_IO_SHARED, .send = send_nothing, .close = close_nothing
};

static const lun_conn_io  no_secure_io = {
    .traits = LUN_IO_SHARED | LUN_IO_SECURE, .send = send_nothing,
    .close = close_nothing
};


/* The worker's last moment: as if a client had left, whoever may go on goes. */
static void
on_gone(lun_conn *c)
{
    lun_request  *r = c->data;

    r->aborted = 1;
    lun_http_get(r);
    lun_http_tell_gone(r);
    lun_http_put(r);
}


static void
on_dump(lun_conn *c)
{
    lun_http_dump(c->data);
}


static const lun_conn_state  detached_state = {
    .name    = "detached",
    .doing   = "asking again",
    .on_gone = on_gone,
    .on_dump = on_dump
};


static lun_addr
copy_addr(lun_pool *pool, const lun_addr *addr)
{
    lun_addr  copy = *addr;

    if (copy.path != NULL) {
        copy.path = lun_pool_strz(pool, lun_str_z(copy.path));
    }

    return copy;
}


static const lun_proxied *
copy_proxied(lun_pool *pool, const lun_proxied *from)
{
    lun_proxied  *p;

    if (from == NULL) {
        return NULL;
    }

    p = lun_pool_new(pool, lun_proxied);
    *p = *from;
    p->src = copy_addr(pool, &from->src);
    p->dst = copy_addr(pool, &from->dst);
    p->tlvs = lun_pool_str(pool, from->tlvs);

    return p;
}


/* Says of the client what that one's says, for as long as the errand lasts. */
static lun_conn *
copy_conn(detached *d, lun_conn *from)
{
    lun_pool  *pool = d->errand.pool;
    lun_conn  *c = lun_conn_new_bare(from->loop, 0, &d->errand.log);

    c->io = lun_conn_is_secure(from) ? &no_secure_io : &no_io;
    c->listener = from->listener;
    c->remote = copy_addr(pool, &from->remote);
    c->local = copy_addr(pool, lun_conn_local(from));
    c->local_known = 1;
    c->proxied = copy_proxied(pool, from->proxied);
    c->number = from->number;
    c->log.conn = from->number;
    c->requests = from->requests;
    c->start_time = from->start_time;
    lun_conn_enter(c, &detached_state);

    return c;
}


/* --- what it was asked with ---------------------------------------------- */

static lun_str
copy_text(lun_pool *pool, lun_str text)
{
    return text.data != NULL ? lun_pool_str(pool, text) : text;
}


/* One that nobody has read is none; one in a file goes with its request. */
static bool
has_body(const lun_request *r)
{
    return r->body != NULL && !r->body->discarding && r->body->sink == NULL;
}


static bool
may_copy_body(const lun_request *r)
{
    return !has_body(r) || (r->body->complete && !r->body->failed
                            && r->body->file == LUN_FD_NONE);
}


static void
copy_body(lun_request *r, const lun_request *from)
{
    char            *p, *text;
    const lun_body  *b = from->body;

    if (!has_body(from)) {
        r->in.content_length = -1;
        lun_http_set_in(r, LUN_STR("Content-Length"), LUN_STR_NULL, true);
        lun_http_set_in(r, LUN_STR("Transfer-Encoding"), LUN_STR_NULL, true);
        return;
    }

    p = text = lun_pool_text(r->pool, (size_t) b->size);

    for (const lun_buf *one = b->bufs.head; one != NULL; one = one->next) {
        p = lun_copy(p, one->pos, (size_t) lun_buf_size(one));
    }

    lun_body_set(r, lun_str_of(text, (size_t) (p - text)));
}


/*
 * The other request may end before this one, and its memory with it: what was
 * worked out so far is copied, captures too.
 */
static void
copy_values(lun_request *r, lun_request *from)
{
    unsigned          i;
    lun_value        *v;
    const unsigned    count = r->engine->values;

    lun_var_settle(&from->session);

    for (i = 0; i < count; i++) {
        v = &r->values[i];
        *v = from->values[i];
        v->text = copy_text(r->pool, v->text);
    }

    r->capture_count = from->capture_count;

    if (from->capture_count != 0) {
        r->captures = lun_pool_alloc(r->pool, from->capture_count * 2
                                              * sizeof(int32_t));
        memcpy(r->captures, from->captures,
               from->capture_count * 2 * sizeof(int32_t));
        r->capture_subject = copy_text(r->pool, from->capture_subject);
    }
}


static void
copy_place(lun_request *r, const lun_request *from)
{
    r->server = from->server;
    r->location = from->location;
    r->conf = from->conf;
    r->handler = from->handler;
    r->phase = from->phase;
    r->uri_is_new = from->uri_is_new;
    r->args_are_new = from->args_are_new;
    r->uri_located = from->uri_located;
    r->uri_in_alias = from->uri_in_alias;
    r->redirects_left = from->redirects_left;
}


static void
copy_line(lun_request *r, const lun_request *from)
{
    lun_pool  *pool = r->pool;

    r->method = from->method;
    r->method_name = copy_text(pool, from->method_name);
    r->line = copy_text(pool, from->line);
    r->target = copy_text(pool, from->target);
    r->uri = copy_text(pool, from->uri);
    r->args = copy_text(pool, from->args);
    r->exten = copy_text(pool, from->exten);
    r->scheme = copy_text(pool, from->scheme);
    r->raw_headers = copy_text(pool, from->raw_headers);
    r->version = from->version;
    r->request_length = from->request_length;
    r->pipelined = from->pipelined;
}


/* --- its life ------------------------------------------------------------ */

static void
on_task(lun_task *task)
{
    detached  *d = lun_container_of(task, detached, task);

    lun_http_run(d->r);
}


lun_request *
lun_detached_new(lun_request *from, const lun_detached_kind *kind,
    lun_str what)
{
    detached     *d = NULL;
    lun_addr     *remote;
    lun_conn     *c;
    lun_request  *r;

    LUN_CHECK_MARK(from, LUN_MARK_REQUEST);

    if (may_copy_body(from)) {
        d = lun_errand_new(from->conn->loop, &kind->errand, sizeof(*d),
                           from->log);
    }

    if (d == NULL) {
        return NULL;
    }

    c = copy_conn(d, from->conn);
    r = lun_request_new(from->engine, c, &nobody);
    r->stream = d;
    c->data = r;
    d->r = r;
    d->kind = kind;
    d->data = lun_pool_zalloc(d->errand.pool, kind->size);
    d->errand.what = lun_pool_str(d->errand.pool, what);
    d->errand.log.context = c->log.context = lun_request_context;
    d->errand.log.owner = c->log.owner = r;

    r->log = &d->errand.log;
    r->internal = 1;
    r->expect_tested = 1;
    r->post_action = 1;            /* the other one's, if anybody's */

    if (from->remote != &from->conn->remote) {
        remote = lun_pool_new(r->pool, lun_addr);
        *remote = copy_addr(r->pool, from->remote);
        r->remote = remote;
    }

    copy_line(r, from);
    lun_http_copy_in(r, from, true);
    r->in.ends_apart = false;
    copy_body(r, from);
    copy_place(r, from);
    copy_values(r, from);
    lun_http_use_log(r);

    return r;
}


void
lun_detached_start(lun_request *r)
{
    detached  *d = r->stream;

    LUN_CHECK(r->protocol == &nobody);
    lun_loop_post(r->conn->loop, &d->task, on_task);
}

/*
 * filters.c -- header_filter_by_lua and body_filter_by_lua.
 *
 * A body filter sees each chain that comes along as one text, ngx.arg[1], and
 * whether it is the last, ngx.arg[2].  What it leaves there goes on in bufs of
 * its own; a chain it did not touch goes on as it is.  A file comes in pieces,
 * and while as much as may waits to be sent, nothing more is looked at.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "http/filter_buf.h"
#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/run/number.h"
#include "os/file.h"

enum { OUT_LEAST = 1024, OUT_MOST = 32768, WAITING = 131072 };

/* Memory that is used again for the next text. */
typedef struct {
    char    *data;
    size_t   room;
} scratch;

/* Of a request whose body passes. */
struct lun_lua_filter {
    lun_filter_buf  out;
    lun_buf         piece;         /* of a file: what Lua sees of it now */
    scratch         joined;        /* ngx.arg[1], out of several bufs */
    scratch         said;          /* what was written there */
};


/*
 * Runs a chunk for what it does.  False if it fails, or returns a code that
 * means so: ngx.ERROR, or that of an error page, for which it is too late.
 */
static bool
run(lun_lua_ctx *ctx, uint32_t phase, lun_chunk *chunk)
{
    int          index;
    lua_State   *L;
    int64_t      code;

    lun_debug(ctx->log, "lua %s filter for user lua code, uri \"%.*s\"",
              phase == LUN_LUA_HEADER_FILTER ? "header" : "body",
              LUN_S(ctx->request->uri));

    index = lun_lua_run_now(ctx, phase, chunk, 1, &L);

    if (index == 0) {
        return false;
    }

    code = phase == LUN_LUA_BODY_FILTER
           ? lun_number_at(L, index, INT32_MIN, INT32_MAX) : 0;
    lua_settop(L, index - 1);
    return code != LUN_ERROR && code < 300;
}


/* ngx_lua has a filter for captures wherever there may be any. */
static LUN_NOINLINE void
say_capture(const lun_request *r, const char *what)
{
    if (lun_lua_main_of(r->session.engine)->captures) {
        lun_debug(r->log, "lua capture %s filter, uri \"%.*s\"", what,
                  LUN_S(r->uri));
    }
}


static inline void
log_capture(const lun_request *r, const char *what)
{
    if (LUN_UNLIKELY(lun_log_wants(r->log, LUN_LOG_DEBUG))) {
        say_capture(r, what);
    }
}


/* There is code; what has none goes by without the price of this. */
static LUN_NOINLINE lun_rc
filter_header(lun_request *r, const lun_lua_conf *conf)
{
    int           was_code, code;
    bool          was_exited;
    lun_lua_ctx  *ctx;

    ctx = lun_lua_ctx_of(&r->session);
    if (ctx == NULL) {
        return LUN_ERROR;
    }

    /* ngx.exit() here is not the content handler's; its code once more is. */
    was_exited = ctx->exited;
    was_code = ctx->exited ? ctx->exit_code : 0;
    ctx->exited = false;

    code = !run(ctx, LUN_LUA_HEADER_FILTER, conf->header_filter) ? -1
           : ctx->exited && ctx->exit_code != was_code ? ctx->exit_code : 0;

    ctx->exited = was_exited;
    ctx->exit_code = was_code;

    if (code < 0) {
        return LUN_ERROR;
    }

    /* Once: the page of that status comes along here as well. */
    if (code >= 200 && !ctx->refused) {
        ctx->refused = true;
        return lun_http_refuse(r, (unsigned) code);
    }

    return lun_http_next_header(r, &lun_http_lua);
}


lun_rc
lun_lua_header_filter(lun_request *r)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    log_capture(r, "header");

    if (conf->body_filter != NULL) {
        r->filter_need_in_memory = 1;
    }

    return conf->header_filter != NULL ? filter_header(r, conf)
           : lun_http_next_header(r, &lun_http_lua);
}


/* --- bodies --- */

static bool
is_last(const lun_buf *in)
{
    for ( ; in != NULL; in = in->next) {
        if (in->eof || in->eof_part) {
            return true;
        }
    }

    return false;
}


static void
use_up(lun_buf *in)
{
    for ( ; in != NULL; in = in->next) {
        in->pos = in->last;
        in->file_pos = in->file_last;
    }
}


static void
end_filter(void *data)
{
    struct lun_lua_filter  *f = data;

    lun_free(f->joined.data);
    lun_free(f->said.data);
}


static struct lun_lua_filter *
filter_of(lun_lua_ctx *ctx)
{
    if (ctx->filter == NULL) {
        ctx->filter = lun_pool_new(ctx->pool, struct lun_lua_filter);
        lun_pool_on_end(ctx->pool, end_filter, ctx->filter);
        lun_filter_buf_init(&ctx->filter->out, ctx->request, 0, 1);
    }

    return ctx->filter;
}


/* Bufs are as large as the first text wants them. */
static void
say(struct lun_lua_filter *f, lun_str text)
{
    lun_filter_buf  *s = &f->out;

    if (s->size == 0 && text.len != 0) {
        s->size = lun_max(lun_min(text.len, (size_t) OUT_MOST),
                          (size_t) OUT_LEAST);
        s->most = WAITING / (int64_t) s->size;
    }

    lun_filter_buf_put(s, text.data, text.len);
}


/*
 * The first of what waits, as a list: all bufs of memory up to a file, or a
 * piece of a file.
 */
static lun_rc
next_part(struct lun_lua_filter *f, lun_buf **part)
{
    lun_str         text;
    lun_buf        *b = f->out.in.head;
    lun_chain       list;

    if (b->in_file && lun_buf_size(b) != 0) {
        if (lun_filter_buf_text(&f->out, &text) != LUN_OK) {
            return LUN_ERROR;
        }

        f->piece = (lun_buf) { 0 };
        f->piece.pos = f->piece.start = (char *) (uintptr_t) text.data;
        f->piece.last = f->piece.end = f->piece.pos + text.len;

        if ((int64_t) text.len == lun_buf_size(b)) {
            f->piece.flush = b->flush;
            f->piece.eof = b->eof;
            f->piece.eof_part = b->eof_part;
        }

        *part = &f->piece;
        return LUN_OK;
    }

    lun_chain_init(&list);

    do {
        lun_chain_push(&list, lun_chain_shift(&f->out.in));
        b = f->out.in.head;
    } while (b != NULL && (!b->in_file || lun_buf_size(b) == 0));

    *part = list.head;
    return LUN_OK;
}


/* The piece of a file was looked at, and with its last one the buf. */
static void
use_up_part(struct lun_lua_filter *f, lun_buf *part)
{
    lun_buf  *b = f->out.in.head;

    if (part != &f->piece) {
        use_up(part);
        return;
    }

    lun_filter_buf_used(&f->out, (size_t) (part->last - part->start));

    if (lun_buf_size(b) == 0) {
        (void) lun_chain_shift(&f->out.in);
    }
}


/* What is to go on of a part that Lua has seen; NULL: nothing. */
static lun_buf *
result_of(lun_lua_ctx *ctx, lun_buf *part)
{
    lun_buf                 flags = { 0 }, *it;
    lun_request            *r = ctx->request;
    struct lun_lua_filter  *f = ctx->filter;

    if (!ctx->filter_changed && part != &f->piece) {
        return part;
    }

    for (it = part; it != NULL; it = it->next) {
        flags.flush |= it->flush;
    }

    say(f, ctx->filter_changed ? ctx->filter_text
           : lun_str_of(part->pos, (size_t) (part->last - part->pos)));
    use_up_part(f, part);

    flags.eof = ctx->filter_eof && r == r->main;
    flags.eof_part = ctx->filter_eof && r != r->main;
    lun_filter_buf_close(&f->out, &flags);

    return lun_filter_buf_take(&f->out);
}


static lun_rc
filter_part(lun_request *r, lun_lua_ctx *ctx, lun_chunk *chunk)
{
    bool      good, last;
    lun_buf  *part;

    if (next_part(ctx->filter, &part) != LUN_OK) {
        return LUN_ERROR;
    }

    last = is_last(part);
    ctx->filter_in = part;
    ctx->filter_eof = last;
    ctx->filter_changed = false;
    ctx->filter_failed = false;

    good = run(ctx, LUN_LUA_BODY_FILTER, chunk);
    ctx->filter_in = NULL;
    ctx->filter_ended = ctx->filter_eof;

    if (!good || ctx->filter_failed) {
        r->main->aborted = 1;      /* nobody gets what a script takes back */
        return LUN_ERROR;
    }

    if (last && !ctx->filter_eof) {
        r->eof_came = 0;           /* there is to be another one */
    }

    part = result_of(ctx, part);
    return part != NULL ? lun_http_next_body(r, &lun_http_lua, part) : LUN_OK;
}


/* As lun_filter_buf_run() does it, with lists instead of texts. */
static lun_rc
filter_parts(lun_request *r, lun_lua_ctx *ctx, lun_chunk *chunk, bool pushed)
{
    lun_rc           rc = LUN_OK;
    lun_filter_buf  *s = &ctx->filter->out;

    do {
        while (rc != LUN_ERROR && s->in.head != NULL
               && !lun_filter_buf_is_full(s))
        {
            rc = filter_part(r, ctx, chunk);
            pushed = false;

            if (ctx->filter_ended) {
                use_up(s->in.head);
                lun_chain_init(&s->in);
            }
        }

        if (rc != LUN_ERROR && !pushed && lun_filter_buf_is_full(s)) {
            rc = lun_http_next_body(r, &lun_http_lua, NULL);
            pushed = true;
        }

        if (rc == LUN_ERROR) {
            lun_chain_init(&s->in);
        }

    } while (s->in.head != NULL && !lun_filter_buf_is_full(s));

    lun_filter_buf_hold(s);
    return rc == LUN_OK && s->in.head != NULL ? LUN_AGAIN : rc;
}


static LUN_NOINLINE lun_rc
filter_body(lun_request *r, const lun_lua_conf *conf, lun_buf *in)
{
    lun_lua_ctx  *ctx;

    ctx = lun_lua_ctx_of(&r->session);
    if (ctx == NULL) {
        return LUN_ERROR;
    }

    if (in == NULL && lun_http_next_body(r, &lun_http_lua, NULL) == LUN_ERROR) {
        return LUN_ERROR;
    }

    if (ctx->filter_ended) {
        use_up(in);
        return LUN_OK;
    }

    lun_filter_buf_add(&filter_of(ctx)->out, in);
    return filter_parts(r, ctx, conf->body_filter, in == NULL);
}


lun_rc
lun_lua_body_filter(lun_request *r, lun_buf *in)
{
    const lun_lua_conf  *conf = lun_lua_conf_of(&r->session);

    log_capture(r, "body");

    return conf->body_filter != NULL ? filter_body(r, conf, in)
           : lun_http_next_body(r, &lun_http_lua, in);
}


bool
lun_lua_body_is_idle(const lun_request *r)
{
    return lun_lua_conf_of(&r->session)->body_filter == NULL;
}


/* --- ngx.arg, for lua/resty/core/arg.lua --- */

static size_t
filter_size(const lun_buf *in)
{
    size_t  n = 0;

    for ( ; in != NULL; in = in->next) {
        n += (size_t) lun_buf_size(in);
    }

    return n;
}


/* Bytes of a file go through memory: Lua wants to see them. */
static char *
copy_buf(char *p, lun_lua_ctx *ctx, const lun_buf *b)
{
    size_t   done, size = (size_t) lun_buf_size(b);
    lun_err  err;

    if (!b->in_file) {
        return lun_copy(p, b->pos, size);
    }

    err = lun_file_read(b->file, p, size, b->file_pos, &done);
    if (err != 0 || done != size) {
        lun_log(LUN_LOG_CRIT, ctx->log, err, "read for body_filter_by_lua* "
                "failed");
        ctx->filter_failed = true;
    }

    return p + size;
}


static char *
room_for(scratch *s, size_t size)
{
    if (s->data == NULL || s->room < size) {
        s->room = lun_max(size, (size_t) OUT_LEAST);
        s->data = lun_realloc(s->data, s->room);
    }

    return s->data;
}


/* body_filter_by_lua: ngx.arg[1]. */
void
lun_ffi_arg_body(lun_str *text)
{
    char           *p;
    size_t          size;
    lun_lua_ctx    *ctx = lun_lua_now.ctx;
    const lun_buf  *b, *in = ctx->filter_in;

    if (ctx->filter_changed) {
        *text = ctx->filter_text;
        return;
    }

    if (in->next == NULL && !in->in_file) {
        *text = lun_str_of(in->pos, (size_t) (in->last - in->pos));
        return;
    }

    size = filter_size(in);
    p = room_for(&ctx->filter->joined, size);
    text->data = p;
    text->len = size;

    for (b = in; b != NULL; b = b->next) {
        p = copy_buf(p, ctx, b);
    }
}


/* body_filter_by_lua: ngx.arg[1] = text. */
void
lun_ffi_arg_set_body(const char *data, size_t len)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    ctx->filter_text = lun_str_of(room_for(&ctx->filter->said, len), len);

    if (len != 0) {
        memcpy(ctx->filter->said.data, data, len);
    }

    ctx->filter_changed = true;
}


/* body_filter_by_lua: ngx.arg[2]. */
int
lun_ffi_arg_eof(void)
{
    return lun_lua_now.ctx->filter_eof;
}


/* body_filter_by_lua: ngx.arg[2] = true or false. */
void
lun_ffi_arg_set_eof(int eof)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;
    lun_str       text;

    if (ctx->filter_eof == (eof != 0)) {
        return;
    }

    /* The flags of the bufs are not its own: the text moves to a new one. */
    if (!ctx->filter_changed) {
        lun_ffi_arg_body(&text);
        lun_ffi_arg_set_body(text.data, text.len);
    }

    ctx->filter_eof = eof != 0;
}


/* set_by_lua: ngx.arg[n], from 1; 0: there is none, or nothing in it. */
int
lun_ffi_arg_set(unsigned n, lun_str *text)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (n == 0 || n > ctx->arg_count || ctx->args[n - 1].len == 0) {
        return 0;
    }

    *text = ctx->args[n - 1];
    return 1;
}

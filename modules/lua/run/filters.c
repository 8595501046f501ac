/*
 * filters.c -- header_filter_by_lua and body_filter_by_lua.
 *
 * A body filter sees each chain that comes along as one text, ngx.arg[1], and
 * whether it is the last, ngx.arg[2].  What it leaves there goes on in one
 * buf; a chain it did not touch goes on as it is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/number.h"
#include "os/file.h"

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


lun_rc
lun_lua_header_filter(lun_request *r)
{
    int                  was_code, code;
    bool                 was_exited;
    lun_lua_ctx         *ctx;
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (conf->body_filter != NULL) {
        r->filter_need_in_memory = 1;
    }

    if (conf->header_filter == NULL) {
        return lun_http_next_header(r, &lun_http_lua);
    }

    ctx = lun_lua_ctx_of(r);
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


static lun_rc
send_changed(lun_request *r, lun_lua_ctx *ctx, lun_buf *in)
{
    bool      flush = false;
    lun_buf  *b, *it;

    for (it = in; it != NULL; it = it->next) {
        flush |= it->flush;
    }

    use_up(in);

    if (ctx->filter_text.len == 0 && !ctx->filter_eof && !flush) {
        return LUN_OK;
    }

    b = lun_buf_new_str(r->pool, ctx->filter_text);
    b->flush = flush;
    b->eof = ctx->filter_eof && r == r->main;
    b->eof_part = ctx->filter_eof && r != r->main;
    return lun_http_next_body(r, &lun_http_lua, b);
}


lun_rc
lun_lua_body_filter(lun_request *r, lun_buf *in)
{
    bool                 good;
    lun_lua_ctx         *ctx;
    const lun_lua_conf  *conf = lun_http_conf(r, &lun_http_lua);

    if (conf->body_filter == NULL || in == NULL) {
        return lun_http_next_body(r, &lun_http_lua, in);
    }

    ctx = lun_lua_ctx_of(r);
    if (ctx == NULL) {
        return LUN_ERROR;
    }

    if (ctx->filter_ended) {
        use_up(in);
        return LUN_OK;
    }

    ctx->filter_in = in;
    ctx->filter_eof = is_last(in);
    ctx->filter_changed = false;
    ctx->filter_failed = false;

    good = run(ctx, LUN_LUA_BODY_FILTER, conf->body_filter);
    ctx->filter_in = NULL;
    ctx->filter_ended = ctx->filter_eof;

    if (!good || ctx->filter_failed) {
        return LUN_ERROR;
    }

    if (!ctx->filter_changed) {
        return lun_http_next_body(r, &lun_http_lua, in);
    }

    return send_changed(r, ctx, in);
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
    p = lun_pool_text(ctx->pool, size + 1);
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

    ctx->filter_text = lun_pool_str(ctx->pool, lun_str_of(data, len));
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


/* set_by_lua: ngx.arg[n], from 1; 0: there is none. */
int
lun_ffi_arg_set(unsigned n, lun_str *text)
{
    lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (n == 0 || n > ctx->arg_count) {
        return 0;
    }

    *text = ctx->args[n - 1];
    return 1;
}

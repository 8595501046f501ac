/*
 * ffi_body.c -- looking at the request's body and replacing it, for
 * lua/resty/core/request_body.lua.  Reading it is read_body.c's.
 *
 * Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi_headers.h"
#include "modules/lua/lua.h"
#include "modules/lua/run/ctx.h"
#include "modules/lua/sock/sock.h"

#include "http/conf/core_conf.h"

/* request_body.lua has the same numbers. */
enum { BODY_THERE, BODY_NOT_READ, BODY_DISCARDED, BODY_NOT_BEGUN,
       BODY_FAILED };

enum { PATH_SIZE = 1024, FIRST_ROOM = 4096 };

/* What ngx.req.append_body() gathers: in memory, past `limit` for a file. */
struct lun_lua_body {
    char    *data;
    size_t   len, room, limit;
    bool     finished;             /* it is the request's already */
};

LUN_EXPORT int lun_ffi_body_state(lun_request *r);
LUN_EXPORT int lun_ffi_body_text(lun_request *r, lun_str *text);
LUN_EXPORT int lun_ffi_body_file(lun_request *r, lun_str *path);
LUN_EXPORT int lun_ffi_body_set(lun_request *r, const char *data, size_t len);
LUN_EXPORT int lun_ffi_body_set_file(lun_request *r, const char *path,
    size_t len, int clean, char *error, size_t room);
LUN_EXPORT int lun_ffi_body_may_begin(lun_request *r);
LUN_EXPORT void lun_ffi_body_init(lun_request *r, int64_t limit);
LUN_EXPORT int lun_ffi_body_append(lun_request *r, const char *data,
    size_t len);
LUN_EXPORT int lun_ffi_body_finish(lun_request *r);


/* Of a body that was thrown away, whole, nothing is left to be known. */
int
lun_ffi_body_state(lun_request *r)
{
    const lun_body  *b = r->body;

    if (b == NULL || b->complete == b->discarding) {
        return BODY_NOT_READ;
    }

    return b->discarding ? BODY_DISCARDED : BODY_THERE;
}


/* LUN_ERROR: there is none, or it is in a file. */
int
lun_ffi_body_text(lun_request *r, lun_str *text)
{
    const lun_body  *b = r->body;

    if (lun_ffi_body_state(r) != BODY_THERE || b->file != LUN_FD_NONE
        || b->bufs.head == NULL)
    {
        return LUN_ERROR;
    }

    *text = lun_body_text(r);
    return text->len != 0 ? LUN_OK : LUN_ERROR;
}


int
lun_ffi_body_file(lun_request *r, lun_str *path)
{
    const lun_body  *b = r->body;

    if (lun_ffi_body_state(r) != BODY_THERE || b->file == LUN_FD_NONE) {
        return LUN_ERROR;
    }

    *path = b->file_path;
    return LUN_OK;
}


/* The header has to say what the body now is. */
static void
tell_length(lun_request *r, int64_t size)
{
    lun_str  text = lun_pool_fmt(r->pool, "%" PRId64, size);

    lun_ffi_req_set_header(r, "Content-Length", sizeof("Content-Length") - 1,
                           text.data, text.len, 1);
    lun_ffi_req_set_header(r, "Transfer-Encoding",
                           sizeof("Transfer-Encoding") - 1, NULL, 0, 1);
}


/* Another body has come: there is nothing to be appended to any more. */
static void
forget_finished(void)
{
    struct lun_lua_body  **at = &lun_lua_now.ctx->new_body;

    if (*at != NULL && (*at)->finished) {
        *at = NULL;
    }
}


int
lun_ffi_body_set(lun_request *r, const char *data, size_t len)
{
    int  state = lun_ffi_body_state(r);

    if (state != BODY_THERE) {
        return state;
    }

    forget_finished();
    lun_body_set(r, lun_pool_str(r->pool, lun_str_of(data, len)));
    tell_length(r, (int64_t) len);

    return BODY_THERE;
}


/* The file that is ours to delete, once nobody has it open any more. */
static void
delete_file(void *data)
{
    const char  **path = data;

    if (*path != NULL) {
        (void) lun_file_delete(*path);
        *path = NULL;
    }
}


/* A file of an earlier call goes with the body that was in it. */
static void
use_file(lun_request *r, lun_fd fd, lun_str path, int64_t size, bool clean)
{
    const char  **ours = &lun_lua_now.ctx->body_file;

    lun_body_set_file(r, fd, path, size);
    tell_length(r, size);

    if (*ours != NULL && !lun_str_eq(lun_str_z(*ours), path)) {
        delete_file(ours);
    }

    if (clean && *ours == NULL) {
        *ours = path.data;
        lun_pool_on_end(r->pool, delete_file, ours);
    }
}


/* BODY_FAILED: why is in error. */
int
lun_ffi_body_set_file(lun_request *r, const char *path, size_t len, int clean,
    char *error, size_t room)
{
    int             state = lun_ffi_body_state(r);
    char           *p;
    lun_fd          fd;
    lun_err         err;
    lun_str         name;
    lun_file_info   info;

    if (state != BODY_THERE) {
        return state;
    }

    name = lun_str_z(lun_pool_strz(r->pool, lun_str_of(path, len)));
    err = lun_file_open(name.data, LUN_FILE_READ, 0, &fd);

    if (err == 0 && (err = lun_file_info_of(fd, &info)) != 0) {
        lun_file_close(fd);
    }

    if (err != 0) {
        p = lun_fmt(error, error + room - 1, "stat() \"%s\" failed",
                    name.data);
        *p = '\0';
        return BODY_FAILED;
    }

    forget_finished();
    use_file(r, fd, name, info.size, clean != 0);

    return BODY_THERE;
}


/* --- a body made of pieces --- */

static void
free_data(void *data)
{
    struct lun_lua_body  *b = data;

    lun_free(b->data);
}


static struct lun_lua_body *
new_body(lun_request *r)
{
    struct lun_lua_body  *b = lun_pool_new(r->pool, struct lun_lua_body);

    lun_pool_on_end(r->pool, free_data, b);
    return b;
}


/* limit -1: client_body_buffer_size; 0: in a file. */
int
lun_ffi_body_may_begin(lun_request *r)
{
    /* What ngx.req.socket() has not read by finish_body() will be dropped. */
    return lun_body_streams(r) ? BODY_THERE : lun_ffi_body_state(r);
}


void
lun_ffi_body_init(lun_request *r, int64_t limit)
{
    struct lun_lua_body  *b = new_body(r);

    b->limit = limit >= 0 ? (size_t) limit
                          : lun_core_conf_of(r)->client_body_buffer_size;
    lun_lua_now.ctx->new_body = b;
}


/*
 * The same with more room.  The memory of a finished one stays as it is, since
 * a subrequest may be sending it.
 */
static struct lun_lua_body *
grow(lun_request *r, struct lun_lua_body *b, size_t len)
{
    size_t                room = lun_max(b->room * 2, b->len + len);
    struct lun_lua_body  *copy = b;

    room = lun_max(room, (size_t) FIRST_ROOM);

    if (b->finished) {
        copy = new_body(r);
        copy->limit = b->limit;
        copy->finished = true;
        copy->data = lun_malloc(room);
        copy->len = b->len;

        if (b->len > 0) {
            memcpy(copy->data, b->data, b->len);
        }

    } else {
        b->data = lun_realloc(b->data, room);
    }

    copy->room = room;
    return copy;
}


static void
use_memory(lun_request *r, const struct lun_lua_body *b)
{
    lun_body_set(r, lun_str_of(b->data, b->len));
    tell_length(r, (int64_t) b->len);
}


/*
 * What comes after finish_body() is the body's at once, unless it has to go to
 * a file: then the next finish_body() counts.
 */
int
lun_ffi_body_append(lun_request *r, const char *data, size_t len)
{
    struct lun_lua_body  **at = &lun_lua_now.ctx->new_body, *b = *at;

    if (b == NULL) {
        return BODY_NOT_BEGUN;
    }

    if (b->room - b->len < len) {
        *at = b = grow(r, b, len);
    }

    if (len > 0) {
        memcpy(b->data + b->len, data, len);
        b->len += len;
    }

    if (b->finished && b->len <= b->limit) {
        use_memory(r, b);
    }

    return BODY_THERE;
}


static int
finish_in_file(lun_request *r, const struct lun_lua_body *b)
{
    char     path[PATH_SIZE];
    lun_fd   fd;
    lun_err  err;

    err = lun_temp_path_open(lun_core_conf_of(r)->client_body_temp_path, path,
                             sizeof(path), &fd);

    if (err == 0 && (err = lun_file_write(fd, b->data, b->len, 0)) != 0) {
        lun_file_close(fd);
    }

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, r->log, err, "could not write a request body "
                "to a temporary file");
        return BODY_FAILED;
    }

    lun_log(LUN_LOG_WARN, r->log, 0, "a client request body is buffered to a "
            "temporary file %s", path);
    use_file(r, fd, lun_str_z(lun_pool_strz(r->pool, lun_str_z(path))),
             (int64_t) b->len, true);

    return BODY_THERE;
}


int
lun_ffi_body_finish(lun_request *r)
{
    lun_lua_ctx          *ctx = lun_lua_now.ctx;
    struct lun_lua_body  *b = ctx->new_body;

    if (b == NULL) {
        return BODY_NOT_BEGUN;
    }

    b->finished = true;

    /* What a socket, if it is still there, reads belongs to no body. */
    if (lun_body_streams(r) && lun_body_is_open(r)) {
        if (ctx->client != NULL) {
            lun_cosock_close(ctx->client);
        }

        lun_body_close(r);
    }

    if (b->len > b->limit) {
        return finish_in_file(r, b);
    }

    use_memory(r, b);
    return BODY_THERE;
}

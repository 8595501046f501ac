/*
 * capi_pipe.c -- ngx.pipe, as lua-resty-core declares it: programs of
 * api/pipe.c, whose Lua half (lua/lunette/pipe_read.lua) does the reading.
 *
 * What a read has come to stays here until it is asked for, and so does what
 * came with it and nobody has asked for yet.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_wait.h"

#include "base/fmt.h"
#include "modules/lua/api/pipe_end.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"

/* What proc->pipe points to. */
typedef struct {
    char    *text, *rest;          /* malloc'ed, or NULL */
    size_t   len, rest_len;
    char     why[128];             /* "": there was no error */
    bool     partial;              /* what there is before the error */
} outcome;

typedef struct {
    lun_pipe  *pipe;
    unsigned   holds;              /* the proc, a job */
    outcome    read[2];            /* of output, of errors */
    outcome    written;            /* len */
} handle;

static const char  type_name[] = "lunette.capi_pipe";


static handle *
get(lun_capi_proc *proc)
{
    handle  *h = proc->pipe;

    h->holds++;
    return h;
}


static void
put(handle *h)
{
    int  i;

    if (--h->holds != 0) {
        return;
    }

    for (i = 0; i < 2; i++) {
        lun_free(h->read[i].text);
        lun_free(h->read[i].rest);
    }

    lun_pipe_put(h->pipe);
    lun_free(h);
}


static void
keep_text(char **at, size_t *len, const char *text, size_t text_len)
{
    lun_free(*at);
    *at = NULL;
    *len = text_len;

    if (text_len != 0) {
        *at = lun_malloc(text_len);
        memcpy(*at, text, text_len);
    }
}


/* --- starting --- */

static int
fail_err(char *errbuf, size_t *errbuf_size, lun_err err)
{
    char     room[128];
    lun_str  text = lun_pipe_err_text(err, room, sizeof(room));
    char    *p = lun_fmt(errbuf, errbuf + *errbuf_size, "%.*s", LUN_S(text));

    *errbuf_size = (size_t) (p - errbuf);
    return LUN_CAPI_ERROR;
}


static size_t
count_of(const char **list)
{
    size_t  n = 0;

    while (list != NULL && list[n] != NULL && n <= LUN_PIPE_ARGS_MOST) {
        n++;
    }

    return n;
}


/* `file` is argv[0], which is looked for as a shell does. */
int
ngx_http_lua_ffi_pipe_spawn(void *r, lun_capi_proc *proc, const char *file,
    const char **argv, int merge_stderr, size_t buffer_size,
    const char **environ_, char *errbuf, size_t *errbuf_size)
{
    size_t             n = count_of(argv);
    handle            *h;
    lun_err            err;
    lun_pipe          *pipe;
    const char        *why;
    lun_proc_command   command = { .argv = argv, .env = environ_ };

    if (lun_lua_now.ctx == NULL) {
        return lun_capi_fail(errbuf, errbuf_size, "no request ctx found");
    }

    if (!lun_pipe_can_start(&why)) {
        return lun_capi_fail(errbuf, errbuf_size, why);
    }

    if (n == 0 || n > LUN_PIPE_ARGS_MOST
        || count_of(environ_) > LUN_PIPE_ARGS_MOST)
    {
        return lun_capi_fail(errbuf, errbuf_size, n == 0
                             ? "no arguments" : "too many arguments");
    }

    pipe = lun_pipe_start(&command, merge_stderr != 0,
                          lun_max(lun_min(buffer_size, LUN_PIPE_PIECE_MOST), 1),
                          &err);

    if (pipe == NULL) {
        return fail_err(errbuf, errbuf_size, err);
    }

    h = lun_calloc(sizeof(handle));
    h->pipe = pipe;
    h->holds = 1;
    proc->pipe = h;
    proc->pid = (int) lun_pipe_pid(pipe);
    return LUN_CAPI_OK;
}


void
ngx_http_lua_ffi_pipe_proc_destroy(lun_capi_proc *proc)
{
    if (proc->pipe != NULL) {
        put(proc->pipe);
        proc->pipe = NULL;
    }
}


/* --- jobs --- */

typedef struct {
    handle    *h;
    int        which;              /* LUN_PIPE_... */
    int        reader;
    size_t     len;
    uintptr_t  limit;
    char      *text;               /* malloc'ed: what is to be written */
} pipe_job;


/* What lun_capi_keep_...() take again. */
static void
push_handle(lua_State *L, handle *h)
{
    lun_lua_box  *box = lun_lua_box_new(L, type_name);

    box->object = h;
    h->holds++;
}


static int
on_collect(lua_State *L)
{
    lun_lua_box  *box = lua_touserdata(L, 1);

    if (box->object != NULL) {
        put(box->object);
        box->object = NULL;
    }

    return 0;
}


void
lun_capi_pipe_open(lua_State *L)
{
    lun_lua_type(L, type_name, on_collect);
}


static handle *
handle_at(lua_State *L, int index)
{
    handle  *h = lun_lua_unbox(L, index, type_name);

    luaL_argcheck(L, h != NULL, index, "no pipe");
    return h;
}


static void
drop(void *data)
{
    pipe_job  *j = data;

    put(j->h);
    lun_free(j->text);
    lun_free(j);
}


/* handle, pipe, limit. */
static int
push_pipe(lua_State *L, const pipe_job *j)
{
    push_handle(L, j->h);
    lun_pipe_push(L, j->h->pipe);
    lua_pushnumber(L, (lua_Number) j->limit);
    return 3;
}


/* ... which, how, how much, what is there already: from now on the job's. */
static int
push_read(lua_State *L, void *data)
{
    pipe_job  *j = data;
    outcome   *o = &j->h->read[j->which == LUN_PIPE_ERR];

    (void) push_pipe(L, j);
    lua_pushinteger(L, j->which);
    lua_pushinteger(L, j->reader);
    lua_pushnumber(L, (lua_Number) j->len);
    lua_pushlstring(L, o->rest, o->rest_len);
    keep_text(&o->rest, &o->rest_len, NULL, 0);
    return 7;
}


/* ... the text. */
static int
push_write(lua_State *L, void *data)
{
    pipe_job  *j = data;

    (void) push_pipe(L, j);
    lua_pushlstring(L, j->text, j->len);
    return 4;
}


static int
push_wait(lua_State *L, void *data)
{
    return push_pipe(L, data);
}


static const lun_capi_job  read_job = { "pipe_read", push_read, drop };
static const lun_capi_job  write_job = { "pipe_write", push_write, drop };
static const lun_capi_job  wait_job = { "pipe_wait", push_wait, drop };


/* NULL: *rc is what to return. */
static pipe_job *
new_job(lun_capi_proc *proc, uintptr_t limit, char *errbuf,
    size_t *errbuf_size, int *rc)
{
    pipe_job  *j;

    *rc = lun_capi_may_wait(errbuf, errbuf_size);

    if (*rc == LUN_CAPI_OK && proc->pipe == NULL) {
        *rc = lun_capi_fail(errbuf, errbuf_size, "closed");
    }

    if (*rc != LUN_CAPI_OK) {
        return NULL;
    }

    j = lun_calloc(sizeof(pipe_job));
    j->h = get(proc);
    j->limit = lun_min(limit, UINT32_MAX);
    return j;
}


/* --- reading --- */

int
ngx_http_lua_ffi_pipe_proc_read(void *r, lun_capi_proc *proc, int from_stderr,
    int reader_type, size_t length, char **buf, size_t *buf_size,
    char *errbuf, size_t *errbuf_size)
{
    int        rc;
    pipe_job  *j = new_job(proc, from_stderr ? proc->stderr_read_timeout
                                             : proc->stdout_read_timeout,
                           errbuf, errbuf_size, &rc);

    if (j == NULL) {
        return rc;
    }

    j->which = from_stderr ? LUN_PIPE_ERR : LUN_PIPE_OUT;
    j->reader = reader_type;
    j->len = length;
    return lun_capi_wait(&read_job, j);
}


/*
 * (handle, which, text or nil, why or nil, partial text or nil, rest).
 * Text that is there before an error is partial; some errors have none.
 */
int
lun_capi_keep_read(lua_State *L)
{
    size_t       len = 0, rest_len;
    handle      *h = handle_at(L, 1);
    int          which = (int) lun_number_check(L, 2, LUN_PIPE_OUT,
                                                LUN_PIPE_ERR);
    outcome     *o = &h->read[which == LUN_PIPE_ERR];
    const char  *text, *why = lua_tostring(L, 4), *rest;

    o->partial = lua_isstring(L, 5);
    text = lua_tolstring(L, o->partial ? 5 : 3, &len);
    rest = luaL_checklstring(L, 6, &rest_len);
    keep_text(&o->text, &o->len, text, text != NULL ? len : 0);
    keep_text(&o->rest, &o->rest_len, rest, rest_len);
    (void) lun_fmt(o->why, o->why + sizeof(o->why) - 1, "%s%c",
                   why != NULL ? why : "", '\0');
    return 0;
}


/* OK; DECLINED: an error, and what was there before it; ERROR. */
int
ngx_http_lua_ffi_pipe_get_read_result(void *r, lun_capi_proc *proc,
    int from_stderr, char **buf, size_t *buf_size, char *errbuf,
    size_t *errbuf_size)
{
    handle   *h = proc->pipe;
    outcome  *o = h != NULL ? &h->read[from_stderr != 0] : NULL;
    char     *p;

    if (o == NULL) {
        return lun_capi_fail(errbuf, errbuf_size, "closed");
    }

    if (o->why[0] != '\0' && !o->partial) {
        return lun_capi_fail(errbuf, errbuf_size, o->why);
    }

    /* Too small: the caller comes again, with a place for all of it. */
    if (o->len > *buf_size) {
        *buf = NULL;

    } else {
        (void) lun_copy_str(*buf, lun_str_of(o->text, o->len));
    }

    *buf_size = o->len;

    if (o->why[0] == '\0') {
        return LUN_CAPI_OK;
    }

    p = lun_fmt(errbuf, errbuf + *errbuf_size, "%s", o->why);
    *errbuf_size = (size_t) (p - errbuf);
    return LUN_CAPI_DECLINED;
}


/* --- writing --- */

ptrdiff_t
ngx_http_lua_ffi_pipe_proc_write(void *r, lun_capi_proc *proc,
    const char *data, size_t len, char *errbuf, size_t *errbuf_size)
{
    int        rc;
    pipe_job  *j = new_job(proc, proc->write_timeout, errbuf, errbuf_size,
                           &rc);

    if (j == NULL) {
        return rc;
    }

    keep_text(&j->text, &j->len, data, len);
    return lun_capi_wait(&write_job, j);
}


/* (handle, length or nil, why or nil). */
int
lun_capi_keep_written(lua_State *L)
{
    handle      *h = handle_at(L, 1);
    const char  *why = lua_tostring(L, 3);

    h->written.len = (size_t) lun_number_at(L, 2, 0, LUN_NUMBER_MOST);
    (void) lun_fmt(h->written.why,
                   h->written.why + sizeof(h->written.why) - 1, "%s%c",
                   why != NULL ? why : "", '\0');
    return 0;
}


ptrdiff_t
ngx_http_lua_ffi_pipe_get_write_result(void *r, lun_capi_proc *proc,
    char *errbuf, size_t *errbuf_size)
{
    const handle  *h = proc->pipe;

    if (h == NULL) {
        return lun_capi_fail(errbuf, errbuf_size, "closed");
    }

    return h->written.why[0] != '\0'
           ? lun_capi_fail(errbuf, errbuf_size, h->written.why)
           : (ptrdiff_t) h->written.len;
}


/* --- its end --- */

static int
shut(lun_capi_proc *proc, int which, char *errbuf, size_t *errbuf_size)
{
    handle      *h = proc->pipe;
    const char  *why = h != NULL ? lun_pipe_shutdown(h->pipe, which)
                                 : "closed";

    if (why != NULL) {
        return lun_capi_fail(errbuf, errbuf_size, why);
    }

    if (which != LUN_PIPE_IN) {
        keep_text(&h->read[which == LUN_PIPE_ERR].rest,
                  &h->read[which == LUN_PIPE_ERR].rest_len, NULL, 0);
    }

    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_pipe_proc_shutdown_stdin(lun_capi_proc *proc, char *errbuf,
    size_t *errbuf_size)
{
    return shut(proc, LUN_PIPE_IN, errbuf, errbuf_size);
}


int
ngx_http_lua_ffi_pipe_proc_shutdown_stdout(lun_capi_proc *proc, char *errbuf,
    size_t *errbuf_size)
{
    return shut(proc, LUN_PIPE_OUT, errbuf, errbuf_size);
}


int
ngx_http_lua_ffi_pipe_proc_shutdown_stderr(lun_capi_proc *proc, char *errbuf,
    size_t *errbuf_size)
{
    return shut(proc, LUN_PIPE_ERR, errbuf, errbuf_size);
}


/* What it ended with is what coroutine._yield() gives. */
int
ngx_http_lua_ffi_pipe_proc_wait(void *r, lun_capi_proc *proc, char **reason,
    int *status, char *errbuf, size_t *errbuf_size)
{
    int        rc;
    pipe_job  *j = new_job(proc, proc->wait_timeout, errbuf, errbuf_size,
                           &rc);

    return j != NULL ? lun_capi_wait(&wait_job, j) : rc;
}


int
ngx_http_lua_ffi_pipe_proc_kill(lun_capi_proc *proc, int signal, char *errbuf,
    size_t *errbuf_size)
{
    handle      *h = proc->pipe;
    const char  *why = h != NULL ? lun_pipe_kill(h->pipe, signal) : "closed";

    return why != NULL ? lun_capi_fail(errbuf, errbuf_size, why)
                       : LUN_CAPI_OK;
}

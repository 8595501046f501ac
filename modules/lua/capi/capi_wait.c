/*
 * capi_wait.c -- jobs that a coroutine does when it yields; ngx.semaphore, as
 * lua-resty-core declares it.
 *
 * A coroutine notes a job and yields at once, so there is one at a time.  What
 * it refers to is held until it was taken, or another took its place.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_wait.h"

#include "modules/lua/run/native.h"

static _Thread_local struct {
    const lun_capi_job  *job;      /* NULL: none is noted */
    void                *data;
    lun_co              *co;       /* who noted it */
} noted;


void
lun_capi_forget_job(void)
{
    const lun_capi_job  *job = noted.job;

    noted.job = NULL;

    if (job != NULL) {
        job->drop(noted.data);
    }
}


void
lun_capi_tell_phase(char *err, size_t *errlen)
{
    char  *p = lun_fmt(err, err + *errlen, "API disabled in the context of %s",
                       lun_lua_phase_name(lun_lua_now.phase));

    *errlen = (size_t) (p - err);
}


int
lun_capi_may_wait(char *err, size_t *errlen)
{
    if (lun_lua_now.ctx == NULL) {
        return LUN_CAPI_NO_CTX;
    }

    if ((lun_lua_now.phase & LUN_LUA_YIELDABLE) != 0 && lun_lua_now.co != NULL)
    {
        return LUN_CAPI_OK;
    }

    lun_capi_tell_phase(err, errlen);
    return LUN_CAPI_BAD_CONTEXT;
}


int
lun_capi_wait(const lun_capi_job *job, void *data)
{
    lun_capi_forget_job();
    noted.job = job;
    noted.data = data;
    noted.co = lun_lua_now.co;

    if (noted.co != NULL) {
        noted.co->has_job = true;
    }

    return LUN_CAPI_AGAIN;
}


/* The job of the coroutine that calls: its name and arguments, or nothing. */
static int
take_job(lua_State *L)
{
    int                  n;
    const lun_capi_job  *job = noted.job;

    if (job == NULL) {
        return 0;
    }

    /* Another's, or of one that died and stood where this one does. */
    if (noted.co != lun_lua_now.co || noted.co->L != L
        || !lun_lua_now.co->has_job)
    {
        lun_capi_forget_job();
        return 0;
    }

    lun_lua_now.co->has_job = false;

    lua_pushstring(L, job->name);
    n = job->push(L, noted.data);
    lun_capi_forget_job();
    return n + 1;
}


/* --- ngx.semaphore --- */

typedef struct {
    lun_sema  *sema;
    int        msec;
} sema_job;


static int
push_sema(lua_State *L, void *data)
{
    const sema_job  *j = data;

    lun_sema_push(L, j->sema);
    lua_pushnumber(L, j->msec / 1000.0);
    return 2;
}


static void
drop_sema(void *data)
{
    sema_job  *j = data;

    lun_sema_put(j->sema);
    lun_free(j);
}


static const lun_capi_job  wait_for_sema = { "sema", push_sema, drop_sema };


int
ngx_http_lua_ffi_sema_new(lun_sema **psem, int n, const char **errmsg)
{
    *psem = lun_sema_new(lun_max(n, 0));
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_sema_post(lun_sema *sem, int n)
{
    if (n > 0) {
        lun_sema_post(sem, n);
    }

    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_sema_count(lun_sema *sem)
{
    return (int) lun_min(lun_sema_count(sem), INT32_MAX);
}


/* DECLINED: there is nothing, and the caller does not wait. */
int
ngx_http_lua_ffi_sema_wait(void *r, lun_sema *sem, int wait_ms, char *errstr,
    size_t *errlen)
{
    sema_job  *j;

    if (lun_capi_may_wait(errstr, errlen) != LUN_CAPI_OK) {
        return lun_lua_now.ctx != NULL
               ? LUN_CAPI_ERROR
               : lun_capi_fail(errstr, errlen, "no request ctx found");
    }

    if (lun_sema_take(sem)) {
        return LUN_CAPI_OK;
    }

    if (wait_ms <= 0) {
        return LUN_CAPI_DECLINED;
    }

    j = lun_malloc(sizeof(sema_job));
    j->sema = lun_sema_get(sem);
    j->msec = wait_ms;
    return lun_capi_wait(&wait_for_sema, j);
}


void
ngx_http_lua_ffi_sema_gc(lun_sema *sem)
{
    lun_sema_collected(sem);
}


void
lun_lua_capi_open(lua_State *L)
{
    static const luaL_Reg  functions[] = {
        { "capi_take_job", take_job },
        { "capi_dict_box", lun_capi_dict_box },
        { "capi_keep_read", lun_capi_keep_read },
        { "capi_keep_written", lun_capi_keep_written },
        { "capi_keep_session", lun_capi_keep_session },
        { NULL, NULL }
    };

    lun_capi_pipe_open(L);
    luaL_register(L, NULL, functions);
}

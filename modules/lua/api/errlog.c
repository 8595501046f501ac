/*
 * errlog.c -- lua_capture_error_log.
 *
 * A ring of bytes: each line is a head and its text, and may go round the end
 * of the ring.  Helper threads log as well, so whoever touches it takes a spin
 * lock, for the time of a copy.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/errlog.h"

#include "modules/lua/conf/directives.h"
#include "modules/lua/run/ctx.h"
#include "net/loop.h"
#include "os/lock.h"
#include "os/time.h"

enum { MIN_SIZE = 4096 };

typedef struct {
    double    when;
    uint32_t  len;
    uint32_t  level;
} line_head;

struct lun_lua_errlog {
    const lun_generation  *gen;
    lun_lua_errlog        *next;   /* of another block of that generation */
    atomic_flag    busy;
    lun_log_level  level;          /* set_filter_level's */
    size_t         size;
    size_t         first;          /* where the oldest begins */
    size_t         used;
    char          *data;
};


static void
lock(lun_lua_errlog *log)
{
    while (atomic_flag_test_and_set_explicit(&log->busy, memory_order_acquire))
    {
        lun_cpu_yield();
    }
}


static void
unlock(lun_lua_errlog *log)
{
    atomic_flag_clear_explicit(&log->busy, memory_order_release);
}


/* --- the ring --- */

static void
put(lun_lua_errlog *log, const void *bytes, size_t len)
{
    size_t  at = (log->first + log->used) % log->size;
    size_t  n = lun_min(len, log->size - at);

    memcpy(log->data + at, bytes, n);
    memcpy(log->data, (const char *) bytes + n, len - n);
    log->used += len;
}


/* `to` may be NULL. */
static void
take(lun_lua_errlog *log, void *to, size_t len)
{
    size_t  n = lun_min(len, log->size - log->first);

    if (to != NULL) {
        memcpy(to, log->data + log->first, n);
        memcpy((char *) to + n, log->data, len - n);
    }

    log->first = (log->first + len) % log->size;
    log->used -= len;
}


static void
keep_in(lun_lua_errlog *log, lun_log_level level, const char *text, size_t len)
{
    line_head  head, old;

    if (level > log->level || sizeof(head) + len > log->size) {
        return;
    }

    head.when = (double) lun_time_wall() / 1000;
    head.len = (uint32_t) len;
    head.level = level;

    lock(log);

    while (log->size - log->used < sizeof(head) + len) {
        take(log, &old, sizeof(old));
        take(log, NULL, old.len);
    }

    put(log, &head, sizeof(head));
    put(log, text, len);
    unlock(log);
}


static void
keep_line(void *data, lun_log_level level, const char *text, size_t len)
{
    lun_lua_errlog  *log;

    for (log = data; log != NULL; log = log->next) {
        keep_in(log, level, text, len);
    }
}


/* --- its life --- */

void
lun_lua_errlog_begin(lun_lua_errlog *log)
{
    lun_lua_errlog  *there = lun_log_tap_data();

    if (log == NULL) {
        return;
    }

    log->next = there != NULL && there->gen == log->gen ? there : NULL;
    lun_log_set_tap(keep_line, log);
}


void
lun_lua_errlog_end(lun_lua_errlog *log)
{
    if (log != NULL && lun_log_tap_data() == log) {
        lun_log_set_tap(NULL, NULL);
    }
}


lun_rc
lun_lua_set_capture_log(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t         size;
    lun_lua_errlog  *log;
    lun_lua_main    *main = lun_lua_main_of(cf->engine);

    if (lun_str_to_size(cf->args[1], &size) != LUN_OK) {
        return lun_conf_fail(cf, "invalid capture error log size \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    if (size < MIN_SIZE) {
        return lun_conf_fail(cf, "invalid capture error log size \"%.*s\", "
                             "minimum size is %d", LUN_S(cf->args[1]),
                             MIN_SIZE);
    }

    log = lun_pool_new(cf->pool, lun_lua_errlog);
    log->gen = cf->gen;
    atomic_flag_clear(&log->busy);
    log->level = LUN_LOG_DEBUG;
    log->size = (size_t) size;
    log->data = lun_pool_alloc_try(cf->pool, log->size);

    if (log->data == NULL) {
        return lun_conf_fail(cf, "no memory for lua_capture_error_log");
    }

    main->errlog = log;
    return LUN_OK;
}


/* --- ngx.errlog --- */

static lun_lua_errlog *
present(void)
{
    return lun_lua_now.ctx != NULL ? lun_lua_now.ctx->main->errlog : NULL;
}


int
lun_ffi_errlog_set_level(int level)
{
    lun_lua_errlog  *log = present();

    if (log == NULL) {
        return LUN_ERROR;
    }

    log->level = (lun_log_level) level;
    return LUN_OK;
}


int
lun_ffi_errlog_take(char *room, int *level, double *when)
{
    int              len = 0;
    line_head        head;
    lun_lua_errlog  *log = present();

    if (log == NULL) {
        return -1;
    }

    lock(log);

    if (log->used > 0) {
        take(log, &head, sizeof(head));
        take(log, room, head.len);
        len = (int) head.len;
        *level = (int) head.level;
        *when = head.when;
    }

    unlock(log);
    return len;
}


void
lun_ffi_errlog_raw(int level, const char *text, size_t len)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    lun_log_text((lun_log_level) level, ctx != NULL ? ctx->log : NULL,
                 lun_str_of(text, len));
}

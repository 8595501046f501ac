/*
 * log.c -- one message becomes one line, and the line goes to each target.
 *
 *     time [level] pid#tid: *conn text (errno: why) while doing, context
 *
 * The line is made on the stack: any thread may log.  When it is too long it
 * is cut, context and all, but it always ends with its newline.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/log.h"

#include <stdio.h>

#include "base/log_json.h"


static void to_stderr(lun_log_target *t, lun_log_level level, const char *line,
    size_t len);


static const char *const  level_names[] = {
    "", "emerg", "alert", "crit", "error", "warn", "notice", "info", "debug"
};

static lun_log_target  stderr_target = {
    .level = LUN_LOG_NOTICE,
    .write = to_stderr,
};

static const lun_log  stderr_log = {
    .level = LUN_LOG_NOTICE,
    .targets = &stderr_target,
};

static const lun_log     *default_log = &stderr_log;
static lun_log_services   services;
static lun_log_tap_fn    *tap;
static void              *tap_data;


/* What an error's text may need; a longer message makes room for it. */
enum { ERROR_ROOM = 128 };


static void
to_stderr(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    fwrite(line, 1, len, stderr);
}


void
lun_log_set_default(const lun_log *log)
{
    default_log = log != NULL ? log : &stderr_log;
}


const lun_log *
lun_log_default(void)
{
    return default_log;
}


void
lun_log_set_services(const lun_log_services *s)
{
    services = *s;
}


void
lun_log_set_tap(lun_log_tap_fn *fn, void *data)
{
    tap = fn;
    tap_data = data;
}


void *
lun_log_tap_data(void)
{
    return tap_data;
}


const char *
lun_log_level_name(lun_log_level level)
{
    return level_names[level];
}


lun_rc
lun_log_level_parse(lun_str name, lun_log_level *level)
{
    int  i;

    for (i = LUN_LOG_EMERG; i <= LUN_LOG_DEBUG; i++) {
        if (lun_str_eq(name, lun_str_z(level_names[i]))) {
            *level = (lun_log_level) i;
            return LUN_OK;
        }
    }

    return LUN_ERROR;
}


static char *
put_head(char *p, char *end, const lun_log *log, lun_log_level level)
{
    int64_t  pid, tid;
    lun_str  now;

    now = services.timestamp != NULL ? services.timestamp()
                                     : LUN_STR("1970/01/01 00:00:00");
    pid = services.pid != NULL ? services.pid() : 0;
    tid = services.tid != NULL ? services.tid() : 0;

    p = lun_fmt(p, end, "%.*s [%s] %" PRId64 "#%" PRId64 ": ", LUN_S(now),
                level_names[level], pid, tid);

    if (log->conn != 0) {
        p = lun_fmt(p, end, "*%" PRIu64 " ", log->conn);
    }

    return p;
}


static char *
put_error(char *p, char *end, int err)
{
    char     room[ERROR_ROOM];
    lun_str  text = LUN_STR("unknown error");

    if (end - p < ERROR_ROOM) {
        p = lun_copy(end - ERROR_ROOM, "...", 3);
    }

    if (services.error_text != NULL) {
        text = services.error_text(err, room, sizeof(room));
    }

    return lun_fmt(p, end, " (%d: %.*s)", err, LUN_S(text));
}


static char *
put_context(char *p, char *end, const lun_log *log)
{
    if (log->doing != NULL) {
        p = lun_fmt(p, end, " while %s", log->doing);
    }

    if (log->context != NULL) {
        p = log->context(log->owner, p, end);
    }

    return p;
}


static void
send_text(const lun_log *log, lun_log_level level, char *line, char *p)
{
    lun_log_target  *t;

    if (tap != NULL) {
        tap(tap_data, level, line, (size_t) (p - line));
    }

    *p++ = '\n';

    for (t = log->targets; t != NULL; t = t->next) {
        if ((level <= t->level || log->forced) && !t->json) {
            t->write(t, level, line, (size_t) (p - line));
        }
    }
}


/* `text` is the message alone. */
static LUN_NOINLINE void
send_json(const lun_log *log, lun_log_level level, int err, lun_str text)
{
    char              line[LUN_LOG_JSON_LINE + 1], room[ERROR_ROOM], *p;
    lun_log_target   *t;
    lun_log_message   m = { .log = log, .level = level, .err = err,
                            .text = text };

    m.time = services.iso8601 != NULL ? services.iso8601()
                                      : LUN_STR("1970-01-01T00:00:00+00:00");
    m.pid = services.pid != NULL ? services.pid() : 0;
    m.tid = services.tid != NULL ? services.tid() : 0;
    m.error = err != 0 && services.error_text != NULL
              ? services.error_text(err, room, sizeof(room)) : LUN_STR("");

    p = lun_log_json(line, line + sizeof(line) - 1, &m);
    *p++ = '\n';

    for (t = log->targets; t != NULL; t = t->next) {
        if ((level <= t->level || log->forced) && t->json) {
            t->write(t, level, line, (size_t) (p - line));
        }
    }
}


/* The message is what stands from `text` to p. */
static void
finish(const lun_log *log, lun_log_level level, int err, char *line,
    const char *text, char *p, char *end)
{
    if (log->json) {
        send_json(log, level, err, lun_str_of(text, (size_t) (p - text)));
    }

    if (err != 0) {
        p = put_error(p, end, err);
    }

    if (level != LUN_LOG_DEBUG) {
        p = put_context(p, end, log);
    }

    send_text(log, level, line, p);
}


void
lun_log_write(lun_log_level level, const lun_log *log, int err,
    const char *fmt, ...)
{
    char     *p, *text;
    va_list   args;
    char      line[LUN_LOG_LINE];
    char     *end = line + sizeof(line) - 1;

    log = log != NULL ? log : default_log;
    p = text = put_head(line, end, log, level);

    va_start(args, fmt);
    p = lun_vfmt(p, end, fmt, args);
    va_end(args);

    finish(log, level, err, line, text, p, end);
}


void
lun_log_text(lun_log_level level, const lun_log *log, lun_str text)
{
    char  *p, *begin;
    char   line[LUN_LOG_LINE];
    char  *end = line + sizeof(line) - 1;

    log = log != NULL ? log : default_log;

    if (!lun_log_wants(log, level)) {
        return;
    }

    p = begin = put_head(line, end, log, level);
    text.len = lun_min(text.len, (size_t) (end - p));
    p = lun_copy_str(p, text);

    finish(log, level, 0, line, begin, p, end);
}

/*
 * report.c -- what is wrong with a configuration, and where: one line of the
 * log, "text (2: why) in file:line".
 *
 * The line is the one where the directive ends, as in nginx: it is where the
 * reader stands when it learns what the directive says.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/conf.h"


typedef struct {
    lun_log_level  level;
    lun_err        err;
    lun_str        file;           /* empty: no place is named */
    unsigned       line;           /* 0: the file has no lines (-g) */
} place;


static void
report(const lun_conf *cf, const place *at, const char *fmt, va_list args)
{
    char        *p;
    char         text[LUN_LOG_LINE], room[256];
    const char  *end = text + sizeof(text);

    p = lun_vfmt(text, end, fmt, args);

    if (at->err != 0) {
        p = lun_fmt(p, end, " (%d: %.*s)", at->err,
                    LUN_S(lun_err_text(at->err, room, sizeof(room))));
    }

    if (at->file.len != 0) {
        p = lun_fmt(p, end, " in %.*s", LUN_S(at->file));
    }

    if (at->file.len != 0 && at->line != 0) {
        p = lun_fmt(p, end, ":%u", at->line);
    }

    lun_log_text(at->level, cf->log, lun_str_of(text, (size_t) (p - text)));
}


static place
here(const lun_conf *cf, lun_log_level level)
{
    return (place) {
        .level = level,
        .file = cf->file,
        .line = cf->end_line,
    };
}


lun_rc
lun_conf_fail(const lun_conf *cf, const char *fmt, ...)
{
    place    at = here(cf, LUN_LOG_EMERG);
    va_list  args;

    va_start(args, fmt);
    report(cf, &at, fmt, args);
    va_end(args);

    return LUN_ERROR;
}


lun_rc
lun_conf_fail_err(const lun_conf *cf, lun_err err, const char *fmt, ...)
{
    place    at = here(cf, LUN_LOG_EMERG);
    va_list  args;

    at.err = err;

    va_start(args, fmt);
    report(cf, &at, fmt, args);
    va_end(args);

    return LUN_ERROR;
}


lun_rc
lun_conf_fail_bare(const lun_conf *cf, const char *fmt, ...)
{
    place    at = { .level = LUN_LOG_EMERG };
    va_list  args;

    va_start(args, fmt);
    report(cf, &at, fmt, args);
    va_end(args);

    return LUN_ERROR;
}


lun_rc
lun_conf_fail_at(const lun_conf *cf, lun_str file, unsigned line,
    const char *fmt, ...)
{
    place    at = { .level = LUN_LOG_EMERG, .file = file, .line = line };
    va_list  args;

    va_start(args, fmt);
    report(cf, &at, fmt, args);
    va_end(args);

    return LUN_ERROR;
}


void
lun_conf_warn(const lun_conf *cf, const char *fmt, ...)
{
    place    at = here(cf, LUN_LOG_WARN);
    va_list  args;

    va_start(args, fmt);
    report(cf, &at, fmt, args);
    va_end(args);
}


lun_rc
lun_conf_bad_value(const lun_conf *cf)
{
    return lun_conf_fail(cf, "\"%.*s\" directive invalid value",
                         LUN_S(cf->args[0]));
}


/* nginx's line stays as it is, for whoever looks for it. */
static lun_rc
tell_form(const lun_conf *cf, lun_str word, const char *form)
{
    lun_rc  rc = lun_conf_bad_value(cf);

    lun_conf_warn(cf, "\"%.*s\" is no %s", LUN_S(word), form);
    return rc;
}


lun_rc
lun_conf_bad_size(const lun_conf *cf, lun_str word)
{
    return tell_form(cf, word, "size, like 512, 8k, 10m or 1g");
}


lun_rc
lun_conf_bad_time(const lun_conf *cf, lun_str word)
{
    return tell_form(cf, word, "time, like 30s, 500ms or \"1m 30s\"");
}

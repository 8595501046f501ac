/*
 * tls_error.c -- what OpenSSL has to say, in one line of the log.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls.h"

#include <openssl/err.h>
#include <stdarg.h>


enum { TEXT = 256, ERRORS = 1536 };


lun_str
lun_tls_errors(char *room, size_t size)
{
    int             flags;
    char            text[TEXT], *p = room;
    const char     *data, *end = room + size;
    unsigned long   e;

    if (ERR_peek_error() == 0) {
        return lun_str_of(room, 0);
    }

    p = lun_fmt(p, end, " (SSL:");

    while ((e = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
        ERR_error_string_n(e, text, sizeof(text));
        p = lun_fmt(p, end, " %s", text);

        if ((flags & ERR_TXT_STRING) && data != NULL && *data != '\0') {
            p = lun_fmt(p, end, ":%s", data);
        }
    }

    p = lun_fmt(p, end, ")");
    return lun_str_of(room, (size_t) (p - room));
}


void
lun_tls_log(lun_log_level level, const lun_log *log, lun_err err,
    const char *fmt, ...)
{
    char     text[LUN_LOG_LINE], room[ERRORS], *p;
    lun_str  errors = lun_tls_errors(room, sizeof(room));
    va_list  args;

    va_start(args, fmt);
    p = lun_vfmt(text, text + sizeof(text), fmt, args);
    va_end(args);

    lun_log(level, log, err, "%.*s%.*s", (int) (p - text), text,
            LUN_S(errors));
}

/*
 * tls_error.c -- what OpenSSL has to say, in a line of the log each.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_priv.h"

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


void
lun_tls_log_cipher(const lun_log *log, const SSL *ssl)
{
    char               text[TEXT], *end = text;
    const char        *p;
    const SSL_CIPHER  *cipher = SSL_get_current_cipher(ssl);

    if (cipher == NULL || !lun_log_wants(log, LUN_LOG_DEBUG)) {
        return;
    }

    (void) SSL_CIPHER_description(cipher, text, sizeof(text));

    for (p = text; *p != '\0' && *p != '\n'; p++) {
        if (*p != ' ' || p[1] != ' ') {
            *end++ = *p;
        }
    }

    *end = '\0';
    lun_debug(log, "SSL: %s, cipher: \"%s\"", SSL_get_version(ssl), text);

    if (SSL_session_reused(ssl)) {
        lun_debug(log, "SSL reused session");
    }
}


/* What a client can do to us is not worth more than a word. */
lun_log_level
lun_tls_shake_level(const lun_tls_shake *h, uint64_t error)
{
    if (!SSL_is_server(h->ssl)) {
        return ERR_GET_REASON((uint32_t) error)
               == SSL_R_CERTIFICATE_VERIFY_FAILED ? LUN_LOG_CRIT : LUN_LOG_ERR;
    }

    return error == 0 || (ERR_GET_LIB((uint32_t) error) == ERR_LIB_SSL
           && !ERR_FATAL_ERROR((uint32_t) error)) ? LUN_LOG_INFO : LUN_LOG_CRIT;
}


void
lun_tls_complain(lun_tls *t, const char *function)
{
    t->broken = 1;
    lun_tls_shake_complain(&t->h, function);
}

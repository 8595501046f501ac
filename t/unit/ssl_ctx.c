/*
 * ssl_ctx.c -- what `ssl_session_cache` makes of OpenSSL's own cache.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/ssl/ssl_ctx.c"

#include "tap.h"


/* How many sessions it keeps, and whether it keeps any. */
static long
sessions_of(lun_ssl_sessions sessions, long *mode)
{
    long          n;
    lun_ssl_conf  conf = {
        .ctx = SSL_CTX_new(TLS_server_method()),
        .sessions = sessions,
        .timeout = 300,
    };

    is_int(use_sessions(NULL, &conf), LUN_OK, "it is set");
    is_int(SSL_CTX_get_timeout(conf.ctx), 300, "with its time");
    n = SSL_CTX_sess_get_cache_size(conf.ctx);
    *mode = SSL_CTX_get_session_cache_mode(conf.ctx);
    SSL_CTX_free(conf.ctx);
    return n;
}


/* How many tickets a client of TLS 1.3 gets of one that has none of its own. */
static size_t
tickets_of(lun_ssl_sessions sessions)
{
    size_t        n;
    lun_ssl_conf  conf = {
        .ctx = SSL_CTX_new(TLS_server_method()),
        .sessions = sessions,
    };

    (void) SSL_CTX_set_num_tickets(conf.ctx, 1);
    is_int(use_sessions(NULL, &conf), LUN_OK, "it is set");
    n = SSL_CTX_get_num_tickets(conf.ctx);
    SSL_CTX_free(conf.ctx);
    return n;
}


int
main(void)
{
    long  mode;

    is_int(sessions_of((lun_ssl_sessions) { .builtin = true,
                                            .builtin_size = 7 }, &mode),
           7, "builtin:7 keeps seven");
    is_int(mode, SSL_SESS_CACHE_SERVER, "and finds them");

    is_int(sessions_of((lun_ssl_sessions) { .builtin = true }, &mode),
           SSL_SESSION_CACHE_MAX_SIZE_DEFAULT, "builtin alone is not endless");
    is_int(mode, SSL_SESS_CACHE_SERVER, "nor nothing");

    is_int(sessions_of((lun_ssl_sessions) { .builtin_size = 7 }, &mode),
           SSL_SESSION_CACHE_MAX_SIZE_DEFAULT, "a size without it is none");
    is_int(mode, SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL,
           "none: clients are told that sessions may be resumed");

    (void) sessions_of((lun_ssl_sessions) { .off = true }, &mode);
    is_int(mode, SSL_SESS_CACHE_OFF, "off: they are not");

    is_int(tickets_of((lun_ssl_sessions) { .builtin = true }), 1,
           "a session that is kept has a name");
    is_int(tickets_of((lun_ssl_sessions) { .off = true }), 0,
           "one that nobody keeps has none");
    is_int(tickets_of((lun_ssl_sessions) { 0 }), 0, "nor has it with none");

    return done_testing();
}

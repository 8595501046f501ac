/*
 * ssl_phase.c -- listen ... ssl: the handshake is a phase of the session.
 *
 * What is agreed on, and with whom, is modules/common/ssl's; a client that
 * names a server (SNI) is that one's session from there on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/check.h"
#include "net/tls/tls.h"
#include "session/server_tls.h"
#include "stream/conf/core_conf.h"


typedef struct {
    lun_msec  handshake_timeout;
} ssl_phase_conf;

extern lun_module  lun_stream_ssl_phase;


static void
on_done(lun_conn *c)
{
    lun_stream_session  *s = lun_stream_session_at(c);

    c->timeouts = lun_stream_core_of(s);
    lun_stream_resume(s);
}


/* The room of TLS has said why, but for a client that is only slow. */
static void
on_failed(lun_conn *c)
{
    lun_stream_finish(lun_stream_session_at(c), LUN_FAILED);
}


static const lun_conn_state  handshaking = {
    .name       = "stream handshaking",
    .doing      = "SSL handshaking",
    .on_written = on_done,
    .on_timeout = on_failed,
    .on_gone    = on_failed,
    .timeout    = LUN_TIMEOUT(ssl_phase_conf, handshake_timeout),
};


static lun_verdict
begin(lun_session *s)
{
    lun_conn  *c = s->conn;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);
    LUN_CHECK(!s->conn->datagram);

    c->timeouts = lun_session_conf(s, &lun_stream_ssl_phase);
    lun_conn_enter(c, &handshaking);

    if (s->engine->tls->start(c, s->server) != LUN_OK) {
        return LUN_FAILED;
    }

    lun_stream_session_of(s)->ssl = 1;
    lun_tls_handshake(c);
    return LUN_WAIT;
}


static lun_verdict
on_ssl(lun_session *s)
{
    if (!lun_stream_session_of(s)->listen->ssl) {
        return LUN_NEXT;
    }

    if (lun_tls_of(s->conn) == NULL) {
        return begin(s);
    }

    return s->engine->tls->check(s) == LUN_CLIENT_WELCOME ? LUN_NEXT
                                                          : LUN_FAILED;
}


static const lun_directive  directives[] = {
    { .name = "ssl_handshake_timeout", .where = LUN_STREAM_LEVELS, .args = 1,
      .set = lun_set_msec, LUN_FIELD(ssl_phase_conf, handshake_timeout),
      .fallback = "60s",
      .help = "how long a handshake may take" },
    { 0 }
};

lun_module  lun_stream_ssl_phase = {
    .name = "stream_ssl",
    .always = true,
    .directives = directives,
    .conf_size = sizeof(ssl_phase_conf),
    .on[LUN_STREAM_SSL] = on_ssl,
};

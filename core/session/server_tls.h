/*
 * server_tls.h -- TLS to clients: between protocols, which accept connections
 * and begin sessions, the module that has certificates (modules/common/ssl),
 * and one that has a say in handshakes (modules/lua).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SERVER_TLS_H
#define LUN_SERVER_TLS_H

#include "session/listen_conf.h"
#include "session/session.h"

/* Whether what a handshake has shown is good enough for a session's server. */
typedef enum {
    LUN_CLIENT_WELCOME,
    LUN_CLIENT_ELSEWHERE,          /* it was shown to another server */
    LUN_CLIENT_UNTRUSTED,          /* its certificate is not accepted */
    LUN_CLIENT_UNKNOWN             /* it has none, and needs one */
} lun_client_verdict;

struct ssl_session_st;             /* an SSL_SESSION */

/* What the module does; an engine's .tls. */
typedef struct lun_server_tls {
    /*
     * Whether TLS can be spoken to a server; `strict`: it has to say so
     * itself.
     */
    bool                (*ready)(const lun_server *server, bool *strict);
    /* Whether QUIC can be: version 1.3 is allowed. */
    bool                (*ready_for_quic)(const lun_server *server);
    /* The connection speaks TLS from now on; ERROR is logged. */
    lun_rc              (*start)(lun_conn *c, lun_server *server);
    /* The handshake has named a server; NULL: it has not. */
    lun_server         *(*server)(const lun_conn *c);
    /* After a handshake, of the server that the session is with; logged. */
    lun_client_verdict  (*check)(const lun_session *s);
    /* What was asked for by lun_handshake_hooks.ask: whether it may go on. */
    void                (*answer)(lun_conn *c, bool good);
    /* What was asked for by lun_handshake_proof.wait is over. */
    void                (*go_on)(lun_conn *c);
    /* In LUN_HANDSHAKE_FETCH: the session that the client asks for. */
    lun_str             (*session_id)(const lun_conn *c);
    /* ... and the one to go on with; takes it over. */
    void                (*resume)(lun_conn *c,
                             struct ssl_session_st *session);
} lun_server_tls;

/* Where a handshake may be interfered with. */
typedef enum {
    LUN_HANDSHAKE_HELLO,           /* nothing is chosen yet */
    LUN_HANDSHAKE_FETCH,           /* the client has a session of TLS 1.2 */
    LUN_HANDSHAKE_CERT,            /* the server is: now its certificate */
    LUN_HANDSHAKE_STORE,           /* there is a new session */
    LUN_HANDSHAKE_STEPS
} lun_handshake_step;

/* What another module has to say in handshakes; an engine's .handshaking. */
typedef struct lun_handshake_hooks {
    bool  (*wants)(const lun_server *server, lun_handshake_step step);
    /*
     * Ends in lun_server_tls.answer(), at once or later; but STORE, which ends
     * at once and has none.
     */
    void  (*ask)(lun_conn *c, const lun_server *server,
              lun_handshake_step step);
} lun_handshake_hooks;

struct ssl_st;                     /* an SSL */

/* Certificates that are made while handshakes want them: handshakes that are
   nothing but a proof of who has a name (RFC 8737), and those whose name has
   none yet; an engine's .proving. */
typedef struct lun_handshake_proof {
    lun_str  protocol;             /* by which such a client is known */
    /*
     * Gives the handshake the certificate that proves that the name is ours;
     * false: nobody has asked for a proof of that.
     */
    bool  (*prove)(const lun_engine *e, struct ssl_st *ssl, lun_str name);
    /* Whether a handshake with that server waits for a certificate that is
       being made: once, before those whose names have variables are read. */
    bool  (*is_coming)(lun_conn *c, const lun_server *server);
    /* It does.  Ends in lun_server_tls.go_on(), unless the client leaves. */
    void  (*wait)(lun_conn *c, const lun_server *server);
} lun_handshake_proof;

#endif

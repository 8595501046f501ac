/*
 * stream_session.h -- a TCP or UDP session: a client's connection, from its
 * first byte to the log.
 *
 * Its course holds one reference; what will come back to it later holds
 * another.  With the last one it is logged, and its connection closed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_SESSION_H
#define LUN_STREAM_SESSION_H

#include "session/listen_conf.h"
#include "session/session.h"

typedef struct lun_stream_session  lun_stream_session;
typedef struct lun_stream_engine   lun_stream_engine;

/* The phases, in this order; see session.h for those that HTTP has, too. */
enum {
    /* LUN_ACCEPTED, LUN_PREACCESS, LUN_ACCESS */
    LUN_STREAM_SSL = LUN_SESSION_PHASES,
    LUN_STREAM_PREREAD,            /* looks at what comes; lun_stream_more() */
    LUN_STREAM_CONTENT
    /* LUN_LOG */
};

struct lun_stream_session {
    union {
        lun_session            session;
        struct {
            LUN_SESSION_FIELDS(lun_stream_session, lun_stream_engine)
        };
    };
    const lun_listen_addr     *listen;
    unsigned                   references;
    unsigned                   step;       /* the engine's */
    lun_phase                  phase;
    uint16_t                   status;     /* 0: not decided yet */
    int64_t                    start_sec;
    uint32_t                   start_msec;

    /*
     * What a content handler adds to log lines, behind client and server;
     * NULL: nothing.
     */
    lun_log_context_fn        *context;
    void                      *context_owner;

    lun_listener              *pass;       /* whose the connection will be */
    uint32_t                   counts_at;  /* server_sessions.h */

    unsigned                   running:1;  /* phases.c is on the stack */
    unsigned                   waiting:1;  /* a handler said LUN_WAIT */
    unsigned                   resumed:1;  /* before it said so */
    unsigned                   ended:1;    /* lun_stream_finish() has run */
    unsigned                   begun:1;    /* its first phase was entered */
    unsigned                   ssl:1;      /* TLS is spoken with the client */
};

/* Where a server's content handler sends sessions, for who asks there without
   one; as the configuration has it in the end. */
typedef struct {
    struct lun_upstream *const      *upstream;     /* NULL: nowhere */
    const struct lun_upstream_tls   *tls;
    const bool                      *speaks_tls;
    const size_t                    *buffer_size;
} lun_stream_passes;

/* A server { }. */
typedef struct {
    union {
        lun_server             head;
        struct {
            LUN_SERVER_FIELDS
        };
    };
    lun_phase_fn              *content;
    lun_stream_passes          passes;
    uint32_t                 (*choose_counts)(lun_stream_session *s);
    void                      *choosing;   /* its own; or both NULL */
} lun_stream_server;

static inline lun_stream_server *
lun_stream_server_of(const lun_server *server)
{
    return lun_container_of(server, lun_stream_server, head);
}

static inline lun_stream_session *
lun_stream_session_of(const lun_session *s)
{
    return lun_container_of(s, lun_stream_session, session);
}

/* The session of a client's connection. */
static inline lun_stream_session *
lun_stream_session_at(const lun_conn *c)
{
    return c->data;
}

/*
 * A session on a connection that was accepted at `listen`; the connection's
 * data from now on.  It stands before the first phase.
 */
lun_stream_session *lun_stream_session_new(lun_conn *c,
    const lun_listen_addr *listen);

/* Runs it through the phases, as far as it gets. */
void lun_stream_run(lun_stream_session *s);

/* Asks the handler that said LUN_WAIT once more. */
void lun_stream_resume(lun_stream_session *s);

/*
 * Ends its course; the first call counts.  A verdict: LUN_FINISHED (200),
 * LUN_FAILED (500), or LUN_STATUS + 502.
 */
void lun_stream_finish(lun_stream_session *s, lun_verdict v);

/*
 * Ends its course, without a log; the connection is another listener's when
 * nothing else refers to the session.
 */
void lun_stream_pass(lun_stream_session *s, lun_listener *to);

void lun_stream_get(lun_stream_session *s);
void lun_stream_put(lun_stream_session *s);

/*
 * In LUN_STREAM_PREREAD: what is at conn->in is not enough.  Waits for more,
 * and returns what the handler is to say.
 */
lun_verdict lun_stream_more(lun_stream_session *s);

/*
 * The client has named a server (SNI): the session is that one's from now on,
 * if the address has one of that name.
 */
void lun_stream_choose_server(lun_stream_session *s, lun_str host);

/* For a content handler that writes: TCP_NODELAY, unless tcp_nodelay is off. */
void lun_stream_nodelay(lun_stream_session *s);

/* The log of its server's settings becomes the connection's. */
void lun_stream_use_log(lun_stream_session *s);

/* In a setter of a directive of a server: who has the content there. */
void lun_stream_set_content(lun_conf *cf, lun_phase_fn *content);

#endif

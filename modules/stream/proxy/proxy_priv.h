/*
 * proxy_priv.h -- what the rooms of the stream proxy share.
 *
 *     proxy          directives; the content handler, and its end
 *     proxy_connect  which server: names, tries, the connection and TLS to it
 *     proxy_relay    bytes between the two connections
 *     proxy_datagram datagrams between them
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_PROXY_PRIV_H
#define LUN_STREAM_PROXY_PRIV_H

#include "base/check.h"
#include "net/conn_input.h"
#include "net/dial/dial.h"
#include "session/module.h"
#include "session/script.h"
#include "session/upstream/balance.h"
#include "session/upstream/tries.h"
#include "session/upstream/upstream_connect.h"
#include "session/upstream/upstream_tls.h"
#include "stream/conf/core_conf.h"
#include "stream/stream_session.h"

typedef enum { LUN_PROXIED_OFF, LUN_PROXIED_V1, LUN_PROXIED_V2 }
    lun_stream_proxied;

enum {
    LUN_STREAM_BUFFER = 16 * 1024,
    LUN_STREAM_BUFFER_LARGE = 64 * 1024
};

typedef struct {
    lun_msec           connect_timeout;
    lun_msec           timeout;
    size_t             buffer_asked;       /* 0: 16k, and more for those who
                                              fill it */
    size_t             buffer_size;
    lun_script        *upload_rate;
    lun_script        *download_rate;
    bool               next_upstream;
    int64_t            next_tries;
    lun_msec           next_timeout;
    bool               half_close;
    int64_t            requests;   /* datagrams of a session; 0: no limit */
    int64_t            responses;  /* to each of them */
    lun_upstream_bind *bind;       /* NULL: as the system likes */
    bool               bind_dynamic;       /* ... asked for each server */
    int                proxy_protocol;     /* lun_stream_proxied */
    bool               socket_keepalive;
    size_t             socket_rcvbuf, socket_sndbuf;

    bool               ssl;
    lun_upstream_tls   tls;

    lun_upstream      *upstream;   /* proxy_pass; NULL: see `pass` */
    lun_script        *pass;
} lun_stream_proxy_conf;

/* proxy_responses is not given: only time ends a session of datagrams. */
#define LUN_STREAM_ANY_RESPONSES  INT32_MAX

typedef struct lun_stream_proxy  lun_stream_proxy;

/* Bytes of one direction: from's input buffer is what `to` writes. */
typedef struct {
    lun_stream_proxy  *proxy;
    lun_conn          *from;
    lun_conn          *to;         /* NULL: not yet */
    lun_conn_input     own;        /* from's buffer, while it has another */
    char              *buffer;     /* that; NULL: it has its own */
    size_t             room;       /* its bytes */
    size_t             size;       /* of the next */
    char              *end;        /* of what is read into */
    int64_t            rate;       /* bytes a second; 0: none */
    lun_timer          delay;
    unsigned           filled;     /* reads in a row that took all room */
    bool               roomless;   /* nothing is there to read: no buffer */
    bool               roomy;      /* from's own is large enough */
    bool               over;       /* nothing more is read */
    bool               closed;     /* and `to` was told */
} lun_stream_relay;

struct lun_stream_proxy {
    uint32_t                      mark;    /* LUN_MARK_PROXY */
    lun_stream_session           *s;
    const lun_stream_proxy_conf  *conf;
    lun_balance                   balance;
    lun_str                       host;    /* of the address */
    lun_upstream_try             *try;
    lun_dial                      dial;    /* to the server: .conn, or NULL;
                                              .header, what is left of it */
    lun_stream_relay              up, down;/* from the client, from the peer */
    lun_msec                      started;
    int64_t                       start_sec;
    int64_t                       requests;    /* datagrams so far */
    int64_t                       responses;
    bool                          held;    /* one of the client's waits in its
                                              buffer for the server */
    bool                          connected;
    bool                          ended;
};

extern lun_module  lun_stream_proxy_module;

/* Of either connection of a session: its proxy. */
static inline lun_stream_proxy *
lun_stream_proxy_of(const lun_conn *c)
{
    lun_stream_proxy          *p;
    const lun_stream_session  *s = lun_stream_session_at(c);

    p = lun_session_state(&s->session, &lun_stream_proxy_module);
    LUN_CHECK_MARK(p, LUN_MARK_PROXY);
    LUN_CHECK(c == s->conn || c == p->dial.conn);
    return p;
}

/* --- proxy.c --- */

/* Once: gives back server and connection, and ends the session. */
void lun_stream_proxy_end(lun_stream_proxy *p, lun_verdict v,
    unsigned outcome);

/* For states of the client's connection: worker_shutdown_timeout is over. */
lun_conn_fn  lun_stream_proxy_shut_down;

/* --- proxy_connect.c --- */

/* Finds servers and connects to the first. */
void lun_stream_proxy_connect(lun_stream_proxy *p);
/* Gives back the server at hand and its connection. */
void lun_stream_proxy_release(lun_stream_proxy *p, unsigned outcome);

/* This server has failed: another, or the session ends. */
void lun_stream_proxy_next(lun_stream_proxy *p);

/* --- proxy_relay.c --- */

/* The client's bytes are taken in while there is no server yet. */
void lun_stream_relay_wait(lun_stream_proxy *p);
/* p->dial.conn stands. */
void lun_stream_relay_start(lun_stream_proxy *p);

/* What a rate's text comes to: bytes a second, 0 for none. */
int64_t lun_stream_relay_rate(lun_stream_proxy *p, const lun_script *script);

/* Bytes that may come now by its rate; 0 or less: that many too many have. */
static inline int64_t
lun_stream_relay_allowed(const lun_stream_relay *r)
{
    LUN_CHECK(r->rate > 0);

    return r->rate * (lun_clock.sec - r->proxy->start_sec + 1)
           - r->from->received;
}

/* --- proxy_datagram.c: the same for datagrams --- */

void lun_stream_datagrams_wait(lun_stream_proxy *p);
void lun_stream_datagrams_start(lun_stream_proxy *p);

#endif

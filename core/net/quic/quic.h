/*
 * quic.h -- QUIC (RFC 9000, version 1 and 2) for a protocol above it: what
 * core/http/h3 and core/http/upstream/h3 stand on.
 *
 * A connection, a client's or to a server, is a lun_conn without a socket of
 * its own (io traits: SECURE, SHARED): it is in the protocol's states, with
 * their time limits, on_quit, on_drain, on_dump; lun_tls_of(c), c->remote and
 * lun_conn_local(c), and of a client's lun_listen_of(c), are those of any
 * connection that speaks TLS.  Nothing is read from it or written to it by the
 * functions of conn.h: what comes and goes are streams, by the table and the
 * functions below.
 *
 * Output is asked for: when the path can take a packet, next() says what of
 * which stream shall be in it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_H
#define LUN_QUIC_H

#include "net/conn.h"
#include "net/listen.h"

typedef struct lun_quic           lun_quic;
typedef struct lun_quic_protocol  lun_quic_protocol;
typedef struct lun_quic_conf      lun_quic_conf;

enum {
    LUN_QUIC_SLICES = 8,           /* of a piece */
    LUN_QUIC_NAME   = 2 * 20 + 1   /* bytes of lun_quic_name(), with its NUL */
};

/* The head of a connection; the rest is this folder's. */
struct lun_quic {
    uint32_t                  mark;        /* LUN_MARK_QUIC */
    lun_conn                 *c;           /* NULL: it was closed */
    const lun_quic_protocol  *protocol;
    void                     *data;        /* the protocol's */
};

/* What shall go out next: bytes of one stream, which stay until acked(). */
typedef struct {
    int64_t     id;
    void       *data;              /* the stream's */
    lun_slice   slices[LUN_QUIC_SLICES];
    size_t      n;                 /* of slices; 0 with fin: the end alone */
    bool        fin;               /* the stream ends behind them */
} lun_quic_piece;

/*
 * A protocol.  `stream` is its own word on a stream, NULL until it has set
 * one: at the first received(), or when it opened the stream.
 *
 * received() to may_send() are called while packets are read: they may call
 * any function below, but send nothing and run no handler; what is to be done
 * is done in turn().  After lun_conn_close() none is called.
 */
struct lun_quic_protocol {
    /*
     * Keys for what we send are there, and ALPN has agreed on the protocol: it
     * may open streams.  Early data, if any, come next.
     */
    void    (*begin)(lun_quic *q);
    /* The handshake is complete: the client is who it is, nothing that comes
       from now on is a replay. */
    void    (*complete)(lun_quic *q);
    /* In order, once; fin: the last (maybe with no bytes).  ERROR: the
       protocol has called lun_quic_end(). */
    lun_rc  (*received)(lun_quic *q, int64_t id, void **stream,
                const char *bytes, size_t n, bool fin);
    /* So many more of the bytes that took() has told of are at the client. */
    void    (*acked)(lun_quic *q, int64_t id, void *stream, size_t n);
    /* The client has sent RESET_STREAM; STOP_SENDING (it was answered by a
       RESET_STREAM: no more is taken of it). */
    void    (*was_reset)(lun_quic *q, int64_t id, void *stream, uint64_t code);
    void    (*was_stopped)(lun_quic *q, int64_t id, void *stream,
                uint64_t code);
    /* Both sides have ended, and all is acknowledged: `stream` is named no
       more.  Of those that there are when the connection is lost() nothing is
       said. */
    void    (*stream_closed)(lun_quic *q, int64_t id, void *stream);
    /* The window of a blocked() stream has opened. */
    void    (*may_send)(lun_quic *q, int64_t id, void *stream);

    /* After each batch of packets, and each lun_quic_wake(), before anything
       is sent: handlers run here. */
    void    (*turn)(lun_quic *q);

    /* What goes out next; false: nothing.  Asked again after each piece. */
    bool    (*next)(lun_quic *q, lun_quic_piece *piece);
    /* So many bytes of the piece were taken (0 with fin: its end alone); fin:
       and its end. */
    void    (*took)(lun_quic *q, int64_t id, void *stream, size_t n, bool fin);
    /* The client's window for it is used up (or it was stopped): next() leaves
       this stream out until may_send(). */
    void    (*blocked)(lun_quic *q, int64_t id, void *stream);

    /*
     * The connection has ended: closed by the client (c->err 0, c->eof), timed
     * out, broken, or by lun_quic_end().  Nothing comes or goes; c is the
     * protocol's until lun_conn_close().  Without a begin() before it the
     * handshake has failed, which is logged.
     */
    void    (*lost)(lun_quic *q);
};

typedef enum { LUN_QUIC_CUBIC, LUN_QUIC_BBR, LUN_QUIC_RENO } lun_quic_cc;
typedef enum {
    LUN_QUIC_RETRY_OFF, LUN_QUIC_RETRY_ON, LUN_QUIC_RETRY_AUTO
} lun_quic_retry;

/* Of the default server of an address; stays as long as the listener. */
struct lun_quic_conf {
    uint64_t        streams_bidi;      /* http3_max_concurrent_streams */
    uint64_t        streams_uni;
    size_t          stream_window;     /* what a client may send ahead of one:
                                          http3_stream_buffer_size */
    lun_msec        idle_timeout;      /* max_idle_timeout; keepalive_timeout */
    lun_msec        handshake_timeout; /* client_header_timeout */
    unsigned        cid_limit;         /* quic_active_connection_id_limit */
    lun_quic_retry  retry;             /* quic_retry off|on|auto */
    lun_quic_cc     cc;                /* quic_congestion_control */
    bool            gso;               /* quic_gso */
    lun_str         host_key;          /* what quic_host_key's file has; empty:
                                          the random one */
    lun_str         qlog;              /* quic_qlog: the folder; empty: none */
    uint64_t        close_code;        /* of lun_conn_close(): H3_NO_ERROR */
};

/*
 * Who serves a listener with options.quic: lun_listener.quic, which the
 * protocol of the block gives (lun_listen_protocol.quic).
 */
typedef struct lun_quic_service {
    const lun_quic_conf  *(*conf)(const lun_listener *l);
    /* Where its clients' connections log; NULL: the generation's. */
    const lun_log        *(*log)(const lun_listener *l);
    /*
     * A new connection, before its first packet is read: gives q->protocol,
     * enters a state (c->timeouts first), and starts TLS
     * (engine->tls->start(c, server)).  ERROR, logged: it is closed.
     */
    lun_rc                (*accept)(lun_listener *l, lun_quic *q);
} lun_quic_service;

/* NULL: it does not speak QUIC. */
lun_quic *lun_quic_of(const lun_conn *c);

/*
 * A connection to a server, of a socket of its own, which comes from `from`
 * (NULL: as the system likes).  Of the conf what is about servers alone is not
 * looked at; it stays as long as the connection.  The caller gives q->protocol
 * and q->data, enters a state, and goes on as with any connection to a server:
 * lun_tls_start(), what TLS is to know, lun_tls_handshake().  That ends in
 * on_written, or, with c->err, in on_gone; from then on it is the protocol
 * that is told.  NULL: *err.
 */
lun_quic *lun_quic_connect(lun_loop *loop, const lun_quic_conf *conf,
    const lun_addr *to, const lun_addr *from, const lun_log *log,
    lun_err *err);

/*
 * The table from now on: of a listener whose ALPN chooses between several
 * (h3, hq), in begin().
 */
void lun_quic_set_protocol(lun_quic *q, const lun_quic_protocol *protocol);

/* A name for it, hexadecimal, with a NUL: $quic_connection. */
lun_str lun_quic_name(const lun_quic *q, char room[LUN_QUIC_NAME]);

/* There is something to do: a turn comes, from the loop, and output. */
void lun_quic_wake(lun_quic *q);

/* A stream that we begin; AGAIN: the peer allows no more of them now. */
lun_rc lun_quic_open_uni(lun_quic *q, void *stream, int64_t *id);
lun_rc lun_quic_open_bidi(lun_quic *q, void *stream, int64_t *id);
/* So many more of the latter may be opened just now. */
uint64_t lun_quic_bidi_left(lun_quic *q);
/* The protocol's word on a stream. */
void lun_quic_set_stream(lun_quic *q, int64_t id, void *stream);

/*
 * n bytes of what received() brought are used up: the client may send as many
 * again.  The connection's window opens by itself as bytes come.
 */
void lun_quic_consumed(lun_quic *q, int64_t id, size_t n);

/* RESET_STREAM: of what next() gave nothing more is sent. */
void lun_quic_reset(lun_quic *q, int64_t id, uint64_t code);
/* STOP_SENDING: received() brings no more of it. */
void lun_quic_stop(lun_quic *q, int64_t id, uint64_t code);
/* Another client's stream of this kind may begin: a request is over. */
void lun_quic_allow_bidi(lun_quic *q, unsigned n);
void lun_quic_allow_uni(lun_quic *q, unsigned n);

/*
 * CONNECTION_CLOSE with the protocol's code; `gently`: when next() has nothing
 * left that could be sent.  lost() follows, in a turn of the loop.
 */
void lun_quic_end(lun_quic *q, uint64_t code, bool gently);

#endif

/*
 * conn.h -- a connection: a stream, its input buffer, its timer, its pool and
 * the state that it is in.
 *
 * A state is a const table that says what each event means; its `doing` is
 * the log's context.  The order of the tables in a file is the order of the
 * conversation.
 *
 * Input arrives in c->in: start <= pos <= last <= end.  `pos .. last` is what
 * has come and was not consumed.  lun_conn_want() asks for more: a read goes
 * straight into `last .. end`.  No room, no read: that is the back-pressure.
 * While a read is in flight the buffer may not be moved or freed, but pos may
 * advance; lun_conn_close() takes care of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_H
#define LUN_CONN_H

#include "base/list.h"
#include "base/log.h"
#include "base/pool.h"
#include "net/loop.h"

typedef struct lun_conn        lun_conn;
typedef struct lun_conn_state  lun_conn_state;
typedef struct lun_conn_io     lun_conn_io;
typedef struct lun_listener    lun_listener;
typedef void lun_conn_fn(lun_conn *c);
typedef bool lun_conn_pooled_fn(lun_conn *c);

struct lun_conn_state {
    const char   *name;            /* "h1 keepalive": for the debug log */
    const char   *doing;           /* "reading client request line" */
    lun_conn_fn  *on_read;         /* bytes have come: c->in.last has moved; if
                                      c->datagram: one datagram has */
    lun_conn_fn  *on_written;      /* a posted write has completed */
    lun_conn_fn  *on_timeout;
    lun_conn_fn  *on_gone;         /* end of stream (c->eof) or error (c->err);
                                      may come for the reading and again for
                                      a write that was posted */
    lun_conn_fn  *on_drain;        /* see lun_conn_drain(); NULL: a close */
    lun_conn_fn  *on_quit;         /* see lun_conn_quit(); NULL: it goes on */
    lun_conn_fn  *on_shutdown;     /* see lun_conn_give_up(); NULL: on_gone */
    lun_conn_fn  *on_dump;         /* a line each in the log, of whom it works
                                      for; NULL: its own says all */
    size_t        timeout;         /* LUN_TIMEOUT(conf type, field), 0: none */
};

/* Where in *c->timeouts the limit (lun_msec) of a state stands. */
#define LUN_TIMEOUT(type, field)  (offsetof(type, field) + 1)

struct lun_conn {
    uint32_t               mark;
    lun_err                err;        /* why it is gone */
    const lun_conn_state  *state;
    lun_loop              *loop;       /* that it lives in */
    lun_stream             stream;
    lun_timer              timer;

    struct {
        char              *start;
        char              *pos;
        char              *last;
        char              *end;
    } in;

    void                  *data;       /* the owner's */
    const void            *timeouts;   /* the conf that states point into */
    lun_conn_fn           *on_free;    /* see lun_conn_close() */
    void                  *protocol_state;     /* in its memory; or NULL */
    lun_conn_pooled_fn    *on_pooled;  /* see lun_conn_pool_keep() */
    const lun_conn_io     *io;         /* NULL: plain; TLS sets its own */
    void                  *io_data;

    lun_pool              *pool;       /* see lun_conn_memory() */
    lun_log                log;
    lun_listener          *listener;   /* accepted connections */
    lun_addr               remote;
    const struct lun_proxied  *proxied;    /* for whom the peer, a proxy, is
                                          there; NULL: it did not say */
    lun_addr               local;      /* see lun_conn_local() */

    lun_list               link;       /* idle, pooled, or busy */
    uint64_t               number;     /* the *N of the log */
    uint64_t               requests;   /* served on it so far */
    int64_t                sent;       /* bytes */
    int64_t                received;
    lun_msec               start_time; /* lun_clock.mono at its birth */

    unsigned               eof:1;      /* the peer has ended its side */
    unsigned               gone:1;     /* error, or both sides ended */
    unsigned               closed:1;
    unsigned               idle:1;     /* no request: see set_idle() */
    unsigned               served:1;   /* idle, but conn_metrics.h */
    unsigned               counted:1;  /* as a client's, until it is closed */
    unsigned               pooled:1;   /* see set_pooled() */
    unsigned               local_known:1, nodelay:1;
    unsigned               datagram:1; /* see net/datagram.h; or connected to
                                          a server by datagrams */
    unsigned               passes:4;   /* from listener to listener */
    unsigned               in_owned:1; /* in.start was given from outside: it
                                          lives until on_free */
    unsigned               reading:1, writing:1;   /* the room's own: */
    uint32_t               own_size;   /* of the buffer it was born with */
    int64_t                written;
    uint32_t               tls_counts_at;  /* tls_metrics.h */
};

/*
 * A connection over a socket, which is the connection's from now on (closed
 * on failure: NULL).  The input buffer has `in_size` bytes and is one
 * allocation with the connection.
 */
lun_conn *lun_conn_new(lun_loop *loop, lun_fd fd, size_t in_size,
    const lun_log *log);

/*
 * The same, in the listener's loop, for one that it has taken from `peer`:
 * whether debug lines of its clients are wanted is looked up here
 * (lun_listen_debug).
 */
lun_conn *lun_conn_accept(lun_listener *l, lun_fd fd, const lun_addr *peer,
    size_t in_size, const lun_log *log);

/* A connection that will be connected: lun_conn_connect(). */
lun_conn *lun_conn_new_out(lun_loop *loop, lun_family family,
    size_t in_size, const lun_log *log, lun_err *err);

/* The same for datagrams: each read and each send is one. */
lun_conn *lun_conn_new_out_datagram(lun_loop *loop, lun_family family,
    size_t in_size, const lun_log *log, lun_err *err);

/* on_written when connected, on_gone when not. */
void lun_conn_connect(lun_conn *c, const lun_addr *addr);

/*
 * A small pool that lives as long as the connection, made when it is first
 * asked for: c->pool is NULL until then.
 */
lun_pool *lun_conn_memory(lun_conn *c);

/*
 * Enters a state: sets the log's words and (re)starts the timer (stops it
 * when the state has none).  Never calls a handler itself.  _untimed: the
 * timer runs on, for who sets it in a moment or bears that it fires.
 */
void lun_conn_enter(lun_conn *c, const lun_conn_state *state);
void lun_conn_enter_untimed(lun_conn *c, const lun_conn_state *state);

/* TCP_NODELAY from now on; not asked of the system twice, nor of sockets in
   the file system. */
void lun_conn_nodelay(lun_conn *c);

/* Restarts the timer of the present state, or with another limit. */
void lun_conn_touch(lun_conn *c);
void lun_conn_limit(lun_conn *c, lun_msec limit);
/* For how long it has waited in its state, which has a limit. */
lun_msec lun_conn_waited(const lun_conn *c);

/*
 * Asks for input, if none is asked for yet and there is room.  After the end
 * of the stream, or an error, it does nothing: look at c->eof and c->gone.
 */
void lun_conn_want(lun_conn *c);

/*
 * Asks to be told that there is something to read, or the end: on_read, with
 * nothing new at in.last.  It needs no room; TLS can't tell (see c->io).
 */
void lun_conn_watch(lun_conn *c);

/*
 * Replaces the input buffer by one of `size` bytes (malloc'ed, the
 * connection's), moving pos .. last to its start.  Not while reading.
 */
void lun_conn_grow(lun_conn *c, size_t size);
/* Moves pos .. last to the start of the buffer.  Not while reading. */
void lun_conn_compact(lun_conn *c);
bool lun_conn_reading(const lun_conn *c);

/* As lun_port_send/_write/_send_file; the last two end in on_written, or, if
   that fails, in on_gone. */
lun_err lun_conn_send(lun_conn *c, const lun_slice *slices, size_t n,
    bool more, size_t *sent);
void lun_conn_write(lun_conn *c, const lun_slice *slices, size_t n);
void lun_conn_send_file(lun_conn *c, lun_fd file, int64_t at, size_t size);
bool lun_conn_writing(const lun_conn *c);
/* In on_written: bytes that the completed write took. */
int64_t lun_conn_written(const lun_conn *c);

/* The end of our side; nothing is being written. */
lun_err lun_conn_end(lun_conn *c);

/*
 * Closes.  No handler of its state is called any more.  When nothing is in
 * flight - maybe at once, maybe when the system has given back the last
 * buffer - on_free(c) is called and the connection freed: what a write may
 * still be reading (the request's pool) must live until on_free.
 */
void lun_conn_close(lun_conn *c);
/* The same, with a reset. */
void lun_conn_abort(lun_conn *c);

/* The address that was connected to; found on first use. */
const lun_addr *lun_conn_local(lun_conn *c);

/* As lun_panic_fn: the loop's connection whose handler was called last. */
size_t lun_conn_report(const lun_loop *loop, char *text, size_t size);

/* Live ones of the loop, until on_free; those of them that are open. */
size_t lun_conn_count(const lun_loop *loop);
size_t lun_conn_open_count(const lun_loop *loop);
/* Open ones that are neither idle nor pooled. */
size_t lun_conn_busy_count(const lun_loop *loop);
/* less(data) is called when one was closed, or is busy no longer: listen.c's.
   NULL: nothing is. */
void lun_conn_on_less(lun_loop *loop, void (*less)(void *data), void *data);

/*
 * A client's connection without a request: it may be closed at any time from
 * outside of a handler, by lun_conn_quit() and lun_conn_drain().  One
 * that is idle again has been so since now.
 */
void lun_conn_set_idle(lun_conn *c, bool idle);
size_t lun_conn_idle_count(const lun_loop *loop);
/* The same of a connection to another server, which waits for its next use. */
void lun_conn_set_pooled(lun_conn *c, bool pooled);
/*
 * Calls visit(c, data) for every open connection of the loop: first those
 * idle, the one idle for longest first, then those pooled, then the others.
 * It may close any.
 */
void lun_conn_each(lun_loop *loop, void (*visit)(lun_conn *c, void *data),
    void *data);
/* The worker was told to quit: calls on_quit of every connection's state. */
void lun_conn_quit(lun_loop *loop);
/* At the end: whoever is served has gone; calls on_shutdown of clients'
   states, or on_gone. */
void lun_conn_give_up(lun_loop *loop);
/*
 * Makes room, from outside of handlers: `n` idle connections, those idle for
 * longest first, are closed, or their state's on_drain is called, which may
 * say goodbye to the client first.  When more than `most` are still open one
 * more goes: the last of these, which only lingered; else the pooled one that
 * has waited for longest; else one that has just come.
 */
void lun_conn_drain(lun_loop *loop, size_t n, size_t most);

/*
 * Nothing stands between it and its socket: what is read and sent is what the
 * system has.  conn_io.h tells more of what does stand there.
 */
static inline bool
lun_conn_is_plain(const lun_conn *c)
{
    return c->io == NULL;
}

#endif

/*
 * h2_priv.h -- what the HTTP/2 rooms share: h2.c (the connection), h2_end.c
 * (its end), h2_account.c (what it costs), h2_frames.c (frames that come),
 * h2_block.c (header blocks that come), h2_settings.c (what the client says of
 * itself, and windows), h2_output.c (bytes that go), h2_out.c (answers),
 * h2_priority.c (what is said of who goes first), h2_stream.c (a stream of
 * ../mux).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_H2_PRIV_H
#define LUN_HTTP_H2_PRIV_H

#include "format/h2_wire.h"
#include "format/hpack.h"
#include "http/h2/h2_conf.h"
#include "http/mux/account.h"
#include "http/mux/field_out.h"
#include "http/mux/line.h"
#include "http/mux/mux.h"
#include "net/conn_input.h"

typedef struct lun_h2         lun_h2;
typedef struct lun_h2_stream  lun_h2_stream;

/* What becomes of the header block that comes (h2_block.c). */
typedef enum {
    LUN_H2_BLOCK_NONE,
    LUN_H2_BLOCK_REQUEST,
    LUN_H2_BLOCK_TRAILERS,
    LUN_H2_BLOCK_DROPPED               /* decoded, for the table's sake */
} lun_h2_block_use;

typedef struct {
    lun_h2_block_use   use;
    lun_h2_stream     *stream;         /* REQUEST, TRAILERS */
    bool               ends_stream;
    unsigned           continuations;
    size_t             size;           /* of its pieces, so far */
    char              *cut;            /* the beginning of a field whose rest
                                          comes with the next piece */
    size_t             cut_len;
    size_t             cut_room;
} lun_h2_block;

enum {
    LUN_H2_BUCKETS = 32,               /* of streams, a power of two */
    LUN_H2_UPDATE  = 64                /* bytes of PRIORITY_UPDATE's value,
                                          and one more */
};

struct lun_h2 {
    lun_mux             mux;           /* first */
    const lun_h2_conf  *h2_conf;       /* the server's that TLS chose */
    lun_h2_stream      *buckets[LUN_H2_BUCKETS];   /* by number */
    unsigned            open;          /* streams that are not closed */
    lun_task            task;          /* the next turn */

    /* What comes. */
    lun_conn_input      own;           /* is_set: it reads into a larger one */
    lun_frames          frames;
    lun_hpack_decoder   decoder;
    lun_h2_block        block;
    lun_h2_stream      *data;          /* of the DATA frame that comes ... */
    size_t              data_len;      /* ... and bytes of it, not padding */
    uint8_t             preface;       /* bytes of it that have come */
    uint32_t            last_block;    /* whose header block comes, or came */
    uint32_t            last_id;       /* of the streams that have begun ... */
    uint32_t            last_served;   /* ... those that became requests ... */
    uint32_t            last_cut;      /* ... and those that we reset while
                                          the client was still speaking */

    /* Settings and windows. */
    size_t              peer_frame;    /* its SETTINGS_MAX_FRAME_SIZE */
    int64_t             peer_window;   /* its SETTINGS_INITIAL_WINDOW_SIZE */
    int64_t             own_window;    /* ours, as far as it knows */
    int64_t             send_window;   /* of the connection */
    int64_t             recv_window;
    int64_t             recv_used;     /* which it has not been told yet */

    /* What goes. */
    lun_hpack_encoder   encoder;
    char               *out;           /* frames on their way, or NULL */
    size_t              out_pos;
    size_t              out_len;
    char               *late;          /* those that had no room there */
    size_t              late_pos;
    size_t              late_len;
    size_t              late_room;
    unsigned            late_acks;     /* of them: answers to PING, SETTINGS */
    unsigned            is_late:1;     /* the room that was asked for last */
    lun_line            senders;       /* streams that may have output */
    lun_msec            data_went;     /* when one had sent something */
    size_t              burst;         /* sent in this turn */

    size_t              update_len;
    char                update[LUN_H2_UPDATE];

    lun_account         account;
    unsigned            fresh;         /* streams of one turn's input */
    unsigned            refused;

    lun_timer           drain;         /* before a worker's end: GOAWAY */
    lun_msec            linger_end;
    size_t              lingered;      /* bytes dropped at the end */
    unsigned            busy:1;        /* a turn is on the stack */
    unsigned            again:1;       /* it has more to do */
    unsigned            leaving:1;     /* GOAWAY is out, or queued */
    unsigned            left:1;        /* the client has sent one */
    unsigned            quitting:1;
    unsigned            heeds:1;       /* the client knows our SETTINGS */
    unsigned            opened:1;      /* ... and the connection's window */
    unsigned            ended:1;       /* GOAWAY: the last one */
    unsigned            flooded:1;     /* ended, and not to be read on */
    unsigned            timed_out:1;
};

#define LUN_H2_PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

struct lun_h2_stream {
    lun_mux_stream   m;                /* first */
    lun_h2_stream   *next;             /* in its bucket */
    lun_line_place   sender;           /* in h2->senders */
    int64_t          send_window;
    int64_t          recv_window;      /* what the client may still send */
    int64_t          recv_most;        /* ... when all was taken */
    int64_t          recv_used;        /* taken, and not told yet */
};

static inline lun_h2 *
lun_h2_of(const lun_mux_stream *s)
{
    return lun_container_of(s->mux, lun_h2, mux);
}

static inline lun_h2_stream *
lun_h2_stream_of(lun_mux_stream *s)
{
    return lun_container_of(s, lun_h2_stream, m);
}

static inline const lun_log *
lun_h2_log(const lun_h2 *h2)
{
    return &h2->mux.c->log;
}

/* No stream of that number has begun: the client may not speak of it. */
static inline bool
lun_h2_is_idle(const lun_h2 *h2, uint32_t id)
{
    return id % 2 == 0 || id > h2->last_id;
}

/* --- h2.c --- */

/* Something is to be done, by the next turn or the present one. */
void lun_h2_wake(lun_h2 *h2);

/* Nothing comes or goes any more. */
void lun_h2_break(lun_h2 *h2);

/* For lun_http_protocol. */
bool lun_h2_enabled(const lun_listen_addr *listen, const lun_server *server);
lun_http_guess lun_h2_guess(const char *data, size_t size);
lun_conn_fn  lun_h2_begin;

/* The state in which the socket takes what it is given. */
extern const lun_conn_state  lun_h2_sending;

/* --- h2_end.c --- */

/*
 * The worker was told to quit.  Requests that are on their way are served for
 * a moment; then the client is told which was the last.
 */
void lun_h2_quit(lun_h2 *h2);

/* No request is left, nothing is to be said; it may be gone by then. */
void lun_h2_close(lun_h2 *h2);

/* No requests beyond those that have come: GOAWAY. */
void lun_h2_leave(lun_h2 *h2);

/* The client does not play by the rules: the last GOAWAY. */
void lun_h2_end(lun_h2 *h2, unsigned code);

/* One more request, and maybe the last: keepalive_requests and the like. */
void lun_h2_account(lun_h2 *h2);

/* --- h2_account.c --- */

/*
 * Work that the client causes, in bytes; payload, of headers and bodies,
 * pays.  Too much debt is a flood.
 */
void lun_h2_charge(lun_h2 *h2, uint64_t cost);
void lun_h2_charge_frame(lun_h2 *h2, const lun_frames *f);
void lun_h2_credit(lun_h2 *h2, size_t payload);

/*
 * Logs what the client did, once, and ends the connection: nothing more of it
 * is read, requests that it has are aborted.
 */
void lun_h2_flood(lun_h2 *h2, const char *what);

/* --- h2_frames.c --- */

/*
 * Bytes that have come.  After h2->flooded, or the last GOAWAY, no more of
 * them is read.  ERROR: they are no HTTP/2 at all, which was logged.
 */
lun_rc lun_h2_feed(lun_h2 *h2, lun_str bytes);

/* NULL: it is closed, or has never been. */
lun_h2_stream *lun_h2_find(const lun_h2 *h2, uint32_t id);

/* --- h2_block.c --- */

/* HEADERS has begun: whether it may, and what becomes of the block. */
void lun_h2_block_begin(lun_h2 *h2);

/* A piece of the block. */
void lun_h2_block_piece(lun_h2 *h2, lun_str piece);

/* HEADERS or CONTINUATION is over. */
void lun_h2_block_end(lun_h2 *h2);

void lun_h2_block_fini(lun_h2 *h2);

/* --- h2_settings.c --- */

/* The frame that this side begins with. */
void lun_h2_put_settings(lun_h2 *h2);

/*
 * The connection's own window, behind the client's first frame: the answer to
 * its SETTINGS goes in front, which clients wait for that look for END_STREAM's
 * bit in any frame.
 */
void lun_h2_open_connection(lun_h2 *h2);

/* One that the client says of itself. */
void lun_h2_take_setting(lun_h2 *h2, unsigned name, uint32_t value);

/* It knows what this side has said. */
void lun_h2_settings_known(lun_h2 *h2);

void lun_h2_take_window(lun_h2 *h2, uint32_t id, uint32_t by);

/*
 * DATA of that length, padding included, may come on the connection, and on a
 * stream; false: it may not, which the client is told.
 */
bool lun_h2_may_receive(lun_h2 *h2, size_t length);
bool lun_h2_stream_may_receive(lun_h2_stream *s, size_t length);

/* So many bytes are used up, and may come again. */
void lun_h2_received(lun_h2 *h2, size_t n);
void lun_h2_stream_consumed(lun_h2_stream *s, size_t n);

/* The client may send `size` bytes ahead on that stream. */
void lun_h2_stream_widen(lun_h2_stream *s, size_t size);

/* --- h2_output.c --- */

enum { LUN_H2_OUT_SIZE = 66048 };  /* frames gathered for one send: four of
                                      the usual longest */

/* Room for a frame of so many bytes, behind those that are queued. */
char *lun_h2_room(lun_h2 *h2, size_t size);

/* That much of it was used. */
void lun_h2_queued(lun_h2 *h2, size_t size);

/* What fits behind the frames that are queued, without any other room. */
size_t lun_h2_free_room(lun_h2 *h2);

void lun_h2_put_goaway(lun_h2 *h2, uint32_t last, unsigned code);
void lun_h2_put_reset(lun_h2 *h2, uint32_t id, unsigned code);
void lun_h2_put_window(lun_h2 *h2, uint32_t id, uint32_t by);
void lun_h2_put_settings_ack(lun_h2 *h2);
void lun_h2_put_ping_ack(lun_h2 *h2, const uint8_t *data);

/* As much as the socket takes, of frames and of streams' output. */
void lun_h2_send_all(lun_h2 *h2);

/*
 * Sends what the socket takes of what is queued; `more` follows at once.  OK:
 * nothing is left; AGAIN: some is, and the socket is not asked again yet.
 */
lun_rc lun_h2_send_out(lun_h2 *h2, bool more);

/* It is the others' turn. */
bool lun_h2_is_tired(const lun_h2 *h2);

/* The socket has taken all that it was given, or some. */
void lun_h2_took_output(lun_h2 *h2);

static inline bool
lun_h2_has_output(const lun_h2 *h2)
{
    return h2->out_pos != h2->out_len || h2->late_pos != h2->late_len;
}

void lun_h2_output_fini(lun_h2 *h2);

/* --- h2_out.c --- */

lun_rc lun_h2_send_header(lun_request *r);
lun_rc lun_h2_send_continue(lun_request *r);
void lun_h2_send_hints(lun_request *r, const lun_header_list *hints);

/* Frames of streams' output, as far as there is room for them. */
void lun_h2_gather(lun_h2 *h2);

/* It may have output to send, or a window for what it has. */
void lun_h2_may_send(lun_h2_stream *s);

/* None of it went, but others have gone first. */
bool lun_h2_has_to_wait(const lun_h2_stream *s);

/* --- h2_priority.c --- */

/* PRIORITY_UPDATE begins, has a piece of its value, is over. */
void lun_h2_update_begin(lun_h2 *h2);
void lun_h2_update_piece(lun_h2 *h2, lun_str piece);
void lun_h2_update_end(lun_h2 *h2);

/* --- h2_stream.c --- */

lun_h2_stream *lun_h2_new_stream(lun_h2 *h2, uint32_t id);

/* RST_STREAM; the stream is closed then. */
void lun_h2_reset(lun_h2_stream *s, unsigned code);

/* Closed, if both sides have said all. */
void lun_h2_check_closed(lun_h2_stream *s);

/* For the frames it is no more. */
void lun_h2_stream_closed(lun_h2_stream *s);

extern const lun_mux_kind  lun_h2_mux;

#endif

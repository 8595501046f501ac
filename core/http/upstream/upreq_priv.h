/*
 * upreq_priv.h -- what the rooms of an upstream request share: upreq.c (its
 * beginning and end), upreq_stage.c, and a room for each of the stages.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_PRIV_H
#define LUN_HTTP_UPREQ_PRIV_H

#include "http/upstream/upreq_hooks.h"

#include "base/check.h"
#include "http/engine.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_buffer.h"
#include "http/upstream/upreq_input.h"

/* In a state of a connection to a server: whose it is. */
static inline lun_upreq *
lun_upreq_of(const lun_conn *c)
{
    lun_upreq  *x = c->data;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(x->conn == c);
    return x;
}

/* The connection enters a state, of which the request's log speaks as well. */
void lun_upreq_enter(lun_upreq *x, const lun_conn_state *state);
/* The same, see lun_conn_enter_untimed(). */
void lun_upreq_enter_untimed(lun_upreq *x, const lun_conn_state *state);

/* --- upreq_stage.c --- */

/* Goes to a later stage, or to another server.  x may be over, and gone. */
void lun_upreq_go(lun_upreq *x, lun_upreq_stage stage);

/* --- upreq.c --- */

/* Its body is here, or on its way: the first server may be chosen. */
void lun_upreq_begin(lun_upreq *x);
void lun_upreq_look_up(lun_upreq *x);
/* Whether hooks answer in place of a server's answer, or of none: x is over
   then. */
bool lun_upreq_is_replaced(lun_upreq *x);
bool lun_upreq_is_saved(lun_upreq *x, unsigned why, unsigned status);
/* Those that want it have the next bytes of the body; see what is said. */
void lun_upreq_tell_bytes(lun_upreq *x, lun_str bytes);
void lun_upreq_tell_header(lun_upreq *x);

/* Its leaving ends x, unless NAME_ignore_client_abort. */
void lun_upreq_watch_client(lun_upreq *x);
void lun_upreq_unwatch_client(lun_upreq *x);

/* What is said of a server: the request's last try from now on. */
void lun_upreq_begin_try(lun_upreq *x);

/* Gives back what it holds; the request goes on elsewhere. */
void lun_upreq_leave(lun_upreq *x);

/*
 * It is over: gives back what it holds and finishes the request.  x may be
 * gone when it returns.
 */
void lun_upreq_end(lun_upreq *x, lun_verdict v);

/* --- upreq_resolve.c --- */

void lun_upreq_resolve(lun_upreq *x);

/* --- upreq_choose.c --- */

void lun_upreq_choose(lun_upreq *x);
/* The connection is x's until it is released. */
void lun_upreq_take_conn(lun_upreq *x, lun_conn *c);
/* The connection, which is x's alone, becomes that of others as well. */
void lun_upreq_share_conn(lun_upreq *x);
/* This server has failed: another, or the request ends. */
void lun_upreq_next(lun_upreq *x, unsigned why);
/* The reason that an answer with that status is; 0: none. */
unsigned lun_upreq_why(unsigned status);
/* Whether another may be asked for that reason. */
bool lun_upreq_may_try(const lun_upreq *x, unsigned why);
/* What is known of an answer is not that of the next. */
void lun_upreq_forget_answer(lun_upreq *x);
/* Gives the connection back, or closes it. */
void lun_upreq_release(lun_upreq *x, unsigned outcome);

/* --- upreq_connect.c --- */

void lun_upreq_connect(lun_upreq *x);
/* It stands, with TLS if that is wanted: the request goes out. */
void lun_upreq_connected(lun_upreq *x);
/* The connection was lost, or is too slow: logs that, and goes on. */
void lun_upreq_lost(lun_upreq *x);
/* "recv() failed", or the other way: with the error of the connection. */
void lun_upreq_log_failed(const lun_upreq *x);
void lun_upreq_timed_out(lun_upreq *x);

/* --- upreq_tls.c --- */

/* Connected: the TLS handshake; then it is connected all the way, or fails. */
void lun_upreq_handshake(lun_upreq *x);

/* --- upreq_send.c --- */

/* What has gone to a server is sent again to the next. */
void lun_upreq_reset_sending(lun_upreq *x);
void lun_upreq_send(lun_upreq *x);
/* on_written of a connection whose answer has begun before that. */
void lun_upreq_on_written(lun_conn *c);
/* More of a body that was waited for: lun_upreq_pull() has it. */
void lun_upreq_body_came(lun_upreq *x);
/* Some of the request is out. */
bool lun_upreq_is_begun(const lun_upreq *x);

/*
 * Where a connection is gone, or a send has failed.  True: nothing more goes
 * out, but what the server said before may be unread; the caller reads on.  It
 * is no answer where a kept connection has heard nothing of the request.
 */
bool lun_upreq_stop_sending(lun_upreq *x);

/*
 * The protocol has read: what it wants to say goes out.  ERROR: the connection
 * is lost, and x over or elsewhere.
 */
lun_rc lun_upreq_flush(lun_upreq *x);

/* --- upreq_stream.c --- */

/*
 * Takes what has come of the body.  If that is all of it, it is there as if it
 * had been read, and is not streamed any more.  NEXT: x may begin; WAIT:
 * lun_upreq_begin() follows; LUN_STATUS + n: there is no body.
 */
lun_verdict lun_upreq_take_body(lun_upreq *x);
void lun_upreq_unstream(lun_upreq *x);
/*
 * More of the body; what was pulled before has been used up.  OK: *data, or
 * its end, when that is empty; AGAIN: the client has to send it,
 * lun_upreq_body_came() follows; ERROR: x is over.
 */
lun_rc lun_upreq_pull(lun_upreq *x, lun_str *data);
/* After OK: nothing follows. */
bool lun_upreq_has_pulled_all(const lun_upreq *x);

/* --- upreq_header.c --- */

extern const lun_conn_state  lun_upreq_reading_header;
void lun_upreq_on_header(lun_conn *c);
/* Another server's is read from its beginning. */
void lun_upreq_reset_reading(lun_upreq *x);
/* What has come behind it, in memory that stays. */
lun_str lun_upreq_rest(const lun_upreq *x);

/* --- upreq_judge.c --- */

void lun_upreq_judge(lun_upreq *x);
/* Not hidden, nor about how the answer was sent. */
bool lun_upreq_may_pass(const lun_upreq *x, const lun_header *h);
/* The body is through: what came behind it becomes our trailers. */
void lun_upreq_pass_trailers(lun_upreq *x);

/* --- upreq_body.c --- */

/* The header is out: what has come of the body, and all that follows. */
void lun_upreq_pass(lun_upreq *x);
/* Nobody wants the body: if there is none, the answer is complete. */
void lun_upreq_skip_body(lun_upreq *x);
/* Hands out what may be, and asks for more. */
void lun_upreq_pump(lun_upreq *x);
/* The client has left, or is none; the answer is kept all the same. */
void lun_upreq_drop_client(lun_upreq *x);

/* --- upreq_tunnel.c --- */

void lun_upreq_upgrade(lun_upreq *x);

#endif

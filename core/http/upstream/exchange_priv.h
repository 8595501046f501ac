/*
 * exchange_priv.h -- what the rooms of an exchange share: exchange.c (its
 * beginning and end), exchange_connect.c, _tls.c, _send.c, _header.c, _body.c,
 * _ring.c, _tunnel.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_EXCHANGE_PRIV_H
#define LUN_HTTP_EXCHANGE_PRIV_H

#include "http/upstream/exchange.h"

#include "http/engine.h"

/* A part of the body: in memory, or in the temporary file. */
struct lun_exchange_piece {
    lun_buf               buf;
    lun_exchange_piece   *link;
    uint64_t              mark;    /* the place in the ring behind it */
    size_t                size;    /* in memory; what it counts as busy */
};

/* The connection enters a state, of which the request's log speaks as well. */
void lun_exchange_enter(lun_exchange *x, const lun_conn_state *state);

/* --- exchange.c --- */

/* What is said of a server: the request's last attempt from now on. */
void lun_exchange_attempt(lun_exchange *x);

/* Gives back what it holds; the request goes on elsewhere. */
void lun_exchange_leave(lun_exchange *x);

/*
 * It is over: gives back what it holds and finishes the request.  x may be
 * gone when it returns.
 */
void lun_exchange_end(lun_exchange *x, lun_verdict v);

/* --- exchange_connect.c --- */

void lun_exchange_connect(lun_exchange *x);
/* It stands, with TLS if that is wanted: the request goes out. */
void lun_exchange_connected(lun_exchange *x);
/* This server has failed: another, or the request ends. */
void lun_exchange_next(lun_exchange *x, unsigned why);
/* The connection was lost, or is too slow: logs that, and goes on. */
void lun_exchange_lost(lun_exchange *x);
void lun_exchange_timed_out(lun_exchange *x);
/* The reason that an answer with that status is; 0: none. */
unsigned lun_exchange_why(unsigned status);
/* Whether another may be asked for that reason. */
bool lun_exchange_may_try(const lun_exchange *x, unsigned why);
/* Gives the connection back, or closes it. */
void lun_exchange_release(lun_exchange *x, unsigned outcome);

/* --- exchange_tls.c --- */

/* Connected: shakes hands, and is connected all the way, or fails. */
void lun_exchange_shake(lun_exchange *x);

/* --- exchange_send.c --- */

void lun_exchange_send(lun_exchange *x);
/* Goes on where it had to wait. */
void lun_exchange_send_on(lun_exchange *x);
/* on_written of a connection whose answer has begun before that. */
void lun_exchange_on_written(lun_conn *c);

/* --- exchange_stream.c --- */

lun_rc lun_exchange_lend(lun_exchange *x);
void lun_exchange_unstream(lun_exchange *x);
/*
 * Queues more of the body, or its end.  AGAIN: the client has to send it,
 * lun_exchange_send_on() comes then; ERROR: x is over.
 */
lun_rc lun_exchange_feed(lun_exchange *x);

/* --- exchange_header.c --- */

extern const lun_conn_state  lun_exchange_reading_header;
void lun_exchange_on_header(lun_conn *c);
/* The body is through: what came behind it becomes our trailers. */
void lun_exchange_pass_trailers(lun_exchange *x);

/* --- exchange_body.c --- */

/* The header is out: what has come of the body, and all that follows. */
void lun_exchange_pass(lun_exchange *x);
/* Hands out what may be, and asks for more. */
void lun_exchange_pump(lun_exchange *x);

/* --- exchange_ring.c --- */

/* Where the connection may read to next; false: there is no room. */
bool lun_exchange_room_next(lun_exchange *x);
void lun_exchange_borrow(lun_exchange *x, char *room, size_t size);
void lun_exchange_give_back(lun_exchange *x);
void lun_exchange_add(lun_exchange *x, lun_str bytes);
/* What was handed out and has been used up is free again. */
void lun_exchange_collect(lun_exchange *x);
/* What waits goes to the temporary file; ERROR: logged. */
lun_rc lun_exchange_spool(lun_exchange *x);
bool lun_exchange_may_spool(const lun_exchange *x);

/* --- exchange_tunnel.c --- */

void lun_exchange_upgrade(lun_exchange *x);

#endif

/*
 * mux_conn.h -- a stream as a connection: what a client has asked for by
 * CONNECT (RFC 8441, RFC 9220; RFC 9113, 8.5) belongs to whoever takes it over.
 *
 * The connection is read and written like any other.  Its bytes are the
 * stream's DATA: what it reads comes from the stream's window, which opens as
 * it reads, and what it writes is the request's output.  It has no socket, and
 * lives as long as the request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_MUX_CONN_H
#define LUN_HTTP_MUX_CONN_H

#include "http/mux/mux.h"

/* For the lun_http_protocol. */
lun_conn *lun_mux_hand_over(lun_request *r);
void      lun_mux_make_room(lun_request *r, size_t size);

/*
 * Before the header of an answer to CONNECT goes out: makes 101 what the
 * client waits for.  ERROR: it would take this answer for a tunnel, and there
 * is none.
 */
lun_rc lun_mux_answer_connect(lun_request *r);

/* --- for mux.c, of a stream that was taken over -------------------------- */

/* Reads and writes that are through are told; the request may have ended. */
void lun_mux_conn_step(lun_mux_stream *s);

/* The stream is lost. */
void lun_mux_conn_lose(lun_mux_stream *s);

/* The request is over: so is what is said of it. */
void lun_mux_conn_finish(lun_mux_stream *s);

/*
 * The stream has none any more.  Whoever gets it closes it once the request has
 * ended: what that held, sockets of scripts among them, may still look at it.
 */
lun_conn *lun_mux_conn_release(lun_mux_stream *s);

#endif

/*
 * tls.h -- TLS as a connection type, over OpenSSL.
 *
 * A connection that speaks TLS looks like any other to those who use it: what
 * conn.h says of reading and writing holds for the plain text.  OpenSSL never
 * sees the socket.  It is handed what has arrived, and what it wants to send
 * is gathered; an idle connection therefore has no buffer of its own, and a
 * request costs the two system calls that it costs without TLS.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_H
#define LUN_TLS_H

#include <openssl/types.h>

#include "net/conn.h"

enum { LUN_TLS_RECORD = 16384 };   /* plain bytes of a record, at most */

/*
 * The connection speaks TLS from now on.  It does not write; what is in its
 * input buffer (pos .. last), and what a read in flight will bring, is taken
 * as the peer's first bytes.  ERROR, logged: out of memory.
 */
lun_rc lun_tls_start(lun_conn *c, SSL_CTX *ctx, bool server);

/*
 * A connection of its own that speaks TLS inside of `under`, a connection that
 * writes nothing and has agreed on its own TLS, if it speaks any: what a
 * tunnel carries.  `under` is the new one's from now on, with its data,
 * on_free and state, and is closed with it; what was read from it, and what a
 * read in flight will bring, is taken as the peer's first bytes.  The caller
 * gives the new one its state and time limits, and waits for lun_conn_close()
 * of that alone.  NULL, logged: out of memory; `under` stays the caller's.
 */
lun_conn *lun_tls_start_inside(lun_conn *under, size_t in_size, SSL_CTX *ctx,
    bool server);

/*
 * Shakes hands: on_written when that is done, on_gone, logged, when it has
 * failed.  The time limit is that of the connection's state.
 */
void lun_tls_handshake(lun_conn *c);

/*
 * Of a server's handshake: `after` is called when it has succeeded, before
 * on_written; if that is true, on_written waits for lun_tls_go_on().
 */
typedef bool lun_tls_after_fn(lun_conn *c);
void lun_tls_set_after(lun_conn *c, lun_tls_after_fn *after);

/*
 * A server whose context takes early data (SSL_CTX_set_max_early_data) says
 * on_written as soon as there are some, and is read from and written to like
 * any other.  Whether that is so, and the handshake still not complete: what
 * was read may have been sent before, by somebody else.
 */
bool lun_tls_is_early(const lun_conn *c);

/* In a handshake: bytes of early data that are taken; 0: none. */
void lun_tls_allow_early(SSL *ssl, uint32_t most);

/*
 * For a callback of OpenSSL in a handshake that cannot answer yet, and says so
 * to OpenSSL.  When that has returned, ask(c) is called, and when the answer
 * is there, lun_tls_go_on(c): OpenSSL then calls its callback again.  A peer
 * that breaks off meanwhile, a server that leaves, or a time limit, ends the
 * handshake as ever; a client that leaves does with the answer.
 */
void lun_tls_pause(lun_conn *c, lun_conn_fn *ask);
bool lun_tls_is_paused(const lun_conn *c);
void lun_tls_go_on(lun_conn *c);

/* NULL: a plain connection. */
SSL *lun_tls_of(const lun_conn *c);

/* Bytes have come that are not at c->in yet.  false: or it is a plain one. */
bool lun_tls_unread(const lun_conn *c);

/* The connection that an SSL belongs to: for callbacks of OpenSSL. */
lun_conn *lun_tls_conn(const SSL *ssl);
/*
 * The number under which a room keeps what it knows of an SSL
 * (SSL_set_ex_data); *n is the room's own, and -1 at first.
 */
int lun_tls_data_index(int *n);

/*
 * The context that it was started with, which sessions belong to: they are
 * gone on with before a name can choose another.
 */
SSL_CTX *lun_tls_session_ctx(const SSL *ssl);

/*
 * In a callback that ends the handshake: what the log says of it, instead of
 * OpenSSL's error.  The text stays the caller's.
 */
void lun_tls_reject(lun_conn *c, const char *why);

/* Plain bytes of a record, at most (ssl_buffer_size). */
void lun_tls_set_record(lun_conn *c, size_t size);

/*
 * What is sent next is the last on this side, and the peer is told so in the
 * same packet.  A matter of speed: lun_conn_end() tells it in any case.
 */
void lun_tls_set_last(lun_conn *c);

/*
 * " (SSL: error:...: ...)" for the errors that OpenSSL has in its queue, which
 * is empty afterwards; cut to `size`.
 */
lun_str lun_tls_errors(char *room, size_t size);

/*
 * Logs "text (SSL: ...)".  The text may end with what stands in front of the
 * parenthesis.
 */
void lun_tls_log(lun_log_level level, const lun_log *log, lun_err err,
    const char *fmt, ...) LUN_PRINTF(4, 5);

#endif

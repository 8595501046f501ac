/*
 * write.h -- a request's output goes to its connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_WRITE_H
#define LUN_HTTP_WRITE_H

#include "http/request.h"

enum { LUN_SMALL_ROOM = 24 };

/* An empty buf with that room; it comes back by itself when it is used up. */
lun_buf *lun_http_small_buf(lun_request *r);

/*
 * Sends what the connection takes of r->output.  OK: nothing is left; AGAIN:
 * the rest is on its way, r->blocked is set and lun_http_written() is to be
 * called when the connection says so, or, with r->write_delay set,
 * lun_http_write() after so many ms; ERROR: the connection is gone.
 * Bufs that are used up leave the chain with pos == last.
 */
lun_rc lun_http_write(lun_request *r);

/* In on_written: accounts for what was taken, and goes on. */
lun_rc lun_http_written(lun_request *r);

/*
 * For a protocol that frames its output: moves at most `size` bytes of
 * r->output to `to` and says how many.  0: nothing is there, or, with
 * r->write_delay set, it may not go for so many ms; -1: a file could not be
 * read.
 */
int64_t lun_http_read_output(lun_request *r, char *to, size_t size);

/*
 * For the same: how much of a file comes next, in one part and at most `size`
 * bytes, if it may go now.  0: something else, or nothing.  *last: nothing is
 * behind it.
 */
size_t lun_http_file_output(lun_request *r, size_t size, bool *last);
/*
 * Sends of these at once what the connection takes, see lun_conn_try_file():
 * *sent bytes.  ERROR: the connection is gone.
 */
lun_rc lun_http_try_file(lun_request *r, size_t size, size_t *sent);
/* As lun_http_read_output(), of what may go, whatever a rate says by now. */
int64_t lun_http_read_promised(lun_request *r, char *to, int64_t size);

/*
 * Whether bytes of the body may go to the client's socket by themselves: the
 * header is out, nothing waits in front of them, nobody looks at them or says
 * how fast.  Of a plain connection of HTTP/1.
 */
bool lun_http_is_straight(lun_request *r);
/* So many of them did. */
void lun_http_went_straight(lun_request *r, int64_t n);

/* Drops everything; nothing is in flight, or the connection is closed. */
void lun_http_unwrite(lun_request *r);

/*
 * Whether enough has gathered to be sent: a flush or eof, postpone_output
 * bytes.
 */
bool lun_http_worth_sending(const lun_request *r);

#endif

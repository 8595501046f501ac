/*
 * upreq_answer.h -- what protocols do alike when they read an answer: its
 * header's fields, its length, what is wrong with it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_ANSWER_H
#define LUN_HTTP_UPREQ_ANSWER_H

#include "http/upstream/upreq.h"

/* A field with its hash, and as which one it is known; views. */
lun_header lun_upreq_field(lun_str name, lun_str value);

/*
 * Content-Length, which is not in the list yet: answer.head_length.  ERROR,
 * logged: it is no number, or there is one already.
 */
lun_rc lun_upreq_take_length(lun_upreq *x, const lun_header *h);

/*
 * The header is complete: sets answer.length, and returns how many bytes of a
 * body without frames will come; -1: until the end of the connection, or of
 * frames.  `head`: a HEAD was asked, whose answer has no body.
 */
int64_t lun_upreq_set_length(lun_upreq *x, bool head);

/*
 * Bodies in frames beside a Content-Length, of which *left bytes are still to
 * come (-1: it said none): so many have, or the end has.  ERROR, logged: that
 * is more than it said, which is an error of the server (RFC 9113, 8.1.1), or
 * less.
 */
lun_rc lun_upreq_take_framed(const lun_upreq *x, int64_t *left, size_t len);
lun_rc lun_upreq_end_framed(const lun_upreq *x, int64_t left);

/* Logs that one of that name is in the answer's list already. */
void lun_upreq_log_duplicate(const lun_upreq *x, const lun_header *h);

/*
 * A line that is no field, but a status line where none should be: *pos moves
 * behind it, as if it were not there.
 */
bool lun_upreq_skip_line(const char **pos, const char *end);
/* "upstream sent more data than specified in "Content-Length" header" */
void lun_upreq_log_more(const lun_upreq *x);
/* Logs "upstream sent invalid WHAT", up to the byte that may not be there. */
void lun_upreq_log_invalid(const lun_upreq *x, const char *what,
    const char *pos, const char *end);

typedef struct {
    char  *start, *pos, *last, *end;
} lun_upreq_room;

/*
 * Copies from *pos on what there is room for, which moves over it: for header
 * lines that come in pieces of records.  The room, which is zeroed first, is
 * made here: for a header that is whole, or of NAME_buffer_size bytes; what is
 * in it stays where it is.  When it is full (last == end) and a line is not
 * complete, the header is too big.
 */
void lun_upreq_gather(const lun_upreq *x, lun_upreq_room *room,
    const char **pos, const char *end);

#endif

/*
 * upreq_buffer.h -- where the body of an answer is on its way through.
 *
 *     server -> ring -> waiting -> busy (handed out) -> used up: ring again
 *                         |  ^
 *                  temporary file
 *
 * The ring has the size of NAME_buffers together, and is made when an answer
 * does not fit into the buffer of its header.  Nobody else knows what it holds;
 * the order of pieces is that of the body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_BUFFER_H
#define LUN_HTTP_UPREQ_BUFFER_H

#include "http/upstream/upreq.h"

/* Where the connection may read to next; false: there is no room. */
bool lun_upreq_room_next(lun_upreq *x);

/*
 * How many bytes would have room if all of the ring were free; 0: not all of
 * it is, or something waits.
 */
size_t lun_upreq_free_size(const lun_upreq *x);
/* Of no more than that, before they are counted: where they go. */
char *lun_upreq_free_room(lun_upreq *x, size_t size);

/* The connection has read n bytes there: what is added comes from them. */
void lun_upreq_arrived(lun_upreq *x, const char *pos, size_t n);
/* Bytes of the body, which wait from now on; they stay where they are. */
void lun_upreq_add(lun_upreq *x, lun_str bytes);
/* Whether any wait to be handed out. */
bool lun_upreq_waits(const lun_upreq *x);

/*
 * A list of what may be handed out, *last is its last buf: no more at a time
 * than NAME_busy_buffers_size while the client does not take it, or `all`.
 */
lun_buf *lun_upreq_hand_out(lun_upreq *x, bool all, lun_buf **last);
/* What was handed out and has been used up is free again. */
void lun_upreq_collect(lun_upreq *x);

/* What waits goes to the temporary file; ERROR: logged. */
lun_rc lun_upreq_spool(lun_upreq *x);
bool lun_upreq_may_spool(const lun_upreq *x);

/*
 * Nothing of what was in it will be asked for, but may be on its way: what
 * comes goes to other memory.  A read that is in flight may still end in it.
 */
void lun_upreq_forget_buffer(lun_upreq *x);

#endif

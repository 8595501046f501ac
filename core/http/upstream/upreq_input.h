/*
 * upreq_input.h -- whose memory the connection to a server reads into: its own,
 * in which it listens while it is kept, or the request's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_INPUT_H
#define LUN_HTTP_UPREQ_INPUT_H

#include "http/upstream/upreq.h"

/* What comes goes to `room`, until it is restored.  Not while reading. */
void lun_upreq_set_input(lun_upreq *x, char *room, size_t size);
bool lun_upreq_input_is_set(const lun_upreq *x);
/* Its own, which is empty. */
void lun_upreq_restore_input(lun_upreq *x);
/*
 * The connection is given up: one that is reading keeps the request's memory,
 * which stays until its on_free.
 */
void lun_upreq_leave_input(lun_upreq *x);

#endif

/*
 * splice.h -- bytes from one socket to another, by the system alone.
 *
 * They go through a pipe of this process's, which is empty again before
 * anything else is done with it: there is one for all streams.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SPLICE_H
#define LUN_OS_SPLICE_H

#include "os/port.h"

/* Whether there is such a thing, for sockets of this kind so far. */
bool lun_port_splices(void);

/*
 * Moves what has come at `from`, `most` bytes of it and more than 0, to `to`,
 * where no write is in flight: *taken were there, and 0 is the end of the
 * stream.  *rest of them `to` did not take, and they have to be fetched by
 * lun_port_splice_rest() at once.  An error is that of `from`: of kind
 * LUN_ERR_AGAIN when nothing has come, LUN_ERR_NOT_SUPPORTED when these two
 * can't.  *lost, if not 0, is an error of `to`; what was taken is lost with it.
 */
lun_err lun_port_splice(lun_stream *from, lun_stream *to, size_t most,
    size_t *taken, size_t *rest, lun_err *lost);

/* All that the last one has left, to memory. */
void lun_port_splice_rest(char *to, size_t size);

/* Behind what was expected: whether more has come, the end, or an error. */
bool lun_port_has_more(lun_stream *from);

/* The process ends: gives back what all of the above have in common. */
void lun_port_splice_end(void);

#endif

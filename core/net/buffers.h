/*
 * buffers.h -- memory that connections read into for a while: what one does
 * not need any more is kept for the next one of its loop.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BUFFERS_H
#define LUN_BUFFERS_H

#include "net/loop.h"

/* `size` bytes, the caller's until they are given back. */
char *lun_buffer_take(lun_loop *loop, size_t size);

/* The same size as it was taken with; nobody reads or writes there. */
void lun_buffer_give(lun_loop *loop, char *buffer, size_t size);

#endif

/*
 * bytes.h -- bytes that wait, in memory of their own: added behind, used up in
 * front.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BYTES_H
#define LUN_BYTES_H

#include "base/base.h"

/* All zero: none, and no memory. */
typedef struct {
    char    *data;
    size_t   pos, len, size;       /* pos .. len wait */
} lun_bytes;

static inline size_t
lun_bytes_left(const lun_bytes *b)
{
    return b->len - b->pos;
}

/* Where `len` more can be put, and b->len moved; until the next call. */
char *lun_bytes_room(lun_bytes *b, size_t len);
void lun_bytes_add(lun_bytes *b, const void *data, size_t len);

/* Gives the memory back, whatever is in it. */
void lun_bytes_drop(lun_bytes *b);
/* None wait: much memory is given back. */
void lun_bytes_trim(lun_bytes *b);

#endif

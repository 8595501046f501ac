/*
 * priority.h -- what a client or a server says of how urgent an answer is
 * (RFC 9218): a field's value, as HTTP/2 and HTTP/3 have it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_PRIORITY_H
#define LUN_HTTP_PRIORITY_H

#include "base/str.h"

enum { LUN_URGENCY_USUAL = 3, LUN_URGENCY_LEAST = 7 };    /* 0: the most */

/* All zero: nothing was said. */
typedef struct {
    uint8_t   urgency;
    unsigned  has_urgency:1;
    unsigned  has_incremental:1;
    unsigned  incremental:1;           /* a part of it is of use already */
} lun_priority;

/*
 * What the value says replaces what *p has, and the rest of *p stays.  What
 * the caller's side of the RFC does not know, and what is of the wrong type or
 * out of range, says nothing.
 */
void lun_priority_read(lun_priority *p, lun_str value);

#endif

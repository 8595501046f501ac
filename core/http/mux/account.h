/*
 * account.h -- what a client costs beyond what it is worth.
 *
 * HTTP/2 and HTTP/3 offer many ways to keep a server busy for nothing: frames
 * that only want an answer, padding, requests that are taken back, fields that
 * a byte names again and again.  A limit for each would leave the next one
 * open, so there is one account per connection, in bytes:
 *
 *     every byte that comes or goes costs 1, an event more if it is more work
 *     every byte of headers and bodies, either way, pays for 8
 *     a second pays for 64 KB
 *
 * A client with 8 MB of debt is a flood.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_ACCOUNT_H
#define LUN_HTTP_ACCOUNT_H

#include "os/clock.h"

enum {
    LUN_ACCOUNT_LIMIT = 8 * 1024 * 1024,           /* of the debt */
    LUN_ACCOUNT_SAVED = 8 * LUN_ACCOUNT_LIMIT      /* at most, from better
                                                      times */
};

/* What is more work than its bytes. */
enum {
    LUN_ACCOUNT_IN_VAIN = 8192,    /* a request that was taken back */
    LUN_ACCOUNT_MISTAKE = 4096,    /* a frame that costs its stream */
    LUN_ACCOUNT_FIELD   = 32       /* a field that is decoded for nobody */
};

/* `charged`: lun_clock.mono at the beginning. */
typedef struct {
    int64_t   debt;                /* in bytes ... */
    lun_msec  charged;             /* ... as of lun_clock.mono */
} lun_account;

/* true: that is too much. */
bool lun_account_charge(lun_account *a, uint64_t cost);
void lun_account_credit(lun_account *a, size_t payload);

#endif

/*
 * account.c -- see account.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/account.h"


enum {
    WORTH  = 8,                    /* a byte of payload pays for so many */
    PER_MS = 64                    /* so does a millisecond */
};


bool
lun_account_charge(lun_account *a, uint64_t cost)
{
    uint64_t  paid;
    lun_msec  now = lun_clock.mono;

    if (a->debt > 0) {
        paid = (now - a->charged) * PER_MS;
        a->debt -= (int64_t) lun_min(paid, (uint64_t) a->debt);
    }

    a->charged = now;
    a->debt += (int64_t) lun_min(cost, (uint64_t) LUN_ACCOUNT_LIMIT);
    return a->debt > LUN_ACCOUNT_LIMIT;
}


void
lun_account_credit(lun_account *a, size_t payload)
{
    int64_t  worth = (int64_t) lun_min(payload, (size_t) LUN_ACCOUNT_SAVED)
                     * WORTH;

    a->debt = lun_max(a->debt - worth, (int64_t) -LUN_ACCOUNT_SAVED);
}

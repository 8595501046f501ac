/*
 * balance.c -- a request begins with an upstream: its method, and whoever
 * lends idle connections around that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/balance.h"


lun_rc
lun_balance_begin(lun_request *r, lun_upstream *u, lun_balance *b)
{
    if (u->same != NULL) {
        u = u->same;
    }

    if (u->method->begin(r, u, b) != LUN_OK) {
        return LUN_ERROR;
    }

    return u->lender != NULL ? u->lender->begin(r, u, b) : LUN_OK;
}

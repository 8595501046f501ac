/*
 * woken.c -- the wakes that this process has open.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/woken.h"


static struct {
    lun_wake     *wake;            /* NULL: nobody's place */
    lun_wake_fn  *woken;
    void         *data;
} wakes[LUN_WAKES];


bool
lun_woken_add(lun_wake *w, lun_wake_fn *woken, void *data)
{
    size_t  i, place = LUN_WAKES;

    for (i = LUN_WAKES; i-- > 0; ) {
        if (wakes[i].wake == w) {
            place = i;
            break;
        }

        if (wakes[i].wake == NULL) {
            place = i;
        }
    }

    if (place == LUN_WAKES) {
        return false;
    }

    wakes[place].wake = w;
    wakes[place].woken = woken;
    wakes[place].data = data;
    return true;
}


bool
lun_woken_remove(const lun_wake *w)
{
    size_t  i, left = 0;

    for (i = 0; i < LUN_WAKES; i++) {
        if (wakes[i].wake == w) {
            wakes[i].wake = NULL;
        }

        left += wakes[i].wake != NULL;
    }

    return left == 0;
}


void
lun_woken_call(void *none)
{
    size_t  i;

    for (i = 0; i < LUN_WAKES; i++) {
        if (wakes[i].wake != NULL) {
            wakes[i].woken(wakes[i].data);
        }
    }
}

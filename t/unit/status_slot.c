/*
 * status_slot.c -- each status has a cell, and each cell a status.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/status_slot.c"

#include "tap.h"


int
main(void)
{
    char      room[8];
    bool      whole = true;
    unsigned  status, slot, known = 0;

    for (status = 0; status < 1000; status++) {
        slot = lun_status_slot(status);
        known += slot != 0;
        whole &= slot < LUN_STATUS_SLOTS
                 && (slot == 0 || statuses[slot] == status);
    }

    ok(whole, "a status finds its own");
    is_int(known, LUN_STATUS_SLOTS - 1, "no cell is unused");
    ok(lun_status_slot(0) == 0 && lun_status_slot(99) == 0
       && lun_status_slot(600) == 0 && lun_status_slot(299) == 0,
       "others share one");
    ok(lun_str_eq(name_of(lun_status_slot(404), room), LUN_STR("404"))
       && lun_str_eq(name_of(0, room), LUN_STR("xxx")), "their names");

    return done_testing();
}

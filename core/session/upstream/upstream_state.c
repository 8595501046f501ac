/*
 * upstream_state.c -- requests that servers have in hand, and whose they are.
 *
 * A worker may be killed between two stores.  Then a state has one request
 * less than it should, never one more: that would be for ever, while a number
 * that is too low is right again as soon as there are none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_state.h"

#include <stdatomic.h>

#include "base/check.h"
#include "os/lock.h"


enum { WINDOW = 16 };              /* rows that are looked at for one */


static inline void
in_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}


static uint64_t
place_of(uint64_t owner, const lun_upstream_state *state)
{
    return (owner ^ (uint64_t) (uintptr_t) state * UINT64_C(31))
           * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}


/* The worker's row of that state, maybe a new one; NULL: no room. */
static lun_upstream_hold *
row_of(const lun_upstream_holds *holds, uint64_t owner,
    lun_upstream_state *state)
{
    uint64_t            i, at = place_of(owner, state);
    lun_upstream_hold  *row, *spare = NULL;

    for (i = 0; i < lun_min(holds->room, (uint64_t) WINDOW); i++) {
        row = &holds->rows[(at + i) % holds->room];

        if (row->owner == owner && row->state == state) {
            return row;
        }

        if (spare == NULL && row->conns == 0) {
            spare = row;
        }
    }

    if (spare != NULL) {
        spare->owner = 0;
        in_order();
        spare->state = state;
        spare->begun = 0;
        in_order();
        spare->owner = owner;
    }

    return spare;
}


static void
add(lun_upstream_state *state, int64_t conns, int64_t begun)
{
    state->conns = lun_max(state->conns + conns, 0);
    state->begun = state->conns == 0 ? 0 : lun_max(state->begun + begun, 0);
}


lun_upstream_hold *
lun_upstream_state_take(lun_upstream_state *state,
    const lun_upstream_holds *holds, lun_msec now)
{
    lun_upstream_hold  *row = holds == NULL ? NULL
                              : row_of(holds, lun_lock_self(), state);

    LUN_CHECK(state->conns >= 0);

    if (row != NULL) {
        row->begun += (int64_t) now;
        row->conns++;
        in_order();
    }

    add(state, 1, (int64_t) now);
    return row;
}


void
lun_upstream_state_give(lun_upstream_state *state, lun_upstream_hold *hold,
    lun_msec begun)
{
    if (hold == NULL) {
        add(state, -1, -(int64_t) begun);
        return;
    }

    /* The state is another server's by now, which has no request of ours. */
    if (hold->owner != lun_lock_self() || hold->state != state
        || hold->conns <= 0)
    {
        return;
    }

    add(state, -1, -(int64_t) begun);
    in_order();
    hold->begun -= (int64_t) begun;
    hold->conns--;
}


void
lun_upstream_holds_forget(const lun_upstream_holds *holds,
    const lun_upstream_state *state)
{
    uint64_t  i;

    for (i = 0; i < holds->room; i++) {
        if (holds->rows[i].state == state) {
            holds->rows[i] = (lun_upstream_hold) { .owner = 0 };
        }
    }
}


void
lun_upstream_holds_return(const lun_upstream_holds *holds, int64_t pid)
{
    uint64_t            i;
    lun_upstream_hold  *row;

    for (i = 0; i < holds->room; i++) {
        row = &holds->rows[i];

        if (row->owner == 0 || lun_lock_pid_of(row->owner) != pid) {
            continue;
        }

        if (row->conns > 0) {
            add(row->state, -row->conns, -row->begun);
        }

        *row = (lun_upstream_hold) { .owner = 0 };
    }
}

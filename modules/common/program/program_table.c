/*
 * program_table.c -- which programs of an upstream run, and which worker has
 * how many requests in whose hands; in a zone that all workers and generations
 * see, and the keeper.
 *
 * Workers choose under a lock of theirs, and count what they have in hand in
 * cells of their own, so that those of one that died can be cleared.  Where a
 * program has so many requests at a time and no more, others wait in their
 * workers; one that is free goes to the worker whose first request has waited
 * longest, which is rung.
 *
 * The keeper takes no lock.  It ends a program in two steps: it stores ENDING,
 * and looks at the cells; a worker counts, and looks at the state.  So whoever
 * was second sees the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_priv.h"

#include "base/check.h"
#include "os/clock.h"
#include "os/knock.h"
#include "os/random.h"
#include "shm/mailbox.h"
#include "shm/workers.h"


enum { LEAST = 8 };                /* a table is for that many: few changes of
                                      a count make another */


size_t
lun_program_table_size(size_t programs)
{
    size_t  n = LEAST;

    while (n < programs) {
        n *= 2;
    }

    return sizeof(lun_program_table) + 3 * n * sizeof(lun_program_slot);
}


static void
make_token(char token[LUN_PROGRAM_TOKEN + 1])
{
    size_t   i;
    uint8_t  bytes[LUN_PROGRAM_TOKEN / 2];

    lun_random_bytes(bytes, sizeof(bytes));

    for (i = 0; i < sizeof(bytes); i++) {
        *lun_fmt(token + 2 * i, token + LUN_PROGRAM_TOKEN, "%02x", bytes[i])
            = '\0';
    }
}


static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    lun_program_table  *t = zone->shm.addr;

    t->count = (uint32_t) ((zone->size - sizeof(lun_program_table))
                           / sizeof(lun_program_slot));
    make_token(t->token);
    return LUN_OK;
}


static void
lock(lun_program_table *t)
{
    (void) lun_lock_take(&t->lock);
}


static void
unlock(lun_program_table *t)
{
    lun_lock_free(&t->lock);
}


/* --- workers ------------------------------------------------------------- */

/* The cell of those that find no place is the last, and never cleared. */
static uint32_t
my_cell(lun_program_table *t)
{
    uint32_t  i, spare = LUN_PROGRAM_WORKERS - 1;
    uint64_t  self = lun_lock_self();

    for (i = 0; i < t->known; i++) {
        if (t->workers[i].worker == self) {
            return i;
        }

        if (t->workers[i].worker == 0 && spare == LUN_PROGRAM_WORKERS - 1) {
            spare = i;
        }
    }

    if (spare == LUN_PROGRAM_WORKERS - 1 && t->known < spare) {
        spare = t->known++;
    }

    if (spare != LUN_PROGRAM_WORKERS - 1) {
        t->workers[spare] = (lun_program_worker) {
            .worker = self, .row = lun_workers_self()
        };
    }

    return spare;
}


uint64_t
lun_program_active(const lun_program_table *t, uint32_t index)
{
    uint32_t  i;
    uint64_t  n = 0;

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        n += atomic_load_explicit(&t->slots[index].active[i],
                                  memory_order_relaxed);
    }

    return n;
}


/* Those that workers have, by the cells that are in use. */
static uint64_t
count_active(const lun_program_table *t, const lun_program_slot *s)
{
    uint32_t  i;
    uint64_t  n = atomic_load_explicit(&s->active[LUN_PROGRAM_WORKERS - 1],
                                       memory_order_relaxed);

    for (i = 0; i < t->known; i++) {
        n += atomic_load_explicit(&s->active[i], memory_order_relaxed);
    }

    return n;
}


static bool
may_be_asked(const lun_program_slot *s)
{
    return atomic_load(&s->state) == LUN_PROGRAM_UP
           && !atomic_load(&s->failed) && !atomic_load(&s->spent);
}


static bool
has_free(const lun_program_table *t)
{
    uint32_t  i;

    for (i = 0; i < t->count; i++) {
        if (may_be_asked(&t->slots[i])
            && (t->most == 0
                || count_active(t, &t->slots[i]) < (uint64_t) t->most))
        {
            return true;
        }
    }

    return false;
}


/* The row of who has waited longest; -1: nobody waits. */
static int
longest_waiter(const lun_program_table *t)
{
    int                        row = -1;
    uint32_t                   i;
    lun_msec                   since = UINT64_MAX;
    const lun_program_worker  *w = t->workers;

    for (i = 0; i < t->known; i++, w++) {
        if (w->worker != 0 && w->since != 0 && w->since < since) {
            since = w->since;
            row = w->row;
        }
    }

    return row;
}


/* If there may be a program for somebody, whose turn it is hears of it. */
static void
unlock_and_ring(lun_program_table *t)
{
    int  row = has_free(t) ? longest_waiter(t) : -1;

    unlock(t);

    if (row >= 0) {
        lun_mailbox_ring((unsigned) row, LUN_LETTER_PROGRAM);
    }
}


/* Its requests are broken off; the programs are the keeper's. */
static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t            i, k;
    lun_program_table  *t = zone->shm.addr;

    (void) lun_lock_seize(&t->lock, pid);
    (void) lun_lock_take(&t->lock);

    for (i = 0; i < t->known; i++) {
        if (lun_lock_pid_of(t->workers[i].worker) != pid) {
            continue;
        }

        for (k = 0; k < t->count; k++) {
            atomic_store(&t->slots[k].active[i], 0);
        }

        t->workers[i].worker = 0;
    }

    unlock_and_ring(t);
}


const lun_zone_kind  lun_program_zone = {
    .name = "program",
    .min_size = sizeof(lun_program_table),
    .init = init_zone,
    .mend = mend_zone,
};


/* --- whose turn it is ---------------------------------------------------- */

static bool
others_wait_longer(const lun_program_table *t, lun_msec since)
{
    uint32_t                   i;
    uint64_t                   self = lun_lock_self();
    const lun_program_worker  *w = t->workers;

    for (i = 0; i < t->known; i++, w++) {
        if (w->worker != 0 && w->since != 0 && w->worker != self
            && (since == 0 || w->since < since))
        {
            return true;
        }
    }

    return false;
}


/* Who has no place of its own only waits behind others. */
void
lun_program_wait_since(lun_program_table *t, lun_msec since)
{
    uint32_t  cell;

    lock(t);
    cell = my_cell(t);

    if (cell != LUN_PROGRAM_WORKERS - 1) {
        t->workers[cell].since = since;
    }

    unlock_and_ring(t);
}


/* The one that has least in hand, of several in turn; count: none. */
static uint32_t
find_least(const lun_program_table *t, int64_t most)
{
    uint32_t  i, at, best = t->count;
    uint64_t  n, least = most != 0 ? (uint64_t) most : UINT64_MAX;

    for (i = 0; i < t->count && least != 0; i++) {
        at = (t->turn + i) % t->count;

        if (!may_be_asked(&t->slots[at])) {
            continue;
        }

        n = count_active(t, &t->slots[at]);

        if (n < least) {
            least = n;
            best = at;
        }
    }

    return best;
}


/* False: the keeper was faster. */
static bool
grip(lun_program_table *t, uint32_t index, lun_program_grip *got)
{
    uint32_t           cell = my_cell(t);
    lun_program_slot  *s = &t->slots[index];

    got->index = index;
    got->serial = atomic_load(&s->serial);
    got->port = atomic_load(&s->port);
    got->pid = atomic_load(&s->pid);
    atomic_fetch_add(&s->active[cell], 1);

    if (atomic_load(&s->state) == LUN_PROGRAM_UP
        && atomic_load(&s->serial) == got->serial)
    {
        t->turn = index + 1;
        return true;
    }

    atomic_fetch_sub(&s->active[cell], 1);
    return false;
}


lun_program_verdict
lun_program_take(lun_program_table *t, lun_msec since, int64_t most,
    lun_program_grip *got)
{
    uint32_t             at;
    lun_program_verdict  v;

    if (atomic_load_explicit(&t->offline, memory_order_relaxed)) {
        return LUN_PROGRAM_OFFLINE;
    }

    lock(t);
    t->most = most;
    v = atomic_load(&t->broken) ? LUN_PROGRAM_BROKEN : LUN_PROGRAM_WAIT;

    if (!others_wait_longer(t, since)) {
        while ((at = find_least(t, most)) != t->count) {
            if (grip(t, at, got)) {
                v = LUN_PROGRAM_TAKEN;
                break;
            }
        }
    }

    unlock(t);
    return v;
}


void
lun_program_give(lun_program_table *t, const lun_program_grip *g, bool failed,
    int64_t most)
{
    bool               knock;
    uint32_t           cell;
    lun_program_slot  *s = &t->slots[g->index];

    LUN_CHECK(g->index < t->count);
    lock(t);
    cell = my_cell(t);
    atomic_store(&t->used, lun_clock.mono);

    /* It may have died meanwhile, and the slot be another's. */
    knock = atomic_load(&s->serial) == g->serial;

    if (knock) {
        failed = failed && atomic_load(&s->state) != LUN_PROGRAM_NONE;
        atomic_store(&s->failed, failed || atomic_load(&s->failed));
        atomic_store(&s->spent, atomic_fetch_add(&s->served, 1) + 1
                                >= (uint64_t) most && most != 0);

        if (atomic_load(&s->active[cell]) != 0) {
            atomic_fetch_sub(&s->active[cell], 1);
        }

        knock = !may_be_asked(s);
    }

    unlock_and_ring(t);

    if (knock) {
        lun_knock();
    }
}


/* --- the keeper's side --------------------------------------------------- */

void
lun_program_begin(lun_program_table *t, uint32_t index, uint32_t serial,
    uint32_t port, int64_t pid)
{
    uint32_t           i;
    lun_program_slot  *s = &t->slots[index];

    atomic_store(&s->serial, serial);

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        atomic_store(&s->active[i], 0);
    }

    atomic_store(&s->port, port);
    atomic_store(&s->pid, pid);
    atomic_store(&s->served, 0);
    atomic_store(&s->failed, false);
    atomic_store(&s->spent, false);
    atomic_store(&s->state, LUN_PROGRAM_STARTING);
}


void
lun_program_set_state(lun_program_table *t, uint32_t index,
    lun_program_state state)
{
    atomic_store(&t->slots[index].state, state);
}


/* --- what there is ------------------------------------------------------- */

static void
tally_slot(const lun_program_table *t, const lun_program_slot *s,
    lun_program_counts *counts)
{
    uint64_t  active = count_active(t, s);

    switch (atomic_load(&s->state)) {

    case LUN_PROGRAM_NONE:
        return;

    case LUN_PROGRAM_STARTING:
        counts->starting++;
        break;

    case LUN_PROGRAM_UP:
        counts->free += active == 0;
        counts->busy += active != 0;
        break;

    default:
        counts->ending++;
    }

    counts->active += (int64_t) active;
    counts->served += (int64_t) atomic_load(&s->served);
}


void
lun_program_tally(lun_program_table *t, lun_program_counts *counts)
{
    uint32_t  i;

    *counts = (lun_program_counts) {
        .broken = atomic_load(&t->broken),
        .offline = atomic_load(&t->offline)
    };

    lock(t);

    for (i = 0; i < t->count; i++) {
        tally_slot(t, &t->slots[i], counts);
    }

    for (i = 0; i < t->known; i++) {
        counts->waiting += t->workers[i].worker != 0
                           && t->workers[i].since != 0;
    }

    unlock(t);
}

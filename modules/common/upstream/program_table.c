/*
 * program_table.c -- which programs of an upstream run, and which worker has
 * which in hand; in a zone that all workers and generations see.
 *
 * A program serves one request at a time.  Requests that find none wait in
 * their workers; a program that is free goes to the worker whose first request
 * has waited longest, so that none is passed over: that worker is rung.
 *
 * A worker may be killed under the lock: each slot is changed by stores that
 * leave it right, or of a dead process, which `mend` finds by its number.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/program_priv.h"

#include "base/check.h"
#include "shm/mailbox.h"
#include "shm/workers.h"


size_t
lun_program_table_size(size_t programs)
{
    return sizeof(lun_program_table)
           + 3 * programs * sizeof(lun_program_slot);
}


static lun_rc
init_zone(lun_zone *zone, const lun_log *log)
{
    lun_program_table  *t = zone->shm.addr;

    t->count = (uint32_t) ((zone->size - sizeof(lun_program_table))
                           / sizeof(lun_program_slot));
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


static bool
has_free(const lun_program_table *t)
{
    uint32_t  i;

    for (i = 0; i < t->count; i++) {
        if (t->slots[i].state == LUN_PROGRAM_FREE) {
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
    const lun_program_waiter  *w = t->waiters;

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++, w++) {
        if (w->worker != 0 && w->since < since) {
            since = w->since;
            row = w->row;
        }
    }

    return row;
}


/* If there is a program for somebody, whose turn it is hears of it. */
static void
unlock_and_ring(lun_program_table *t)
{
    int  row = has_free(t) ? longest_waiter(t) : -1;

    unlock(t);

    if (row >= 0) {
        lun_mailbox_ring((unsigned) row, LUN_LETTER_PROGRAM);
    }
}


/* Its requests are broken off, its programs have ended with it. */
static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t            i;
    lun_program_slot   *s;
    lun_program_table  *t = zone->shm.addr;

    (void) lun_lock_seize(&t->lock, pid);
    (void) lun_lock_take(&t->lock);

    for (i = 0; i < t->count; i++) {
        s = &t->slots[i];

        if (lun_lock_pid_of(s->keeper) == pid) {
            memset(s, 0, sizeof(lun_program_slot));

        } else if (s->state == LUN_PROGRAM_BUSY
                   && lun_lock_pid_of(s->user) == pid)
        {
            s->state = LUN_PROGRAM_FREE;
        }
    }

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        if (lun_lock_pid_of(t->waiters[i].worker) == pid) {
            t->waiters[i].worker = 0;
        }
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
    const lun_program_waiter  *w = t->waiters;

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++, w++) {
        if (w->worker != 0 && w->worker != self
            && (since == 0 || w->since < since))
        {
            return true;
        }
    }

    return false;
}


/* Beyond so many workers one has no place, and only waits behind others. */
void
lun_program_wait_since(lun_program_table *t, lun_msec since)
{
    uint32_t             i;
    uint64_t             self = lun_lock_self();
    lun_program_waiter  *w, *spare = NULL;

    lock(t);

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        w = &t->waiters[i];

        if (w->worker == self) {
            spare = w;
            break;
        }

        if (w->worker == 0 && spare == NULL) {
            spare = w;
        }
    }

    if (spare != NULL) {
        spare->since = since;
        spare->row = lun_workers_self();
        spare->worker = since != 0 ? self : 0;
    }

    unlock_and_ring(t);
}


lun_program_verdict
lun_program_take(lun_program_table *t, lun_msec since, lun_program_slot *got,
    uint32_t *index)
{
    uint32_t             i, n, at;
    lun_program_slot    *s;
    lun_program_verdict  v;

    lock(t);
    v = t->broken ? LUN_PROGRAM_BROKEN : LUN_PROGRAM_WAIT;
    n = others_wait_longer(t, since) ? 0 : t->count;

    for (i = 0; i < n; i++) {
        at = (t->turn + i) % t->count;
        s = &t->slots[at];

        if (s->state == LUN_PROGRAM_FREE) {
            s->user = lun_lock_self();
            s->state = LUN_PROGRAM_BUSY;
            t->turn = at + 1;
            *got = *s;
            *index = at;
            v = LUN_PROGRAM_TAKEN;
            break;
        }
    }

    unlock(t);
    return v;
}


int64_t
lun_program_give(lun_program_table *t, uint32_t index, int64_t pid,
    bool failed, int64_t most)
{
    int64_t            end = 0;
    lun_program_slot  *s = &t->slots[index];

    LUN_CHECK(index < t->count);
    lock(t);

    /* It may have died meanwhile, and the slot be another's. */
    if (s->state == LUN_PROGRAM_BUSY && s->pid == pid
        && s->user == lun_lock_self())
    {
        s->served++;
        s->state = LUN_PROGRAM_FREE;

        s->retire = s->retire || (most != 0 && s->served >= most);

        if (failed || s->retire) {
            s->state = LUN_PROGRAM_ENDING;
            end = pid;
        }
    }

    unlock_and_ring(t);
    return end;
}


/* --- the keeper's side --------------------------------------------------- */

uint32_t
lun_program_claim(lun_program_table *t, uint32_t generation)
{
    uint32_t           i;
    lun_program_slot  *s;

    lock(t);

    for (i = 0; i < t->count && t->slots[i].state != LUN_PROGRAM_NONE; i++) {
    }

    if (i != t->count) {
        s = &t->slots[i];
        memset(s, 0, sizeof(lun_program_slot));
        s->generation = generation;
        s->keeper = lun_lock_self();
        s->state = LUN_PROGRAM_STARTING;
        /* What the configuration before could not start this one may. */
        t->broken = t->broken && t->broken_by >= generation;
    }

    unlock(t);
    return i;
}


bool
lun_program_started(lun_program_table *t, uint32_t index, int64_t pid,
    uint16_t port)
{
    bool               wanted;
    lun_program_slot  *s = &t->slots[index];

    lock(t);
    s->pid = pid;
    s->port = port;
    wanted = s->state == LUN_PROGRAM_STARTING;
    unlock(t);

    return wanted;
}


void
lun_program_ready(lun_program_table *t, uint32_t index)
{
    lock(t);

    if (t->slots[index].state == LUN_PROGRAM_STARTING) {
        t->slots[index].state = LUN_PROGRAM_FREE;
        t->broken = false;
    }

    unlock_and_ring(t);
}


void
lun_program_set_broken(lun_program_table *t, uint32_t generation)
{
    uint32_t  i;
    bool      others = false;

    lock(t);

    for (i = 0; i < t->count; i++) {
        others = others || (t->slots[i].state != LUN_PROGRAM_NONE
                            && t->slots[i].generation != generation);
    }

    t->broken = !others;
    t->broken_by = generation;

    for (i = 0; t->broken && i < LUN_PROGRAM_WORKERS; i++) {
        if (t->waiters[i].worker != 0 && t->waiters[i].row >= 0) {
            lun_mailbox_ring((unsigned) t->waiters[i].row,
                             LUN_LETTER_PROGRAM);
        }
    }

    unlock(t);
}


bool
lun_program_gone(lun_program_table *t, uint32_t index, bool *served)
{
    bool               told;
    lun_program_slot  *s = &t->slots[index];

    lock(t);
    told = s->retire;

    if (served != NULL) {
        *served = s->served != 0 || s->state == LUN_PROGRAM_BUSY;
    }

    memset(s, 0, sizeof(lun_program_slot));
    unlock(t);

    return told;
}


/* Under the lock. */
static int64_t
end_slot(lun_program_slot *s)
{
    if (s->state == LUN_PROGRAM_NONE || s->state == LUN_PROGRAM_ENDING) {
        return 0;
    }

    s->retire = true;

    if (s->state == LUN_PROGRAM_BUSY) {
        return 0;
    }

    s->state = LUN_PROGRAM_ENDING;
    return s->pid;
}


int64_t
lun_program_replace(lun_program_table *t, uint32_t generation)
{
    int64_t            pid = 0;
    uint32_t           i;
    lun_program_slot  *s;

    lock(t);

    for (i = 0; i < t->count; i++) {
        s = &t->slots[i];

        /* A keeper that goes may have a program that has just begun. */
        if (s->generation < generation && !s->retire
            && (s->state == LUN_PROGRAM_FREE || s->state == LUN_PROGRAM_BUSY
                || s->state == LUN_PROGRAM_STARTING))
        {
            pid = end_slot(s);
            break;
        }
    }

    unlock(t);
    return pid;
}


int64_t
lun_program_retire(lun_program_table *t, uint32_t index)
{
    int64_t  pid;

    lock(t);
    pid = end_slot(&t->slots[index]);
    unlock(t);

    return pid;
}


void
lun_program_tally(lun_program_table *t, lun_program_counts *counts)
{
    uint32_t  i;

    *counts = (lun_program_counts) { 0 };
    lock(t);
    counts->broken = t->broken;

    for (i = 0; i < t->count; i++) {
        counts->states[lun_min(t->slots[i].state,
                               (uint32_t) LUN_PROGRAM_ENDING)]++;
        counts->served += t->slots[i].state != LUN_PROGRAM_NONE
                          ? t->slots[i].served : 0;
    }

    for (i = 0; i < LUN_PROGRAM_WORKERS; i++) {
        counts->waiting += t->waiters[i].worker != 0;
    }

    unlock(t);
}

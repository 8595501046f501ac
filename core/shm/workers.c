/*
 * workers.c -- rows of the processes that serve.
 *
 * A row is taken by the store of its owner, which is the last of what is
 * written; so who is killed on the way has not taken it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/workers.h"

#include "base/check.h"
#include "shm/workers_priv.h"


enum {
    STEP  = 64,                    /* rows */
    GRAIN = 64 * 1024
};

workers_map  lun_workers_map;

static const lun_str  zone_name = LUN_STR_INIT("workers of the server");


/* --- the zone ------------------------------------------------------------ */

static size_t
size_of_rows(size_t rows)
{
    return lun_align(sizeof(workers_head) + rows * sizeof(worker_row), GRAIN);
}


static size_t
size_of_zone(size_t rows)
{
    return size_of_rows(rows) + rows * LUN_MAILBOX_ROOM;
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    lun_err        err;
    uint32_t       rows = STEP;
    workers_head  *h = zone->shm.addr;

    while (size_of_zone(rows + STEP) <= zone->size) {
        rows += STEP;
    }

    err = lun_shm_commit(h, size_of_rows(rows));

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, log, err, "no memory for the rows of %u "
                "workers", rows);
        return LUN_ERROR;
    }

    h->rows = rows;
    return LUN_OK;
}


/* Nobody writes to it any more, and whoever comes may have its row. */
static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t       i;
    uint64_t       owner;
    workers_head  *h = zone->shm.addr;

    for (i = 0; i < h->rows; i++) {
        (void) lun_lock_seize(&h->row[i].lock, pid);
        owner = atomic_load(&h->row[i].wake.owner);

        if (owner != 0 && lun_lock_pid_of(owner) == pid) {
            (void) atomic_compare_exchange_strong(&h->row[i].wake.owner,
                                                  &owner, 0);
        }
    }
}


static const lun_zone_kind  kind = {
    .name = "workers",
    .reserved = true,
    .init = init,
    .mend = mend
};


lun_rc
lun_workers_want(lun_zone_set *zones, unsigned processes, const char **why)
{
    size_t  rows = lun_align(lun_max((size_t) processes, (size_t) STEP), STEP);

    return lun_zone_want(zones, zone_name, size_of_zone(rows), &kind, why)
           != NULL ? LUN_OK : LUN_ERROR;
}


void
lun_workers_look_at(const lun_zone_set *zones)
{
    workers_map     *m = &lun_workers_map;
    workers_head    *h;
    const lun_zone  *zone = lun_zone_find(zones, zone_name);

    h = zone != NULL && zone->kind == &kind ? zone->shm.addr : NULL;

    if (h == m->h) {
        return;
    }

    lun_workers_leave();
    lun_free(m->given);
    *m = (workers_map) { .h = h };

    if (h != NULL) {
        /* A process that has not made the zone says that it uses it. */
        LUN_CHECK(lun_shm_commit(h, sizeof(*h)) == 0
                  && lun_shm_commit(h, size_of_rows(h->rows)) == 0);
        m->boxes = (char *) h + size_of_rows(h->rows);
        m->given = lun_calloc(h->rows * sizeof(*m->given));
    }
}


/* --- a row --------------------------------------------------------------- */

static bool
is_free(const worker_row *w, bool also_dead)
{
    uint64_t  owner = atomic_load(&w->wake.owner);

    return owner == 0 || (also_dead && !lun_lock_owner_lives(owner));
}


static lun_err
claim(worker_row *w, uint32_t generation, uint32_t number)
{
    lun_mailbox_begin(w);
    atomic_store(&w->generation, generation);
    atomic_store(&w->number, number);

    return lun_wake_open(&w->wake, lun_workers_map.port, lun_mailbox_look,
                         NULL);
}


/* Whether this row was free, and now is ours or *err says why not. */
static bool
try_row(worker_row *w, bool also_dead, uint32_t generation, uint32_t number,
    lun_err *err)
{
    bool  mine;

    if (!is_free(w, also_dead)) {
        return false;
    }

    (void) lun_lock_take(&w->lock);
    mine = is_free(w, also_dead);
    *err = mine ? claim(w, generation, number) : 0;
    lun_lock_free(&w->lock);

    return mine;
}


/* Whether somebody lives costs a look at the system: those come last. */
static lun_err
find_row(uint32_t generation, uint32_t number)
{
    int            dead;
    lun_err        err = 0;
    uint32_t       i;
    workers_map   *m = &lun_workers_map;

    for (dead = 0; dead < 2; dead++) {
        for (i = 0; i < m->h->rows; i++) {
            if (try_row(&m->h->row[i], dead != 0, generation, number, &err)) {
                m->self = err == 0 ? &m->h->row[i] : NULL;
                return err;
            }
        }
    }

    return lun_err_of_kind(LUN_ERR_NO_SPACE);
}


lun_err
lun_workers_enter(lun_port *port, uint32_t generation, uint32_t number)
{
    workers_map  *m = &lun_workers_map;

    if (m->h == NULL) {
        return 0;
    }

    if (m->self != NULL) {
        LUN_CHECK(port == m->port);
        atomic_store(&m->self->generation, generation);
        atomic_store(&m->self->number, number);
        return 0;
    }

    m->port = port;
    return find_row(generation, number);
}


void
lun_workers_leave(void)
{
    worker_row  *w = lun_workers_map.self;

    if (w != NULL) {
        lun_workers_map.self = NULL;
        lun_wake_close(&w->wake);
    }
}


int
lun_workers_self(void)
{
    const worker_row  *w = lun_workers_map.self;

    return w != NULL ? (int) lun_workers_number_of(w) : -1;
}


unsigned
lun_workers_room(void)
{
    return lun_workers_map.h != NULL ? lun_workers_map.h->rows : 0;
}


bool
lun_workers_at(unsigned row, lun_worker_row *w)
{
    const worker_row  *r;

    if (row >= lun_workers_room()) {
        return false;
    }

    r = &lun_workers_map.h->row[row];
    w->row = row;
    w->owner = atomic_load(&r->wake.owner);
    w->generation = atomic_load(&r->generation);
    w->number = atomic_load(&r->number);

    return w->owner != 0 && atomic_load(&r->wake.owner) == w->owner;
}


bool
lun_workers_find(uint32_t generation, uint32_t number, lun_worker_row *w)
{
    unsigned  i;

    for (i = 0; i < lun_workers_room(); i++) {
        if (lun_workers_at(i, w) && w->generation == generation
            && w->number == number)
        {
            return true;
        }
    }

    return false;
}

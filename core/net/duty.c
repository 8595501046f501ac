/*
 * duty.c -- one worker does it for all.
 *
 * The zone has a slot for each name: a lease and the latest generation that
 * wanted it.  A slot is made under the lock, and its generation written last;
 * it is another name's when no living generation wants it any more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/duty.h"

#include "base/array.h"
#include "base/check.h"
#include "base/fmt.h"
#include "os/lock.h"
#include "os/random.h"
#include "shm/mailbox.h"
#include "shm/workers.h"


enum {
    SLOTS     = 1024,              /* or more, where there are many duties */
    NAME      = 108,
    HOLD_BACK = 100,               /* ms; up to three times that */
    SOON      = 1                  /* ms */
};

typedef struct {
    lun_lease          lease;
    _Atomic uint32_t   seen;       /* the latest generation; 0: it is free */
    uint32_t           of;         /* whose it is; 0: of all */
    _Atomic uint32_t   called;     /* whoever has it is to run it now */
    char               name[NAME];
} slot;

_Static_assert(sizeof(slot) == 128, "two lines");

typedef struct {
    lun_lock   lock;
    uint32_t   count;
    slot       slots[];
} slots_head;

struct lun_duty_set {
    lun_list    link;              /* in `started` */
    lun_zone   *zone;
    lun_array   duties;            /* of lun_duty * */
    uint32_t    generation;
    unsigned    number, count;
    bool        quitting;
};

/* Sets of this process; a process without a master may have two. */
static lun_list  started = { &started, &started };
static lun_task  looking;

static const lun_str  zone_name = LUN_STR_INIT("duties of the workers");


/* --- the zone ------------------------------------------------------------ */

static size_t
size_of(size_t count)
{
    return lun_align(sizeof(slots_head), 64) + count * sizeof(slot);
}


static slot *
slot_at(const slots_head *h, uint32_t i)
{
    return (slot *) (void *) ((char *) (uintptr_t) h
                              + lun_align(sizeof(*h), 64)) + i;
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    slots_head  *h = zone->shm.addr;

    h->count = SLOTS;

    while (size_of((size_t) h->count * 2) <= zone->size) {
        h->count *= 2;
    }

    return LUN_OK;
}


/* The living are told what is nobody's now. */
static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    bool         any = false;
    uint32_t     i;
    slots_head  *h = zone->shm.addr;

    (void) lun_lock_seize(&h->lock, pid);

    for (i = 0; i < h->count; i++) {
        any |= lun_lease_seize(&slot_at(h, i)->lease, pid);
    }

    if (any) {
        lun_mailbox_ring_all(LUN_LETTER_DUTY);
    }
}


static const lun_zone_kind  kind = {
    .name = "duties",
    .init = init,
    .mend = mend
};


lun_rc
lun_duty_want_zone(lun_duty_set *set, lun_zone_set *zones, const char **why)
{
    size_t  n = SLOTS;

    /* Two generations that have nothing in common, and then some. */
    while (n < set->duties.count * 4) {
        n *= 2;
    }

    set->zone = lun_zone_want(zones, zone_name, size_of(n), &kind, why);
    return set->zone != NULL ? LUN_OK : LUN_ERROR;
}


/* --- slots --------------------------------------------------------------- */

/* What does not fit is told apart by its hash. */
static void
write_name(char name[NAME], const lun_duty *d)
{
    char     *p;
    uint64_t  hash = lun_str_hash(d->object);
    size_t    room = NAME - strlen(d->kind->name) - 2;

    memset(name, 0, NAME);
    p = lun_fmt(name, name + NAME - 1, "%s ", d->kind->name);

    if (d->object.len <= room) {
        (void) lun_copy_str(p, d->object);

    } else {
        (void) lun_fmt(p, name + NAME - 1, "%016" PRIx64 " %.*s", hash,
                       (int) (room - 17), d->object.data);
    }
}


/* The oldest generation that has a living worker. */
static uint32_t
oldest_generation(uint32_t mine)
{
    unsigned        i;
    uint32_t        oldest = mine;
    lun_worker_row  w;

    for (i = 0; i < lun_workers_room(); i++) {
        if (lun_workers_at(i, &w)) {
            oldest = lun_min(oldest, w.generation);
        }
    }

    return oldest;
}


static bool
is_name(const slot *s, const char *name, uint32_t of)
{
    return atomic_load(&s->seen) != 0 && s->of == of
           && strcmp(s->name, name) == 0;
}


/* With the lock held. */
static slot *
find_slot(slots_head *h, const char *name, uint32_t of)
{
    uint32_t  i;

    for (i = 0; i < h->count; i++) {
        if (is_name(slot_at(h, i), name, of)) {
            return slot_at(h, i);
        }
    }

    return NULL;
}


/* The same; NULL: there is no room. */
static slot *
make_slot(slots_head *h, const char *name, uint32_t of, uint32_t generation)
{
    slot      *s;
    uint32_t   i, oldest = oldest_generation(generation);

    for (i = 0; i < h->count; i++) {
        s = slot_at(h, i);

        if (atomic_load(&s->seen) < oldest
            && lun_lease_holder(&s->lease) == 0)
        {
            atomic_store(&s->seen, 0);
            atomic_store(&s->lease.owner, 0);
            atomic_store(&s->called, 0);
            s->of = of;
            memcpy(s->name, name, NAME);
            return s;
        }
    }

    return NULL;
}


/*
 * A duty is found by its name, over reloads: who does it keeps it, if the new
 * configuration has it as well.
 */
static void
find_lease(lun_duty *d)
{
    char         name[NAME];
    slot        *s;
    uint32_t     generation = d->set->generation;
    uint32_t     of = d->kind->of_generation ? generation : 0;
    slots_head  *h = d->set->zone->shm.addr;

    write_name(name, d);
    (void) lun_lock_take(&h->lock);
    s = find_slot(h, name, of);
    s = s != NULL ? s : make_slot(h, name, of, generation);

    if (s != NULL && atomic_load(&s->seen) < generation) {
        atomic_store(&s->seen, generation);
    }

    lun_lock_free(&h->lock);
    d->lease = s != NULL ? &s->lease : NULL;

    if (s == NULL) {
        lun_log(LUN_LOG_ALERT, d->log, 0, "no room for another duty: nobody "
                "does \"%s\"", name);
    }
}


/* --- taking -------------------------------------------------------------- */

static lun_msec
jitter(lun_msec ms)
{
    uint32_t  r;

    lun_random_bytes(&r, sizeof(r));
    return ms - ms / 8 + r % (ms / 4 + 1);
}


static void
on_run(lun_timer *timer)
{
    lun_msec   next;
    lun_duty  *d = lun_container_of(timer, lun_duty, timer);

    LUN_CHECK(d->mine);
    next = d->kind->run(d);
    next = next != 0 ? next : jitter(d->kind->every);
    LUN_CHECK(next != 0);

    if (d->mine) {
        lun_timer_start(d->loop, &d->timer, next, on_run);
    }
}


/* Of two sets of this process only one has it. */
static bool
is_held_here(const lun_lease *lease)
{
    size_t               i;
    const lun_duty      *d;
    const lun_duty_set  *set;

    lun_list_each (&started, it) {
        set = lun_container_of(it, lun_duty_set, link);

        for (i = 0; i < set->duties.count; i++) {
            d = *(lun_duty **) lun_array_at(&set->duties, i);

            if (d->mine && d->lease == lease) {
                return true;
            }
        }
    }

    return false;
}


static void
try_to_take(lun_duty *d)
{
    if (d->mine || d->lease == NULL || is_held_here(d->lease)
        || !lun_lease_take(d->lease))
    {
        return;
    }

    lun_timer_stop(&d->timer);
    d->mine = true;
    lun_debug(d->log, "duty \"%s %.*s\" begins", d->kind->name,
              LUN_S(d->object));

    if (d->kind->begin != NULL) {
        d->kind->begin(d);
    }

    if (d->kind->run != NULL) {
        lun_timer_start(d->loop, &d->timer, SOON, on_run);
    }
}


static void
on_try(lun_timer *timer)
{
    try_to_take(lun_container_of(timer, lun_duty, timer));
}


static void
try_or_hold_back(lun_duty *d)
{
    const lun_duty_set  *set = d->set;
    uint64_t             hash = lun_str_hash(d->object);

    if (d->mine || d->lease == NULL || lun_timer_runs(&d->timer)) {
        return;
    }

    if (hash % lun_max(set->count, 1U) == set->number) {
        try_to_take(d);

    } else {
        lun_timer_start(d->loop, &d->timer,
                        HOLD_BACK + jitter(HOLD_BACK * 2), on_try);
    }
}


static void
answer_call(lun_duty *d)
{
    if (d->mine
        && atomic_exchange(&lun_container_of(d->lease, slot, lease)->called, 0)
           != 0)
    {
        lun_duty_run_soon(d);
    }
}


/* Somebody has died, has given a duty back, or wants it done. */
static void
look_around(void)
{
    size_t         i;
    lun_duty      *d;
    lun_duty_set  *set;

    lun_list_each (&started, it) {
        set = lun_container_of(it, lun_duty_set, link);

        for (i = 0; i < set->duties.count && !set->quitting; i++) {
            d = *(lun_duty **) lun_array_at(&set->duties, i);
            try_or_hold_back(d);
            answer_call(d);
        }
    }
}


static void
on_rung(void *none, lun_str text)
{
    look_around();
}


static void
on_looking(lun_task *task)
{
    look_around();
}


/* --- a set --------------------------------------------------------------- */

static void
on_end(void *data)
{
    lun_duty_set  *set = data;

    lun_list_remove(&set->link);
    lun_list_init(&set->link);

    if (lun_list_empty(&started)) {
        lun_loop_unpost(&looking);
    }
}


lun_duty_set *
lun_duty_set_new(lun_pool *pool)
{
    lun_duty_set  *set = lun_pool_new(pool, lun_duty_set);

    lun_list_init(&set->link);
    lun_pool_on_end(pool, on_end, set);
    lun_array_init(&set->duties, pool, sizeof(lun_duty *), 8);
    return set;
}


lun_duty *
lun_duty_add(lun_duty_set *set, const lun_duty_kind *kind_, lun_str object,
    void *data)
{
    lun_duty  *d;

    if (set == NULL) {
        return NULL;
    }

    LUN_CHECK(strlen(kind_->name) < NAME / 2);

    d = lun_pool_new(set->duties.pool, lun_duty);
    d->kind = kind_;
    d->object = lun_pool_str(set->duties.pool, object);
    d->data = data;
    d->set = set;
    d->timer.idle = true;
    *(lun_duty **) lun_array_push(&set->duties) = d;

    return d;
}


void
lun_duty_start(lun_duty_set *set, lun_loop *loop, uint32_t generation,
    unsigned number, unsigned count, const lun_log *log)
{
    size_t     i;
    lun_duty  *d;

    if (set == NULL || set->zone == NULL || set->zone->shm.addr == NULL
        || set->duties.count == 0)
    {
        return;
    }

    set->generation = generation;
    set->number = number;
    set->count = count;
    lun_list_push_back(&started, &set->link);
    lun_mailbox_on(LUN_LETTER_DUTY, on_rung, NULL);

    for (i = 0; i < set->duties.count; i++) {
        d = *(lun_duty **) lun_array_at(&set->duties, i);
        d->loop = loop;
        d->log = log;
        find_lease(d);
        try_or_hold_back(d);
    }
}


/* Others in this process hear no bell where it has no row. */
static void
give_lease(lun_duty *d)
{
    lun_lease_give(d->lease);
    lun_mailbox_ring_all(LUN_LETTER_DUTY);
    lun_loop_post(d->loop, &looking, on_looking);
}


static void
give_back(lun_duty *d)
{
    lun_timer_stop(&d->timer);

    if (d->kind->end != NULL) {
        d->kind->end(d);
    }

    d->mine = false;
    give_lease(d);
}


void
lun_duty_quit(lun_duty_set *set)
{
    size_t     i;
    lun_duty  *d;

    if (set == NULL || set->quitting) {
        return;
    }

    set->quitting = true;

    for (i = 0; i < set->duties.count; i++) {
        d = *(lun_duty **) lun_array_at(&set->duties, i);
        lun_timer_stop(&d->timer);

        if (d->mine && d->kind->quit != NULL) {
            d->kind->quit(d);

        } else if (d->mine) {
            give_back(d);
        }
    }
}


void
lun_duty_exit(lun_duty_set *set)
{
    size_t     i;
    lun_duty  *d;

    if (set == NULL) {
        return;
    }

    set->quitting = true;

    for (i = 0; i < set->duties.count; i++) {
        d = *(lun_duty **) lun_array_at(&set->duties, i);
        lun_timer_stop(&d->timer);

        if (d->mine) {
            give_back(d);

        } else if (d->lease != NULL && lun_lease_is_mine(d->lease)
                   && !is_held_here(d->lease))
        {
            give_lease(d);         /* lun_duty_take_last() */
        }
    }
}


bool
lun_duty_is_mine(const lun_duty *d)
{
    return d != NULL && d->mine;
}


void
lun_duty_run_soon(lun_duty *d)
{
    if (lun_duty_is_mine(d) && !d->set->quitting && d->kind->run != NULL) {
        lun_timer_start(d->loop, &d->timer, SOON, on_run);
    }
}


void
lun_duty_call(lun_duty *d)
{
    if (lun_duty_is_mine(d)) {
        lun_duty_run_soon(d);

    } else if (d != NULL && d->lease != NULL) {
        atomic_store(&lun_container_of(d->lease, slot, lease)->called, 1);
        lun_mailbox_ring_all(LUN_LETTER_DUTY);
    }
}


bool
lun_duty_take_last(lun_duty *d)
{
    return d != NULL
           && (d->mine || (d->lease != NULL && !is_held_here(d->lease)
                           && lun_lease_take(d->lease)));
}


void
lun_duty_each(const lun_duty_set *set, lun_duty_each_fn *each, void *data)
{
    size_t           i;
    const lun_duty  *d;

    for (i = 0; set != NULL && i < set->duties.count; i++) {
        d = *(lun_duty **) lun_array_at(&set->duties, i);
        each(d, d->lease != NULL ? lun_lease_holder(d->lease) : 0, data);
    }
}


/* --- for who looks ------------------------------------------------------- */

/* Whether this generation wants what stands there; a copy, as of one moment. */
static bool
copy_slot(slots_head *h, uint32_t i, uint32_t generation, slot *copy)
{
    (void) lun_lock_take(&h->lock);
    memcpy(copy, slot_at(h, i), sizeof(*copy));
    lun_lock_free(&h->lock);

    return atomic_load(&copy->seen) != 0
           && atomic_load(&copy->seen) >= generation
           && (copy->of == 0 || copy->of == generation);
}


static bool
look_at_slots(const lun_metric_looking *l, uint32_t *cursor)
{
    slot             one;
    lun_str          name;
    uint32_t         i;
    slots_head      *h;
    const lun_zone  *zone = lun_zone_find(lun_metric_zones(l->set), zone_name);

    if (zone == NULL || zone->kind != &kind || zone->shm.addr == NULL) {
        return false;
    }

    h = zone->shm.addr;

    for (i = 0; i < h->count; i++) {
        if (copy_slot(h, i, l->generation, &one)) {
            name = lun_str_of(one.name, strlen(one.name));
            l->found(l->to, &name, 0, atomic_load(&one.lease.owner) != 0);
        }
    }

    return false;
}


const lun_metric  lun_duty_metrics[] = {
    { .name = "duty", .kind = LUN_GAUGE, .labels = "duty",
      .look = look_at_slots,
      .help = "What one worker does for all: 1 where one has it, 0 where "
              "nobody has" },
    { 0 }
};

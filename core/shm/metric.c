/*
 * metric.c -- cells by process: the zone, a process's row, and sums.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/metric.h"

#include "base/check.h"
#include "shm/metric_priv.h"


enum {
    MIN_ROWS = 256,
    LINE     = 64,
    READ_ON  = 1000                /* times, while rows are folded */
};

typedef struct {
    const lun_metric  *m;
    const lun_str     *values;     /* NULL: it has none, or they are "other" */
    uint32_t          *at;
} wish;

struct lun_metric_set {
    lun_pool      *pool;
    lun_zone_set  *zones;
    lun_zone      *zone;
    lun_metric_set *before;        /* opened before this one, and not ended */
    bool           open;
    bool           used;           /* and this process has its cells */
    uint32_t       generation;
    uint32_t       block_room;     /* of the zone, if it is made */
    uint32_t       cell_room;
    lun_array      wants;
    lun_array      looks;          /* of const lun_metric * */
    lun_array      tables;         /* of const lun_metric *: declared */
};

/* Of those that are open; a worker does not have all of their zones. */
static lun_metric_set  *newest;

/* Where is counted before there is a row, and what nobody wants. */
static uint64_t  first_nowhere[METRIC_CELLS];
static uint64_t  *nowhere = first_nowhere;
static uint32_t  nowhere_room = METRIC_CELLS;

uint64_t  *lun_metric_row = first_nowhere;

metric_map  lun_metric_map;


/* --- the zone ------------------------------------------------------------ */

static size_t
size_of(uint32_t rows, uint32_t blocks, uint32_t cells)
{
    return lun_align(sizeof(metric_head), LINE)
           + METRIC_FAMILIES * sizeof(metric_family)
           + (size_t) blocks * (sizeof(metric_block) + sizeof(uint32_t))
           + lun_align(rows * sizeof(metric_place), LINE)
           + ((size_t) rows + 1) * cells * sizeof(uint64_t) + LINE;
}


/* A process that has no row yet counts in cells as many as those of one. */
static void
grow_nowhere(uint32_t room)
{
    uint64_t  *grown;

    if (room <= nowhere_room) {
        return;
    }

    grown = lun_calloc(room * sizeof(uint64_t));
    memcpy(grown, nowhere, nowhere_room * sizeof(uint64_t));

    if (lun_metric_row == nowhere) {
        lun_metric_row = grown;
    }

    if (nowhere != first_nowhere) {
        lun_free(nowhere);
    }

    nowhere = grown;
    nowhere_room = room;
}


static void
use_memory(const lun_zone *zone)
{
    char               *p = zone->shm.addr;
    const metric_head  *h = zone->shm.addr;

    lun_metric_map.h = zone->shm.addr;
    p += lun_align(sizeof(metric_head), LINE);
    lun_metric_map.families = (metric_family *) (void *) p;
    p += METRIC_FAMILIES * sizeof(metric_family);
    lun_metric_map.blocks = (metric_block *) (void *) p;
    p += (size_t) h->block_room * sizeof(metric_block);
    lun_metric_map.buckets = (uint32_t *) (void *) p;
    p += (size_t) h->block_room * sizeof(uint32_t);
    lun_metric_map.places = (metric_place *) (void *) p;
    p += lun_align(h->rows * sizeof(metric_place), LINE);
    p += -(uintptr_t) p % LINE;
    lun_metric_map.rows = (uint64_t *) (void *) p;
    grow_nowhere(h->cell_room);
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    metric_head           *h = zone->shm.addr;
    const lun_metric_set  *set = zone->data;

    h->rows = MIN_ROWS;
    h->block_room = set->block_room;
    h->cell_room = set->cell_room;

    while (size_of(h->rows * 2, h->block_room, h->cell_room) <= zone->size) {
        h->rows *= 2;
    }

    atomic_init(&h->high, 1);
    h->blocks = 1;
    h->cells = LUN_METRIC_WIDTH;   /* in front: of what found no room */

    return LUN_OK;
}


void
lun_metric_begin_moving(void)
{
    (void) atomic_fetch_add(&lun_metric_map.h->version, 1);
    atomic_thread_fence(memory_order_seq_cst);
}


void
lun_metric_end_moving(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    (void) atomic_fetch_add(&lun_metric_map.h->version, 1);
}


/* Who held it may have died while the version was odd: of a block's, whose
   generation is 0 then, so that nobody wants it. */
void
lun_metric_lock(void)
{
    (void) lun_lock_take(&lun_metric_map.h->lock);

    if (atomic_load(&lun_metric_map.h->version) % 2 != 0) {
        lun_metric_end_moving();
    }
}


void
lun_metric_unlock(void)
{
    lun_lock_free(&lun_metric_map.h->lock);
}


static void
clear_gauges(const metric_family *f, uint64_t *row)
{
    uint32_t      i;
    const metric_block  *b;

    if (f->gauges == 0) {
        return;
    }

    for (i = f->first; i != 0; i = atomic_load(&b->next)) {
        b = &lun_metric_map.blocks[i];
        memset(row + b->at + f->cells - f->gauges, 0,
               f->gauges * sizeof(uint64_t));
    }
}


/* With the lock held. */
static void
fold(uint64_t *row)
{
    uint32_t   i, n = atomic_load(&lun_metric_map.h->families);
    uint64_t  *all = lun_metric_row_at(0);

    lun_metric_begin_moving();

    for (i = 0; i < n; i++) {
        clear_gauges(&lun_metric_map.families[i], row);
    }

    for (i = 1; i < lun_metric_map.h->cells; i++) {
        all[i] += row[i];
    }

    memset(row, 0, lun_metric_map.h->cell_room * sizeof(uint64_t));
    lun_metric_end_moving();
}


static bool
has_zone(const lun_metric_set *set)
{
    return set->zone != NULL && set->zone->shm.addr != NULL;
}


/* The latest that this process uses, and whose zone is there. */
static lun_metric_set *
find_latest(void)
{
    lun_metric_set  *set = newest;

    while (set != NULL && !(set->used && has_zone(set))) {
        set = set->before;
    }

    return set;
}


/*
 * The master's: nobody writes in the row any more.  Its own lock, were it that
 * of the dead, is free again; so a block may not be in its bucket.  The zone
 * may be that of an older generation.
 */
static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    uint32_t   i, high;
    uint64_t   owner;
    metric_head           *h = zone->shm.addr;
    const lun_metric_set  *latest = find_latest();

    use_memory(zone);
    high = atomic_load(&h->high);

    if (lun_lock_seize(&h->lock, pid)) {
        lun_metric_lock();
        lun_metric_sort_blocks();
        lun_lock_free(&h->lock);
    }

    for (i = 1; i < high; i++) {
        owner = atomic_load(&lun_metric_map.places[i].owner);

        if (owner == 0 || lun_lock_pid_of(owner) != pid) {
            continue;
        }

        lun_metric_lock();
        fold(lun_metric_row_at(i));
        lun_lock_free(&h->lock);
        atomic_store(&lun_metric_map.places[i].owner, 0);
    }

    if (latest != NULL) {
        use_memory(latest->zone);
    }
}


static const lun_zone_kind  kind = {
    .name = "metrics",
    .init = init,
    .mend = mend
};


/* --- what a configuration wants ------------------------------------------ */

lun_metric_set *
lun_metric_set_new(lun_pool *pool, lun_zone_set *zones)
{
    lun_metric_set  *set = lun_pool_new(pool, lun_metric_set);

    set->pool = pool;
    set->zones = zones;
    lun_array_init(&set->wants, pool, sizeof(wish), 32);
    lun_array_init(&set->looks, pool, sizeof(const lun_metric *), 8);
    lun_array_init(&set->tables, pool, sizeof(const lun_metric *), 16);

    return set;
}


static bool
is_declared(const lun_metric_set *set, const lun_metric *table)
{
    size_t  i;

    for (i = 0; i < set->tables.count; i++) {
        if (*(const lun_metric **) lun_array_at(&set->tables, i) == table) {
            return true;
        }
    }

    return false;
}


void
lun_metric_declare(lun_metric_set *set, const lun_metric *table)
{
    const lun_metric  *m;

    if (set == NULL || is_declared(set, table)) {
        return;
    }

    *(const lun_metric **) lun_array_push(&set->tables) = table;

    for (m = table; m->name != NULL; m++) {
        if (m->look != NULL) {
            *(const lun_metric **) lun_array_push(&set->looks) = m;

        } else {
            *(wish *) lun_array_push(&set->wants) = (wish) { m, NULL, m->at };
        }
    }
}


void
lun_metric_want(lun_metric_set *set, const lun_metric *m,
    const lun_str *values, uint32_t *at)
{
    uint32_t   i, n = lun_metric_count_names(m->labels);
    lun_str   *copy;

    *at = 0;

    if (set == NULL) {
        return;
    }

    copy = lun_pool_new_n(set->pool, lun_str, lun_max(n, 1U));

    for (i = 0; i < n; i++) {
        copy[i] = lun_pool_str(set->pool, values[i]);
    }

    *(wish *) lun_array_push(&set->wants) = (wish) { m, copy, at };
}


static uint32_t
room_for(uint64_t n, uint32_t least)
{
    while (least < UINT32_MAX / 4 && least / 3 * 2 < n) {
        least *= 2;
    }

    return least;
}


/*
 * What is wanted, and a third of the whole for scripts; never less than this
 * process has now, so that a reload which wants less keeps the zone, and nobody
 * counts behind the end of a smaller one.
 */
static void
choose_room(lun_metric_set *set)
{
    size_t       i;
    uint64_t     cells = LUN_METRIC_WIDTH;
    const wish  *w;

    for (i = 0; i < set->wants.count; i++) {
        w = lun_array_at(&set->wants, i);
        cells += lun_metric_width(w->m);
    }

    set->block_room = room_for(set->wants.count, METRIC_BLOCKS);
    set->cell_room = room_for(cells, METRIC_CELLS);

    if (newest != NULL) {
        set->block_room = lun_max(set->block_room, newest->block_room);
        set->cell_room = lun_max(set->cell_room, newest->cell_room);
    }
}


lun_rc
lun_metric_want_zone(lun_metric_set *set, unsigned processes,
    const char **why)
{
    uint32_t  rows = MIN_ROWS;

    while (rows < processes) {
        rows *= 2;
    }

    choose_room(set);
    set->zone = lun_zone_want(set->zones, LUN_STR("metrics of the server"),
                              size_of(rows, set->block_room, set->cell_room),
                              &kind, why);

    if (set->zone == NULL) {
        return LUN_ERROR;
    }

    set->zone->data = set;
    return LUN_OK;
}


/* Of the zone that is looked at; `nowhere`: this process has none there. */
static uint64_t *
find_own_row(void)
{
    uint32_t  i, high = atomic_load(&lun_metric_map.h->high);

    for (i = 1; i < high; i++) {
        if (atomic_load(&lun_metric_map.places[i].owner) == lun_lock_self()) {
            return lun_metric_row_at(i);
        }
    }

    return nowhere;
}


/* Its zone is the one that is looked at and counted in from now on. */
static void
use_set(lun_metric_set *set, const lun_log *log)
{
    size_t       i;
    uint32_t     at;
    const wish  *w;
    const char  *why = NULL;

    use_memory(set->zone);
    lun_metric_lock();

    for (i = 0; i < set->wants.count; i++) {
        w = lun_array_at(&set->wants, i);
        at = lun_metric_find_cells(w->m, w->values, set->generation, &why);

        if (w->at != NULL) {
            *w->at = at;
        }

        if (at == 0) {
            lun_log(LUN_LOG_WARN, log, 0, "metric \"%s\" is not counted: %s",
                    w->m->name, why);
        }
    }

    lun_metric_unlock();
}


/*
 * Its zone may go with it: a reload that failed made one.  What is looked at,
 * what is counted in, and where, is again that of the set before.
 */
static void
close_set(void *data)
{
    lun_metric_set  *set = data, **at = &newest, *latest = find_latest();

    while (*at != set) {
        LUN_CHECK(*at != NULL);
        at = &(*at)->before;
    }

    *at = set->before;

    if (set != latest) {
        return;
    }

    latest = find_latest();

    if (latest != NULL) {
        use_set(latest, NULL);
        lun_metric_row = find_own_row();

    } else {
        lun_metric_map = (metric_map) { 0 };
        lun_metric_row = nowhere;
    }
}


void
lun_metric_keep(lun_metric_set *set)
{
    if (has_zone(set) && !set->open) {
        set->open = true;
        set->before = newest;
        newest = set;
        lun_pool_on_end(set->pool, close_set, set);
    }
}


void
lun_metric_open(lun_metric_set *set, uint32_t generation, const lun_log *log)
{
    if (!has_zone(set)) {
        return;
    }

    lun_metric_keep(set);
    set->used = true;
    set->generation = generation;
    use_set(set, log);
}


uint32_t
lun_metric_make(const lun_metric *m, const lun_str *values,
    uint32_t generation, const char **why)
{
    uint32_t  at;

    if (lun_metric_map.h == NULL) {
        *why = "there is no server";
        return 0;
    }

    lun_metric_lock();
    at = lun_metric_find_cells(m, values, generation, why);
    lun_metric_unlock();
    return at;
}


uint32_t
lun_metric_make_within(const lun_metric *m, const lun_str *values,
    uint32_t generation, uint32_t count_at, uint64_t most)
{
    uint32_t     at;
    const char  *why;

    if (lun_metric_map.h == NULL) {
        return 0;
    }

    lun_metric_lock();
    at = lun_metric_has_cells(m, values, generation);

    if (at == 0 && lun_metric_sum(count_at) < most) {
        at = lun_metric_find_cells(m, values, generation, &why);
        lun_metric_add(count_at, 1);
    }

    lun_metric_unlock();
    return at;
}


/* --- a process's row ----------------------------------------------------- */

static void
raise_high(uint32_t to)
{
    uint32_t  now = atomic_load(&lun_metric_map.h->high);

    while (now < to
           && !atomic_compare_exchange_weak(&lun_metric_map.h->high, &now, to))
    {
        /* void */
    }
}


static uint64_t *
take_row(uint32_t generation)
{
    uint32_t  i;
    uint64_t  free;

    for (i = 1; i < lun_metric_map.h->rows; i++) {
        free = 0;

        if (atomic_compare_exchange_strong(&lun_metric_map.places[i].owner,
                                           &free, lun_lock_self()))
        {
            atomic_store(&lun_metric_map.places[i].generation, generation);
            raise_high(i + 1);
            return lun_metric_row_at(i);
        }
    }

    return NULL;
}


static void
set_generation(const uint64_t *row, uint32_t generation)
{
    size_t  i = (size_t) (row - lun_metric_map.rows)
                / lun_metric_map.h->cell_room;

    atomic_store(&lun_metric_map.places[i].generation, generation);
}


/* A process without a master counts on in its row, whatever it reads anew. */
void
lun_metric_enter(lun_metric_set *set, uint32_t generation, const lun_log *log)
{
    uint64_t  *row;

    if (!has_zone(set)) {
        return;
    }

    /* The last to be opened may have gone since. */
    use_memory(set->zone);
    row = find_own_row();

    if (row != nowhere) {
        lun_metric_row = row;
        set_generation(row, generation);
        return;
    }

    row = take_row(generation);

    if (row == NULL) {
        lun_log(LUN_LOG_ALERT, log, 0, "more than %" PRIu32 " processes: what "
                "this one counts is not seen before it ends",
                lun_metric_map.h->rows);
        row = nowhere;
    }

    memset(nowhere, 0, nowhere_room * sizeof(uint64_t));
    lun_metric_row = row;
}


void
lun_metric_leave(void)
{
    if (lun_metric_map.h == NULL || lun_metric_row != nowhere) {
        return;
    }

    lun_metric_lock();
    fold(nowhere);
    lun_metric_unlock();
}


/* --- reading ------------------------------------------------------------- */

static uint64_t
load(const uint64_t *cell)
{
    return *(const volatile uint64_t *) cell;
}


/* All there ever was. */
static void
add_up(uint32_t at, size_t n, uint64_t *sums)
{
    size_t           i;
    uint32_t         row, high = atomic_load(&lun_metric_map.h->high);
    const uint64_t  *cells;

    memset(sums, 0, n * sizeof(uint64_t));

    for (row = 0; row < high; row++) {
        cells = lun_metric_row_at(row) + at;

        for (i = 0; i < n; i++) {
            sums[i] += load(cells + i);
        }
    }
}


static void
add_up_since_reset(uint32_t at, size_t n, uint64_t *sums)
{
    size_t           i;
    const uint64_t  *base = lun_metric_base() + at;

    add_up(at, n, sums);

    for (i = 0; i < n; i++) {
        sums[i] -= load(base + i);
    }
}


void
lun_metric_rebase(uint32_t at, size_t n)
{
    lun_metric_begin_moving();
    add_up(at, n, lun_metric_base() + at);
    lun_metric_end_moving();
}


void
lun_metric_read(uint32_t at, size_t n, uint64_t *sums)
{
    int       left;
    uint32_t  version;

    if (lun_metric_map.h == NULL || at == 0) {
        memset(sums, 0, n * sizeof(uint64_t));
        return;
    }

    LUN_CHECK(at + n <= lun_metric_map.h->cell_room);

    for (left = READ_ON; left > 0; left--) {
        version = atomic_load(&lun_metric_map.h->version);
        add_up_since_reset(at, n, sums);
        atomic_thread_fence(memory_order_seq_cst);

        if (version % 2 == 0
            && atomic_load(&lun_metric_map.h->version) == version)
        {
            return;
        }

        lun_cpu_yield();
    }
}


uint64_t
lun_metric_sum(uint32_t at)
{
    uint64_t  sum;

    lun_metric_read(at, 1, &sum);
    return sum;
}


bool
lun_metric_next_process(uint32_t *cursor, lun_metric_process *p)
{
    uint32_t  i;
    uint64_t  owner;

    while (lun_metric_map.h != NULL
           && *cursor < atomic_load(&lun_metric_map.h->high))
    {
        i = (*cursor)++;
        owner = atomic_load(&lun_metric_map.places[i].owner);

        if (i == 0 || owner != 0) {
            p->pid = i == 0 ? 0 : lun_lock_pid_of(owner);
            p->generation = atomic_load(&lun_metric_map.places[i].generation);
            p->cells = lun_metric_row_at(i);
            return true;
        }
    }

    return false;
}


const lun_metric *
lun_metric_looked_at(const lun_metric_set *set, size_t i)
{
    return i < set->looks.count
           ? *(const lun_metric **) lun_array_at(&set->looks, i) : NULL;
}


const lun_zone_set *
lun_metric_zones(const lun_metric_set *set)
{
    return set->zones;
}

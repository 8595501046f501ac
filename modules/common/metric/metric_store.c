/*
 * metric_store.c -- numbers by key, and what an update does to them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/metric/metric_store.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/digest.h"


enum {
    PER_RECORD = 2,                /* cells */
    RECORDS    = LUN_METRIC_STORE_CELLS / PER_RECORD,
    TRIES      = 64,               /* old keys that make room for one */
    EXTRA      = 1 + LUN_MD5_SIZE + 1      /* bytes of a further record's key */
};

/* Keys of the room's own begin with a byte that no other key begins with. */
static const lun_str  lost_key = LUN_STR_INIT("\0lost");
static const lun_str  discard_key = LUN_STR_INIT("\0discarded");


static void
mend_zone(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table_seize(lun_shm_table_of(zone), pid);
}


const lun_zone_kind  lun_store_kind = {
    .name = "metric_zone",
    .min_size = 8 * 4096,
    .init = lun_shm_table_init,
    .room = lun_shm_table_room,
    .mend = mend_zone,
};


/* --- modes --------------------------------------------------------------- */

static double
as_double(uint64_t cell)
{
    double  d;

    memcpy(&d, &cell, sizeof(d));
    return d;
}


static uint64_t
as_cell(double d)
{
    uint64_t  cell;

    memcpy(&cell, &d, sizeof(cell));
    return cell;
}


static uint32_t
cells_of(const lun_store_metric *m)
{
    switch (m->mode) {

    case LUN_STORE_MEAN:
        return 1 + m->count * (m->window != 0 ? 2 : 1);

    case LUN_STORE_HISTOGRAM:
        return (uint32_t) m->buckets.count;

    default:
        return 1;
    }
}


static void
clear(const lun_store_metric *m, uint64_t *c)
{
    memset(c, 0, cells_of(m) * sizeof(uint64_t));

    if (m->mode == LUN_STORE_MIN || m->mode == LUN_STORE_EXP) {
        *c = as_cell(DBL_MAX);

    } else if (m->mode == LUN_STORE_MAX) {
        *c = as_cell(-DBL_MAX);
    }
}


static double
approach(const lun_store_metric *m, double average, double value)
{
    average = average == DBL_MAX ? value : average;
    return average + m->factor * (value - average);
}


static void
update(const lun_store_metric *m, uint64_t *c, double value, lun_msec now)
{
    size_t                   i;
    double                   was = as_double(*c);
    const lun_store_bucket  *b = m->buckets.items;

    switch (m->mode) {

    case LUN_STORE_COUNT:
        ++*c;
        break;

    case LUN_STORE_MIN:
        *c = as_cell(value < was ? value : was);
        break;

    case LUN_STORE_MAX:
        *c = as_cell(value > was ? value : was);
        break;

    case LUN_STORE_LAST:
        *c = as_cell(value);
        break;

    case LUN_STORE_GAUGE:
        *c = as_cell(was + value);
        break;

    case LUN_STORE_EXP:
        *c = as_cell(approach(m, was, value));
        break;

    case LUN_STORE_MEAN:
        i = (size_t) (*c % m->count);
        ++*c;
        c[1 + i] = as_cell(value);

        if (m->window != 0) {
            c[1 + m->count + i] = now;
        }

        break;

    case LUN_STORE_HISTOGRAM:
        for (i = 0; i < m->buckets.count; i++) {
            c[i] += value <= b[i].most;
        }
    }
}


/* What a lost key had is added to what all of them had. */
static void
merge(const lun_store_metric *m, uint64_t *all, const uint64_t *lost)
{
    size_t    i;
    uint32_t  n = cells_of(m);

    switch (m->mode) {

    case LUN_STORE_COUNT:
    case LUN_STORE_HISTOGRAM:
        for (i = 0; i < n; i++) {
            all[i] += lost[i];
        }

        break;

    case LUN_STORE_MEAN:
        all[0] = lost[0];

        for (i = 1; i <= m->count; i++) {
            all[i] = as_cell((as_double(all[i]) + as_double(lost[i])) / 2);
        }

        for ( ; i < n; i++) {
            all[i] = lost[i];
        }

        break;

    default:
        if (as_double(*lost) != DBL_MAX) {
            update(m, all, as_double(*lost), 0);
        }
    }
}


static double
mean(const lun_store_metric *m, const uint64_t *c, lun_msec now)
{
    size_t  i, n = 0, known = (size_t) lun_min(c[0], (uint64_t) m->count);
    double  sum = 0;

    for (i = 0; i < known; i++) {
        if (m->window == 0 || now - c[1 + m->count + i] < m->window) {
            sum += as_double(c[1 + i]);
            n++;
        }
    }

    return n != 0 ? sum / (double) n : 0;
}


double
lun_store_value(const lun_store_metric *m, const uint64_t *cells, lun_msec now)
{
    const uint64_t  *c = cells + m->at;
    double           d = as_double(*c);

    switch (m->mode) {

    case LUN_STORE_COUNT:
        return (double) *c;

    case LUN_STORE_MEAN:
        return mean(m, c, now);

    default:
        return d == DBL_MAX || d == -DBL_MAX ? 0 : d;
    }
}


double
lun_store_number(lun_str text)
{
    char    room[LUN_METRIC_STORE_KEY + 1], *end;
    size_t  n = lun_min(text.len, (size_t) LUN_METRIC_STORE_KEY);
    double  d;

    memcpy(room, text.data, n);
    room[n] = '\0';
    d = strtod(room, &end);
    return (end == room && n != 0) || !isfinite(d) ? 1 : d;
}


bool
lun_store_add_metric(lun_store *s, const lun_store_metric *m)
{
    lun_store_metric  *own = lun_array_push(&s->metrics);

    *own = *m;
    own->at = s->cells;

    if (cells_of(m) > LUN_METRIC_STORE_CELLS - s->cells) {
        return false;
    }

    s->cells += cells_of(m);
    return true;
}


/* --- records ------------------------------------------------------------- */

/* Those of a key, whose cells are a copy; NULL: it is not there. */
typedef struct {
    lun_shm_record  *records[RECORDS];
    uint64_t         cells[RECORDS * PER_RECORD];
} entry;


static size_t
records_of(const lun_store *s)
{
    return (s->cells + PER_RECORD - 1) / PER_RECORD;
}


static lun_str
extra_key(lun_str key, size_t i, char room[static EXTRA])
{
    room[0] = '\0';
    lun_md5(key, (unsigned char *) room + 1);
    room[EXTRA - 1] = (char) i;
    return lun_str_of(room, EXTRA);
}


static void
clear_cells(const lun_store *s, uint64_t *cells)
{
    size_t                   i;
    const lun_store_metric  *m = s->metrics.items;

    for (i = 0; i < s->metrics.count; i++) {
        clear(&m[i], cells + m[i].at);
    }
}


static void
load(entry *e, size_t i)
{
    e->cells[i * PER_RECORD] = e->records[i]->stamp;
    e->cells[i * PER_RECORD + 1] = e->records[i]->value;
}


static void
store(const lun_store *s, const entry *e)
{
    size_t  i;

    for (i = 0; i < records_of(s); i++) {
        e->records[i]->stamp = e->cells[i * PER_RECORD];
        e->records[i]->value = e->cells[i * PER_RECORD + 1];
    }
}


/* False: it is not there, or only a part of it: who made it was killed. */
static bool
find_entry(lun_shm_table *l, const lun_store *s, lun_str key, entry *e)
{
    char    room[EXTRA];
    size_t  i;

    for (i = 0; i < records_of(s); i++) {
        e->records[i] = lun_shm_table_find(l, i == 0 ? key
                                           : extra_key(key, i, room), NULL);
        if (e->records[i] == NULL) {
            return false;
        }

        load(e, i);
    }

    return true;
}


static void
remove_entry(lun_shm_table *l, const lun_store *s, lun_str key)
{
    char             room[EXTRA];
    size_t           i;
    lun_shm_record  *r;

    for (i = records_of(s); i-- != 0; ) {
        r = lun_shm_table_find(l, i == 0 ? key : extra_key(key, i, room),
                               NULL);
        if (r != NULL) {
            lun_shm_table_remove(l, r);
        }
    }
}


/* All of it, cleared; the first record is the last to be made. */
static bool
add_entry(lun_shm_table *l, const lun_store *s, lun_str key, entry *e)
{
    char    room[EXTRA];
    size_t  i;

    remove_entry(l, s, key);
    memset(e->cells, 0, sizeof(e->cells));
    clear_cells(s, e->cells);

    for (i = records_of(s); i-- != 0; ) {
        e->records[i] = lun_shm_table_add(l, i == 0 ? key
                                          : extra_key(key, i, room),
                                          e->cells[i * PER_RECORD],
                                          e->cells[i * PER_RECORD + 1]);
        if (e->records[i] == NULL) {
            remove_entry(l, s, key);
            return false;
        }
    }

    return true;
}


static bool
is_own(const lun_shm_record *r)
{
    return r->key[0] == '\0';
}


static bool
oldest_key(lun_shm_table *l, char room[static LUN_METRIC_STORE_KEY],
    lun_str *key)
{
    lun_shm_record  *r = lun_shm_table_oldest(l);

    while (r != NULL && is_own(r)) {
        r = lun_shm_table_newer(l, r);
    }

    if (r == NULL) {
        return false;
    }

    *key = lun_str_of(room, lun_shm_table_key(l, r, room,
                                              LUN_METRIC_STORE_KEY));
    return true;
}


static void
count_lost(lun_shm_table *l)
{
    lun_shm_record  *r = lun_shm_table_find(l, lost_key, NULL);

    if (r != NULL) {
        r->stamp++;
    }
}


/* What is lost from now on is shown under that key. */
static void
show_discarded(lun_shm_table *l)
{
    lun_shm_record  *r = lun_shm_table_find(l, lost_key, NULL);

    if (r != NULL) {
        r->value = 1;
    }
}


static void
keep_lost(lun_shm_table *l, const lun_store *s, lun_str key)
{
    size_t                   i;
    entry                    all, lost;
    const lun_store_metric  *m = s->metrics.items;

    if (s->discard_key.len == 0 || !find_entry(l, s, discard_key, &all)
        || !find_entry(l, s, key, &lost))
    {
        return;
    }

    for (i = 0; i < s->metrics.count; i++) {
        merge(&m[i], all.cells + m[i].at, lost.cells + m[i].at);
    }

    store(s, &all);
    show_discarded(l);
}


/* A new key; where there is no room, the oldest go, or it is lost itself. */
static bool
make_entry(lun_shm_table *l, const lun_store *s, lun_str key, entry *e)
{
    int      left = TRIES;
    char     room[LUN_METRIC_STORE_KEY];
    lun_str  old;

    while (!add_entry(l, s, key, e)) {
        count_lost(l);

        if (!s->expire) {
            show_discarded(l);
            return s->discard_key.len != 0 && find_entry(l, s, discard_key, e);
        }

        if (left-- == 0 || !oldest_key(l, room, &old)) {
            return false;
        }

        keep_lost(l, s, old);
        remove_entry(l, s, old);
    }

    return true;
}


/* --- the zone ------------------------------------------------------------ */

void
lun_store_open(const lun_store *s)
{
    entry           e;
    lun_shm_table  *l = lun_shm_table_of(s->zone);

    lun_shm_table_lock(l);

    if (lun_shm_table_find(l, lost_key, NULL) == NULL) {
        (void) lun_shm_table_add(l, lost_key, 0, 0);
    }

    if (s->discard_key.len != 0 && !find_entry(l, s, discard_key, &e)) {
        (void) add_entry(l, s, discard_key, &e);
    }

    lun_shm_table_unlock(l);
}


static bool
is_key(const lun_store *s, lun_str key)
{
    return key.len != 0 && key.data[0] != '\0'
           && !lun_str_eq(key, s->discard_key);
}


bool
lun_store_update(const lun_store *s, lun_str key, double value, lun_msec now)
{
    bool                     known;
    entry                    e;
    size_t                   i;
    lun_shm_table           *l = lun_shm_table_of(s->zone);
    const lun_store_metric  *m = s->metrics.items;

    key.len = lun_min(key.len, (size_t) LUN_METRIC_STORE_KEY);

    if (!is_key(s, key)) {
        return false;
    }

    lun_shm_table_lock(l);
    known = find_entry(l, s, key, &e) || make_entry(l, s, key, &e);

    if (known) {
        for (i = 0; i < s->metrics.count; i++) {
            update(&m[i], e.cells + m[i].at, value, now);
        }

        store(s, &e);

        if (s->expire) {
            lun_shm_table_touch(l, e.records[0]);
        }
    }

    lun_shm_table_unlock(l);
    return known;
}


/* With the lock: the record whose value says whether what was lost is shown. */
static bool
shows_discarded(lun_shm_table *l, const lun_store *s)
{
    const lun_shm_record  *r = lun_shm_table_find(l, lost_key, NULL);

    return s->discard_key.len != 0 && r != NULL && r->value != 0;
}


bool
lun_store_get(const lun_store *s, lun_str key, uint64_t *cells)
{
    bool            known;
    entry           e;
    lun_shm_table  *l = lun_shm_table_of(s->zone);

    key.len = lun_min(key.len, (size_t) LUN_METRIC_STORE_KEY);
    lun_shm_table_lock(l);

    known = is_key(s, key) ? find_entry(l, s, key, &e)
            : key.len != 0 && lun_str_eq(key, s->discard_key)
              && shows_discarded(l, s) && find_entry(l, s, discard_key, &e);

    if (known) {
        memcpy(cells, e.cells, s->cells * sizeof(uint64_t));
    }

    lun_shm_table_unlock(l);
    return known;
}


size_t
lun_store_each(const lun_store *s, uint32_t at, size_t most,
    lun_store_found_fn *found, void *to)
{
    entry            e;
    size_t           n = 0, number = 0;
    lun_shm_table   *l = lun_shm_table_of(s->zone);
    lun_store_row    row;
    lun_shm_record  *r;

    lun_shm_table_lock(l);

    if (at == 0 && most != 0 && shows_discarded(l, s)
        && find_entry(l, s, discard_key, &e))
    {
        row.key = s->discard_key;
        memcpy(row.cells, e.cells, s->cells * sizeof(uint64_t));
        found(to, &row);
    }

    for (r = lun_shm_table_oldest(l); r != NULL && n < most;
         r = lun_shm_table_newer(l, r))
    {
        if (is_own(r) || number++ < at) {
            continue;
        }

        n++;
        row.key = lun_str_of(row.room, lun_shm_table_key(l, r, row.room,
                                                         sizeof(row.room)));
        if (find_entry(l, s, row.key, &e)) {
            memcpy(row.cells, e.cells, s->cells * sizeof(uint64_t));
            found(to, &row);
        }
    }

    lun_shm_table_unlock(l);
    return n;
}


uint64_t
lun_store_discarded(const lun_store *s)
{
    uint64_t               n = 0;
    lun_shm_table         *l = lun_shm_table_of(s->zone);
    const lun_shm_record  *r;

    lun_shm_table_lock(l);
    r = lun_shm_table_find(l, lost_key, NULL);

    if (r != NULL) {
        n = r->stamp;
    }

    lun_shm_table_unlock(l);
    return n;
}

/*
 * metric_zone_show.c -- what metric zones have: in the tree, and among the
 * metrics.
 *
 * Both go through a zone in slices, by the number of a key: with expire=on keys
 * move to the end meanwhile, and one may be told twice, or not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/metric/metric_zone_priv.h"

#include <math.h>


enum {
    SLICE = 500,                   /* keys of a zone that are looked at at a
                                      time */
    CURSOR_BITS = 20               /* of a key's number, beside its zone's */
};


int64_t
lun_metric_parts(double d)
{
    const double  most = 9e18 / LUN_METRIC_PARTS;

    d = d > most ? most : d < -most ? -most : d;
    return (int64_t) llround(d * LUN_METRIC_PARTS);
}


static int64_t
parts_now(const lun_store_metric *m, const uint64_t *cells)
{
    return lun_metric_parts(lun_store_value(m, cells, lun_clock.mono));
}


/* --- the tree ------------------------------------------------------------ */

static void
write_metric(lun_status_walk *w, const char *name, const lun_store_metric *m,
    const uint64_t *cells)
{
    size_t                   i;
    const lun_store_bucket  *b = m->buckets.items;

    if (m->mode == LUN_STORE_COUNT) {
        lun_status_number(w, name, (int64_t) cells[m->at]);

    } else if (m->mode != LUN_STORE_HISTOGRAM) {
        lun_status_decimal(w, name, parts_now(m, cells), LUN_METRIC_PARTS);

    } else if (lun_status_open(w, lun_str_z(name))) {
        for (i = 0; i < m->buckets.count; i++) {
            lun_status_number(w, lun_pool_strz(lun_status_pool(w), b[i].text),
                              (int64_t) cells[m->at + i]);
        }

        lun_status_close(w);
    }
}


typedef struct {
    lun_status_walk        *w;
    const lun_metric_zone  *zone;
} writing;


static void
write_row(void *to, const lun_store_row *row)
{
    size_t                   i;
    writing                 *k = to;
    lun_pool                *pool = lun_status_pool(k->w);
    const char              *name;
    const lun_store_metric  *m = k->zone->store.metrics.items;

    name = lun_pool_fmt(pool, "%.*s%s", LUN_S(row->key),
                        row->key.len == LUN_METRIC_STORE_KEY ? "..." : "").data;

    if (m->name.len == 0) {
        write_metric(k->w, name, m, row->cells);
        return;
    }

    if (!lun_status_open(k->w, lun_str_z(name))) {
        return;
    }

    for (i = 0; i < k->zone->store.metrics.count; i++) {
        write_metric(k->w, lun_pool_strz(pool, m[i].name), &m[i], row->cells);
    }

    lun_status_close(k->w);
}


bool
lun_metric_zone_write(lun_status_walk *w, void *data, uint32_t *cursor)
{
    size_t                 n;
    lun_metric_zone       *z = data;
    writing                k = { w, z };
    static const lun_str   metrics = LUN_STR_INIT("metrics");

    if (*cursor == 0) {
        if (!lun_status_open(w, z->name)) {
            return false;
        }

        lun_status_number(w, "discarded",
                          (int64_t) lun_store_discarded(&z->store));

        if (!lun_status_open(w, metrics)) {
            lun_status_close(w);
            return false;
        }
    }

    do {
        n = lun_store_each(&z->store, *cursor, SLICE, write_row, &k);
        *cursor += (uint32_t) n;
    } while (n == SLICE && !lun_status_is_full(w));

    if (n == SLICE) {
        return true;
    }

    lun_status_close(w);
    lun_status_close(w);
    return false;
}


/* --- metrics ------------------------------------------------------------- */

typedef struct {
    const lun_metric_looking  *l;
    const lun_metric_zone     *zone;
} looking;


static void
tell(const looking *k, lun_str key, lun_str name, lun_str bound,
    uint64_t value)
{
    lun_str  labels[4] = { k->zone->name, key, name, bound };

    k->l->found(k->l->to, labels, 0, value);
}


static void
look_at_counts(void *to, const lun_store_row *row)
{
    size_t                   i;
    looking                 *k = to;
    const lun_store_metric  *m = k->zone->store.metrics.items;

    for (i = 0; i < k->zone->store.metrics.count; i++) {
        if (m[i].mode == LUN_STORE_COUNT) {
            tell(k, row->key, m[i].name, LUN_STR(""), row->cells[m[i].at]);
        }
    }
}


static void
look_at_values(void *to, const lun_store_row *row)
{
    size_t                   i;
    looking                 *k = to;
    const lun_store_metric  *m = k->zone->store.metrics.items;

    for (i = 0; i < k->zone->store.metrics.count; i++) {
        if (m[i].mode != LUN_STORE_COUNT && m[i].mode != LUN_STORE_HISTOGRAM) {
            tell(k, row->key, m[i].name, LUN_STR(""),
                 (uint64_t) parts_now(&m[i], row->cells));
        }
    }
}


static void
look_at_buckets(void *to, const lun_store_row *row)
{
    size_t                   i, j;
    looking                 *k = to;
    const lun_store_metric  *m = k->zone->store.metrics.items;
    const lun_store_bucket  *b;

    for (i = 0; i < k->zone->store.metrics.count; i++) {
        if (m[i].mode != LUN_STORE_HISTOGRAM) {
            continue;
        }

        b = m[i].buckets.items;

        for (j = 0; j < m[i].buckets.count; j++) {
            tell(k, row->key, m[i].name, b[j].text, row->cells[m[i].at + j]);
        }
    }
}


/* The zone of that number or a later one; NULL: there is none. */
static const lun_metric_zone *
zone_at(const lun_metric_looking *l, uint32_t *number)
{
    const lun_zone      *zone;
    const lun_zone_set  *zones = lun_metric_zones(l->set);

    for ( ; *number < lun_zone_count(zones); ++*number) {
        zone = lun_zone_at(zones, *number);

        if (zone->kind == &lun_store_kind && zone->data != NULL
            && zone->shm.addr != NULL)
        {
            return zone->data;
        }
    }

    return NULL;
}


static bool
look(const lun_metric_looking *l, uint32_t *cursor, lun_store_found_fn *found)
{
    size_t    n;
    looking   k = { l, NULL };
    uint32_t  number = *cursor >> CURSOR_BITS;
    uint32_t  at = *cursor & ((UINT32_C(1) << CURSOR_BITS) - 1);

    k.zone = zone_at(l, &number);

    if (k.zone == NULL) {
        return false;
    }

    at = number == *cursor >> CURSOR_BITS ? at : 0;
    n = lun_store_each(&k.zone->store, at, SLICE, found, &k);
    *cursor = n == SLICE ? (number << CURSOR_BITS) + at + SLICE
                         : (number + 1) << CURSOR_BITS;
    return true;
}


static bool
look_counts(const lun_metric_looking *l, uint32_t *cursor)
{
    return look(l, cursor, look_at_counts);
}


static bool
look_values(const lun_metric_looking *l, uint32_t *cursor)
{
    return look(l, cursor, look_at_values);
}


static bool
look_buckets(const lun_metric_looking *l, uint32_t *cursor)
{
    return look(l, cursor, look_at_buckets);
}


static bool
look_discarded(const lun_metric_looking *l, uint32_t *cursor)
{
    const lun_metric_zone  *z = zone_at(l, cursor);

    if (z == NULL) {
        return false;
    }

    l->found(l->to, &z->name, 0, lun_store_discarded(&z->store));
    ++*cursor;
    return true;
}


const lun_metric  lun_metric_zone_metrics[] = {
    { .name = "metric_zone_updates", .kind = LUN_COUNTER,
      .labels = "zone,key,metric", .look = look_counts,
      .help = "Numbers of metric zones, of mode count" },
    { .name = "metric_zone_value", .kind = LUN_GAUGE, .scale = LUN_METRIC_PARTS,
      .labels = "zone,key,metric", .look = look_values,
      .help = "Numbers of metric zones, of other modes" },
    { .name = "metric_zone_under", .kind = LUN_COUNTER,
      .labels = "zone,key,metric,bound", .look = look_buckets,
      .help = "Histograms of metric zones: values up to that" },
    { .name = "metric_zone_discarded", .kind = LUN_COUNTER, .labels = "zone",
      .look = look_discarded,
      .help = "Updates and keys of metric zones that there was no room for" },
    { 0 }
};

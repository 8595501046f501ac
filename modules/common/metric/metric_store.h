/*
 * metric_store.h -- what metric_zone keeps: numbers by key, in a zone, which an
 * update changes by the mode that each has.
 *
 * A key has cells of 64 bits in records of a table (shm/shm_table.h), two in
 * each: the first record has the key's text, the others a digest of it.  All is
 * done under the table's lock.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_STORE_H
#define LUN_METRIC_STORE_H

#include "base/array.h"
#include "os/clock.h"
#include "shm/shm_table.h"

enum {
    LUN_METRIC_STORE_KEY = 255,    /* bytes of a key: what is longer is cut */
    LUN_METRIC_STORE_CELLS = 128   /* of a key, at most */
};

typedef enum {
    LUN_STORE_COUNT,               /* of updates */
    LUN_STORE_MIN,
    LUN_STORE_MAX,
    LUN_STORE_LAST,
    LUN_STORE_GAUGE,               /* the sum of what was said */
    LUN_STORE_MEAN,                /* of the last few, or of a time */
    LUN_STORE_EXP,                 /* an average that forgets */
    LUN_STORE_HISTOGRAM            /* how many were that or less */
} lun_store_mode;

typedef struct {
    lun_str  text;                 /* as the configuration has it */
    double   most;
} lun_store_bucket;

/* One number, or several, of each key. */
typedef struct {
    lun_str         name;          /* "": it is the only one */
    lun_store_mode  mode;
    uint32_t        count;         /* MEAN: of how many */
    lun_msec        window;        /* MEAN: of how long; 0: however long */
    double          factor;        /* EXP: 0 ... 0.99 */
    lun_array       buckets;       /* HISTOGRAM: of lun_store_bucket */
    uint32_t        at;            /* its first cell */
} lun_store_metric;

typedef struct {
    lun_zone   *zone;
    lun_array   metrics;           /* of lun_store_metric */
    uint32_t    cells;             /* of all of them */
    bool        expire;            /* the oldest key makes room for a new one */
    lun_str     discard_key;       /* what is lost is added up here; "": no */
} lun_store;

extern const lun_zone_kind  lun_store_kind;

/* Another number of each key; false: there are too many cells. */
bool lun_store_add_metric(lun_store *s, const lun_store_metric *m);

/* The zone is there: what has to be in it. */
void lun_store_open(const lun_store *s);

/* False: the key is none, or there was no room, which is counted. */
bool lun_store_update(const lun_store *s, lun_str key, double value,
    lun_msec now);

/* A key's cells; false: it is not known. */
bool lun_store_get(const lun_store *s, lun_str key, uint64_t *cells);

/*
 * Number *at of the keys, the oldest first, which moves to the next one; false:
 * there is no more.  `room` has LUN_METRIC_STORE_KEY bytes for its text.  In
 * between keys may come and go.
 */
typedef struct {
    lun_str   key;
    uint64_t  cells[LUN_METRIC_STORE_CELLS];
    char      room[LUN_METRIC_STORE_KEY];
} lun_store_row;

/* Up to `most` keys from number *at on, for each: found(to, row). */
typedef void lun_store_found_fn(void *to, const lun_store_row *row);
size_t lun_store_each(const lun_store *s, uint32_t at, size_t most,
    lun_store_found_fn *found, void *to);

/* How many updates or keys were lost. */
uint64_t lun_store_discarded(const lun_store *s);

/* What the cells of a metric come to; not of HISTOGRAM, whose cells are its
   counts. */
double lun_store_value(const lun_store_metric *m, const uint64_t *cells,
    lun_msec now);

/* A text as a number: "": 0, one that does not begin with a number: 1. */
double lun_store_number(lun_str text);

#endif

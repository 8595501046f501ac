/*
 * metric_priv.h -- how metrics lie in their zone: for metric.c and
 * metric_family.c.
 *
 *     | head | families | blocks | buckets | rows' owners | row 0 | row 1 |
 *     ... | base |
 *
 * Row 0 is of those who have ended; the base, behind the last row, is what
 * sums are less by: what had been counted when they were reset.  A family is a
 * metric, a block its cells for some values of its labels; the blocks of a
 * family are a chain, and those with the same hash another.  Both are written
 * under the lock and seen by one store, so who is killed while writing one has
 * not made it.  A family is never changed.  A block that no living generation
 * wants is used again for another of its family.  How many blocks and cells
 * there are is what the first configuration wants, and half of that again.
 *
 * Folding a row, clearing a block and resetting one move the version, which is
 * odd meanwhile: who reads sums reads them again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_PRIV_H
#define LUN_METRIC_PRIV_H

#include "os/lock.h"
#include "shm/metric.h"

enum {
    METRIC_FAMILIES = 384,
    METRIC_BLOCKS   = 4096,        /* or more */
    METRIC_CELLS    = 8192,        /* of a row, or more */
    METRIC_TEXT     = 256          /* of a block: its labels' values */
};

typedef struct {
    uint32_t  kind;
    uint32_t  scale;
    uint32_t  label_count;
    uint32_t  value_count;
    uint32_t  bound_count;
    uint32_t  cells;               /* of a block */
    uint32_t  first, last;         /* blocks; 0: none */
    uint32_t  bare;
    uint32_t  record;
    uint32_t  gauges;
    uint32_t  lasting;
    _Atomic uint32_t  seen;        /* the latest generation that wanted it */
    uint64_t  bounds[LUN_METRIC_BOUNDS + 1];
    char      name[72];
    char      help[184];
    char      unit[16];
    char      labels[96];          /* each ends with 0 */
    char      choice[32];
    char      values[480];         /* likewise */
} metric_family;

typedef struct {
    _Atomic uint32_t  next;        /* of its family; 0: none */
    _Atomic uint32_t  seen;        /* as a family's */
    uint32_t  beside;              /* of its bucket; 0: none */
    uint32_t  bucket;
    uint32_t  family;
    uint32_t  at;
    uint32_t  size;                /* of text */
    char      text[METRIC_TEXT];
} metric_block;

typedef struct {
    _Atomic uint64_t  owner;       /* as lock.h has it; 0: free */
    _Atomic uint32_t  generation;
} metric_place;

typedef struct {
    lun_lock          lock;        /* for what follows */
    _Atomic uint32_t  families;    /* that are there */
    uint32_t          blocks;      /* likewise; number 0 is none */
    uint32_t          cells;       /* that are given away */
    uint32_t          rows;
    uint32_t          block_room;  /* a power of two: and so many buckets */
    uint32_t          cell_room;   /* of a row */
    _Atomic uint32_t  high;        /* rows behind it were never taken */
    _Atomic uint32_t  version;
} metric_head;

/* What this process has of the zone; h is NULL: nothing. */
typedef struct {
    metric_head    *h;
    metric_family  *families;
    metric_block   *blocks;
    uint32_t       *buckets;
    metric_place   *places;
    uint64_t       *rows;
} metric_map;

extern metric_map  lun_metric_map;

static inline uint64_t *
lun_metric_row_at(uint32_t i)
{
    return lun_metric_map.rows + (size_t) i * lun_metric_map.h->cell_room;
}

static inline uint64_t *
lun_metric_base(void)
{
    return lun_metric_row_at(lun_metric_map.h->rows);
}

/* With the lock held: the sums of n cells from `at` are 0 now. */
void lun_metric_rebase(uint32_t at, size_t n);

/* Around what changes sums; with the lock held. */
void lun_metric_begin_moving(void);
void lun_metric_end_moving(void);

void lun_metric_lock(void);
void lun_metric_unlock(void);

/* With the lock held: all blocks are in their buckets again. */
void lun_metric_sort_blocks(void);

/* With the lock held: the cells that there are for these values; or 0. */
uint32_t lun_metric_has_cells(const lun_metric *m, const lun_str *values,
    uint32_t generation);

/* Cells of a block of this metric; 0: it is none that can be. */
uint32_t lun_metric_width(const lun_metric *m);

/*
 * With the lock held: the cells of m for these values (NULL: "other"), found
 * or made; those of "other" where there is no room.  0: *why.
 */
uint32_t lun_metric_find_cells(const lun_metric *m, const lun_str *values,
    uint32_t generation, const char **why);

/* Names in a list with commas; NULL has none. */
uint32_t lun_metric_count_names(const char *names);

#endif

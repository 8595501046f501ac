/*
 * metric.h -- what is counted: counters, gauges and histograms in a zone.
 *
 * A metric is a row of a table beside a module's directives.  When a
 * configuration is opened each gets cells, numbers of 64 bits that every
 * process has for itself: one writer, no lock, and nobody else's cache line.
 * Who reads adds up the processes' cells, and those of who has ended: when a
 * process dies, however it does, the master adds its counters to a row of
 * their own, and drops its gauges, which were of what died with it.
 *
 * A reload finds cells again by name and labels.  Which values a label has is
 * the configuration's to say, never a request's: what there is no room for is
 * counted as "other".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_METRIC_H
#define LUN_METRIC_H

#include "shm/zone.h"

typedef struct lun_metric      lun_metric;
typedef struct lun_metric_set  lun_metric_set;

typedef enum {
    LUN_COUNTER,                   /* it only rises */
    LUN_GAUGE,                     /* a part of what there is now */
    LUN_HISTOGRAM
} lun_metric_kind;

enum {
    LUN_METRIC_BOUNDS = 24,        /* of a histogram, at most */
    LUN_METRIC_WIDTH  = 512,       /* cells of one series, at most */
    LUN_METRIC_LABELS = 8
};

/* What a look has found; `labels` are the values of the metric's labels. */
typedef void lun_metric_found_fn(void *to, const lun_str *labels,
    unsigned choice, uint64_t value);

/* Who looks, for whom. */
typedef struct {
    const lun_metric_set  *set;
    const lun_metric      *m;
    uint32_t               generation;
    lun_metric_found_fn   *found;
    void                  *to;
} lun_metric_looking;

/*
 * For what is only looked at when somebody asks, and is the same whoever of
 * the workers is asked: calls l->found(l->to, ...) for each value.  True: that
 * was a part of them (*cursor was 0 at first, and is the look's own), and it
 * wants to be called again.
 */
typedef bool lun_metric_look_fn(const lun_metric_looking *l, uint32_t *cursor);

struct lun_metric {
    const char          *name;     /* "http_response": without its unit */
    const char          *help;     /* a sentence without its full stop */
    const char          *unit;     /* "seconds", "bytes"; NULL: it is a count */
    lun_metric_kind      kind;
    uint32_t             scale;    /* cells count such parts of a unit: 1000;
                                      0: units */
    const char          *labels;   /* names, with a comma between: their values
                                      are the configuration's; or NULL */
    const char          *choice;   /* a label that has these: */
    const char *const   *values;   /* ends with NULL; cells in this order */
    const uint64_t      *bounds;   /* of a histogram, rising; ends with 0 */
    uint32_t            *at;       /* its first cell is put here; with labels:
                                      the one of "other"; or NULL */
    lun_metric_look_fn  *look;     /* it has no cells; or NULL */
    bool                 bare;     /* a script's: printed by its name alone */
    uint16_t             record;   /* so many cells, each with a meaning that
                                      only its owner knows: not printed, but by
                                      rows that look at it; */
    uint16_t             gauges;   /* the last of them, while the others are
                                      counters */
    uint16_t             lasting;  /* counters before those that a reset leaves
                                      as they are */
    const lun_metric    *of;       /* this row looks at these cells, */
    uint16_t             cell;     /* at this one: lun_metric_look_at_cell() */
};

/* --- counting ------------------------------------------------------------ */

/* This process's cells; number 0 is nobody's, and may be counted in. */
extern uint64_t  *lun_metric_row;

static inline void
lun_metric_add(uint32_t at, uint64_t n)
{
    lun_metric_row[at] += n;
}

static inline void
lun_metric_sub(uint32_t at, uint64_t n)
{
    lun_metric_row[at] -= n;
}

/* A gauge: what this process has of it. */
static inline void
lun_metric_set_to(uint32_t at, uint64_t n)
{
    lun_metric_row[at] = n;
}

/* Cells of a histogram with n bounds: its sum, and one per bucket. */
#define LUN_METRIC_CELLS_OF(n)  ((n) + 2)

/* `bounds` are the metric's. */
static inline void
lun_metric_observe(uint32_t at, const uint64_t *bounds, uint64_t value)
{
    uint64_t  *cell = lun_metric_row + at;

    *cell++ += value;

    while (*bounds != 0 && value > *bounds) {
        bounds++;
        cell++;
    }

    ++*cell;
}

/* --- what a configuration wants ------------------------------------------ */

/* Ends with the pool; `zones` are those of the same generation. */
lun_metric_set *lun_metric_set_new(lun_pool *pool, lun_zone_set *zones);

/*
 * The rows of a table, which ends without a name; again is harmless.  NULL
 * for a set: nothing is counted.
 */
void lun_metric_declare(lun_metric_set *set, const lun_metric *table);

/*
 * The cells for these values of its labels, in the order of their names: *at,
 * which is 0 at first, is written when the zone is opened, and has to live as
 * long as the set.
 */
void lun_metric_want(lun_metric_set *set, const lun_metric *m,
    const lun_str *values, uint32_t *at);

/* Asks for the zone, which has room for `processes` at a time. */
lun_rc lun_metric_want_zone(lun_metric_set *set, unsigned processes,
    const char **why);

/*
 * Zones are open: finds or makes all that was wanted.  Again, in a process that
 * has got the zone from another, gives the same cells.
 */
void lun_metric_open(lun_metric_set *set, uint32_t generation,
    const lun_log *log);

/*
 * The same for a master that must not trust what is in the zone: it is kept
 * for those that follow, and this process counts nothing.
 */
void lun_metric_keep(lun_metric_set *set);

/* This process counts from now on, in a row of its own. */
void lun_metric_enter(lun_metric_set *set, uint32_t generation,
    const lun_log *log);

/* It ends: what it has counted where nobody can see it is added. */
void lun_metric_leave(void);

/*
 * While it serves, for scripts: as declare and want at once, and all that `m`
 * points to may go after it.  0: *why, a constant.
 */
uint32_t lun_metric_make(const lun_metric *m, const lun_str *values,
    uint32_t generation, const char **why);

/*
 * The same, unless these values are new and there are `most` of such already:
 * 0.  `count_at` is a counter's cell, in which those are counted.
 */
uint32_t lun_metric_make_within(const lun_metric *m, const lun_str *values,
    uint32_t generation, uint32_t count_at, uint64_t most);

/*
 * Counters of the metric of that name are 0 from now on, whatever other
 * processes count meanwhile: those with these values of its labels (data NULL:
 * whichever).  Returns how many series that were.
 */
size_t lun_metric_reset(const char *name, uint32_t generation,
    const lun_str *values);

/* --- reading ------------------------------------------------------------- */

/* A process that counts; number 0 is of all that have ended. */
typedef struct {
    int64_t          pid;          /* 0: of those */
    uint32_t         generation;
    const uint64_t  *cells;        /* as lun_metric_row */
} lun_metric_process;

/* The next one; *cursor is 0 at first.  False: there is no more. */
bool lun_metric_next_process(uint32_t *cursor, lun_metric_process *p);

/* The sum of all processes, of n cells from `at`; a histogram's likewise. */
void lun_metric_read(uint32_t at, size_t n, uint64_t *sums);
uint64_t lun_metric_sum(uint32_t at);

/* A metric as it stands in the zone; its texts live as long as that. */
typedef struct {
    const char       *name, *help, *unit;      /* unit: may be empty */
    lun_metric_kind   kind;
    uint32_t          scale;                   /* at least 1 */
    uint32_t          label_count;
    const char       *labels[LUN_METRIC_LABELS];
    const char       *choice;                  /* may be empty */
    const char       *values;                  /* of it: each ends with 0 */
    uint32_t          value_count;             /* at least 1 */
    uint32_t          bound_count;
    const uint64_t   *bounds;
    uint32_t          first;                   /* the room's */
    bool              bare;
    bool              record;
} lun_metric_info;

/* Number i of those there are; false: there are fewer. */
bool lun_metric_at(size_t i, lun_metric_info *info);
/* That one, as generation `generation` or a later one has it. */
bool lun_metric_find(const lun_metric *m, uint32_t generation,
    lun_metric_info *info);

/* Cells of a metric with these values of its labels. */
typedef struct {
    lun_str    labels[LUN_METRIC_LABELS];      /* into text */
    uint64_t   cells[LUN_METRIC_WIDTH];
    uint32_t   count;
    uint32_t   at;                             /* the first of them */
    char       text[256];
} lun_metric_series;

/*
 * The metric's next series that generation `generation` or a later one wants;
 * *cursor is 0 at first.  False: there is no more.
 */
bool lun_metric_next(const lun_metric_info *info, uint32_t generation,
    uint32_t *cursor, lun_metric_series *s);

/* The metrics of a set that are looked at; NULL: there are fewer than i. */
const lun_metric *lun_metric_looked_at(const lun_metric_set *set, size_t i);
/*
 * The look of a row with `of` and `cell`; with a choice: of cells from there
 * on, one for each of its values.
 */
lun_metric_look_fn  lun_metric_look_at_cell;
const lun_zone_set *lun_metric_zones(const lun_metric_set *set);

#endif

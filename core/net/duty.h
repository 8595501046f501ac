/*
 * duty.h -- what one worker does for all of them: cleaning a cache, asking for
 * the addresses of an upstream, renewing a certificate.
 *
 * Each duty has a name, and under that name a lease in a zone (shm/lease.h).
 * Workers that serve try to take it; who has it begins, and is run from time to
 * time.  It ends when its worker is told to quit: then, as when the worker
 * dies, the others are rung, and one of them begins.  So a duty is done by one
 * process at a time, over deaths and reloads; one that is its generation's own
 * is done by one of each.
 *
 * Names are spread over the workers; who was not meant leaves those who were a
 * moment to begin.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DUTY_H
#define LUN_DUTY_H

#include "net/loop.h"
#include "shm/lease.h"
#include "shm/metric.h"
#include "shm/zone.h"

typedef struct lun_duty      lun_duty;
typedef struct lun_duty_set  lun_duty_set;

typedef struct {
    const char  *name;             /* "cache": a duty is this and its object */
    bool         of_generation;    /* each generation has one of its own */
    lun_msec     every;            /* ms from run to run, an eighth more or
                                      less; 0: `run` says it each time */

    /* It is this worker's from now on.  NULL: there is nothing to begin. */
    void       (*begin)(lun_duty *d);
    /* First soon after `begin`.  Returns in how many ms again (0: `every`),
       no one waits for it when the worker quits.  NULL: never. */
    lun_msec   (*run)(lun_duty *d);
    /* It is not this worker's any more when this returns.  May be NULL. */
    void       (*end)(lun_duty *d);
    /* The worker was told to quit, but keeps it until it exits; `run` is not
       called any more.  NULL: it ends then. */
    void       (*quit)(lun_duty *d);
} lun_duty_kind;

/* Its user writes to `work` alone. */
struct lun_duty {
    const lun_duty_kind  *kind;
    lun_str               object;
    void                 *data;    /* as it was given */
    void                 *work;    /* what `begin` may make, and `end` end */
    lun_loop             *loop;    /* from the start on */
    const lun_log        *log;     /* same: the generation's */

    lun_duty_set         *set;     /* from here on: duty.c's */
    lun_lease            *lease;   /* NULL: there was no room for one */
    lun_timer             timer;   /* the next run; or: to try to take it */
    bool                  mine;
};

/* One for each generation; ends with the pool. */
lun_duty_set *lun_duty_set_new(lun_pool *pool);

/*
 * While the configuration is read.  `set` NULL, as in some tests: NULL, which
 * calls below take for a duty that is nobody's.
 */
lun_duty *lun_duty_add(lun_duty_set *set, const lun_duty_kind *kind,
    lun_str object, void *data);

/* When it is read: the zone, behind all zones that duties work on. */
lun_rc lun_duty_want_zone(lun_duty_set *set, lun_zone_set *zones,
    const char **why);

/*
 * A worker serves, and takes part: it is number `number` of `count`, and has
 * entered its row (shm/workers.h).
 */
void lun_duty_start(lun_duty_set *set, lun_loop *loop, uint32_t generation,
    unsigned number, unsigned count, const lun_log *log);

/* It was told to quit; it exits. */
void lun_duty_quit(lun_duty_set *set);
void lun_duty_exit(lun_duty_set *set);

bool lun_duty_is_mine(const lun_duty *d);

/* Runs it now rather than later, if it is this worker's. */
void lun_duty_run_soon(lun_duty *d);

/* The same, whosever it is; who has none yet runs it first of all anyway. */
void lun_duty_call(lun_duty *d);

/*
 * For a last word of who exits: takes the lease alone, if it is nobody's, until
 * lun_duty_exit().  False: another worker has it.
 */
bool lun_duty_take_last(lun_duty *d);

/* "duty": 1 for each that a worker has, 0 for one that nobody has. */
extern const lun_metric  lun_duty_metrics[];

/* Of each: `owner` as in os/lock.h, 0: nobody has it. */
typedef void lun_duty_each_fn(const lun_duty *d, uint64_t owner, void *data);
void lun_duty_each(const lun_duty_set *set, lun_duty_each_fn *each,
    void *data);

#endif

/*
 * upstream_state.h -- what changes of a server while it serves, and who has
 * how many requests in hand with it.
 *
 * Workers that share states have a row each for a state, so that a worker
 * which is killed gives back what it had.  The lock of the states is held for
 * everything here.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_STATE_H
#define LUN_UPSTREAM_STATE_H

#include "base/base.h"
#include "os/clock.h"

/* All zeroes is a server that nobody has tried, but for its weight. */
typedef struct {
    int64_t  current;              /* what has come together for it so far */
    int64_t  effective;            /* its weight, less what failures cost */
    int64_t  conns;                /* requests that it serves now */
    int64_t  fails;
    int64_t  accessed;             /* s, mono: its last failure */
    int64_t  checked;              /* s, mono: its last test's begin */
    int64_t  back;                 /* ms, mono: when it was fine again */
    int64_t  average;              /* of its times: the method's */
    int64_t  measured;             /* ms, mono: the last of these */
    int64_t  begun;                /* the starts of `conns`, ms, mono: a sum */
    int64_t  selected;             /* ms since the epoch: the last time */
    int64_t  down_since;           /* likewise: when it had failed too often;
                                      0: it has not */
    uint32_t unwell;               /* bits of health checks that it fails, */
    uint32_t checking;             /* ... that have to pass first: see
                                      upstream_health.h */
    int64_t  probed;               /* ms since the epoch: the last of them;
                                      below 0: it has failed that one */
    uint32_t rise, fall;           /* of them in a row, passed and failed */
} lun_upstream_state;

/* A worker's part of a state's `conns` and `begun`. */
typedef struct {
    uint64_t             owner;    /* as in lock.h; 0: nobody's */
    lun_upstream_state  *state;
    int64_t              conns;    /* 0: another may take the row */
    int64_t              begun;
} lun_upstream_hold;

typedef struct {
    uint64_t            room;      /* rows */
    lun_upstream_hold  *rows;
} lun_upstream_holds;

/*
 * One request more.  Returns this worker's row; NULL: `holds` is NULL or has no
 * room, and nobody would give it back.
 */
lun_upstream_hold *lun_upstream_state_take(lun_upstream_state *state,
    const lun_upstream_holds *holds, lun_msec now);

/* One less, that was begun then; `hold` is what take() has returned. */
void lun_upstream_state_give(lun_upstream_state *state,
    lun_upstream_hold *hold, lun_msec begun);

/* The state becomes another server's: nobody has anything of it. */
void lun_upstream_holds_forget(const lun_upstream_holds *holds,
    const lun_upstream_state *state);

/* That worker is dead (the pid is that of lock.h). */
void lun_upstream_holds_return(const lun_upstream_holds *holds, int64_t pid);

#endif

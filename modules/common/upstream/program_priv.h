/*
 * program_priv.h -- programs that an upstream owns: what upstream_program.c
 * (the directive, the choice), program_table.c (what all workers know) and
 * program_keeper.c (processes) share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_PROGRAM_PRIV_H
#define LUN_MODULES_PROGRAM_PRIV_H

#include "base/list.h"
#include "net/timer.h"
#include "os/lock.h"
#include "os/proc.h"
#include "session/module.h"
#include "session/upstream/balance.h"

enum {
    LUN_PROGRAM_MOST = 256,        /* of one upstream */
    LUN_PROGRAM_WORKERS = 256,     /* whose turns are told apart */
    LUN_PROGRAM_PATH = 108         /* of a unix socket, with its zero */
};

/* --- program_table.c: in a zone --- */

typedef enum {
    LUN_PROGRAM_NONE,              /* the slot is nobody's */
    LUN_PROGRAM_STARTING,          /* it does not listen yet */
    LUN_PROGRAM_FREE,
    LUN_PROGRAM_BUSY,              /* with a request of `user` */
    LUN_PROGRAM_ENDING             /* it was told to */
} lun_program_state;

typedef struct {
    uint32_t   state;              /* lun_program_state */
    uint32_t   generation;         /* its keeper's */
    uint64_t   keeper;             /* lun_lock_self() there */
    uint64_t   user;
    int64_t    pid;
    int64_t    served;             /* requests */
    uint16_t   port;               /* of 127.0.0.1; or which of the names
                                      that a socket of this slot may have */
    bool       retire;             /* it is to end, as soon as it may */
} lun_program_slot;

/* Since when a worker's first request waits for a program; mono ms. */
typedef struct {
    uint64_t   worker;             /* 0: an entry that is free */
    lun_msec   since;
    int32_t    row;                /* to ring it by (shm/workers.h); -1 */
} lun_program_waiter;

typedef struct {
    lun_lock            lock;
    uint32_t            count;     /* slots */
    uint32_t            turn;      /* where the next look begins */
    bool                broken;    /* none runs, and the last have failed: */
    uint32_t            broken_by; /* ... those of this generation */
    lun_program_waiter  waiters[LUN_PROGRAM_WORKERS];
    lun_program_slot    slots[];
} lun_program_table;

typedef enum {
    LUN_PROGRAM_TAKEN,             /* *got is a copy of its slot */
    LUN_PROGRAM_WAIT,              /* all are busy, or others wait longer */
    LUN_PROGRAM_BROKEN             /* there will be none for a while */
} lun_program_verdict;

/*
 * Bytes of a table of so many programs: there are slots for those of two
 * generations more.
 */
size_t lun_program_table_size(size_t programs);

extern const lun_zone_kind  lun_program_zone;

/*
 * For a request of this worker, the first of which waits since `since` (0:
 * just now).
 */
lun_program_verdict lun_program_take(lun_program_table *t, lun_msec since,
    lun_program_slot *got, uint32_t *index);

/*
 * Nobody waits here; else since when.  This worker is rung (LUN_LETTER_PROGRAM)
 * when there is a program and none has waited longer, or all are broken; it is
 * to look once more after this, for what was free meanwhile.
 */
void lun_program_wait_since(lun_program_table *t, lun_msec since);

/*
 * What was taken is given back.  `most`: requests of its life, 0: no limit.
 * Returns the process that has to end now, 0: none.
 */
int64_t lun_program_give(lun_program_table *t, uint32_t index, int64_t pid,
    bool failed, int64_t most);

/* For a keeper: a slot for a program that starts; count: there is none. */
uint32_t lun_program_claim(lun_program_table *t, uint32_t generation);
/* False: the program was told to end before its process was known. */
bool lun_program_started(lun_program_table *t, uint32_t index, int64_t pid,
    uint16_t port);
void lun_program_ready(lun_program_table *t, uint32_t index);
/* A keeper has none that runs, and will not for a while. */
void lun_program_set_broken(lun_program_table *t, uint32_t generation);
/*
 * Its process is gone.  Whether it was to go; *served (may be NULL): it had
 * requests.
 */
bool lun_program_gone(lun_program_table *t, uint32_t index, bool *served);
/*
 * One program of a generation before that one is to end: returns its process
 * when it can end at once, 0 when it has a request in hand, is not known yet
 * (lun_program_started() tells its keeper), or there is none.
 */
int64_t lun_program_replace(lun_program_table *t, uint32_t generation);
/* The slot's program ends, if it is free or starting: its process, or 0. */
int64_t lun_program_retire(lun_program_table *t, uint32_t index);

/* What the slots are, and how many workers wait for one. */
typedef struct {
    int64_t  states[LUN_PROGRAM_ENDING + 1];
    int64_t  served;               /* requests, by those that run */
    int64_t  waiting;
    bool     broken;
} lun_program_counts;

void lun_program_tally(lun_program_table *t, lun_program_counts *counts);

/* --- upstream_program.c --- */

typedef struct {
    lun_upstream       *upstream;
    lun_zone           *zone;
    lun_array           argv;      /* of lun_str, the program first */
    lun_array           env;       /* of lun_str: "NAME=value" */
    lun_str             dir;       /* len 0: ours */
    lun_str             socket;    /* where their unix sockets are, each with
                                      its slot behind; len 0: ports */
    int64_t             count;
    int64_t             max_requests;      /* 0: no limit */
    lun_msec            patience;  /* of a request that waits for one */

    /* This process's. */
    lun_list            link;      /* in a list of those that have some */
    lun_list            waiting;   /* requests, the one that came first first */
    lun_generation     *gen;
    lun_loop           *loop;
    lun_timer           look;      /* runs while there are some */
    lun_timer           now;       /* at once, outside the present call */
} lun_programs;

static inline lun_program_table *
lun_program_table_of(const lun_programs *p)
{
    return p->zone->shm.addr;
}

/* --- program_launch.c --- */

/* Of one that has that slot and port; `path` is for its socket's. */
lun_addr lun_program_addr(const lun_programs *p, uint32_t slot, uint16_t port,
    char path[LUN_PROGRAM_PATH]);
/*
 * Starts one at *port, as a slot has it; *output is what it says, the caller's.
 * No other server takes its socket's path as long as there is a *lock on it:
 * until it listens there.  LUN_FD_NONE: there is none.
 */
lun_err lun_program_launch(const lun_programs *p, uint32_t slot,
    uint16_t *port, lun_proc *proc, lun_fd *output, lun_fd *lock);
/* `path` is the socket's. */
void lun_program_unlock(const char *path, lun_fd *lock);

/* --- program_keeper.c --- */

/* Its data is the lun_programs. */
extern const lun_duty_kind  lun_program_keeping;

/* For any worker: a program that another has started is to end. */
void lun_program_end(int64_t pid, bool at_once);

#endif

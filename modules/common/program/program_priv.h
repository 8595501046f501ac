/*
 * program_priv.h -- programs that an upstream owns: what program.c (the
 * directive, the choice), program_spec.c (what its line says), program_table.c
 * (what workers and the keeper see), program_keeper.c, program_child.c and
 * program_launch.c (processes), program_files.c
 * share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_PROGRAM_PRIV_H
#define LUN_MODULES_PROGRAM_PRIV_H

#include <stdatomic.h>

#include "base/list.h"
#include "net/timer.h"
#include "os/lock.h"
#include "os/proc.h"
#include "session/module.h"
#include "session/upstream/balance.h"

enum {
    LUN_PROGRAM_MOST = 256,        /* of one upstream */
    LUN_PROGRAM_WORKERS = 256,     /* that are told apart */
    LUN_PROGRAM_PATH = 108,        /* of a unix socket, with its zero */
    LUN_PROGRAM_TOKEN = 32         /* letters */
};

/* --- program_spec.c: what a line says ------------------------------------ */

/* What makes a process; and how it is looked after. */
typedef struct {
    lun_str     name;              /* the upstream's */
    lun_array   argv;              /* of lun_str, the program first */
    lun_array   env;               /* of lun_str: "NAME=value" */
    lun_str     dir;               /* len 0: ours */
    lun_str     socket;            /* where their unix sockets are, each with
                                      its slot behind; len 0: ports */
    lun_user    user;              /* uid -1: ours */
    lun_str     log;               /* a file for its output; len 0: by lines,
                                      in the error log */
    uint64_t    memory;            /* 0: no limit */
    int64_t     cpu;               /* percent; 0: no limit */

    int64_t     count;
    bool        single;            /* it has one request at a time: if that
                                      fails, it may hang */
    bool        boot;              /* it does not wait for a request */
    bool        renew;             /* a reload replaces it, as if changed */
    int64_t     retries;
    int64_t     fails;             /* per minute; 0: no limit */
    lun_msec    start_limit;
    lun_msec    stop_limit;
    lun_msec    drain;             /* 0: no limit */
    lun_msec    idle;              /* 0: it stays */
    lun_array   watch;             /* of lun_str: files */
    lun_str     offline;           /* a file; len 0: none */
} lun_program_spec;

/* --- program_table.c: in a zone ------------------------------------------ */

typedef enum {
    LUN_PROGRAM_NONE,              /* the slot is nobody's */
    LUN_PROGRAM_STARTING,          /* it does not listen yet */
    LUN_PROGRAM_UP,
    LUN_PROGRAM_ENDING             /* it gets no more requests */
} lun_program_state;

/* The keeper's, but for what workers count. */
typedef struct {
    _Atomic uint32_t  state;       /* lun_program_state */
    _Atomic uint32_t  serial;      /* another with each process */
    _Atomic uint32_t  port;        /* of 127.0.0.1; or which of the names that
                                      a socket of this slot may have */
    _Atomic int64_t   pid;

    /* Workers'. */
    _Atomic uint64_t  served;      /* requests */
    _Atomic bool      failed;      /* a request: does it live? */
    _Atomic bool      spent;       /* it has had its requests */
    _Atomic uint16_t  active[LUN_PROGRAM_WORKERS];     /* requests in hand */
} lun_program_slot;

/* A worker, and since when its first request waits for a program; mono ms. */
typedef struct {
    uint64_t   worker;             /* 0: an entry that is free */
    lun_msec   since;              /* 0: none waits */
    int32_t    row;                /* to ring it by (shm/workers.h); -1 */
} lun_program_worker;

/*
 * Written by the keeper, which takes no lock of workers, and follows nothing
 * that they write; by workers under the lock.
 */
typedef struct {
    uint32_t            count;     /* slots */
    _Atomic bool        broken;    /* none runs, and the last have failed */
    _Atomic bool        offline;   /* by a file of that name */
    char                token[LUN_PROGRAM_TOKEN + 1];

    _Atomic bool        wanted;    /* workers': a request waits */
    _Atomic uint64_t    used;      /* workers': mono ms of the last request */
    lun_lock            lock;      /* workers' */
    uint32_t            turn;      /* where the next look begins */
    int64_t             most;      /* requests at a time, as was said last */
    uint32_t            known;     /* entries of `workers` ever used */
    lun_program_worker  workers[LUN_PROGRAM_WORKERS];
    lun_program_slot    slots[];
} lun_program_table;

/* What a request has of a program. */
typedef struct {
    uint32_t  index;               /* of its slot */
    uint32_t  serial;
    uint32_t  port;
    int64_t   pid;
} lun_program_grip;

typedef enum {
    LUN_PROGRAM_TAKEN,             /* *got is set */
    LUN_PROGRAM_WAIT,              /* all are busy, or others wait longer */
    LUN_PROGRAM_BROKEN,            /* there will be none for a while */
    LUN_PROGRAM_OFFLINE
} lun_program_verdict;

/* Bytes of a table of so many programs, their predecessors and successors. */
size_t lun_program_table_size(size_t programs);

extern const lun_zone_kind  lun_program_zone;

/*
 * For a request of this worker, the first of which waits since `since` (0:
 * just now).  `most`: requests that a program has at a time, 0: no limit.
 */
lun_program_verdict lun_program_take(lun_program_table *t, lun_msec since,
    int64_t most, lun_program_grip *got);

/*
 * Nobody waits here; else since when.  This worker is rung (LUN_LETTER_PROGRAM)
 * when there is a program that was given back and none has waited longer; it
 * is to look once more after this, for what was free meanwhile, and now and
 * then for one that the keeper has started.
 */
void lun_program_wait_since(lun_program_table *t, lun_msec since);

/*
 * What was taken is given back.  `most`: requests of its life, 0: no limit.
 * `failed`: it gets no more until the keeper has looked.
 */
void lun_program_give(lun_program_table *t, const lun_program_grip *g,
    bool failed, int64_t most);

/* For the keeper. */
void lun_program_begin(lun_program_table *t, uint32_t index, uint32_t serial,
    uint32_t port, int64_t pid);
void lun_program_set_state(lun_program_table *t, uint32_t index,
    lun_program_state state);
/* Requests in hand, as workers say. */
uint64_t lun_program_active(const lun_program_table *t, uint32_t index);

/* What the slots are, and how many workers wait for one. */
typedef struct {
    int64_t  starting, free, busy, ending;
    int64_t  active;               /* requests in hand */
    int64_t  served;               /* requests, by those that run */
    int64_t  waiting;
    bool     broken;
    bool     offline;
} lun_program_counts;

void lun_program_tally(lun_program_table *t, lun_program_counts *counts);

/* --- program.c ----------------------------------------------------------- */

typedef struct {
    lun_program_spec    spec;
    lun_upstream       *upstream;
    lun_zone           *zone;
    int64_t             max_conns;         /* requests at a time; 0: no limit */
    int64_t             max_requests;      /* of its life; same */
    lun_msec            patience;  /* of a request that waits for one */

    /* This process's. */
    lun_list            link;      /* in a list of those that have some */
    lun_list            waiting;   /* requests, the one that came first first */
    lun_loop           *loop;
    lun_timer           look;      /* runs while there are some */
    lun_timer           now;       /* at once, outside the present call */
} lun_programs;

static inline lun_program_table *
lun_program_table_of(const lun_programs *p)
{
    return p->zone->shm.addr;
}

/* A copy in that pool. */
void lun_program_spec_copy(lun_pool *pool, lun_program_spec *to,
    const lun_program_spec *from);
/* Whether a process of one is as good as one of the other. */
bool lun_program_spec_same(const lun_program_spec *a,
    const lun_program_spec *b);

/* --- program_launch.c ---------------------------------------------------- */

/* Of one that has that slot and port; `path` is for its socket's. */
lun_addr lun_program_addr(lun_str socket, uint32_t slot, uint32_t port,
    char path[LUN_PROGRAM_PATH]);
/*
 * Starts one at *port, as a slot has it; output[0] and [1] are what it says
 * and complains of, the caller's, or LUN_FD_NONE.  No other server takes its
 * socket's path as long as there is a *lock on it: until it listens there.
 * LUN_FD_NONE: there is none.
 */
lun_err lun_program_launch(const lun_program_spec *spec, const char *token,
    uint32_t slot, uint32_t *port, lun_proc *proc, lun_fd *output,
    lun_fd *lock);
/* `path` is the socket's. */
void lun_program_unlock(const char *path, lun_fd *lock);

/* --- program_child.c: a process ------------------------------------------ */

typedef struct lun_program_child  lun_program_child;

typedef struct {
    bool      told;                /* it was to end */
    bool      served;              /* it has had requests */
    bool      young;               /* it has hardly been there */
} lun_program_end;

/* Whoever keeps it: it listens; it has ended, and is freed after the call. */
typedef struct {
    void  (*up)(void *keeper);
    void  (*ended)(void *keeper, lun_program_child *c,
              const lun_program_end *end);
} lun_program_events;

struct lun_program_child {
    lun_list                   link;       /* the keeper's */
    const lun_program_spec    *spec;
    lun_program_table         *table;      /* NULL: not to be seen any more */
    const lun_program_events  *events;
    void                      *keeper;
    lun_loop                  *loop;
    bool                       stale;      /* the keeper's: to be replaced */

    lun_proc                   proc;
    uint32_t                   slot;
    uint32_t                   port;
    lun_addr                   addr;       /* it listens there */
    char                       path[LUN_PROGRAM_PATH];     /* addr's */
    lun_msec                   started;
    lun_msec                   silent;     /* since when it does not listen */
    lun_msec                   since;      /* when it was told to end */
    lun_fd                     lock;       /* to its socket, until it listens */
    bool                       ready;
    bool                       ending;     /* it was told to */
    bool                       asked;      /* ... and has heard of it */
    bool                       gone;       /* its last words are waited for */
    char                       why[64];    /* "exited with code 1" */
    int                        code;
    lun_timer                  timer;
    lun_conn                  *probe;
    struct lun_program_output *out[2];
    char                       words[400]; /* the last of them */
    size_t                     words_len;
    lun_msec                   second;     /* of the log: lines in it */
    unsigned                   lines;
    unsigned                   left_out;
};

/* NULL, and *err: it could not be started. */
lun_program_child *lun_program_child_new(const lun_program_spec *spec,
    lun_program_table *t, uint32_t slot, lun_loop *loop,
    const lun_program_events *events, void *keeper, lun_err *err);
/*
 * It gets no more requests, and is asked to end when it has none in hand, or
 * spec->drain later; `now`: at once.  Then it is killed after the limit.
 */
void lun_program_child_end(lun_program_child *c, bool now);
void lun_program_child_kill(lun_program_child *c);
/* A worker says so: it has nothing in hand, or is not to be waited for. */
void lun_program_child_look(lun_program_child *c);
/* A request of it has failed: it gets no more until it is seen to listen. */
void lun_program_child_doubt(lun_program_child *c);
/* The process has ended. */
void lun_program_child_ended(lun_program_child *c, int code, const char *text);
/* In a worker, which has come to it by a fork: what it holds is let go. */
void lun_program_child_let_go(lun_program_child *c);

/* --- program_files.c ----------------------------------------------------- */

/* What is watched, as it is now; `files` is the callee's. */
void lun_program_watch(lun_pool *pool, const lun_program_spec *spec,
    lun_array *files);
/* Since that, or the last call: one has changed, and none does any more. */
bool lun_program_files_changed(const lun_array *files);
/* The file that stands for the programs is there. */
bool lun_program_is_offline(const lun_program_spec *spec);

/* --- program_keeper.c ---------------------------------------------------- */

/* On the generation's on_lead. */
lun_rc lun_program_lead(lun_generation *gen, void *programs);
/* In a worker's first moments. */
void lun_program_no_keeper(void);

#endif

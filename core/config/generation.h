/*
 * generation.h -- one configuration generation: what a reload makes anew.
 * core/run/generation.c makes and ends it; modules ask it for listeners,
 * zones and log files while they read their directives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GENERATION_H
#define LUN_GENERATION_H

#include <stdatomic.h>

#include "config/conf.h"
#include "log/log_file.h"
#include "net/duty.h"
#include "net/listen.h"
#include "net/loop.h"
#include "shm/metric.h"
#include "shm/zone.h"
#include "os/native_path.h"

struct lun_generation {
    uint32_t          mark;
    uint32_t          number;      /* 1, 2, ... with each reload */
    lun_pool         *pool;
    struct lun_generation *before; /* ends right after this one; or NULL */
    lun_log           log;         /* the error log of this generation */
    lun_str           prefix;      /* ends with '/' */
    lun_native_path   native_prefix;
    lun_str           conf_prefix;
    lun_str           conf_path;
    bool              testing;     /* -t: open nothing for good */
    bool              deaf;        /* a tool's: listeners are not opened */

    lun_schema       *schema;
    lun_block        *top;         /* the main block */
    lun_conf_snapshot snapshot;    /* every file that was read */

    lun_listen_set   *listeners;
    lun_zone_set     *zones;
    lun_metric_set   *metrics;     /* NULL in some tests: nothing is counted */
    lun_duty_set     *duties;      /* NULL in some tests: nobody has any */
    lun_log_set       logs;
    /* of lun_thread_pool *: thread_pool; or NULL */
    lun_array        *thread_pools;
    lun_array         folders;     /* of const char *: made by the master for
                                      workers to write in */
    struct lun_engine *engines;    /* one for each block of a protocol */
    struct lun_status_tree *status;    /* status.h; NULL: no node */
    int64_t           load_time;   /* ms since the epoch */

    lun_array        *env;         /* of lun_str: what `env` lists, NAME or
                                      NAME=value; NULL: nothing */
    unsigned          workers;     /* processes that serve */
    unsigned          asked_workers;   /* worker_processes, also where one
                                          process is all */
    bool              agent;       /* on_init may want it: one more process,
                                      that accepts nothing and keeps the
                                      master's user */
    bool              transparent; /* workers speak from others' addresses */
    bool              alone;       /* master_process off */
    bool              exiting;     /* a worker: told to quit */
    lun_loop         *loop;        /* the one that it is served in */

    /*
     * Hooks of the floors above, called in order; lun_gen_add_hook() adds to
     * them.  A failure of `init`, `zones`, `lead` (master) or `start` (worker)
     * is the generation's.
     */
    lun_array         on_init;     /* conf is read, zones are there: master
                                      (and a Windows worker) */
    lun_array         on_zones;    /* after it, for what is in zones that are
                                      kept, or in folders that are given away:
                                      where the master may do more than its
                                      workers, in a process of their user,
                                      which ends then */
    lun_array         on_lead;     /* master, or who serves alone: before its
                                      workers are started; for what outlives
                                      them (lun_keeper, run/generation.h) */
    lun_array         on_start;    /* a worker is up, before it accepts */
    lun_array         on_quit;     /* a worker was told to quit; timers that
                                      are started now still keep it */
    lun_array         on_exit;     /* a worker is about to exit */
};

typedef lun_rc lun_gen_hook_fn(lun_generation *gen, void *data);

typedef struct {
    lun_gen_hook_fn  *run;
    void             *data;
} lun_gen_hook;

/* `hooks` is one of gen's, such as &gen->on_init; `data` is the caller's. */
void lun_gen_add_hook(lun_generation *gen, lun_array *hooks,
    lun_gen_hook_fn *run, void *data);

/* What is built in, as -V has it. */
extern lun_str  lun_build_arguments;

#endif

/*
 * main_conf.h -- the directives outside of every floor: processes, their
 * rights and limits, logs, and the events block.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MAIN_CONF_H
#define LUN_MAIN_CONF_H

#include "config/generation.h"
#include "os/user.h"

typedef struct {
    bool         daemon;
    bool         master_process;
    int64_t      workers;              /* 0: auto */
    lun_str      pid;
    lun_user     user;                 /* uid -1: stay who we are */
    int64_t      rlimit_nofile;        /* 0: leave */
    int64_t      rlimit_core;          /* bytes, -1: leave */
    int          priority;
    lun_msec     shutdown_timeout;     /* 0: none */
    lun_str      working_directory;
    bool         affinity_auto;
    lun_array   *affinity;             /* of uint64_t: masks, by worker */
    lun_block   *events;               /* the events block */
} lun_main_conf;

typedef struct {
    int64_t      worker_connections;
    bool         multi_accept;
    bool         use_poll;
    bool         accept_mutex;         /* accepted: there is none */
    lun_msec     accept_mutex_delay;
    lun_array   *debug;                /* of lun_cidr: debug_connection */
} lun_events_conf;

void lun_main_register(lun_schema *schema);

const lun_main_conf *lun_main_conf_of(const lun_generation *gen);
const lun_events_conf *lun_events_conf_of(const lun_generation *gen);

/*
 * After the tree has inherited: what nobody said and what needs all of it.
 * Sets gen->workers, gives gen->log a target if it has none.
 */
lun_rc lun_main_finish(lun_conf *cf, lun_str default_error_log);

#endif

/*
 * boot.h -- the boot block: one shared segment per generation, from which a
 * worker that has nothing else (Windows) builds itself, and in which every
 * worker says that it serves.
 *
 * All pointers in it point into it, or into zones: the address is the same
 * in every process.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BOOT_H
#define LUN_BOOT_H

#include <stdatomic.h>

#include "config/generation.h"
#include "run/options.h"

typedef struct {
    uint32_t           mark;
    uint32_t           generation;
    int64_t            load_time;      /* of it */
    uint32_t           workers;        /* and the agent */
    lun_options        options;
    lun_conf_snapshot  snapshot;
    lun_shm           *zones;
    size_t             zone_count;
    _Atomic int64_t    serving[];      /* by worker: its pid, once it accepts */
} lun_boot;

/*
 * Master: the block, which begins the segment *shm.  That is the master's to
 * free: workers may write what is in it.  NULL, and *err, when there is no
 * memory.
 */
lun_boot *lun_boot_new(const lun_generation *gen, const lun_options *o,
    lun_shm *shm, lun_err *err);

/* How many processes a generation has: its workers and their agent. */
unsigned lun_boot_count(const lun_generation *gen);

/* Windows worker: whether that is a boot block. */
bool lun_boot_is_sane(const lun_boot *boot);

#endif

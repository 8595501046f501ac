/*
 * cycle.h -- the life of a generation: read, open, take over, end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CYCLE_H
#define LUN_CYCLE_H

#include "config/generation.h"
#include "run/options.h"

/*
 * What the roof needs of the floors below it.  main.c gives the real ones,
 * a test its own; set once, before the first generation.
 */
typedef struct {
    void     (*add_parts)(lun_schema *schema);
    void     (*quit)(lun_generation *gen);     /* close what is idle */
    size_t   (*active)(void);                  /* requests in hand */
} lun_floors;

void lun_cycle_use(const lun_floors *floors);
const lun_floors *lun_cycle_floors(void);

/*
 * Reads a configuration, from the disk or (a Windows worker) from a snapshot.
 * NULL: it was logged why.  Nothing is open yet.
 */
lun_generation *lun_cycle_new(const lun_options *o, uint32_t number,
    const lun_conf_snapshot *snapshot);

/*
 * Opens its log files, zones and listeners, taking over what `old` (may be
 * NULL) has, and runs on_init.  On failure nothing is changed.  With -t no
 * socket is opened.
 */
lun_rc lun_cycle_open(lun_generation *gen, lun_generation *old);

/* Takes lun_cycle_open() back and frees the generation. */
void lun_cycle_drop(lun_generation *gen, lun_generation *old);

/* Closes what `old` has and `gen` (may be NULL) did not take over. */
void lun_cycle_close_rest(lun_generation *old, lun_generation *gen);

/* Frees it; log files are closed, zones and listeners are not. */
void lun_cycle_free(lun_generation *gen);

/* Runs hooks; stops at the first that fails. */
lun_rc lun_cycle_run_hooks(lun_generation *gen, const lun_array *hooks);

#endif

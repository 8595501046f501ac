/*
 * run/generation.h -- the life of a generation: read, open, take over, end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_GENERATION_H
#define LUN_RUN_GENERATION_H

#include "config/generation.h"
#include "run/options.h"

/* Something that is acquired, in the singular, and how many there are. */
typedef struct {
    const char  *what;
    size_t     (*count)(void);
} lun_leftover;

/*
 * What modules keep for workers, in the process that starts them: it begins
 * with the generation's on_lead.
 */
typedef struct {
    /*
     * Generation `now` serves, and no worker is left of one before `oldest`.
     * `mapped`: zones of generations that go stay where they are for now.
     */
    void  (*settle)(uint32_t now, uint32_t oldest, bool mapped);
    /* Whether that child is theirs, and to be told so (lun_proc_on_child). */
    bool  (*owns)(int64_t pid);
    /* What there is, to the log. */
    void  (*dump)(void);
    /* Nobody serves any more.  Whether nothing is left; asked until then. */
    bool  (*end)(bool at_once);
} lun_keeper;

/*
 * What the roof needs of the floors below it.  main.c gives the real ones,
 * a test its own; set once, before the first generation.
 */
typedef struct {
    void     (*add_parts)(lun_schema *schema);
    /* The list ends with NULL; or there is none: NULL. */
    const struct lun_protocol *const  *protocols;
    const lun_leftover  *leftovers;            /* beside their sessions; ends
                                                  without a name; or NULL */
    /* Of floors below the modules; the list ends with NULL; or NULL. */
    const lun_metric *const  *metrics;
    /* Lines of a dump beside those of connections; or NULL. */
    void     (*dump)(const lun_generation *gen);
    const lun_keeper *keeper;                  /* or NULL */
    /* Begins to sample scripts, or ends that and says what was seen. */
    void     (*profile)(const lun_generation *gen);
} lun_floors;

void lun_generation_use(const lun_floors *floors);
const lun_floors *lun_generation_floors(void);

/* What floors->keeper does; without one nothing, and there is nothing. */
void lun_generation_settle(uint32_t now, uint32_t oldest, bool mapped);
bool lun_generation_owns(int64_t pid);
bool lun_generation_end_kept(bool at_once);
void lun_generation_dump_kept(void);

/* Sessions in hand, of all protocols. */
size_t lun_generation_active(void);

/*
 * Reads a configuration, from the disk or (a Windows worker) from a snapshot.
 * Certificates that have not changed since `old` (may be NULL) read them are
 * taken over from there.  NULL: it was logged why.  Nothing is open yet.
 */
lun_generation *lun_generation_new(const lun_options *o, uint32_t number,
    const lun_conf_snapshot *snapshot, const lun_generation *old);

/*
 * Opens its log files, zones and listeners, taking over what `old` (may be
 * NULL) has, and runs on_init.  After a failure the generation is to be freed,
 * and `old` is as it was.  With -t it is tried whether addresses can be had.
 */
lun_rc lun_generation_open(lun_generation *gen, lun_generation *old);

/* Takes lun_generation_open() back and frees the generation. */
void lun_generation_drop(lun_generation *gen, lun_generation *old);

/*
 * Ends it, and those before it, in the reverse order of their beginnings:
 * whatever modules have made, zones that no other generation has, log files,
 * memory.  The default log is not its log any more.  Listeners stay open.
 */
void lun_generation_free(lun_generation *gen);

/* Runs hooks; stops at the first that fails. */
lun_rc lun_generation_run_hooks(lun_generation *gen, const lun_array *hooks);

#endif

/*
 * program_keeper.h -- the processes of upstreams' programs: what the roof asks
 * of whoever keeps them (run/generation.h).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_PROGRAM_KEEPER_H
#define LUN_MODULES_PROGRAM_KEEPER_H

#include "base/base.h"

/*
 * Generation `now` serves, and no worker is left of one before `oldest`.
 * `mapped`: zones of generations that go stay where they are for now.
 */
void lun_program_settle(uint32_t now, uint32_t oldest, bool mapped);

/* Whether that process is one of these; then it is told of its end. */
bool lun_program_owns(int64_t pid);

/* A line for each that there is, in the error log. */
void lun_program_dump(void);

/*
 * Nobody serves any more: all are to end, `at_once`: soon.  Whether they have;
 * to be called until then.
 */
bool lun_program_end_all(bool at_once);

#endif

/*
 * dump.h -- `-s dump`: what a worker is doing, in the error log.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_DUMP_H
#define LUN_RUN_DUMP_H

#include "config/generation.h"

/*
 * Worker: one line for all, one for each connection, and one for each request
 * on it; at the level of a notice, whatever levels the logs have.
 */
void lun_dump(const lun_generation *gen);

#endif

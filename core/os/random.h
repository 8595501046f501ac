/*
 * random.h -- bytes that nobody can guess, from the system.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_RANDOM_H
#define LUN_OS_RANDOM_H

#include "base/base.h"

/* Fills buf; never fails (the process ends when the system has none). */
void lun_random_bytes(void *buf, size_t size);

#endif

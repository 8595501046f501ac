/*
 * host.h -- a generation for a tool: see modules/lua/tool.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HOST_H
#define LUN_HOST_H

#include "config/generation.h"

lun_generation *lun_host_begin(const char *prefix, const char *conf);
void lun_host_end(lun_generation *gen);

#endif

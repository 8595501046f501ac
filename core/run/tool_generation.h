/*
 * tool_generation.h -- a generation for a tool: see modules/lua/tool/tool.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TOOL_GENERATION_H
#define LUN_TOOL_GENERATION_H

#include "config/generation.h"

lun_generation *lun_tool_generation_begin(const char *prefix, const char *conf,
    lun_str text);
void lun_tool_generation_end(lun_generation *gen);

#endif

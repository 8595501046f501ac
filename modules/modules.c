/*
 * modules.c -- the list of modules, as an array.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/modules.h"


#define ROW(name)  &lun_http_##name,

lun_http_module *const  lun_modules[] = { LUN_MODULES(ROW) NULL };

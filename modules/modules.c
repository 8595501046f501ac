/*
 * modules.c -- the lists of modules, as arrays.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/modules.h"


#define ROW(name)  &lun_http_##name,

static lun_http_module *const  modules[] = { LUN_MODULES(ROW) NULL };
static lun_http_module *const  headers[] = { LUN_HEADER_FILTERS(ROW) NULL };
static lun_http_module *const  bodies[] = { LUN_BODY_FILTERS(ROW) NULL };

const lun_http_module_lists  lun_modules = { modules, headers, bodies };

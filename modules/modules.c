/*
 * modules.c -- the lists of modules, as arrays.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/modules.h"


#define HTTP(name)    &lun_http_##name,
#define HEAD(name)    &lun_http_##name.head,
#define COMMON(name)  &lun_common_##name,
#define STREAM(name)  &lun_stream_##name,

static lun_module *const       modules[] =
    { LUN_HTTP_MODULES(HEAD, COMMON) NULL };
static lun_http_module *const  headers[] = { LUN_HEADER_FILTERS(HTTP) NULL };
static lun_http_module *const  bodies[] = { LUN_BODY_FILTERS(HTTP) NULL };

const lun_http_module_lists  lun_http_lists = { modules, headers, bodies };
lun_module *const  lun_stream_list[] =
    { LUN_STREAM_MODULES(STREAM, COMMON) NULL };

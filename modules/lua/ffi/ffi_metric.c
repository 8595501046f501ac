/*
 * ffi_metric.c -- metrics of scripts, for lua/lunette/metrics.lua.  Any phase.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"

#include "modules/lua/run/ctx.h"
#include "shm/metric.h"


static uint32_t
generation_of_script(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx != NULL ? ctx->main->gen->number : 0;
}


/*
 * The first cell for these values of its labels; what is given is copied.
 * 0: *why.
 */
uint32_t
lun_ffi_metric_make(const lun_ffi_metric *given, const lun_str *values,
    const char **why)
{
    lun_metric  m = {
        .name = given->name, .help = given->help, .unit = given->unit,
        .labels = given->labels, .bounds = given->bounds,
        .kind = (lun_metric_kind) given->kind, .scale = given->scale,
        .bare = true
    };

    if (given->kind > LUN_HISTOGRAM) {
        *why = "no kind of metric";
        return 0;
    }

    return lun_metric_make(&m, values, generation_of_script(), why);
}


void
lun_ffi_metric_add(uint32_t at, uint64_t n)
{
    lun_metric_add(at, n);
}


void
lun_ffi_metric_set(uint32_t at, uint64_t n)
{
    lun_metric_set_to(at, n);
}


void
lun_ffi_metric_observe(uint32_t at, const uint64_t *bounds, uint64_t value)
{
    lun_metric_observe(at, bounds, value);
}

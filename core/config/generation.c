/*
 * generation.c -- hooks of a generation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/generation.h"


lun_str          lun_build_arguments;


void
lun_gen_add_hook(lun_generation *gen, lun_array *hooks, lun_gen_hook_fn *run,
    void *data)
{
    lun_gen_hook  *hook;

    if (hooks->pool == NULL) {
        lun_array_init(hooks, gen->pool, sizeof(lun_gen_hook), 4);
    }

    hook = lun_array_push(hooks);
    hook->run = run;
    hook->data = data;
}

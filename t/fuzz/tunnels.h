/*
 * tunnels.h -- the modules of http, and one that does CONNECT by itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_TUNNELS_H
#define LUN_FUZZ_TUNNELS_H

#include "modules/modules.h"
#include "../unit/echo_tunnel.h"


static inline void
register_tunnels(lun_schema *schema)
{
    enum { MOST = 256 };

    size_t                        n = 0;
    static lun_module            *modules[MOST];
    static lun_http_module_lists  lists;

    echo_limit = 1000;
    lists = lun_http_lists;

    for ( ; lists.modules[n] != NULL; n++) {
        LUN_CHECK(n < MOST - 2);
        modules[n] = lists.modules[n];
    }

    modules[n] = &echo_tunnel_module.head;
    lists.modules = modules;
    lun_http_register(schema, &lists);
}

#endif

/*
 * whole.h -- for targets that serve connections: a generation read from the
 * text of a whole configuration, by the tools' own way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_WHOLE_H
#define LUN_FUZZ_WHOLE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "net/listen_priv.h"
#include "run/generation.h"
#include "run/tool_generation.h"

/* What files are made below; empty again at the end, and removed. */
static char  whole_folder[] = "/tmp/lunette-fuzz-XXXXXX";


static inline void
remove_whole_folder(void)
{
    rmdir(whole_folder);
}


/* `floors` live as long as the program. */
static inline lun_generation *
whole_generation(const char *conf, const lun_floors *floors, size_t listeners)
{
    char             path[64];
    FILE            *f;
    lun_generation  *gen;

    LUN_CHECK(mkdtemp(whole_folder) != NULL);
    snprintf(path, sizeof(path), "%s/fuzz.conf", whole_folder);
    f = fopen(path, "w");
    LUN_CHECK(f != NULL && fputs(conf, f) >= 0 && fclose(f) == 0);

    lun_generation_use(floors);
    gen = lun_tool_generation_begin(whole_folder, "fuzz.conf", LUN_STR(""));
    LUN_CHECK(gen != NULL && lun_listen_count(gen->listeners) == listeners);

    unlink(path);
    atexit(remove_whole_folder);
    return gen;
}

#endif

/*
 * own_process.c -- which worker this process is, and who hears of the ends of
 * its children.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/proc.h"

#include "base/check.h"


enum { HEARERS = 4 };

lun_self_info  lun_self = { .number = -1, .count = 1 };

static lun_child_fn  *hearers[HEARERS];


void
lun_proc_on_child(lun_child_fn *ended)
{
    size_t  i;

    for (i = 0; i < HEARERS; i++) {
        if (hearers[i] == NULL || hearers[i] == ended) {
            hearers[i] = ended;
            return;
        }
    }

    LUN_NEVER("a fifth that hears of children");
}


void
lun_proc_tell_child(int64_t pid, int code, const char *text)
{
    size_t  i;

    for (i = 0; i < HEARERS && hearers[i] != NULL; i++) {
        hearers[i](pid, code, text);
    }
}

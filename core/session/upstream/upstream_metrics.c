/*
 * upstream_metrics.c -- what servers answered, and how long it took them.
 *
 * A label is the name of an upstream block; servers that an address names
 * without one, of which there may be thousands, are counted together: "other".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_metrics.h"

#include "config/generation.h"


static uint32_t  other_tries_at, other_times_at;

static const uint64_t  times[] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 0
};

/* The first is of those without: no answer, or a protocol that has none. */
static const char *const  classes[] = {
    "none", "1xx", "2xx", "3xx", "4xx", "5xx", NULL
};

enum { TRIES, TIMES };

const lun_metric  lun_upstream_metrics[] = {
    [TRIES] = { .name = "upstream_tries", .kind = LUN_COUNTER,
      .at = &other_tries_at, .labels = "upstream",
      .choice = "status", .values = classes,
      .help = "Servers that were asked, by class of their answer" },
    [TIMES] = { .name = "upstream_response", .kind = LUN_HISTOGRAM,
      .unit = "seconds", .scale = 1000, .at = &other_times_at,
      .labels = "upstream", .bounds = times,
      .help = "Time that a server was asked, until its answer was complete" },
    { 0 }
};


void
lun_upstream_want_metrics(lun_conf *cf, lun_upstream *u)
{
    lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[TRIES], &u->name,
                    &u->tries_at);
    lun_metric_want(cf->gen->metrics, &lun_upstream_metrics[TIMES], &u->name,
                    &u->times_at);
}


void
lun_upstream_count_try(const lun_balance *b, const lun_upstream_try *a)
{
    unsigned             class = a->status / 100;
    const lun_upstream  *u = b->upstream;

    if (a->addr.data == NULL) {
        return;
    }

    class = class < LUN_ARRAY_LEN(classes) - 1 ? class : 0;
    lun_metric_add((u != NULL && u->tries_at != 0 ? u->tries_at
                                                  : other_tries_at) + class, 1);
    lun_metric_observe(u != NULL && u->times_at != 0 ? u->times_at
                                                     : other_times_at,
                       times, (uint64_t) lun_max(a->response_time, 0));
}

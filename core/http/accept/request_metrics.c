/*
 * request_metrics.c -- requests and answers, counted.
 *
 * An answer moves a bucket of its class's histogram, and three cells of its
 * server: how many answers a class had is what its buckets come to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/request_metrics.h"

#include "http/accept/trace.h"
#include "shm/metric_text.h"


uint32_t  lun_requests_at;

static uint32_t  answers_at, exemplars_at;

enum { BOUNDS = 12, CLASSES = 6 };

static const uint64_t  times[BOUNDS + 1] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 0
};

/* The first is of those that were closed without one. */
static const char *const  classes[] = {
    "none", "1xx", "2xx", "3xx", "4xx", "5xx", NULL
};

enum { EXEMPLARS = CLASSES * (BOUNDS + 1) * LUN_METRIC_EXEMPLAR };

const lun_metric  lun_request_metrics[] = {
    { .name = "http_requests", .kind = LUN_COUNTER, .at = &lun_requests_at,
      .help = "Requests of clients" },
    { .name = "http_response", .kind = LUN_HISTOGRAM, .unit = "seconds",
      .scale = 1000, .at = &answers_at, .bounds = times,
      .choice = "status", .values = classes,
      .help = "Time from a request's first byte to the end of its answer, by "
              "class of status" },
    { .name = "http_response" LUN_METRIC_EXEMPLARS, .kind = LUN_GAUGE,
      .record = EXEMPLARS, .gauges = EXEMPLARS, .at = &exemplars_at },
    { 0 }
};


/* The latest request of its bucket that somebody can look at as a trace. */
static LUN_NOINLINE void
note_exemplar(const lun_request *r, unsigned class, uint64_t ms)
{
    unsigned  i = 0;

    while (times[i] != 0 && ms > times[i]) {
        i++;
    }

    lun_metric_note_exemplar(exemplars_at, class * (BOUNDS + 1) + i,
                             r->trace->id, ms,
                             (uint64_t) lun_clock.sec * 1000 + lun_clock.msec);
}


void
lun_request_count_answer(lun_request *r)
{
    unsigned  class = r->out.status / 100;
    int64_t   ms = (lun_clock.sec - r->start_sec) * 1000
                   + (int64_t) lun_clock.msec - (int64_t) r->start_msec;

    class = class < LUN_ARRAY_LEN(classes) - 1 ? class : 0;
    lun_metric_observe(answers_at + class * LUN_METRIC_CELLS_OF(BOUNDS), times,
                       ms > 0 ? (uint64_t) ms : 0);

    if (LUN_UNLIKELY(r->trace != NULL) && r->trace->sampled) {
        note_exemplar(r, class, ms > 0 ? (uint64_t) ms : 0);
    }

    if (LUN_UNLIKELY(r->counts_at == 0) && r->server != NULL) {
        lun_server_count_begin(r); /* its header was no good */
    }

    lun_server_count_to(r, r->counts_at);
}

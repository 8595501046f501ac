/*
 * client_metrics.c -- what became of questions, and how long it took.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/client_metrics.h"

#include "base/check.h"


uint32_t  lun_client_open_at;

static uint32_t  outcomes_at, times_at;

static const uint64_t  times[] = {
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 0
};

static const char *const  outcomes[] = {
    [LUN_HTTP_ANSWERED]     = "answered",
    [LUN_HTTP_BAD_QUESTION] = "bad_question",
    [LUN_HTTP_UNRESOLVED]   = "unresolved",
    [LUN_HTTP_UNREACHED]    = "unreached",
    [LUN_HTTP_UNTRUSTED]    = "untrusted",
    [LUN_HTTP_TIMED_OUT]    = "timed_out",
    [LUN_HTTP_LOST]         = "lost",
    [LUN_HTTP_INVALID]      = "invalid",
    [LUN_HTTP_TOO_LARGE]    = "too_large",
    [LUN_HTTP_STOPPED]      = "stopped",
    [LUN_HTTP_CANCELLED]    = "cancelled",
    [LUN_HTTP_OUTCOMES]     = NULL
};

const lun_metric  lun_client_metrics[] = {
    { .name = "client_questions", .kind = LUN_COUNTER, .at = &outcomes_at,
      .choice = "outcome", .values = outcomes,
      .help = "Questions that the server itself has asked other servers" },
    { .name = "client_questions_open", .kind = LUN_GAUGE,
      .at = &lun_client_open_at,
      .help = "Questions to other servers that have no answer yet" },
    { .name = "client_question", .kind = LUN_HISTOGRAM, .unit = "seconds",
      .scale = 1000, .at = &times_at, .bounds = times,
      .help = "Time that a question to another server took" },
    { 0 }
};


void
lun_client_count_end(unsigned outcome, lun_msec took)
{
    LUN_CHECK(outcome < LUN_HTTP_OUTCOMES);

    lun_metric_add(outcomes_at + outcome, 1);
    lun_metric_observe(times_at, times, took);
}

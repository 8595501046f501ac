/*
 * dns_metrics.c -- questions to name servers, counted by resolver.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/dns_metrics.h"

#include "format/dns_parse.h"


static const char *const  sent[] = { "a", "aaaa", "srv", "ptr", NULL };
static const char *const  queries[] = { "name", "srv", "addr", NULL };
static const char *const  answers[] = {
    "success", "timedout", "format_error", "server_failure", "not_found",
    "unimplemented", "refused", "other", NULL
};

const lun_metric  lun_dns_metrics[] = {
    [LUN_DNS_RESOLVERS] = { .name = "resolver_cells", .kind = LUN_COUNTER,
      .labels = "resolver", .record = LUN_DNS_CELLS },

    { .name = "resolver_queries", .kind = LUN_COUNTER, .labels = "resolver",
      .choice = "type", .values = queries, .look = lun_metric_look_at_cell,
      .of = &lun_dns_metrics[LUN_DNS_RESOLVERS],
      .cell = LUN_DNS_QUERIES_NAME,
      .help = "Names that a resolver was asked for" },
    { .name = "resolver_sent", .kind = LUN_COUNTER, .labels = "resolver",
      .choice = "type", .values = sent, .look = lun_metric_look_at_cell,
      .of = &lun_dns_metrics[LUN_DNS_RESOLVERS], .cell = LUN_DNS_SENT_A,
      .help = "Questions that it has sent to name servers" },
    { .name = "resolver_answers", .kind = LUN_COUNTER, .labels = "resolver",
      .choice = "code", .values = answers, .look = lun_metric_look_at_cell,
      .of = &lun_dns_metrics[LUN_DNS_RESOLVERS], .cell = LUN_DNS_SUCCESS,
      .help = "Answers of name servers, and questions without one" },
    { 0 }
};


void
lun_dns_count_sent(uint32_t at, unsigned type)
{
    lun_metric_add(at + (type == LUN_DNS_A ? LUN_DNS_SENT_A
                         : type == LUN_DNS_AAAA ? LUN_DNS_SENT_AAAA
                         : type == LUN_DNS_SRV ? LUN_DNS_SENT_SRV
                                               : LUN_DNS_SENT_PTR), 1);
}


void
lun_dns_count_answer(uint32_t at, unsigned rcode)
{
    static const uint8_t  cells[] = {
        LUN_DNS_SUCCESS, LUN_DNS_FORMAT_ERROR, LUN_DNS_SERVER_FAILURE,
        LUN_DNS_NOT_FOUND, LUN_DNS_UNIMPLEMENTED, LUN_DNS_REFUSED
    };

    lun_metric_add(at + (rcode < LUN_ARRAY_LEN(cells) ? cells[rcode]
                                                      : LUN_DNS_OTHER), 1);
}

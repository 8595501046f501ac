/*
 * dns_metrics.h -- questions to name servers, counted by resolver.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_METRICS_H
#define LUN_DNS_METRICS_H

#include "shm/metric.h"

/* Cells of a resolver. */
enum {
    LUN_DNS_QUERIES_NAME,          /* what was asked of it, */
    LUN_DNS_QUERIES_SRV,
    LUN_DNS_QUERIES_ADDR,
    LUN_DNS_SENT_A,                /* what it has asked, */
    LUN_DNS_SENT_AAAA,
    LUN_DNS_SENT_SRV,
    LUN_DNS_SENT_PTR,
    LUN_DNS_SUCCESS,               /* and what the answers were */
    LUN_DNS_TIMEDOUT,
    LUN_DNS_FORMAT_ERROR,
    LUN_DNS_SERVER_FAILURE,
    LUN_DNS_NOT_FOUND,
    LUN_DNS_UNIMPLEMENTED,
    LUN_DNS_REFUSED,
    LUN_DNS_OTHER,
    LUN_DNS_CELLS
};

/* Rows of the table: the record of these cells, by "resolver". */
enum { LUN_DNS_RESOLVERS };

extern const lun_metric  lun_dns_metrics[];

/* A question of that type (lun_dns_query) went out. */
void lun_dns_count_sent(uint32_t at, unsigned type);

/* A name server has answered with that code. */
void lun_dns_count_answer(uint32_t at, unsigned rcode);

#endif

/*
 * dns_ask.h -- one question to the name servers, until one of them answers.
 *
 * A question goes round the servers, over TCP once an answer was truncated,
 * follows aliases, and ends with addresses, with a refusal of every server, or
 * when it is cancelled: it has no limit of its own.  Nothing is remembered.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_ASK_H
#define LUN_DNS_ASK_H

#include "base/log.h"
#include "format/dns_parse.h"
#include "net/loop.h"

typedef struct lun_dns_asker     lun_dns_asker;
typedef struct lun_dns_question  lun_dns_question;

/*
 * The answer: a response code of RFC 1035, 4.1.1, and for code 0 what was
 * found: maybe no address.  Comes from the loop, once; the question is gone.
 */
typedef void lun_dns_done_fn(void *data, unsigned rcode,
    const lun_dns_addrs *found);

/* The same of services: LUN_DNS_SRV. */
typedef void lun_dns_services_fn(void *data, unsigned rcode,
    const lun_dns_services *found);

/*
 * Copies the addresses; counts in those cells (dns_metrics.h).  Not for use in
 * another process (after a fork).
 */
lun_dns_asker *lun_dns_asker_new(lun_loop *loop, const lun_addr *servers,
    size_t count, const lun_log *log, uint32_t counts_at);

/* Questions that are open get no answer, but are to be cancelled yet. */
void lun_dns_asker_free(lun_dns_asker *asker);

/*
 * `name` as made by lun_dns_name(); LUN_DNS_A or LUN_DNS_AAAA.  `turn` says
 * which server is the first (any number).  With LUN_DNS_TXT no record is told:
 * found->alias is the name that has them, or would have if there were some,
 * over all aliases: the name itself where there are none.
 */
lun_dns_question *lun_dns_ask(lun_dns_asker *asker, const char *name,
    uint16_t type, size_t turn, lun_dns_done_fn *done, void *data);
lun_dns_question *lun_dns_ask_services(lun_dns_asker *asker, const char *name,
    size_t turn, lun_dns_services_fn *done, void *data);
void lun_dns_ask_cancel(lun_dns_question *q);

#endif

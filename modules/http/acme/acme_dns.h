/*
 * acme_dns.h -- dns-01: a record that shows that a name is ours, set and taken
 * back by who can: the server of its zone, or a hook of the user's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_DNS_H
#define LUN_ACME_DNS_H

#include "base/array.h"
#include "base/list.h"
#include "client/http_client.h"

/* The server of a zone. */
typedef struct {
    lun_str      host;
    uint16_t     port;
    const char  *zone;             /* in the form of lun_dns_name() */
    const char  *key;              /* same; NULL: nothing is signed */
    lun_str      secret;
    uint32_t     ttl;
} lun_acme_dns_zone;

/* Of an issuer. */
typedef struct {
    lun_array  zones;              /* of lun_acme_dns_zone */
    lun_str    hook;               /* a URL that is asked instead; or empty */
    int64_t    wait;               /* seconds until a record is everywhere */
} lun_acme_dns;

/* The most special one that the name is in; NULL: none. */
const lun_acme_dns_zone *lun_acme_dns_zone_of(const lun_acme_dns *dns,
    lun_str name);

/* What `key=` of dns_update means: "NAME:BASE64", or a file that tsig-keygen
   has written.  False: neither, or of another algorithm. */
bool lun_acme_dns_key(lun_pool *pool, lun_str text, lun_acme_dns_zone *zone);

/* --- who asks --- */

typedef struct {
    lun_loop         *loop;
    const lun_log    *log;
    lun_http_client  *client;      /* asks hooks */
    lun_resolver     *resolver;    /* where servers are, and aliases lead */
    lun_list          jobs;
} lun_acme_dns_asker;

typedef struct {
    const lun_acme_dns  *dns;
    lun_str              issuer;   /* its name, for a hook */
    lun_str              name;     /* a host, without a star */
    lun_str              authorization;
    bool                 remove;
    /* NULL: nobody wants to know.  `fault` is NULL if it is done. */
    void               (*done)(void *data, const char *fault);
    void                *data;
} lun_acme_dns_wish;

/* `resolver` NULL: the system's. */
void lun_acme_dns_asker_init(lun_acme_dns_asker *a, lun_pool *pool,
    lun_loop *loop, lun_resolver *resolver, const lun_log *log);

/*
 * All texts are copied; done() comes later, from the loop.  The server of a
 * zone is told where the record's aliases lead; a hook has the name as it is.
 * False: nobody can be asked.
 */
bool lun_acme_dns_ask(lun_acme_dns_asker *a, const lun_acme_dns_wish *w);

/* Nobody of that data wants to know any more. */
void lun_acme_dns_forget(lun_acme_dns_asker *a, const void *data);

/* All that is under way is given up. */
void lun_acme_dns_asker_end(lun_acme_dns_asker *a);

#endif

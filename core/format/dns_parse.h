/*
 * dns_parse.h -- DNS messages, RFC 1035.  Pure: no allocation, no state, and
 * not a byte is read outside of what is given.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_DNS_PARSE_H
#define LUN_FORMAT_DNS_PARSE_H

#include "format/addr.h"

enum {
    LUN_DNS_A     = 1,
    LUN_DNS_CNAME = 5,
    LUN_DNS_TXT   = 16,
    LUN_DNS_AAAA  = 28,
    LUN_DNS_SRV   = 33
};

enum {
    LUN_DNS_NAME  = 254,           /* as text, with its zero byte */
    LUN_DNS_QUERY = 12 + 255 + 4,  /* the largest query of ours */
    LUN_DNS_ADDRS = 64,            /* what is beyond is not looked at */
    LUN_DNS_SERVICES = 64          /* the same of SRV records */
};

/*
 * Puts the name in the one form that everything here uses: lower case, no dot
 * at the end, zero-terminated.  LUN_ERROR: DNS has no such names (an empty
 * label, more than 63 bytes in one, more than 253 in all).
 */
lun_rc lun_dns_name(lun_str text, char name[LUN_DNS_NAME]);

/* As it stands in a message, not compressed; returns the byte behind it. */
uint8_t *lun_dns_put_name(uint8_t *p, const char *name);

/* Writes a query (class IN, recursion desired); returns its length. */
size_t lun_dns_query(uint8_t query[LUN_DNS_QUERY], uint16_t id,
    const char *name, uint16_t type);

typedef struct {
    uint16_t   id;
    uint16_t   type;               /* of the question */
    unsigned   rcode;
    bool       truncated;
    char       name[LUN_DNS_NAME]; /* of the question */
    unsigned   records;            /* answers that are said to follow */
    size_t     records_at;         /* where */
} lun_dns_head;

/* LUN_ERROR: it is no response with exactly one question of class IN. */
lun_rc lun_dns_parse(const uint8_t *data, size_t len, lun_dns_head *head);

typedef struct {
    lun_addr   addrs[LUN_DNS_ADDRS];
    size_t     count;              /* of LUN_DNS_TXT: there are as many */
    uint32_t   ttl;                /* seconds: the least of what was used */
    char       alias[LUN_DNS_NAME];/* the name that has the addresses; "" if
                                      it is the name that was asked for */
} lun_dns_addrs;

/*
 * Takes the addresses of head's name and type from its answers, over aliases,
 * in whatever order the records come.  With count 0 and an alias the alias is
 * to be asked for.  LUN_ERROR: malformed.
 */
lun_rc lun_dns_addresses(const uint8_t *data, size_t len,
    const lun_dns_head *head, lun_dns_addrs *out);

/* An SRV record, RFC 2782: where a service is. */
typedef struct {
    char       name[LUN_DNS_NAME]; /* of the host */
    uint16_t   priority;           /* the least is asked first */
    uint16_t   weight;
    uint16_t   port;
} lun_dns_service;

typedef struct {
    lun_dns_service  services[LUN_DNS_SERVICES];
    size_t           count;
    uint32_t         ttl;          /* these as of lun_dns_addrs */
    char             alias[LUN_DNS_NAME];
} lun_dns_services;

/* The same for a question of type SRV; a service that is nowhere is none. */
lun_rc lun_dns_find_services(const uint8_t *data, size_t len,
    const lun_dns_head *head, lun_dns_services *out);

#endif

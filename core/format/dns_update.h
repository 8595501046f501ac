/*
 * dns_update.h -- one TXT record, set or taken back by a message to a server
 * of its zone (RFC 2136), signed with a key that both have (TSIG, RFC 8945,
 * hmac-sha256).  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DNS_UPDATE_H
#define LUN_DNS_UPDATE_H

#include "format/dns_parse.h"

enum {
    LUN_DNS_UPDATE = 1536,         /* the largest message of ours */
    LUN_DNS_TEXT = 255,            /* of a record */
    LUN_DNS_MAC = 32
};

/* Names are in the form of lun_dns_name(). */
typedef struct {
    const char  *zone;             /* whose server is asked */
    const char  *name;             /* in it */
    lun_str      text;             /* LUN_DNS_TEXT bytes at most */
    uint32_t     ttl;
    bool         remove;           /* that record, no other of the name */
    const char  *key;              /* its name; NULL: it is not signed */
    lun_str      secret;
    int64_t      now;              /* seconds since the epoch */
} lun_dns_update;

/* The message's length; `mac` is what its answer is signed with, too. */
size_t lun_dns_update_put(uint8_t out[LUN_DNS_UPDATE], uint16_t id,
    const lun_dns_update *u, uint8_t mac[LUN_DNS_MAC]);

/*
 * NULL: the answer says that it is done, and is the server's that has the key.
 * Else what is wrong, a constant: "REFUSED", "BADKEY", ...
 */
const char *lun_dns_update_fault(const uint8_t *data, size_t len, uint16_t id,
    const lun_dns_update *u, const uint8_t mac[LUN_DNS_MAC]);

#endif

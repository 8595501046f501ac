/*
 * acme_zone.h -- what all workers know of certificates that renew themselves:
 * a shared dictionary, which reloads keep and a killed worker does not hurt.
 *
 * Nothing in it is pushed out by anything else: where there is no room,
 * writing fails.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_ZONE_H
#define LUN_ACME_ZONE_H

#include "base/pool.h"
#include "shm/zone.h"

enum { LUN_ACME_ERROR = 256, LUN_ACME_ZONE_MIN = 32 * 1024 };
enum { LUN_ACME_TO_RENEW = 1, LUN_ACME_TO_REVOKE };

extern const lun_zone_kind  lun_acme_zone_kind;

/* What is known of a certificate; seconds since the epoch, 0: not known. */
typedef struct {
    int64_t   from, until;
    int64_t   next;                /* when something is to be done for it */
    int64_t   due;                 /* when it is to be renewed */
    int64_t   look;                /* when the authority is asked for that */
    int64_t   tried;               /* the last try's end */
    int64_t   warned;              /* when people were told that it expires */
    uint32_t  failures;            /* in a row */
    uint32_t  refusals;            /* ... of the authority's */
    uint32_t  issued;              /* how often */
    uint8_t   is_own;              /* signed by itself: nobody's yet */
    uint8_t   is_asked;            /* somebody has told us to do what */
    uint8_t   is_at_work;          /* an order is in hand */
    uint8_t   turn;                /* which of its issuers is to be asked */
    uint8_t   by;                  /* ... has given it */
    uint8_t   was_refused;         /* by one that was asked since the first */
    char      error[LUN_ACME_ERROR];       /* of the last try; "" */
} lun_acme_state;

/* A certificate's chain and its key, in the pool; *version rises with each. */
bool lun_acme_zone_pair(const lun_zone *zone, lun_str id, lun_pool *pool,
    lun_str *chain, lun_str *key, uint32_t *version);
/* Only the version; 0: there is none. */
uint32_t lun_acme_zone_version(const lun_zone *zone, lun_str id);
bool lun_acme_zone_put_pair(const lun_zone *zone, lun_str id, lun_str chain,
    lun_str key);

/* Zeroed if there is none. */
void lun_acme_zone_state(const lun_zone *zone, lun_str id,
    lun_acme_state *state);
bool lun_acme_zone_put_state(const lun_zone *zone, lun_str id,
    const lun_acme_state *state);

/* Texts by kind and name ("token", "name", "order", "account"); empty: gone. */
lun_str lun_acme_zone_text(const lun_zone *zone, const char *kind,
    lun_str name, lun_pool *pool);
bool lun_acme_zone_put_text(const lun_zone *zone, const char *kind,
    lun_str name, lun_str text, int64_t ttl_sec);

/* One more than before; 0: there is no room.  It begins anew after a while. */
int64_t lun_acme_zone_count(const lun_zone *zone, const char *kind,
    lun_str name, int64_t ttl_sec);

#endif

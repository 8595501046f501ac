/*
 * upstream_table.h -- the zone of upstreams: states of servers, and addresses
 * of names that are looked up while serving.  One lock, which is held while a
 * server is chosen or given back, and for everything here.
 *
 * A server finds its state by its name and its upstream's, a name its
 * addresses by its own and its upstream's, so that a reload changes nothing
 * for those that stay.  What no configuration has claimed for a while is
 * another's to take; so is the state of an address that its name has lost.
 *
 * Whoever is killed under the lock leaves numbers behind that are each right
 * or one off: whoever finds its word takes it, and goes on.  A list of
 * addresses that it was writing is empty, until the next one asks for them.
 * The requests that it had in hand are given back by the master.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_TABLE_H
#define LUN_UPSTREAM_TABLE_H

#include <stdatomic.h>

#include "session/upstream/round_robin.h"
#include "shm/zone.h"

enum {
    LUN_UPSTREAM_ADDRS = 128,      /* of a name, at most */
    LUN_UPSTREAM_ZONE = 32 * 1024  /* bytes, at least */
};

/* An address of a name; zeroed where it says nothing: it is compared whole. */
typedef struct {
    uint8_t   family;              /* lun_family */
    uint8_t   backup;              /* SRV: not of the first priority */
    uint16_t  port;                /* SRV */
    uint16_t  weight;              /* SRV */
    uint16_t  unused;
    uint8_t   ip[16];
} lun_upstream_found;

typedef struct {
    uint64_t            key;       /* 0: nobody's */
    uint64_t            stamp;     /* the last generation that claimed it */
    _Atomic uint64_t    version;   /* changes with the addresses */
    uint64_t            count;
    lun_upstream_found  addrs[LUN_UPSTREAM_ADDRS];
} lun_upstream_name;

typedef struct {
    uint64_t            key;       /* the same two */
    uint64_t            stamp;
    uint64_t            lost;      /* its address is its name's no more */
    lun_upstream_state  state;
} lun_upstream_slot;

typedef struct {
    lun_lock            lock;
    _Atomic uint64_t    waiters;   /* bits of workers (shm/mailbox.h) in which
                                      requests wait for a server */
    uint64_t            room;      /* slots */
    uint64_t            name_room;
    lun_upstream_name  *names;     /* behind the slots */
    lun_upstream_holds  holds;     /* behind those */
    lun_upstream_slot   slots[];   /* by key, open addressing */
} lun_upstream_table;

extern const lun_zone_kind  lun_upstream_zone_kind;

static inline lun_upstream_table *
lun_upstream_table_of(const lun_zone *zone)
{
    return zone->shm.addr;
}

/* --- for who holds the lock --- */

/*
 * Each server of the groups gets its state in the zone, and they its lock.
 * `owner` is whose they are ("http backend").  False: there was no room for
 * some, which keep the states that they have.
 */
bool lun_upstream_table_claim(lun_upstream_table *t, lun_str owner,
    lun_upstream_group *groups, uint64_t generation);

/* States of servers in `before` that are not in `now` may be others'. */
void lun_upstream_table_release(lun_upstream_group *before,
    lun_upstream_group *now);

/* The name of that key, a new one has no addresses.  NULL: no room. */
lun_upstream_name *lun_upstream_table_name(lun_upstream_table *t,
    uint64_t key, uint64_t generation);

/*
 * These are its addresses now (n <= LUN_UPSTREAM_ADDRS), in whatever order:
 * those that it has keep theirs.  False: nothing has changed.
 */
bool lun_upstream_table_write(lun_upstream_name *name,
    const lun_upstream_found *list, size_t n);

#endif

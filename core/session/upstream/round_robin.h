/*
 * round_robin.h -- the servers of an upstream as a method sees them, and the
 * smooth weighted round robin that every other method falls back to.
 *
 * What is said of a server in the configuration is the process's own; what
 * changes while it serves is a lun_upstream_state, which lies in a zone if the
 * upstream has one.  A group is the servers that are tried together: the
 * ordinary ones, and behind them the backups.
 *
 * A method's own data for a request begins with a lun_rr.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ROUND_ROBIN_H
#define LUN_ROUND_ROBIN_H

#include "session/upstream/balance.h"
#include "base/digest.h"
#include "os/lock.h"
#include "session/upstream/upstream_state.h"

typedef struct lun_upstream_group  lun_upstream_group;

typedef struct {
    const lun_addr                  *addr;
    lun_str                          name; /* "127.0.0.1:8080" */
    const lun_upstream_server_conf  *server;
    int64_t                          weight;
    int64_t                          max_conns;
    int64_t                          max_fails;
    int64_t                          fail_timeout;
    bool                             down;
    bool                             drain;
    lun_upstream_state              *state;
    lun_upstream_state              *own;  /* the process's, if that is not */
    uint32_t                         counts_at;  /* upstream_metrics.h */
    lun_str                          id;   /* lun_upstream_server_id()'s */
    char                             id_room[2 * LUN_MD5_SIZE];
} lun_upstream_server;

struct lun_upstream_group {
    lun_str               name;    /* the upstream's */
    lun_upstream_server  *peers;
    size_t                count;
    int64_t               total_weight;
    unsigned              tries;   /* those that any request may try */
    bool                  weighted;  /* their weights differ from 1 */
    bool                  single;  /* it is never given up */
    bool                  slow;    /* some come back slowly */
    void                 *data;    /* the method's: see `prepare` */
    lun_upstream_checks   checks;
    lun_lock             *lock;    /* of all states; NULL: nobody else's */
    const lun_upstream_holds  *holds;      /* with it: who has what of them */
    lun_upstream_group   *next;    /* the backups */
};

typedef struct lun_rr  lun_rr;
struct lun_rr {
    lun_upstream_group   *group;
    lun_upstream_server  *peer;    /* the one at hand */
    uint64_t             *tried;   /* a bit for each of the group */
    size_t                room;    /* bits */
    uint64_t              first_tried;  /* enough for most */
    unsigned              guesses; /* servers that were not usable */
    lun_msec              begun;   /* when that at hand was chosen */
    lun_upstream_hold    *hold;    /* of it; may be NULL */
    /* Its method's own place is the first again; NULL: it has none. */
    void                (*restart)(lun_rr *rr);
};

/* u->peers, made of u->servers; the first server's is the first peer. */
lun_rc lun_upstream_groups_new(lun_conf *cf, lun_upstream *u);
/*
 * The same of these n servers, which may be none: not u's, but like those;
 * their states are new ones.
 */
lun_upstream_group *lun_upstream_groups_of(lun_pool *pool,
    const lun_upstream *u, const lun_upstream_server_conf *s, size_t n);

/* u->peers, as they are now. */
lun_upstream_group *lun_upstream_peers(lun_upstream *u);

/* What clients know a server by: its `route`, or a digest of its address. */
lun_str lun_upstream_server_id(lun_upstream_server *p);

/* Begins like round robin; `rr` is the method's data for the request. */
void lun_rr_begin(lun_session *s, lun_upstream_group *group, lun_rr *rr,
    lun_balance *b);

/* As it was begun, with these: nothing was tried. */
void lun_rr_restart(lun_session *s, lun_rr *rr, lun_upstream_group *group);

/*
 * balance.c holds the lock while a method's get and put run: who comes to them
 * from elsewhere does so himself.
 */
static inline void
lun_upstream_server_lock(const lun_upstream_group *g)
{
    if (g->lock != NULL) {
        (void) lun_lock_take(g->lock);
    }
}

static inline void
lun_upstream_server_unlock(const lun_upstream_group *g)
{
    if (g->lock != NULL) {
        lun_lock_free(g->lock);
    }
}

/* What most methods have as b->put; and b->get when they give up. */
lun_balance_verdict lun_rr_get(lun_session *s, lun_balance *b);
void lun_rr_put(lun_session *s, lun_balance *b, unsigned outcome);

/*
 * Whether server i may be tried: it was not yet, is neither down nor busy
 * with max_conns requests, and has not failed too often lately.
 */
bool lun_rr_usable(const lun_rr *rr, size_t i);
/* The same for who has a session with it: `drain` does not count. */
bool lun_rr_usable_again(const lun_rr *rr, size_t i);

/* It is tried: b->addr and b->name are its. */
void lun_rr_choose(lun_rr *rr, size_t i, lun_balance *b);

/*
 * The server whose turn it is, of those that are usable and (may be NULL)
 * wanted; rr->group->count: there is none.
 */
typedef bool lun_rr_wanted_fn(const lun_upstream_server *peer,
    const void *data);
size_t lun_rr_turn(lun_rr *rr, lun_rr_wanted_fn *wanted, const void *data);

/* None of the group is left: on to the backups; false: "no live upstreams". */
bool lun_rr_next_group(lun_rr *rr, lun_balance *b);

/*
 * Methods that look for a server by a number give up after so many that are
 * not usable: the request then takes its turn.
 */
enum { LUN_RR_GUESSES = 20 };

/*
 * The server that the next number falls to, by their weights; one that is not
 * usable, or is `but`, costs a guess.  rr->group->count: no guess is left, or
 * there is nothing to choose.
 */
typedef uint64_t lun_rr_number_fn(lun_rr *rr);
size_t lun_rr_guess(lun_rr *rr, lun_rr_number_fn *next, size_t but);

/* A method's get: server i; the group's count: the request takes its turn. */
lun_balance_verdict lun_rr_get_at(lun_session *s, lun_balance *b, size_t i);

/* What is so unless a `server` line says otherwise. */
void lun_upstream_server_defaults(lun_upstream_server_conf *s);
/* Copies of the addresses, and their names; a zeroed one gets its defaults. */
void lun_upstream_server_addrs(lun_pool *pool, lun_upstream_server_conf *s,
    const lun_addr *addrs, size_t n);

#endif

/*
 * cache_priv.h -- what the rooms of a request's cache share: cache.c (looking
 * up, sending), cache_wait.c, cache_store.c, cache_vars.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHE_PRIV_H
#define LUN_HTTP_CACHE_PRIV_H

#include "http/cache/cache.h"
#include "http/cache/cached.h"
#include "http/upstream/upreq_hooks.h"

typedef enum {
    LUN_CACHE_MISS,
    LUN_CACHE_BYPASS,
    LUN_CACHE_EXPIRED,
    LUN_CACHE_STALE,
    LUN_CACHE_UPDATING,
    LUN_CACHE_REVALIDATED,
    LUN_CACHE_HIT
} lun_cache_status;

typedef struct lun_cache_store  lun_cache_store;
typedef struct lun_caching      lun_caching;

struct lun_caching {
    uint32_t               mark;       /* LUN_MARK_CACHING */
    lun_upreq             *x;
    const lun_cache_conf  *conf;
    const lun_cache       *cache;
    lun_cache_index       *index;

    lun_str                text;       /* of the key */
    lun_cache_key          main;
    lun_cache_key          key;        /* as main, or a variant's */
    uint64_t               family;     /* 0: not known */
    lun_cached            *found;      /* whatever its age; NULL: none */
    uint64_t               version;
    uint64_t               moment;     /* it began */
    lun_cache_status       status;
    struct lun_span       *span;       /* of a trace; or NULL */

    lun_verdict            verdict;    /* of `serve`, if it is a status */
    bool                   over;       /* there is one, not worth opening */
    bool                   cacheable;
    bool                   counted;    /* this request is, as a use */
    bool                   stale_updating, stale_error;    /* found may be */
    bool                   stored;
    uint32_t               ticket;     /* of an update; 0: none */

    /* Waiting for another's update. */
    lun_list               link;
    lun_timer              timer;
    lun_msec               wait_until; /* 0: has not waited */
    bool                   waits;
    bool                   gave_up;

    /* The answer's. */
    int64_t                valid;      /* until */
    int64_t                keep_updating, keep_error;
    uint16_t               error;      /* what stands for it until valid */
    lun_cache_store       *store;
};

/* ms since the epoch. */
static inline int64_t
lun_cache_now(void)
{
    return lun_clock.sec * 1000 + lun_clock.msec;
}

/* NULL: it uses no cache. */
lun_caching *lun_caching_of(lun_upreq *x);

/* The MD5 of what the request says in the fields that `vary` names. */
void lun_cache_variant(const lun_request *r, const lun_caching *c,
    lun_str vary, lun_cache_key *key);

/*
 * How long an answer with these headers is valid: c->valid and keep_...; by
 * its status if they do not say (0: then it is UNSAID).
 */
lun_cache_verdict lun_cache_age_of(lun_caching *c,
    const lun_header_list *list, unsigned status);

/* Of its hooks: the answer may be stored, so it has to be; and so on. */
void lun_cache_begin_store(lun_caching *c);
void lun_cache_store_bytes(lun_upreq *x, lun_str bytes);
void lun_cache_commit(lun_caching *c);

/* For the request's trace: it is looked for; v, which is returned, says what
   is done; it is over. */
void lun_cache_trace_begin(lun_caching *c);
lun_upreq_hook_verdict lun_cache_trace_decided(lun_caching *c,
    lun_upreq_hook_verdict v);
void lun_cache_trace_end(lun_caching *c);

/* Its status is what it is now: one more of these. */
void lun_cache_count(const lun_caching *c);
/* Its answer is stored, in a file of so many bytes. */
void lun_cache_count_stored(const lun_caching *c, int64_t bytes);
/* A cache is declared: cells for bytes, and its node. */
void lun_cache_want_bytes(lun_conf *cf, lun_cache *cache);

/* Cache-Status (RFC 9211), where NAME_cache_status_header wants it. */
void lun_cache_add_status(lun_upreq *x);

/* What was found has turned out to be right: so it stays, for longer. */
void lun_cache_refresh(lun_caching *c);

lun_upreq_hook_verdict lun_cache_look_up(lun_caching *c);

/*
 * What is not there.  GO_ON: this request asks a server; WAIT: another does,
 * and lun_cache_look_up() follows.
 */
lun_upreq_hook_verdict lun_cache_lock_key(lun_caching *c);
void lun_cache_stop_waiting(lun_caching *c);

/* NAME_cache_purge is true: what the request is answered with. */
lun_verdict lun_cache_purge(lun_caching *c);

/* Its update has ended: others may. */
void lun_cache_end_update(lun_caching *c);
/* Nothing came of that update: others may try.  *ticket becomes 0. */
void lun_cache_give_ticket(lun_cache_index *index, const lun_cache_key *key,
    uint32_t *ticket);

extern uint32_t  lun_cache_updates_at;     /* those in the background */

/* The file of such an entry goes; true: it was there. */
bool lun_cache_delete_file(const lun_cache *cache, const lun_cache_entry *e,
    lun_pool *temp, const lun_log *log);

/* Gives up what has been written. */
void lun_cache_drop_store(lun_caching *c);

#endif

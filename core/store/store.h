/*
 * store.h -- a server outside, Redis or Valkey, that has what several machines
 * share: who it is, and what of ours is in it.
 *
 * Nothing on a request's way waits for it.  One worker of a machine speaks for
 * all of them, by a duty: it tells what has changed here, and hears what has
 * changed elsewhere.  When it is away each machine goes on with what it has,
 * and afterwards they agree again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_H
#define LUN_STORE_H

#include <stdatomic.h>

#include "base/array.h"
#include "format/addr.h"
#include "net/duty.h"
#include "net/tls/tls.h"
#include "shm/shdict_feed.h"

typedef struct lun_store       lun_store;
typedef struct lun_store_zone  lun_store_zone;

/* "rediss://host:port/database", "unix:/path"; views. */
typedef struct {
    lun_str    text;
    lun_str    host;
    uint16_t   port;
    lun_addr   addr;               /* if .numeric: a unix socket, or numbers */
    int64_t    database;
    bool       numeric;
    bool       secure;
} lun_store_url;

/* NULL, or what is wrong with it. */
const char *lun_store_url_parse(lun_pool *pool, lun_str text,
    lun_store_url *url);

typedef enum {
    LUN_STORE_UNASKED,             /* no worker has begun to speak to it */
    LUN_STORE_AWAY,
    LUN_STORE_BEHIND,              /* it is there, and we catch up */
    LUN_STORE_UP
} lun_store_state;

extern const char *const  lun_store_states[];  /* "unasked", "away", ... */

/* In a zone: what the worker that speaks says to all. */
typedef struct {
    _Atomic uint32_t  state;
    _Atomic uint32_t  node;        /* our number; 0xffffffff: not yet known */
    _Atomic int64_t   since;       /* s since the epoch: of the state */
    _Atomic uint64_t  connects;    /* connections that stood */
    _Atomic uint64_t  failures;    /* that ended, or never stood */
} lun_store_shared;

extern const lun_zone_kind  lun_store_zone_kind;
enum { LUN_STORE_ZONE = 4096 };    /* bytes */

struct lun_store {
    lun_str         name;
    lun_array       urls;          /* of lun_store_url: asked in turn */
    lun_str         user, password;        /* "": nobody's */
    lun_str         prefix;        /* of all keys */
    lun_str         node;          /* who we are */
    lun_msec        interval;      /* changes are not older, when they leave,
                                      and when they arrive */
    lun_msec        connect_timeout, read_timeout;
    int64_t         log_length;    /* entries that a log keeps, about */
    size_t          value_most;    /* bytes of what it may say at once */
    SSL_CTX        *ctx;           /* of rediss; NULL: there is none */
    lun_str         tls_name;      /* "": the url's host */
    bool            verify;        /* its certificate */

    lun_array       zones;         /* of lun_store_zone * */
    lun_zone       *zone;          /* of a lun_store_shared */
    lun_duty       *duty;
    void           *asker;         /* store_fetch.c's: this worker's */
};

/* A dictionary that is in a store. */
struct lun_store_zone {
    lun_store   *store;
    const char  *what;
    lun_zone    *zone;
    lun_str      log, all, meta;   /* names of keys */
};

static inline lun_store_shared *
lun_store_shared_of(const lun_store *s)
{
    return s->zone->shm.addr;
}

/* While the configuration is read: `what` is its kind's word, "dict". */
void lun_store_sync(lun_pool *pool, lun_store *store, const char *what,
    lun_zone *zone);
/* When it is read: all that is in it gets its keys. */
void lun_store_settle(lun_pool *pool, lun_store *store);

/* The duty of speaking to it: the duty's data is the store. */
extern const lun_duty_kind  lun_store_speaker;

/* Lines in the log, for `-s dump`. */
void lun_store_dump(const lun_store *store, const lun_log *log);

#endif

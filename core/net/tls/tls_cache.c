/*
 * tls_cache.c -- TLS sessions in shared memory.
 *
 *     cache | sets of small slots | sets of large slots
 *
 * A session's id says which set it belongs to; there it takes the place of one
 * that has expired, or of the one that would do so first.  Nothing is linked
 * to anything else, so whatever a worker leaves half-written is mended by
 * forgetting everything: clients then make a full handshake.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_cache.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "os/clock.h"
#include "os/lock.h"


enum {
    WAYS     = 4,                  /* slots of a set */
    ID       = 32,
    SMALL    = 320,                /* bytes of a slot: without certificates */
    LARGE    = LUN_TLS_SESSION + 64,
    SHARE    = 4,                  /* one in so many bytes is for large ones */
    MIN_SIZE = 32768               /* 8 pages, as nginx wants */
};

typedef struct {
    int64_t   expires;             /* 0: empty */
    uint16_t  len;
    uint8_t   id_len;
    char      id[ID];
    char      data[];
} slot;

typedef struct {
    size_t    at;                  /* from the zone's start */
    size_t    sets;
    size_t    size;                /* of a slot */
} region;

typedef struct {
    lun_lock  lock;
    region    regions[2];
    size_t    size;                /* of all of it */
} cache;


/* --- the zone ------------------------------------------------------------ */

static size_t
lay_out(region *r, size_t at, size_t room, size_t size)
{
    r->at = at;
    r->size = size;
    r->sets = room / (size * WAYS);

    return at + r->sets * size * WAYS;
}


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    size_t   at = lun_align(sizeof(cache), 64);
    size_t   room = zone->size - at;
    cache   *c = zone->shm.addr;

    at = lay_out(&c->regions[0], at, room - room / SHARE, SMALL);
    (void) lay_out(&c->regions[1], at, room / SHARE, LARGE);
    c->size = zone->size;

    return LUN_OK;
}


static void
forget_all(cache *c)
{
    size_t  at = c->regions[0].at;

    memset((char *) c + at, 0, c->size - at);
}


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    cache  *c = zone->shm.addr;

    if (lun_lock_seize(&c->lock, pid)) {
        lun_log(LUN_LOG_NOTICE, log, 0, "SSL cache \"%.*s\" is "
                "emptied: process %" PRId64 " died while it wrote",
                LUN_S(zone->name), pid);
        forget_all(c);
    }
}


const lun_zone_kind  lun_tls_cache_kind = {
    .name     = "ssl_session_cache",
    .min_size = MIN_SIZE,
    .init     = init,
    .mend     = mend,
};


const lun_zone_kind  lun_tls_ocsp_kind = {
    .name     = "ssl_ocsp_cache",
    .min_size = MIN_SIZE,
    .init     = init,
    .mend     = mend,
};


/* --- finding ------------------------------------------------------------- */

static cache *
lock(const lun_zone *zone)
{
    cache  *c = zone->shm.addr;

    if (lun_lock_take(&c->lock) == LUN_LOCK_ORPHAN) {
        forget_all(c);
    }

    return c;
}


static slot *
set_of(cache *c, const region *r, lun_str id)
{
    size_t  n = (size_t) (lun_str_hash(id) % r->sets);

    return (slot *) (void *) ((char *) c + r->at + n * r->size * WAYS);
}


static slot *
next_slot(slot *s, const region *r)
{
    return (slot *) (void *) ((char *) s + r->size);
}


static slot *
find(cache *c, const region *r, lun_str id)
{
    int    i;
    slot  *s;

    if (r->sets == 0) {
        return NULL;
    }

    s = set_of(c, r, id);

    for (i = 0; i < WAYS; i++, s = next_slot(s, r)) {
        if (s->expires != 0 && s->id_len == id.len
            && memcmp(s->id, id.data, id.len) == 0)
        {
            return s;
        }
    }

    return NULL;
}


/* --- the calls ----------------------------------------------------------- */

/*
 * Sets of a few slots, as processors' caches have them: no list to walk or
 * repair if a worker dies here, and the one that ends first gives way.
 */
void
lun_tls_cache_put(const lun_zone *zone, lun_str id, lun_str session,
    int64_t expires)
{
    int      i;
    slot    *s, *best;
    cache   *c = zone->shm.addr;
    region  *r = &c->regions[session.len > SMALL - sizeof(slot)];

    if (id.len > ID || session.len > LUN_TLS_SESSION || r->sets == 0) {
        return;
    }

    c = lock(zone);
    best = find(c, r, id);

    if (best == NULL) {
        s = best = set_of(c, r, id);

        for (i = 1; i < WAYS; i++) {
            s = next_slot(s, r);
            best = s->expires < best->expires ? s : best;
        }
    }

    best->expires = expires;
    best->id_len = (uint8_t) id.len;
    best->len = (uint16_t) session.len;
    memcpy(best->id, id.data, id.len);
    memcpy(best->data, session.data, session.len);
    lun_lock_free(&c->lock);
}


/*
 * Copied under the lock; what has ended is left where it lies, for the next
 * that needs the slot.
 */
size_t
lun_tls_cache_get(const lun_zone *zone, lun_str id, int64_t now,
    char room[LUN_TLS_SESSION])
{
    slot    *s;
    size_t   len = 0;
    cache   *c;

    if (id.len > ID) {
        return 0;
    }

    c = lock(zone);
    s = find(c, &c->regions[0], id);

    if (s == NULL) {
        s = find(c, &c->regions[1], id);
    }

    if (s != NULL && s->expires > now) {
        len = s->len;
        memcpy(room, s->data, len);
    }

    lun_lock_free(&c->lock);
    return len;
}


void
lun_tls_cache_drop(const lun_zone *zone, lun_str id)
{
    int      i;
    slot    *s;
    cache   *c;

    if (id.len > ID) {
        return;
    }

    c = lock(zone);

    for (i = 0; i < 2; i++) {
        s = find(c, &c->regions[i], id);

        if (s != NULL) {
            s->expires = 0;
        }
    }

    lun_lock_free(&c->lock);
}


/* --- OpenSSL's side ------------------------------------------------------ */

static int
zone_index(void)
{
    static int  n = -1;

    if (n == -1) {
        n = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    }

    return n;
}


static lun_str
id_of(SSL_SESSION *session)
{
    unsigned              len;
    const unsigned char  *id = SSL_SESSION_get_id(session, &len);

    return lun_str_of((const char *) id, len);
}


int
lun_tls_cache_on_new(SSL *ssl, SSL_SESSION *session)
{
    int              len = i2d_SSL_SESSION(session, NULL);
    char             room[LUN_TLS_SESSION];
    unsigned char   *p = (unsigned char *) room;
    SSL_CTX         *ctx = lun_tls_session_ctx(ssl);
    const lun_zone  *zone = SSL_CTX_get_ex_data(ctx, zone_index());

    if (len > 0 && len <= LUN_TLS_SESSION && zone != NULL) {
        i2d_SSL_SESSION(session, &p);
        lun_tls_cache_put(zone, id_of(session),
                          lun_str_of(room, (size_t) len),
                          lun_clock.sec + SSL_CTX_get_timeout(ctx));
    }

    return 0;
}


SSL_SESSION *
lun_tls_cache_on_get(SSL *ssl, const unsigned char *id, int len, int *copy)
{
    char                  room[LUN_TLS_SESSION];
    size_t                size;
    const lun_zone       *zone;
    const unsigned char  *p = (const unsigned char *) room;

    *copy = 0;
    zone = SSL_CTX_get_ex_data(lun_tls_session_ctx(ssl), zone_index());

    if (zone == NULL) {
        return NULL;
    }

    size = lun_tls_cache_get(zone, lun_str_of((const char *) id,
                                              (size_t) len),
                             lun_clock.sec, room);
    ERR_clear_error();
    return size != 0 ? d2i_SSL_SESSION(NULL, &p, (int) size) : NULL;
}


static void
on_remove(SSL_CTX *ctx, SSL_SESSION *session)
{
    const lun_zone  *zone = SSL_CTX_get_ex_data(ctx, zone_index());

    if (zone != NULL && zone->shm.addr != NULL) {
        lun_tls_cache_drop(zone, id_of(session));
    }
}


void
lun_tls_cache_use(SSL_CTX *ctx, const lun_zone *zone, bool builtin)
{
    SSL_CTX_set_ex_data(ctx, zone_index(), (void *) (uintptr_t) zone);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER
        | (builtin ? 0 : SSL_SESS_CACHE_NO_INTERNAL));
    SSL_CTX_sess_set_new_cb(ctx, lun_tls_cache_on_new);
    SSL_CTX_sess_set_get_cb(ctx, lun_tls_cache_on_get);
    SSL_CTX_sess_set_remove_cb(ctx, on_remove);
}

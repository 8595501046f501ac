/*
 * ssl_keyring.c -- keys of tickets, where no ssl_session_ticket_key gives any:
 * in a zone, so that a client may come back to another worker, or after a
 * reload.
 *
 * The first key makes tickets for as long as a session lasts, ssl_session_
 * timeout; then it opens them for as long again, and is forgotten.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include "os/clock.h"
#include "os/lock.h"
#include "os/random.h"


enum { ROOM = 4096 };

/* Whoever dies in here leaves keys that nobody can guess, old or new. */
typedef struct {
    lun_lock  lock;
    int64_t   expires;             /* s: then the first key makes no more */
    char      keys[LUN_SSL_RING_KEYS][LUN_SSL_TICKET_KEY];
} keyring;


static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    keyring  *ring = zone->shm.addr;

    lun_random_bytes(ring->keys, sizeof(ring->keys));
    return LUN_OK;
}


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    keyring  *ring = zone->shm.addr;

    (void) lun_lock_seize(&ring->lock, pid);
}


static const lun_zone_kind  kind = {
    .name     = "ssl_session_tickets",
    .min_size = ROOM,
    .init     = init,
    .mend     = mend,
};


/* All contexts share it; the longest of their sessions counts. */
lun_zone *
lun_ssl_want_keyring(lun_conf *cf, int64_t timeout)
{
    int64_t     *period;
    lun_zone    *zone;
    const char  *why;

    /* A blank, which no name in a configuration has by accident. */
    zone = lun_zone_want(cf->gen->zones, LUN_STR("ssl session tickets"), ROOM,
                         &kind, &why);

    if (zone == NULL) {
        (void) lun_conf_fail(cf, "%s", why);
        return NULL;
    }

    if (zone->data == NULL) {
        zone->data = lun_pool_new(cf->pool, int64_t);
    }

    period = zone->data;
    *period = lun_max(*period, timeout);
    return zone;
}


static void
turn(keyring *ring, int64_t period)
{
    if (lun_clock.sec < ring->expires + period) {
        memcpy(ring->keys[1], ring->keys[0], LUN_SSL_TICKET_KEY);

    } else {
        lun_random_bytes(ring->keys[1], LUN_SSL_TICKET_KEY);
    }

    lun_random_bytes(ring->keys[0], LUN_SSL_TICKET_KEY);
    ring->expires = lun_clock.sec + period;
}


void
lun_ssl_keyring_get(const lun_zone *zone,
    char keys[LUN_SSL_RING_KEYS][LUN_SSL_TICKET_KEY])
{
    keyring        *ring = zone->shm.addr;
    const int64_t  *period = zone->data;

    (void) lun_lock_take(&ring->lock);

    /* Further away than a period: the clock was set back. */
    if (lun_clock.sec >= ring->expires
        || ring->expires - lun_clock.sec > *period)
    {
        turn(ring, *period);
    }

    memcpy(keys, ring->keys, sizeof(ring->keys));
    lun_lock_free(&ring->lock);
}

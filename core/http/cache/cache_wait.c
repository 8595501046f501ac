/*
 * cache_wait.c -- NAME_cache_lock: of those who ask for what is not there, one
 * fetches it, and others wait until it is; in whatever worker they are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "http/cache/cache_priv.h"
#include "http/engine.h"
#include "shm/mailbox.h"


enum { LOOK_AGAIN = 500 };         /* ms: nobody says that a worker has died */

/* This worker's requests that wait for an update. */
static lun_list  waiting;


/* --- waiting -------------------------------------------------------------- */

static void  look_again(lun_caching *c);


static void
on_timer(lun_timer *timer)
{
    lun_caching  *c = lun_container_of(timer, lun_caching, timer);

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    LUN_CHECK(c->waits);

    lun_list_remove(&c->link);
    look_again(c);
}


static void
wait_on(lun_caching *c)
{
    lun_msec  left = c->wait_until - lun_clock.mono;

    LUN_CHECK(!c->waits);

    c->waits = true;
    lun_list_push_back(&waiting, &c->link);
    lun_timer_start(c->x->r->conn->loop, &c->timer,
                    lun_min(left, (lun_msec) LOOK_AGAIN), on_timer);
}


void
lun_cache_stop_waiting(lun_caching *c)
{
    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    if (c->waits) {
        c->waits = false;
        lun_list_remove(&c->link);
        lun_timer_stop(&c->timer);
    }
}


/*
 * The fetch is over, or takes too long: in the latter case this request asks
 * the server itself, and what it gets is not kept (proxy_cache_lock_timeout).
 */
static void
look_again(lun_caching *c)
{
    lun_upreq               *x = c->x;
    lun_request             *r = x->r;
    lun_upreq_hook_verdict   v;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    LUN_CHECK(c->waits);

    c->waits = false;
    lun_timer_stop(&c->timer);

    if (lun_clock.mono < c->wait_until
        && lun_cache_index_busy(c->index, &c->key, lun_clock.mono,
                                lun_mailbox_bit()))
    {
        wait_on(c);
        return;
    }

    if (lun_clock.mono >= c->wait_until) {
        lun_log(LUN_LOG_INFO, r->log, 0, "cache lock timeout");
        c->gave_up = true;
    }

    lun_http_get(r);
    v = lun_cache_trace_decided(c, lun_cache_look_up(c));

    if (v != LUN_UPREQ_WAIT) {
        lun_upreq_resume(x, v);
    }

    lun_http_put(r);
}


/*
 * A ticket is a turn to fetch; it ends by itself after proxy_cache_lock_age, so
 * a worker that died holds up nobody for longer.
 */
lun_upreq_hook_verdict
lun_cache_lock_key(lun_caching *c)
{
    lun_msec  now = lun_clock.mono;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    if (!c->conf->lock || !c->cacheable) {
        return LUN_UPREQ_GO_ON;
    }

    if (!c->gave_up) {
        c->ticket = lun_cache_index_begin(c->index, &c->key, now,
                                          now + c->conf->lock_age,
                                          lun_mailbox_bit());
        if (c->ticket != 0) {
            return LUN_UPREQ_GO_ON;
        }
    }

    if (c->gave_up || c->conf->lock_timeout == 0) {
        c->cacheable = false;
        return LUN_UPREQ_GO_ON;
    }

    if (c->wait_until == 0) {
        c->wait_until = now + c->conf->lock_timeout;
    }

    wait_on(c);
    return LUN_UPREQ_WAIT;
}


/* --- waking -------------------------------------------------------------- */

/* Others of the same key may be among them; each looks for itself. */
static void
on_woken(void *none, lun_str text)
{
    lun_list     all;
    lun_caching  *c;

    if (waiting.next == NULL || lun_list_empty(&waiting)) {
        return;
    }

    /* Who waits again is put into `waiting`, and not looked at twice. */
    all = waiting;
    all.next->prev = &all;
    all.prev->next = &all;
    lun_list_init(&waiting);

    while (!lun_list_empty(&all)) {
        c = lun_container_of(all.next, lun_caching, link);
        lun_list_remove(&c->link);
        look_again(c);
    }
}


void
lun_cache_listen(void)
{
    if (waiting.next == NULL) {
        lun_list_init(&waiting);
    }

    lun_mailbox_on(LUN_LETTER_CACHE, on_woken, NULL);
}


void
lun_cache_give_ticket(lun_cache_index *index, const lun_cache_key *key,
    uint32_t *ticket)
{
    uint64_t  waiters;

    if (*ticket != 0) {
        waiters = lun_cache_index_failed(index, key, *ticket, 0, 0);
        *ticket = 0;
        lun_mailbox_ring_bits(waiters, LUN_LETTER_CACHE);
    }
}


void
lun_cache_end_update(lun_caching *c)
{
    uint64_t  waiters;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    if (c->ticket == 0 && c->error == 0) {
        return;
    }

    waiters = lun_cache_index_failed(c->index, &c->key, c->ticket, c->error,
                                     c->valid);
    c->ticket = 0;
    c->error = 0;
    lun_mailbox_ring_bits(waiters, LUN_LETTER_CACHE);
}

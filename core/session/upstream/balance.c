/*
 * balance.c -- a request begins with an upstream: its method, the lock of
 * servers that all workers share around that, who was where before around
 * both, then who waits, and whatever keeps idle connections around all.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/balance.h"

#include "base/check.h"
#include "session/upstream/round_robin.h"


static lun_balance_verdict
get_locked(lun_session *s, lun_balance *b)
{
    lun_balance_verdict  verdict;

    LUN_CHECK(b->shared != NULL && b->get_shared != NULL);

    lun_upstream_server_lock(b->shared);
    verdict = b->get_shared(s, b);
    lun_upstream_server_unlock(b->shared);

    return verdict;
}


static void
put_locked(lun_session *s, lun_balance *b, unsigned outcome)
{
    LUN_CHECK(b->shared != NULL && b->put_shared != NULL);

    lun_upstream_server_lock(b->shared);
    b->put_shared(s, b, outcome);
    lun_upstream_server_unlock(b->shared);
}


/*
 * Each layer puts itself in front of what the one before has set (get, put):
 * the lock around the method, stickiness around both, the queue around these,
 * and kept connections outermost.
 */
lun_rc
lun_balance_begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    LUN_CHECK(u != NULL);

    lun_session_check(s);

    if (u->same != NULL) {
        u = u->same;
    }

    b->upstream = u;

    if (u->refresh != NULL) {
        u->refresh(u, s->pool);
    }

    if (u->method->begin(s, u, b) != LUN_OK) {
        return LUN_ERROR;
    }

    if (u->peers != NULL && u->peers->lock != NULL
        && !(u->method->takes & LUN_SERVER_FOREIGN))
    {
        b->shared = u->peers;
        b->get_shared = b->get;
        b->put_shared = b->put;
        b->get = get_locked;
        b->put = put_locked;
    }

    if (u->sticky != NULL && u->sticky->begin(s, u, b) != LUN_OK) {
        return LUN_ERROR;
    }

    if (u->queue != NULL && u->queue->begin(s, u, b) != LUN_OK) {
        return LUN_ERROR;
    }

    return u->keepalive != NULL ? u->keepalive->begin(s, u, b) : LUN_OK;
}

/*
 * upstream_questions.c -- one worker of a generation asks for the names of an
 * upstream, whenever an answer's time is over, and writes the addresses into
 * the zone.
 *
 * Names that cannot be asked for keep what they had; those that do not exist,
 * or have no address, have none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_names_priv.h"

#include "os/lock.h"
#include "session/engine.h"


enum {
    LEAST_WAIT = 1000,             /* ms until it is asked again */
    NONE_WAIT = 10000              /* ... if there was no address */
};


/* --- asking -------------------------------------------------------------- */

static void  on_due(lun_timer *timer);


static void
ask_again(lun_upstream_question *q, lun_msec wait)
{
    q->timer.idle = true;
    lun_timer_start(q->names->engine->gen->loop, &q->timer,
                    lun_max(wait, LEAST_WAIT), on_due);
}


static void
log_failure(const lun_upstream_question *q, lun_resolve_verdict verdict)
{
    lun_log(LUN_LOG_ERR, &q->names->engine->gen->log, 0, "%.*s could not be "
            "resolved (%d: %s), upstream: \"%.*s\"",
            LUN_S(q->service.len != 0 ? q->service : q->host), (int) verdict,
            lun_resolve_text(verdict), LUN_S(q->names->upstream->name));
}


static void
take_answer(lun_upstream_question *q, lun_resolve_verdict verdict,
    const lun_upstream_found *list, size_t count, lun_msec good_for)
{
    bool      changed;
    lun_upstream_names    *n = q->names;
    int64_t   valid = n->servers->options.valid;

    if (verdict != LUN_RESOLVED) {
        log_failure(q, verdict);
        good_for = valid > 0 ? (lun_msec) valid * 1000 : NONE_WAIT;
    }

    if (verdict != LUN_RESOLVED && verdict != LUN_RESOLVE_NXDOMAIN
        && verdict != LUN_RESOLVE_FORMERR)
    {
        ask_again(q, n->timeout);  /* it may still be where it was */
        return;
    }

    (void) lun_lock_take(&n->table->lock);
    changed = q->found->key == q->key
              && lun_upstream_table_write(q->found, list, count);
    lun_lock_free(&n->table->lock);

    if (changed) {
        lun_upstream_names_refresh(n->upstream, NULL);
    }

    ask_again(q, good_for);
}


static lun_upstream_found
found_of(const lun_addr *addr)
{
    lun_upstream_found  f = { .family = (uint8_t) addr->family };

    memcpy(f.ip, addr->ip, addr->family == LUN_AF_INET ? 4 : 16);
    return f;
}


static void
on_addrs(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    size_t              i;
    lun_upstream_question           *q = data;
    lun_resolver       *r;
    lun_upstream_found  list[LUN_UPSTREAM_ADDRS];

    q->query = NULL;
    count = lun_min(count, (size_t) LUN_UPSTREAM_ADDRS);

    for (i = 0; i < count; i++) {
        list[i] = found_of(&addrs[i]);
    }

    r = lun_name_servers_resolver(q->names->engine, q->names->servers);
    take_answer(q, verdict, list, count, lun_resolve_good_for(r));
}


static void
on_services(void *data, lun_resolve_verdict verdict,
    const lun_srv_addr *addrs, size_t count, lun_msec good_for)
{
    size_t              i;
    uint16_t            first = UINT16_MAX;
    lun_upstream_question           *q = data;
    lun_upstream_found  list[LUN_UPSTREAM_ADDRS];

    q->srv = NULL;
    count = lun_min(count, (size_t) LUN_UPSTREAM_ADDRS);

    for (i = 0; i < count; i++) {
        first = lun_min(first, addrs[i].priority);
    }

    for (i = 0; i < count; i++) {
        list[i] = found_of(&addrs[i].addr);
        list[i].port = addrs[i].addr.port;
        list[i].weight = addrs[i].weight;
        list[i].backup = addrs[i].priority != first;
    }

    take_answer(q, verdict, list, count, good_for);
}


static void
on_due(lun_timer *timer)
{
    lun_resolver           *r;
    lun_upstream_names     *n;
    lun_upstream_question  *q = lun_container_of(timer, lun_upstream_question,
                                                 timer);

    n = q->names;
    r = lun_name_servers_resolver(n->engine, n->servers);

    /* What is known is answered before these return, and NULL. */
    if (q->service.len != 0) {
        q->srv = lun_srv_resolve(r, q->service, on_services, q);

        if (q->srv != NULL) {
            lun_srv_limit(q->srv, n->timeout);
        }

    } else {
        q->query = lun_resolve(r, q->host, 0, on_addrs, q);

        if (q->query != NULL) {
            lun_resolve_limit(q->query, n->timeout);
            lun_resolve_be_idle(q->query);
        }
    }
}


static void
stop(lun_upstream_question *q)
{
    lun_timer_stop(&q->timer);

    if (q->query != NULL) {
        lun_resolve_cancel(q->query);
        q->query = NULL;
    }

    if (q->srv != NULL) {
        lun_srv_cancel(q->srv);
        q->srv = NULL;
    }
}


static void
begin_asking(lun_duty *d)
{
    size_t   i;
    lun_upstream_names   *n = d->data;

    n->asks = n->table != NULL;

    for (i = 0; n->asks && i < n->count; i++) {
        n->questions[i].timer.idle = true;
        lun_timer_start(d->loop, &n->questions[i].timer, 0, on_due);
    }
}


static void
end_asking(lun_duty *d)
{
    size_t   i;
    lun_upstream_names   *n = d->data;

    n->asks = false;               /* another one's list may be newer */

    for (i = 0; i < n->count; i++) {
        stop(&n->questions[i]);
    }
}


const lun_duty_kind  lun_upstream_asking = {
    .name = "names of upstream",
    .of_generation = true,
    .begin = begin_asking,
    .end = end_asking,
};

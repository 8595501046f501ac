/*
 * upstream_queue.c -- queue number [timeout=time]: requests wait for a server
 * when none can be chosen, each worker's in their order.
 *
 *     upstream backend { server 10.0.0.1 max_conns=100; queue 500; }
 *
 * A request that was given back makes room for the first of those who wait: in
 * this worker, and in those that have left their bit in the upstream's zone.
 * Nobody hears of time that passes over a failure: so the first looks again now
 * and then.  Only a request that has tried no server waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/list.h"
#include "modules/common/upstream/upstream_table.h"
#include "net/timer.h"
#include "os/clock.h"
#include "session/upstream/round_robin.h"
#include "shm/mailbox.h"


enum {
    LOOK_AGAIN = 100,              /* ms */
    USUAL_TIMEOUT = 60000          /* ms */
};

/* Of a block, in each worker. */
typedef struct {
    lun_upstream    *upstream;
    lun_generation  *gen;
    uint64_t         most;
    lun_msec         timeout;
    uint64_t         count;
    lun_list         link;         /* in `waited_for`, while some wait */
    lun_list         waiting;
    lun_timer        look;
    lun_timer        now;
    uint64_t         turn;         /* the bit of whom a server was last for */
    bool             put_back;     /* the one that was served waits on */
} queue;

/* A request's. */
typedef struct {
    lun_list               link;   /* in q->waiting, while it waits */
    queue                 *q;
    lun_balance           *balance;
    lun_upstream_group    *group;  /* that it began with */
    lun_balance_verdict  (*get)(lun_session *s, lun_balance *b);
    void                 (*put)(lun_session *s, lun_balance *b,
                             unsigned outcome);
    lun_msec               since;
    bool                   called; /* its turn has come */
    bool                   late;
    bool                   tried;  /* it had a server */
} waiter;


/* Of this process: those in which requests wait. */
static lun_list  waited_for = { &waited_for, &waited_for };


/* --- who waits ----------------------------------------------------------- */

static void  on_look(lun_timer *timer);
static void  on_now(lun_timer *timer);


/* Bits of the workers in which requests wait; NULL: nobody shares servers. */
static _Atomic uint64_t *
waiters_of(const queue *q)
{
    const lun_zone  *zone = q->upstream->zone;

    return zone != NULL && zone->shm.addr != NULL
           ? &lun_upstream_table_of(zone)->waiters : NULL;
}


/* Before each look: what comes after it is heard of. */
static void
leave_bit(const queue *q)
{
    _Atomic uint64_t  *waiters = waiters_of(q);

    if (waiters != NULL) {
        (void) atomic_fetch_or(waiters, lun_mailbox_bit());
    }
}


static void
take_bit_back(const queue *q)
{
    _Atomic uint64_t  *waiters = waiters_of(q);

    if (waiters != NULL) {
        (void) atomic_fetch_and(waiters, ~lun_mailbox_bit());
    }
}


/* One has room: the workers take turns, this one among them. */
static void
call_next(queue *q)
{
    bool               ours = !lun_list_empty(&q->waiting);
    uint64_t           bits, own = lun_mailbox_bit();
    _Atomic uint64_t  *waiters = waiters_of(q);

    bits = waiters != NULL ? atomic_load(waiters) & ~own : 0;
    bits |= ours ? own : 0;

    if (bits == 0) {
        if (ours) {                /* it has no row */
            lun_timer_start(q->gen->loop, &q->now, 0, on_now);
        }

        return;
    }

    /* The next above the last one, or the first of all. */
    q->turn = bits & ~(q->turn | (q->turn - 1));
    q->turn = q->turn != 0 ? q->turn : bits;
    q->turn &= -q->turn;

    if (q->turn == own) {
        lun_timer_start(q->gen->loop, &q->now, 0, on_now);
        return;
    }

    (void) atomic_fetch_and(waiters, ~q->turn);
    lun_mailbox_ring_bits(q->turn, LUN_LETTER_SERVER);
}


static waiter *
first_of(const queue *q)
{
    return lun_list_empty(&q->waiting)
           ? NULL : lun_container_of(q->waiting.next, waiter, link);
}


static void
enter(waiter *w)
{
    queue  *q = w->q;

    if (w->called) {
        lun_list_push_front(&q->waiting, &w->link);
        q->put_back = true;

    } else {
        w->since = lun_clock.mono;
        lun_list_push_back(&q->waiting, &w->link);
    }

    if (q->count++ == 0) {
        lun_list_push_back(&waited_for, &q->link);
        lun_timer_start(q->gen->loop, &q->look, LOOK_AGAIN, on_look);
    }

    if (!w->called && q->count == 1) {
        leave_bit(q);
        lun_timer_start(q->gen->loop, &q->now, 0, on_now);
    }

    w->called = false;
}


static void
leave(waiter *w)
{
    queue  *q = w->q;

    lun_list_remove(&w->link);
    lun_list_init(&w->link);

    if (--q->count == 0) {
        lun_list_remove(&q->link);
        lun_timer_stop(&q->look);
        take_bit_back(q);
    }
}


/* Servers for those who wait, until one finds none. */
static void
serve(queue *q)
{
    waiter  *w;

    if (!lun_list_empty(&q->waiting)) {
        leave_bit(q);
    }

    for (q->put_back = false; !q->put_back && (w = first_of(q)) != NULL; ) {
        w->called = true;
        w->late = lun_clock.mono - w->since >= q->timeout;
        leave(w);

        /* Its request may be over when this returns. */
        w->balance->ready(w->balance);
    }
}


static void
on_look(lun_timer *timer)
{
    queue  *q = lun_container_of(timer, queue, look);

    serve(q);

    if (!lun_list_empty(&q->waiting)) {
        lun_timer_start(q->gen->loop, &q->look, LOOK_AGAIN, on_look);
    }
}


static void
on_now(lun_timer *timer)
{
    serve(lun_container_of(timer, queue, now));
}


/* Soon: requests that go on may change the list. */
static void
on_rung(void *none, lun_str text)
{
    queue  *q;

    lun_list_each (&waited_for, it) {
        q = lun_container_of(it, queue, link);
        lun_timer_start(q->gen->loop, &q->now, 0, on_now);
    }
}


/* --- around the method --------------------------------------------------- */

/* What is asked again is asked of the servers of now. */
static void
restart(lun_session *s, lun_balance *b, waiter *w)
{
    lun_upstream  *u = w->q->upstream;

    if (lun_upstream_peers(u) != w->group) {
        if (u->refresh != NULL) {
            u->refresh(u, s->pool);
        }

        w->group = u->peers;
        b->tries = lun_max(b->tries, 1U);
    }

    lun_rr_restart(s, b->data, w->group);
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    waiter               *w = b->queue_state;
    queue                *q = w->q;
    lun_balance_verdict   verdict = LUN_BALANCE_NONE;

    b->name = q->upstream->name;

    if (w->late) {
        return LUN_BALANCE_NONE;
    }

    if (w->called) {
        restart(s, b, w);
    }

    /* Nobody overtakes those who wait. */
    if (w->called || w->tried || lun_list_empty(&q->waiting)) {
        verdict = w->get(s, b);
    }

    w->tried |= verdict == LUN_BALANCE_OK;

    if (verdict != LUN_BALANCE_NONE || w->tried
        || (!w->called && q->count >= q->most))
    {
        w->called = false;
        return verdict;
    }

    enter(w);
    return LUN_BALANCE_WAIT;
}


static void
put(lun_session *s, lun_balance *b, unsigned outcome)
{
    waiter  *w = b->queue_state;

    w->put(s, b, outcome);

    call_next(w->q);
}


static void
cancel(lun_session *s, lun_balance *b)
{
    leave(b->queue_state);
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    waiter  *w = lun_pool_new(s->pool, waiter);

    w->q = u->queue_data;
    w->balance = b;
    w->group = u->peers;
    w->get = b->get;
    w->put = b->put;
    lun_list_init(&w->link);

    b->queue_state = w;
    b->get = get;
    b->put = put;
    b->cancel = cancel;

    return LUN_OK;
}


/* --- the directive ------------------------------------------------------- */

static const lun_balancer  queue_balancer = {
    .name = "queue",
    .begin = begin,
};


static lun_rc
on_start(lun_generation *gen, void *data)
{
    lun_mailbox_on(LUN_LETTER_SERVER, on_rung, NULL);
    return LUN_OK;
}


static lun_rc
on_exit(lun_generation *gen, void *data)
{
    queue  *q = data;

    lun_timer_stop(&q->look);
    lun_timer_stop(&q->now);

    return LUN_OK;
}


/* Plus' directive: a request that finds no server waits, instead of 502. */
static lun_rc
set_queue(lun_conf *cf, const lun_directive *d, void *conf)
{
    queue         *q = lun_pool_new(cf->pool, queue);
    lun_str        value;
    lun_str        word = cf->argc == 3 ? cf->args[2] : LUN_STR("");
    lun_upstream  *u = lun_upstream_current(cf);

    q->upstream = u;
    q->gen = cf->gen;
    q->timeout = USUAL_TIMEOUT;
    lun_list_init(&q->waiting);

    if (lun_str_to_u64(cf->args[1], &q->most) != LUN_OK || q->most == 0
        || q->most > INT32_MAX)
    {
        return lun_conf_fail(cf, "invalid value \"%.*s\" in \"%.*s\" "
                             "directive", LUN_S(cf->args[1]),
                             LUN_S(cf->args[0]));
    }

    if (word.len != 0
        && (!lun_str_after(word, LUN_STR("timeout="), &value)
            || lun_str_to_msec(value, &q->timeout) != LUN_OK))
    {
        return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
    }

    u->queue = &queue_balancer;
    u->queue_data = q;
    lun_gen_add_hook(cf->gen, &cf->gen->on_start, on_start, q);
    lun_gen_add_hook(cf->gen, &cf->gen->on_exit, on_exit, q);

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "queue", .where = LUN_UPSTREAM, .args = 1, .args_max = 2,
      .set = set_queue,
      .values = "number [timeout=time]",
      .help = "requests that wait for a server, and how long" },
    { 0 }
};

lun_module  lun_common_upstream_queue = {
    .name = "upstream_queue",
    .directives = directives,
};

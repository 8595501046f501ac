/*
 * conn_idle.c -- all connections of a loop: how many there are, which of
 * them nobody would miss, and those that make room for others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn.h"

#include "base/check.h"
#include "net/conn_metrics.h"
#include "net/conn_priv.h"
#include "os/proc.h"


enum {
    MANY     = 1000,               /* connections: worth giving memory back */
    TRIM_FOR = 4,                  /* when so small a part of them is left */
    SETTLE   = 1000                /* ms, for the others to go as well */
};


/* A served one is idle, and does not wait. */
static void
count_waiting(lun_conn *c, bool waits)
{
    bool  waited = c->idle && !c->served;

    lun_metric_add(lun_conn_states_at + LUN_CONN_WAITING,
                   (uint64_t) waits - waited);
    c->served = false;
}


/* --- for conn.c ---------------------------------------------------------- */

void
lun_conn_enlist(lun_conn *c)
{
    lun_loop_conns  *all = &c->loop->conns;

    lun_list_push_back(&all->busy, &c->link);
    all->count++;
    all->open_count++;
    all->most = lun_max(all->most, all->count);
}


void
lun_conn_delist(lun_conn *c)
{
    lun_loop_conns  *all = &c->loop->conns;

    LUN_CHECK(all->open_count > 0);

    all->open_count--;
    all->idle_count -= c->idle;
    all->pooled_count -= c->pooled;
    count_waiting(c, false);
    lun_metric_sub(lun_conn_pooled_at, c->pooled);
    lun_metric_sub(lun_conn_states_at + LUN_CONN_ACTIVE, c->counted);
    c->counted = false;
    c->idle = false;
    c->pooled = false;
    lun_list_remove(&c->link);
}


static void
on_trim(lun_timer *timer)
{
    lun_loop_conns  *all = lun_container_of(timer, lun_loop_conns, trim);

    all->most = all->count;
    (void) lun_proc_trim();
}


/* An attack of thousands of handshakes would have left all of its memory. */
static LUN_NOINLINE void
give_back_soon(lun_loop *loop)
{
    lun_loop_conns  *all = &loop->conns;

    if (!lun_timer_runs(&all->trim)) {
        all->trim.idle = true;
        lun_timer_start(loop, &all->trim, SETTLE, on_trim);
    }
}


void
lun_conn_count_client(lun_conn *c)
{
    c->counted = true;
    lun_metric_add(lun_conn_handled_at, 1);
    lun_metric_add(lun_conn_states_at + LUN_CONN_ACTIVE, 1);
}


void
lun_conn_forget(lun_loop *loop)
{
    lun_loop_conns  *all = &loop->conns;

    all->count--;

    if (all->most >= MANY && all->count <= all->most / TRIM_FOR) {
        give_back_soon(loop);
    }
}


void
lun_conn_less(lun_loop *loop)
{
    if (loop->conns.on_less != NULL) {
        loop->conns.on_less(loop->conns.less_data);
    }
}


/* --- how many ------------------------------------------------------------ */

size_t
lun_conn_count(const lun_loop *loop)
{
    return loop->conns.count;
}


size_t
lun_conn_open_count(const lun_loop *loop)
{
    return loop->conns.open_count;
}


size_t
lun_conn_busy_count(const lun_loop *loop)
{
    const lun_loop_conns  *all = &loop->conns;

    return all->open_count - all->idle_count - all->pooled_count;
}


void
lun_conn_on_less(lun_loop *loop, void (*less)(void *data), void *data)
{
    loop->conns.on_less = less;
    loop->conns.less_data = data;
}


/* --- idle and pooled ones ------------------------------------------------ */

void
lun_conn_set_idle(lun_conn *c, bool is_idle)
{
    lun_loop_conns  *all = &c->loop->conns;

    LUN_CHECK(!c->closed && !c->pooled);

    if (!c->idle && !is_idle) {
        return;
    }

    count_waiting(c, is_idle);

    /* Idle again: in between it was served, which nobody had to know. */
    lun_list_remove(&c->link);
    lun_list_push_back(is_idle ? &all->idle : &all->busy, &c->link);

    if (c->idle == is_idle) {
        return;
    }

    c->idle = is_idle;

    if (is_idle) {
        all->idle_count++;
        lun_conn_less(c->loop);

    } else {
        all->idle_count--;
    }
}


size_t
lun_conn_idle_count(const lun_loop *loop)
{
    return loop->conns.idle_count;
}


void
lun_conn_set_pooled(lun_conn *c, bool is_pooled)
{
    lun_loop_conns  *all = &c->loop->conns;

    LUN_CHECK(!c->closed && !c->idle && c->pooled != is_pooled);

    c->pooled = is_pooled;
    lun_list_remove(&c->link);
    lun_list_push_back(is_pooled ? &all->pooled : &all->busy, &c->link);

    if (is_pooled) {
        all->pooled_count++;
        lun_metric_add(lun_conn_pooled_at, 1);
        lun_conn_less(c->loop);

    } else {
        all->pooled_count--;
        lun_metric_sub(lun_conn_pooled_at, 1);
    }
}


/* --- making room --------------------------------------------------------- */

static void
drain(lun_conn *c)
{
    lun_debug(&c->log, "reusing connection");
    lun_conn_call(c, c->state->on_drain != NULL ? c->state->on_drain
                                                : lun_conn_close);
}


/*
 * One that has come in this turn of the loop is spared: its first bytes may be
 * here, and nobody has had the time to look.  Returns the number of the last
 * that was told, 0: none.
 */
static uint64_t
drain_idle(lun_loop_conns *all, size_t n)
{
    size_t     left;
    uint64_t   last = 0;
    lun_list  *link;
    lun_conn  *c;

    for (left = all->idle_count; left > 0 && n > 0; left--) {
        link = all->idle.next;
        c = lun_container_of(link, lun_conn, link);

        /* One that lingers is among the latest now: the next is another. */
        lun_list_remove(link);
        lun_list_push_back(&all->idle, link);

        if (c->start_time != lun_clock.mono) {
            n--;
            last = c->number;
            drain(c);
        }
    }

    return last;
}


/*
 * Those that were told to go may need a moment (GOAWAY); if that leaves too
 * many open, the last of them is told again, or another one goes.
 */
void
lun_conn_drain(lun_loop *loop, size_t n, size_t most)
{
    lun_loop_conns  *all = &loop->conns;
    uint64_t         last = drain_idle(all, n);
    lun_list        *link = &all->idle;

    if (all->open_count <= most) {
        return;
    }

    if (last != 0 && !lun_list_empty(&all->idle)
        && lun_container_of(all->idle.prev, lun_conn, link)->number == last)
    {
        link = all->idle.prev;

    } else if (!lun_list_empty(&all->pooled)) {
        link = all->pooled.next;

    } else {
        link = all->idle.next;
    }

    if (link != &all->idle) {
        drain(lun_container_of(link, lun_conn, link));
    }
}


/* --- all of them --------------------------------------------------------- */

/*
 * Whatever `visit` does to this or any other connection, those not yet visited
 * stay in a list of their own.
 */
static void
visit_list(lun_list *list, void (*visit)(lun_conn *c, void *data), void *data)
{
    lun_list   left, *link;

    if (lun_list_empty(list)) {
        return;
    }

    lun_list_insert_after(list, &left);
    lun_list_remove(list);               /* `left` is the head now */

    while (!lun_list_empty(&left)) {
        link = left.next;
        lun_list_remove(link);
        lun_list_push_back(list, link);
        visit(lun_container_of(link, lun_conn, link), data);
    }
}


void
lun_conn_each(lun_loop *loop, void (*visit)(lun_conn *c, void *data),
    void *data)
{
    visit_list(&loop->conns.idle, visit, data);
    visit_list(&loop->conns.pooled, visit, data);
    visit_list(&loop->conns.busy, visit, data);
}


static void
tell_to_quit(lun_conn *c, void *data)
{
    if (c->state != NULL) {
        lun_conn_call(c, c->state->on_quit);
    }
}


void
lun_conn_quit(lun_loop *loop)
{
    lun_conn_each(loop, tell_to_quit, NULL);
}


static void
give_up(lun_conn *c, void *data)
{
    if (c->state == NULL || c->listener == NULL || c->closed) {
        return;
    }

    if (c->state->on_shutdown != NULL) {
        lun_conn_call(c, c->state->on_shutdown);

    } else {
        c->gone = 1;
        c->err = lun_err_of_kind(LUN_ERR_CANCELLED);
        lun_conn_call(c, c->state->on_gone);
    }
}


void
lun_conn_give_up(lun_loop *loop)
{
    lun_conn_each(loop, give_up, NULL);
}

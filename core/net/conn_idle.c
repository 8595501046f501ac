/*
 * conn_idle.c -- all connections of the process: how many there are, which of
 * them nobody would miss, and those that make room for others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn.h"

#include "base/check.h"
#include "net/conn_priv.h"


/* Each open connection is in one of them; the latest come last. */
static lun_list  idle = { &idle, &idle };
static lun_list  pooled = { &pooled, &pooled };
static lun_list  busy = { &busy, &busy };
static size_t    count, open_count, idle_count, pooled_count;
static void    (*on_less)(void);


/* --- for conn.c ---------------------------------------------------------- */

void
lun_conn_enlist(lun_conn *c)
{
    lun_list_push_back(&busy, &c->link);
    count++;
    open_count++;
}


void
lun_conn_delist(lun_conn *c)
{
    LUN_CHECK(open_count > 0);

    open_count--;
    idle_count -= c->idle;
    pooled_count -= c->pooled;
    c->idle = false;
    c->pooled = false;
    lun_list_remove(&c->link);
}


void
lun_conn_forget(void)
{
    count--;
}


void
lun_conn_less(void)
{
    if (on_less != NULL) {
        on_less();
    }
}


/* --- how many ------------------------------------------------------------ */

size_t
lun_conn_count(void)
{
    return count;
}


size_t
lun_conn_open_count(void)
{
    return open_count;
}


size_t
lun_conn_busy_count(void)
{
    return open_count - idle_count - pooled_count;
}


void
lun_conn_on_less(void (*less)(void))
{
    on_less = less;
}


/* --- idle and pooled ones ------------------------------------------------ */

void
lun_conn_set_idle(lun_conn *c, bool is_idle)
{
    LUN_CHECK(!c->closed && !c->pooled);

    if (!c->idle && !is_idle) {
        return;
    }

    /* Idle again: in between it was served, which nobody had to know. */
    lun_list_remove(&c->link);
    lun_list_push_back(is_idle ? &idle : &busy, &c->link);

    if (c->idle == is_idle) {
        return;
    }

    c->idle = is_idle;

    if (is_idle) {
        idle_count++;
        lun_conn_less();

    } else {
        idle_count--;
    }
}


size_t
lun_conn_idle_count(void)
{
    return idle_count;
}


void
lun_conn_set_pooled(lun_conn *c, bool is_pooled)
{
    LUN_CHECK(!c->closed && !c->idle && c->pooled != is_pooled);

    c->pooled = is_pooled;
    lun_list_remove(&c->link);
    lun_list_push_back(is_pooled ? &pooled : &busy, &c->link);

    if (is_pooled) {
        pooled_count++;
        lun_conn_less();

    } else {
        pooled_count--;
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
drain_idle(size_t n)
{
    size_t     left;
    uint64_t   last = 0;
    lun_list  *link;
    lun_conn  *c;

    for (left = idle_count; left > 0 && n > 0; left--) {
        link = idle.next;
        c = lun_container_of(link, lun_conn, link);

        /* One that lingers is among the latest now: the next is another. */
        lun_list_remove(link);
        lun_list_push_back(&idle, link);

        if (c->start_time != lun_clock.mono) {
            n--;
            last = c->number;
            drain(c);
        }
    }

    return last;
}


void
lun_conn_drain(size_t n, size_t most)
{
    uint64_t   last = drain_idle(n);
    lun_list  *link = &idle;

    if (open_count <= most) {
        return;
    }

    if (last != 0 && !lun_list_empty(&idle)
        && lun_container_of(idle.prev, lun_conn, link)->number == last)
    {
        link = idle.prev;

    } else if (!lun_list_empty(&pooled)) {
        link = pooled.next;

    } else {
        link = idle.next;
    }

    if (link != &idle) {
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
lun_conn_each(void (*visit)(lun_conn *c, void *data), void *data)
{
    visit_list(&idle, visit, data);
    visit_list(&pooled, visit, data);
    visit_list(&busy, visit, data);
}


static void
tell_to_quit(lun_conn *c, void *data)
{
    (void) data;

    if (c->state != NULL) {
        lun_conn_call(c, c->state->on_quit);
    }
}


void
lun_conn_quit(void)
{
    lun_conn_each(tell_to_quit, NULL);
}

/*
 * dns_updater.c -- a record is asked for of the server of its zone.
 *
 *     RESOLVE -> CONNECT -> exchanging: two bytes of length and the message,
 *     both ways
 *
 * An address that does not answer is followed by the next one.  A question has
 * a pool of its own, with itself in it, which a connection holds, too.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "client/dns_updater.h"

#include <openssl/rand.h>

#include "net/dial/dial.h"
#include "os/clock.h"


enum {
    ADDRS = 8,                     /* that are tried */
    LENGTH = 2,
    ROOM = LENGTH + LUN_DNS_UPDATE,
    MEMORY = 1024
};

typedef struct {
    lun_msec  limit;
} limits;

struct lun_dns_updater {
    lun_pool          *pool;
    unsigned           holds;      /* ours, and a connection's */
    lun_dns_updater_wish   q;
    lun_dial           dial;
    limits             limits;
    lun_task           task;
    bool               starting;
    const char        *fault;
    lun_addr           addrs[ADDRS];
    size_t             count, next;
    uint16_t           id;
    uint8_t            mac[LUN_DNS_MAC];
    char               text[ROOM];
    size_t             len, sent;
};


/* --- the end ------------------------------------------------------------- */

static void
put(lun_dns_updater *a)
{
    if (--a->holds == 0) {
        lun_pool_free(a->pool);
    }
}


static void
on_free(lun_conn *c)
{
    put(c->data);
}


static void
finish(lun_dns_updater *a, const char *fault)
{
    lun_loop_unpost(&a->task);
    lun_dial_drop(&a->dial);
    a->q.done(a->q.data, fault);
    put(a);
}


static void
on_task(lun_task *task)
{
    lun_dns_updater  *a = lun_container_of(task, lun_dns_updater, task);

    finish(a, a->fault);
}


/* Not in the call that asks. */
static void
fail(lun_dns_updater *a, const char *fault)
{
    a->fault = fault;

    if (a->starting) {
        lun_loop_post(a->dial.loop, &a->task, on_task);

    } else {
        finish(a, fault);
    }
}


void
lun_dns_updater_cancel(lun_dns_updater *a)
{
    lun_loop_unpost(&a->task);
    lun_dial_drop(&a->dial);
    put(a);
}


/* --- question and answer ------------------------------------------------- */

static void
on_read(lun_conn *c)
{
    size_t            have = (size_t) (c->in.last - c->in.pos), want;
    const uint8_t    *p = (const uint8_t *) c->in.pos;
    lun_dns_updater  *a = c->data;

    want = have < LENGTH ? LENGTH : LENGTH + ((size_t) p[0] << 8 | p[1]);

    if (want > ROOM) {
        finish(a, "too large answer");

    } else if (have < LENGTH || have < want) {
        lun_conn_want(c);

    } else {
        finish(a, lun_dns_update_fault(p + LENGTH, want - LENGTH, a->id,
                                       &a->q.update, a->mac));
    }
}


static void
on_gone(lun_conn *c)
{
    finish(c->data, "connection lost");
}


static void
on_slow(lun_conn *c)
{
    finish(c->data, "timed out");
}


static void
on_quit(lun_conn *c)
{
    finish(c->data, "stopped");
}


static void
send_rest(lun_dns_updater *a)
{
    lun_slice  rest = { a->text + a->sent, a->len - a->sent };

    if (rest.len != 0) {
        lun_conn_write(a->dial.conn, &rest, 1);
    }
}


static void
on_sent(lun_conn *c)
{
    lun_dns_updater  *a = c->data;

    a->sent += (size_t) lun_conn_written(c);
    send_rest(a);
}


static const lun_conn_state  exchanging = {
    .name       = "dns update exchanging",
    .doing      = "waiting for an answer",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_timeout = on_slow,
    .on_quit    = on_quit,
    .timeout    = LUN_TIMEOUT(limits, limit)
};


static void
on_up(lun_dial *d)
{
    lun_conn         *c = d->conn;
    lun_dns_updater  *a = d->owner;

    a->q.update.now = lun_clock.sec;
    a->sent = 0;
    a->len = lun_dns_update_put((uint8_t *) a->text + LENGTH, a->id,
                                &a->q.update, a->mac);
    a->text[0] = (char) (a->len >> 8);
    a->text[1] = (char) a->len;
    a->len += LENGTH;

    lun_conn_enter(c, &exchanging);
    lun_timer_set_idle(&c->timer, true);
    send_rest(a);
    lun_conn_want(c);
}


/* --- where to ------------------------------------------------------------ */

static void
on_quit_dialing(lun_conn *c)
{
    finish(lun_dial_of(c)->owner, "stopped");
}


static const lun_conn_state  connecting = {
    .name    = "dns update connecting",
    .doing   = "connecting to a server",
    LUN_DIAL_CONNECTING,
    .on_quit = on_quit_dialing,
    .timeout = LUN_TIMEOUT(limits, limit)
};


static void
connect_next(lun_dns_updater *a)
{
    if (a->next == a->count) {
        fail(a, a->fault);
        return;
    }

    lun_dial_connect(&a->dial, &a->addrs[a->next++]);
}


static void
on_found(lun_dial *d, const lun_addr *addrs, size_t count)
{
    lun_dns_updater  *a = d->owner;

    a->count = lun_min(count, (size_t) ADDRS);
    memcpy(a->addrs, addrs, a->count * sizeof(lun_addr));
    connect_next(a);
}


static lun_rc
prepare(lun_dial *d, lun_conn *c, const lun_addr *addr)
{
    lun_dns_updater  *a = d->owner;

    a->holds++;                    /* until the connection is free */
    return LUN_OK;
}


static void
on_failed(lun_dial *d, lun_dial_why why)
{
    lun_dns_updater  *a = d->owner;

    a->fault = why == LUN_DIAL_UNRESOLVED ? "host not found"
               : why == LUN_DIAL_TIMED_OUT ? "timed out" : "not reached";
    lun_dial_drop(d);

    if (why == LUN_DIAL_UNRESOLVED) {
        fail(a, a->fault);

    } else {
        connect_next(a);
    }
}


static const lun_dial_user  user = {
    .connecting = &connecting,
    .found      = on_found,
    .prepare    = prepare,
    .up         = on_up,
    .failed     = on_failed,
    .on_free    = on_free
};


/*
 * The question is copied: who asked may be gone before the answer.  A failure
 * while `starting` is told from the loop and not from in here, since the caller
 * has no handle yet.
 */
lun_dns_updater *
lun_dns_updater_ask(lun_loop *loop, const lun_dns_updater_wish *q)
{
    lun_pool         *pool = lun_pool_new_sized(MEMORY);
    lun_dns_updater  *a = lun_pool_new(pool, lun_dns_updater);

    a->pool = pool;
    a->holds = 1;
    a->q = *q;
    a->q.host = lun_pool_str(pool, q->host);
    a->q.update.zone = lun_pool_strz(pool, lun_str_z(q->update.zone));
    a->q.update.name = lun_pool_strz(pool, lun_str_z(q->update.name));
    a->q.update.text = lun_pool_str(pool, q->update.text);
    a->q.update.secret = lun_pool_str(pool, q->update.secret);

    if (q->update.key != NULL) {
        a->q.update.key = lun_pool_strz(pool, lun_str_z(q->update.key));
    }

    a->limits.limit = q->timeout;
    a->fault = "not reached";
    (void) RAND_bytes((unsigned char *) &a->id, sizeof(a->id));

    a->starting = true;
    lun_dial_init(&a->dial, loop, q->log, &user, a);
    a->dial.timeouts = &a->limits;
    a->dial.in_size = ROOM;

    if (lun_addr_parse(q->host, &a->addrs[0]) == LUN_OK) {
        a->addrs[0].port = q->port;
        a->count = 1;
        connect_next(a);

    } else {
        lun_dial_resolve(&a->dial, q->resolver, a->q.host, q->port, q->timeout,
                         true);
    }

    a->starting = false;
    return a;
}

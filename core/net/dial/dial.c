/*
 * dial.c -- the stages of a connection to a server.
 *
 * A handler of a state has the dial as c->data; whoever gets the connection,
 * at its end or when it stands, finds the owner there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dial/dial.h"

#include "base/check.h"


static lun_dial *
checked_dial_of(const lun_conn *c)
{
    lun_dial  *d = c->data;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK(d->conn == c);
    return d;
}


void
lun_dial_init(lun_dial *d, lun_loop *loop, const lun_log *log,
    const lun_dial_user *user, void *owner)
{
    LUN_CHECK(user->connecting != NULL && user->up != NULL
              && user->failed != NULL);

    d->mark = LUN_MARK_DIAL;
    d->loop = loop;
    d->log = log;
    d->user = user;
    d->owner = owner;
}


/* --- RESOLVE ------------------------------------------------------------- */

static void
on_resolved(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    lun_dial  *d = data;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK(d->stage == LUN_DIAL_RESOLVE);

    d->query = NULL;
    d->verdict = verdict;

    if (verdict != LUN_RESOLVED || count == 0) {
        d->user->failed(d, LUN_DIAL_UNRESOLVED);
        return;
    }

    d->stage = LUN_DIAL_CHOOSE;
    d->user->found(d, addrs, count);
}


void
lun_dial_resolve(lun_dial *d, lun_resolver *resolver, lun_str name,
    uint16_t port, lun_msec timeout, bool idle)
{
    lun_resolve_request  *query;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK(d->stage == LUN_DIAL_IDLE && d->user->found != NULL);

    /* NULL: the answer has come, and the dial may be gone. */
    d->stage = LUN_DIAL_RESOLVE;
    query = lun_resolve(resolver, name, port, on_resolved, d);

    if (query == NULL) {
        return;
    }

    d->query = query;
    lun_resolve_limit(query, timeout);

    if (idle) {
        lun_resolve_be_idle(query);
    }
}


/* --- CONNECT ------------------------------------------------------------- */

static void
stand_up(lun_dial *d)
{
    d->stage = LUN_DIAL_UP;
    d->conn->data = d->owner;
    d->user->up(d);
}


static void
begin_handshake(lun_dial *d)
{
    lun_conn  *c = d->conn;

    LUN_CHECK(d->user->handshaking != NULL);

    d->stage = LUN_DIAL_HANDSHAKE;
    lun_conn_enter(c, d->user->handshaking);

    if (d->user->secure(d, c) != LUN_OK) {
        d->user->failed(d, LUN_DIAL_NO_HANDSHAKE);
    }
}


void
lun_dial_on_connected(lun_conn *c)
{
    lun_dial  *d = checked_dial_of(c);

    if (!d->secure) {
        stand_up(d);

    } else if (d->header.len == 0) {
        begin_handshake(d);

    } else {
        d->stage = LUN_DIAL_HEADER;
        lun_conn_enter(c, d->user->sending_header);
        lun_conn_write(c, &d->header, 1);
    }
}


static lun_conn *
make_conn(lun_dial *d, const lun_addr *addr)
{
    return d->datagram
           ? lun_conn_new_out_datagram(d->loop, addr->family, d->in_size,
                                       d->log, &d->err)
           : lun_conn_new_out(d->loop, addr->family, d->in_size, d->log,
                              &d->err);
}


void
lun_dial_connect(lun_dial *d, const lun_addr *addr)
{
    lun_conn  *c;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK(d->conn == NULL && d->query == NULL);

    d->stage = LUN_DIAL_CONNECT;
    c = make_conn(d, addr);

    if (c == NULL) {
        d->user->failed(d, LUN_DIAL_NO_SOCKET);
        return;
    }

    /* Nothing is in flight: its owner needs not know that it was there. */
    if (d->user->prepare != NULL && d->user->prepare(d, c, addr) != LUN_OK) {
        lun_conn_close(c);
        d->user->failed(d, LUN_DIAL_UNPREPARED);
        return;
    }

    d->conn = c;
    c->data = d;
    c->on_free = d->user->on_free;
    c->timeouts = d->timeouts;
    lun_conn_enter(c, d->user->connecting);
    lun_conn_connect(c, addr);
}


/* --- HEADER, HANDSHAKE --------------------------------------------------- */

void
lun_dial_on_header(lun_conn *c)
{
    lun_dial  *d = checked_dial_of(c);

    d->header.data += lun_conn_written(c);
    d->header.len -= (size_t) lun_conn_written(c);

    if (d->header.len == 0) {
        begin_handshake(d);

    } else {
        lun_conn_write(c, &d->header, 1);
    }
}


void
lun_dial_on_secure(lun_conn *c)
{
    lun_dial  *d = checked_dial_of(c);

    if (d->user->trusts == NULL || d->user->trusts(d, c)) {
        stand_up(d);

    } else {
        d->user->failed(d, LUN_DIAL_UNTRUSTED);
    }
}


/* --- ends ---------------------------------------------------------------- */

void
lun_dial_on_timeout(lun_conn *c)
{
    lun_dial  *d = checked_dial_of(c);

    d->user->failed(d, LUN_DIAL_TIMED_OUT);
}


void
lun_dial_on_lost(lun_conn *c)
{
    lun_dial  *d = checked_dial_of(c);

    d->user->failed(d, d->stage == LUN_DIAL_HANDSHAKE ? LUN_DIAL_BAD_HANDSHAKE
                                                      : LUN_DIAL_LOST);
}


void
lun_dial_use(lun_dial *d, lun_conn *c)
{
    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(d->conn == NULL && d->query == NULL);

    d->stage = LUN_DIAL_UP;
    d->conn = c;
    c->data = d->owner;
    c->on_free = d->user->on_free;
    c->timeouts = d->timeouts;
}


lun_conn *
lun_dial_take(lun_dial *d)
{
    lun_conn  *c = d->conn;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);
    LUN_CHECK(d->stage == LUN_DIAL_UP && c != NULL);

    d->stage = LUN_DIAL_IDLE;
    d->conn = NULL;
    return c;
}


void
lun_dial_drop(lun_dial *d)
{
    lun_conn  *c = d->conn;

    LUN_CHECK_MARK(d, LUN_MARK_DIAL);

    d->stage = LUN_DIAL_IDLE;

    if (d->query != NULL) {
        lun_resolve_cancel(d->query);
        d->query = NULL;
    }

    /* on_free may be called now, and end the memory of the dial. */
    if (c != NULL) {
        d->conn = NULL;
        c->data = d->owner;
        lun_conn_close(c);
    }
}

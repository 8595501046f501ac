/*
 * echo_tunnel.h -- for tests and fuzz targets: a module that takes over what a
 * client asks for by CONNECT, and says what it hears.
 *
 * '!' ends its side, which hears on; '?' ends the request, with what is on its
 * way, and '#' gives it up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TEST_ECHO_TUNNEL_H
#define LUN_TEST_ECHO_TUNNEL_H

#include "base/check.h"
#include "http/body.h"
#include "http/module.h"
#include "http/output.h"

typedef struct echo_tunnel  echo_tunnel;
struct echo_tunnel {
    echo_tunnel  *next;
    lun_request  *r;
    lun_conn     *c;
    lun_timer     timer;
    bool          ends, over;
};

static echo_tunnel  *echo_tunnels;
static unsigned      echo_gone;        /* calls of on_gone */
static lun_msec      echo_limit;       /* between two events; 0: none */


static echo_tunnel *
echo_of(const lun_request *r)
{
    echo_tunnel  *t = echo_tunnels;

    while (t->r != r) {
        t = t->next;
    }

    return t;
}


static void
echo_forget(void *data)
{
    echo_tunnel  **at = &echo_tunnels, *t = data;

    lun_timer_stop(&t->timer);

    while (*at != t) {
        at = &(*at)->next;
    }

    *at = (*at)->next;
}


static void
echo_end(echo_tunnel *t, lun_verdict v)
{
    t->over = true;
    lun_timer_stop(&t->timer);
    lun_http_finish(t->r, v);
}


static void
echo_too_late(lun_timer *timer)
{
    echo_end(lun_container_of(timer, echo_tunnel, timer), LUN_FAILED);
}


static bool
echo_heard(const echo_tunnel *t, char what)
{
    return memchr(t->c->in.pos, what, (size_t) (t->c->in.last - t->c->in.pos))
           != NULL;
}


static void
echo_go_on(echo_tunnel *t)
{
    size_t      n, sent = 0;
    lun_conn   *c = t->c;
    lun_slice   slices[2];

    if (echo_limit != 0) {
        lun_timer_start(c->loop, &t->timer, echo_limit, echo_too_late);
    }

    if (t->ends) {
        c->in.pos = c->in.last;
    }

    if (!lun_conn_writing(c) && c->in.pos != c->in.last) {
        n = (size_t) (c->in.last - c->in.pos);
        slices[0] = (lun_slice) { c->in.pos, n - n / 2 };
        slices[1] = (lun_slice) { c->in.last - n / 2, n / 2 };

        if (lun_err_kind_of(lun_conn_send(c, slices, 2, false, &sent))
            != LUN_ERR_AGAIN || sent != 0)
        {
            c->in.pos = c->in.last;    /* it is lost */

        } else {
            /* One after the other: what is written may be a part. */
            lun_conn_write(c, slices, 1 + (slices[1].len != 0));
        }
    }

    if (lun_conn_writing(c)) {
        lun_conn_want(c);
        return;
    }

    if (c->eof) {
        echo_end(t, LUN_FINISHED);

    } else if (!lun_conn_reading(c)) {
        t->r->protocol->make_room(t->r, 64);
        lun_conn_want(c);
    }
}


static void
echo_read(lun_request *r)
{
    bool          ends, gives_up;
    echo_tunnel  *t = echo_of(r);

    if (t->over) {
        return;
    }

    if (echo_heard(t, '!') && !lun_conn_writing(t->c) && !t->ends) {
        t->ends = true;
        (void) lun_conn_end(t->c);
    }

    gives_up = echo_heard(t, '#');
    ends = gives_up || echo_heard(t, '?');
    echo_go_on(t);

    if (ends && !t->over) {
        echo_end(t, gives_up ? LUN_FAILED : LUN_FINISHED);
    }
}


static void
echo_written(lun_request *r)
{
    echo_tunnel  *t = echo_of(r);

    if (!t->over) {
        t->c->in.pos += lun_conn_written(t->c);
        LUN_CHECK(t->c->in.pos <= t->c->in.last);
        echo_go_on(t);
    }
}


static bool
echo_on_gone(lun_request *r)
{
    echo_tunnel  *t = echo_of(r);

    echo_gone++;

    if (!t->over && (t->c->gone || !lun_conn_writing(t->c))) {
        echo_end(t, t->c->gone ? LUN_FAILED : LUN_FINISHED);
    }

    return true;
}


static const lun_takeover  echo_takeover = {
    echo_read, echo_written, echo_on_gone
};


static void
echo_start(lun_request *r, void *data)
{
    echo_tunnel  *t = lun_pool_new(r->pool, echo_tunnel);

    if (r->aborted || r->conn->gone) {
        lun_http_finish(r, LUN_FAILED);
        return;
    }

    t->r = r;
    t->next = echo_tunnels;
    echo_tunnels = t;
    lun_pool_on_end(r->pool, echo_forget, t);
    t->c = lun_body_hand_over(r, &echo_takeover);
    lun_http_get(r);
    echo_go_on(t);
    lun_http_put(r);
}


static lun_verdict
echo_on_request(lun_session *s)
{
    lun_buf      *b;
    lun_request  *r = lun_request_of(s);

    if (r->parent != NULL || !r->in.tunnel) {
        return LUN_NEXT;
    }

    r->out.status = r->method == LUN_CONNECT ? 200 : 101;
    r->out.content_length = -1;
    r->tunnels = 1;
    b = lun_buf_new(r->pool);
    b->flush = 1;

    if (lun_http_send_header(r) != LUN_OK
        || lun_http_output(r, b) == LUN_ERROR)
    {
        return LUN_FAILED;
    }

    if (lun_http_pending(r)) {
        lun_http_on_drained(r, echo_start, NULL);

    } else {
        echo_start(r, NULL);
    }

    return LUN_WAIT;
}


static lun_http_module  echo_tunnel_module = {
    .name = "echo_tunnel", .always = true,
    .on = { [LUN_PRECONTENT] = echo_on_request }
};

#endif

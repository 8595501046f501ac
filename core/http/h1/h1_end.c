/*
 * h1_end.c -- the end of an HTTP/1 request, and of its connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h1/h1_priv.h"


/* The request's memory is free; the connection keeps its own buffer. */
static void
leave(lun_h1 *h1)
{
    lun_conn       *c = h1->c;
    lun_request    *r = h1->r;
    lun_h1_buffer  *buffers = h1->buffers;

    lun_http_log(r);
    c->timeouts = lun_core_conf_of(r);

    if (!h1->saved.is_set || !lun_conn_reading(c)) {
        lun_conn_restore_input(c, &h1->saved);
        lun_h1_detach_input(h1);
    }

    lun_loop_unpost(&h1->task);
    lun_request_free(r);
    lun_h1_free_buffers(buffers);
    c->data = NULL;
    c->on_free = NULL;
}


/* --- lingering close ----------------------------------------------------- */

/* What is left of the HTTP/1 side of a connection that only listens. */
typedef struct {
    lun_msec        end;
    lun_conn_input  own;           /* it reads into h1_serve.c's `scratch` */
} farewell;


static void
drop_input(lun_conn *c)
{
    const farewell       *f = c->data;
    const lun_core_conf  *conf = c->timeouts;

    if (f->end <= lun_clock.mono) {
        lun_conn_close(c);
        return;
    }

    c->in.pos = c->in.start;
    c->in.last = c->in.start;
    lun_conn_limit(c, lun_min(conf->lingering_timeout,
                              f->end - lun_clock.mono));
    lun_conn_want(c);
}


static void
return_buffer(lun_conn *c)
{
    farewell  *f = c->data;

    lun_conn_restore_input(c, &f->own);
}


const lun_conn_state  lun_h1_lingering = {
    .name       = "h1 lingering",
    .doing      = "closing client connection",
    .on_read    = drop_input,
    .on_timeout = lun_conn_close,
    .on_gone    = lun_conn_close,
    .timeout    = LUN_TIMEOUT(lun_core_conf, lingering_timeout),
};


/*
 * The answer is on its way while the client still sends: were the socket
 * closed now, the answer could be lost to the reset.
 */
static void
linger(lun_h1 *h1)
{
    lun_conn             *c = h1->c;
    farewell             *f = lun_pool_new(lun_conn_memory(c), farewell);
    const lun_core_conf  *conf = lun_core_conf_of(h1->r);

    LUN_CHECK_MARK(h1, LUN_MARK_H1);
    LUN_CHECK(!lun_conn_writing(h1->c));

    f->end = lun_clock.mono + conf->lingering_time;

    if (lun_conn_reading(c)) {
        f->own = h1->saved;
    }

    (void) lun_conn_end(c);
    leave(h1);

    c->log.context = NULL;
    c->data = f;
    c->on_free = return_buffer;
    lun_conn_enter(c, &lun_h1_lingering);
    lun_conn_set_idle(c, true);

    if (!lun_conn_reading(c)) {
        drop_input(c);
    }
}


/* --- the end of a request ------------------------------------------------ */

static bool
should_linger(lun_h1 *h1)
{
    lun_conn             *c = h1->c;
    const lun_request    *r = h1->r;
    const lun_core_conf  *conf = lun_core_conf_of(r);

    if (c->eof || c->gone || lun_conn_writing(c)) {
        return false;
    }

    /* Memory of the request's that is being read into can't be left. */
    if (lun_conn_reading(c) && (h1->own.is_set
                                || (h1->saved.is_set && !h1->to_nowhere)))
    {
        return false;
    }

    switch (conf->lingering_close) {

    case LUN_LINGER_OFF:
        return false;

    case LUN_LINGER_ALWAYS:
        return true;
    }

    return c->in.pos < c->in.last || c->stream.readable
           || (r->lingering && (r->body == NULL || !r->body->complete));
}


static void
say(lun_h1 *h1, lun_h1_outcome outcome)
{
    if (h1->outcome != NULL) {
        *h1->outcome = outcome;
    }
}


void
lun_h1_drop(lun_request *r)
{
    lun_h1    *h1 = lun_h1_of_request(r);
    lun_conn  *c = h1->c;

    /* While a read is in flight the connection outlives its close. */
    lun_loop_unpost(&h1->task);
    say(h1, LUN_H1_CLOSED);
    lun_http_log(r);

    if (lun_core_conf_of(r)->reset_timedout_connection
        && (h1->timed_out || r->out.status == 444))
    {
        lun_conn_abort(c);
        return;
    }

    lun_debug(&c->log, "close http connection");
    lun_conn_close(c);             /* and, then or later, on_free() */
}


static void
close_after(lun_h1 *h1)
{
    LUN_CHECK_MARK(h1, LUN_MARK_H1);

    if (!should_linger(h1)) {
        lun_h1_drop(h1->r);
        return;
    }

    say(h1, LUN_H1_CLOSED);
    linger(h1);
}


/* Whether what is left of the body is worth waiting for. */
static bool
waits_for_body(lun_h1 *h1)
{
    lun_request  *r = h1->r;

    if (!r->keepalive) {
        return false;
    }

    if (lun_body_untouched(r)) {
        if (r->in.expect_continue && !r->expect_tested) {
            r->keepalive = 0;      /* it may come or not, who knows */
            return false;
        }

        if (lun_body_discard(r) >= LUN_STATUS) {
            r->keepalive = 0;
        }
    }

    if (r->body != NULL && r->body->failed) {
        r->keepalive = 0;
    }

    return r->keepalive && lun_body_wants(r);
}


/*
 * What there is, and then what filters hold, as far as the client takes it, or
 * as they have it: a subrequest of theirs has a reference beside ours.
 */
static lun_rc
send_rest(lun_request *r)
{
    lun_rc  rc;

    while ((rc = lun_http_write(r)) == LUN_OK && lun_http_holds(r)) {
        if (lun_http_pump(r) == LUN_ERROR) {
            return LUN_ERROR;
        }

        if (r->references > 1) {
            return LUN_OK;
        }

        if (lun_http_holds(r) && !r->blocked) {

            /* Who holds it waits for an end that will not come. */
            if (!r->cut) {
                lun_log(LUN_LOG_ALERT, r->log, 0, "output is held for nobody");
            }

            return LUN_ERROR;
        }
    }

    return rc;
}


/* It had ended but for what filters held, and that has asked for more. */
static void
keep_serving(lun_h1 *h1, lun_rc rc)
{
    h1->finishing = 0;

    if (rc == LUN_ERROR) {
        lun_h1_fail(h1);

    } else {
        lun_h1_serve(h1);
    }
}


void
lun_h1_finish(lun_request *r)
{
    bool             again;
    lun_rc           rc = LUN_OK;
    lun_h1          *h1 = lun_h1_of_request(r);
    lun_conn        *c = h1->c;
    lun_h1_outcome  *outcome = h1->outcome;

    again = h1->finishing;
    h1->finishing = 1;

    r->takeover = NULL;

    if (lun_body_streams(r)) {
        lun_body_close(r);
    }

    if (r->output.head != NULL || lun_http_holds(r)) {
        lun_http_get(r);
        rc = send_rest(r);

        if (--r->references != 0) {
            keep_serving(h1, rc);
            return;
        }
    }

    if (rc == LUN_ERROR) {
        lun_h1_drop(r);
        return;
    }

    if (rc == LUN_AGAIN) {
        lun_h1_wait_for_output(h1);
        return;
    }

    if (waits_for_body(h1)) {
        if (!again || h1->linger_end == 0) {
            h1->linger_end = lun_clock.mono
                             + lun_core_conf_of(r)->lingering_time;
        }

        if (h1->linger_end <= lun_clock.mono) {
            lun_h1_drop(r);        /* that was all the time there is */
            return;
        }

        lun_h1_wait_for_body(h1);
        return;
    }

    if (!r->keepalive || c->eof || c->gone || r->engine->gen->exiting) {
        close_after(h1);
        return;
    }

    leave(h1);

    if (outcome != NULL) {
        *outcome = LUN_H1_ENDED;

    } else {
        lun_h1_after(c);
    }
}

/*
 * finish.c -- how a request ends.
 *
 * The course of a request holds one reference.  lun_http_finish() sees to it
 * that an answer is complete and gives that reference back; what else holds
 * one (a body being read, a Lua thread) may still be at work.  When the last
 * is given back the protocol sends what is left, logs, and goes on with the
 * connection.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "http/body.h"
#include "http/conf/core_conf.h"
#include "http/subrequest.h"


void
lun_http_get(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);
    r->main->references++;
}


void
lun_http_put(lun_request *r)
{
    lun_request  *m = r->main;

    LUN_CHECK_MARK(m, LUN_MARK_REQUEST);
    LUN_CHECK(m->references > 0);

    if (--m->references > 0) {
        return;
    }

    LUN_CHECK(m->ended);

    if (m->aborted) {
        m->protocol->drop(m);

    } else {
        m->protocol->finish(m);
    }
}


/* Closes without an answer; the log has the status all the same. */
static lun_verdict
hang_up(lun_request *r, unsigned status)
{
    if (!r->header_sent) {
        r->out.status = status;
        r->error_status = 0;
    }

    if (r->parent != NULL) {
        lun_subrequest_hang_up(r, status);
    }

    return LUN_FAILED;
}


/* A page, error_page's or ours; a subrequest may want neither. */
static lun_verdict
answer_page(lun_request *r, unsigned status)
{
    lun_verdict  v = LUN_NEXT;

    if (r->parent != NULL) {
        v = lun_subrequest_answer(r, status);
    }

    return v != LUN_NEXT ? v : lun_http_respond_status(r, status);
}


static lun_verdict
answer_status(lun_request *r, unsigned status)
{
    switch (status) {

    case 408:                      /* the client was too slow for us */
    case 444:                      /* close, says the configuration */
    case 499:                      /* the client has gone */
        return hang_up(r, status);
    }

    if (r->aborted || r->header_sent) {
        if (r->out.status == 0) {
            r->out.status = status;        /* for the log */
        }

        return LUN_FAILED;
    }

    if (status >= 300 || status == 201 || status == 204) {
        return answer_page(r, status);
    }

    r->out.status = status;
    return LUN_FINISHED;
}


/* A handler that said nothing of header or end: as if it had. */
static lun_verdict
complete(lun_request *r)
{
    if (!r->header_sent) {
        if (r->out.status == 0) {
            r->out.status = 200;
        }

        if (r->out.content_length < 0) {
            r->out.content_length = 0;
        }

        if (lun_http_send_header(r) != LUN_OK) {
            return LUN_FAILED;
        }
    }

    if (!r->done && !r->eof_came && !r->header_only && !r->cut
        && lun_http_output_eof(r) == LUN_ERROR)
    {
        return LUN_FAILED;
    }

    return LUN_FINISHED;
}


/*
 * A header filter did not want this answer.  What closes the connection where
 * a handler says it is a header without a body here, as in nginx.
 */
static lun_verdict
take_refusal(lun_request *r, lun_verdict v)
{
    unsigned  status = r->refused;

    if (status == 0) {
        return v;
    }

    r->refused = 0;

    if (status == 444 || status == 499) {
        r->out.status = status;
        return LUN_FINISHED;
    }

    return LUN_STATUS + status;
}


/* The log phase is that of the place where it has been. */
static void
on_action_done(lun_request *sub, void *data)
{
    lun_request  *r = data;

    LUN_CHECK(sub->main == r);

    r->uri = sub->uri;
    r->location = sub->location;
    r->conf = sub->conf;
}


/*
 * The action runs when the client has its answer, and may not be seen in it:
 * its output goes nowhere, and it has the main request's method and body.
 */
static void
start_action(lun_request *r)
{
    lun_request   *sub;
    lun_location  *loc = NULL;
    lun_str        uri = lun_core_conf_of(r)->post_action;

    if (uri.data[0] == '@') {
        loc = lun_location_find_named(r->server, uri);

        if (loc == NULL) {
            lun_log(LUN_LOG_ERR, r->log, 0, "could not find named location "
                    "\"%.*s\"", LUN_S(uri));
            return;
        }

        uri = r->uri;
    }

    sub = lun_subrequest_ask(r, uri, loc != NULL ? r->args : LUN_STR_NULL,
                             LUN_SUB_CAPTURE | LUN_SUB_BARE);

    if (sub == NULL) {
        return;
    }

    if (loc != NULL) {
        lun_subrequest_stay(sub);
        lun_http_enter_location(sub, loc);
        sub->handler = sub->engine->rewrite;
    }

    sub->method = r->method;
    sub->method_name = r->method_name;
    sub->header_only = 1;
    lun_subrequest_share_body(sub);
    lun_subrequest_start(sub, on_action_done, r);
}


static void
on_sent(lun_request *r, void *data)
{
    start_action(r);
    lun_http_put(r);
}


/*
 * post_action: the answer has gone, or its client is lost; the request goes
 * somewhere else, and what is answered there nobody gets.  The connection's
 * next request waits for it.  Until then all that is said of sending is said
 * by the location that has answered.
 */
static void
plan_action(lun_request *r)
{
    if (lun_core_conf_of(r)->post_action.len == 0 || r->post_action
        || r->uri.len == 0)
    {
        return;
    }

    r->post_action = 1;

    if (r->aborted || !lun_http_pending(r) || r->drained != NULL) {
        start_action(r);
        return;
    }

    lun_http_get(r);
    lun_http_on_drained(r, on_sent, NULL);
}


void
lun_http_finish(lun_request *r, lun_verdict v)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->ended) {
        return;
    }

    r->waiting = 0;
    lun_debug(r->log, "http finalize request: %d, \"%.*s?%.*s\" a:%d, c:%u",
              v >= LUN_STATUS ? (int) v - LUN_STATUS : v == LUN_FAILED ? -1 : 0,
              LUN_S(r->uri), LUN_S(r->args), r->parent == NULL, r->references);

    do {
        v = take_refusal(r, v);

        if (v >= LUN_STATUS) {
            v = answer_status(r, (unsigned) (v - LUN_STATUS));

            if (v == LUN_MOVED) {
                return;            /* error_page: it may be gone by now */
            }
        }

        if (v != LUN_FAILED && !r->aborted) {
            v = complete(r);
        }

    } while (v == LUN_FAILED && r->refused != 0);

    if (v == LUN_FAILED) {
        r->aborted = 1;
    }

    if (r->parent == NULL) {
        plan_action(r);
    }

    r->ended = 1;

    if (r->parent != NULL) {
        lun_subrequest_end(r);

    } else {
        lun_body_abandon(r);
    }

    lun_http_put(r);
}


void
lun_http_on_drained(lun_request *r, lun_drained_fn *fn, void *data)
{
    lun_request  *m = r->main;
    bool          action = m->drained == on_sent && fn != NULL;

    m->drained = fn;
    m->drained_data = data;

    if (action) {
        on_sent(m, NULL);          /* slices are still to come: it has ended */
    }
}


bool
lun_http_pending(const lun_request *r)
{
    return r->parent == NULL && r->blocked;
}


void
lun_http_on_abort(lun_request *r, lun_abort_fn *fn, void *data)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    r->abort = fn;
    r->abort_data = data;

    if (fn != NULL && r->parent == NULL) {
        r->protocol->watch(r);
    }
}


void
lun_http_tell_drained(lun_request *r)
{
    lun_drained_fn  *notice = r->drained;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    r->drained = NULL;

    if (notice != NULL) {
        notice(r, r->drained_data);
    }
}


void
lun_http_tell_gone(lun_request *r)
{
    lun_abort_fn  *notice;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    lun_http_tell_drained(r);
    notice = r->abort;
    r->abort = NULL;

    if (notice != NULL && !r->ended) {
        notice(r, r->abort_data);
    }
}

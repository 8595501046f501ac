/*
 * output.h -- answering: headers, the filter chains, finishing.
 *
 * A handler sets r->out, calls lun_http_send_header() once, then
 * lun_http_output() with bufs, the last of which says `eof`; or, for a small
 * whole answer, lun_http_respond().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_OUTPUT_H
#define LUN_HTTP_OUTPUT_H

#include "http/request.h"

/* Runs the header filters.  LUN_ERROR: the connection is of no more use. */
lun_rc lun_http_send_header(lun_request *r);

/*
 * "103 Early Hints" with these headers, at once, before the answer's own: if
 * early_hints says so, the request is the client's and its HTTP knows that.
 */
void lun_http_send_hints(lun_request *r, const lun_header_list *hints);

/*
 * For a header filter that wants the page of another status in place of this
 * answer; its headers are gone.  Returns LUN_ERROR, which the filter returns.
 */
lun_rc lun_http_refuse(lun_request *r, unsigned status);

/*
 * Runs the body filters.  OK: all is on its way out of here; AGAIN: some of it
 * waits, here or in a filter, until the client has taken what is before it.
 * NULL: filters go on with what they hold, and what waits for more is sent.
 */
lun_rc lun_http_output(lun_request *r, lun_buf *in);

/* The empty last buf. */
lun_rc lun_http_output_eof(lun_request *r);

/* b is the last one of the request's answer. */
static inline void
lun_http_mark_last(const lun_request *r, lun_buf *b)
{
    b->eof = r->parent == NULL;
    b->eof_part = r->parent != NULL;
}

/* Header and a body in memory, with its Content-Length. */
lun_verdict lun_http_respond(lun_request *r, unsigned status, lun_str type,
    lun_str body);

/* The built-in page of a status, or error_page's: for LUN_STATUS verdicts. */
lun_verdict lun_http_respond_status(lun_request *r, unsigned status);

/* "404 Not Found"; "" when the number has no name. */
lun_str lun_http_status_line(unsigned status);

/* Adds a header to the response; never fails. */
lun_header *lun_http_add_out(lun_request *r, lun_str name, lun_str value);
/* The same of one whose hash and known (of those that go out) are there. */
lun_header *lun_http_copy_out(lun_request *r, const lun_header *h);
/* Replaces all of that name; value.data NULL removes. */
void lun_http_set_out(lun_request *r, lun_str name, lun_str value);
lun_header *lun_http_find_out(lun_request *r, lun_str name);
/* The Location that was set goes out as it is, and is not made absolute. */
void lun_http_keep_location(lun_request *r);
/* Removes Content-Length, Accept-Ranges, or both and ETag (weak if kept). */
void lun_http_clear_length(lun_request *r);
void lun_http_clear_ranges(lun_request *r);
void lun_http_clear_etag(lun_request *r);
void lun_http_clear_last_modified(lun_request *r);
void lun_http_weak_etag(lun_request *r);
/*
 * A filter is about to change a body's text: what says how long it is and that
 * it is the same as before goes; the time stays, with a weak tag, if asked.
 */
void lun_http_text_changes(lun_request *r, bool keeps_last_modified);

/* From the extension and the `types` of the location. */
void lun_http_set_type(lun_request *r);
/* ETag from mtime and size, as nginx has it: "%x-%x". */
void lun_http_set_etag(lun_request *r, int64_t mtime, int64_t size);

/* --- the course of a request (phases.c, finish.c) --- */

/* Runs the phases from where the request stands. */
void lun_http_run(lun_request *r);

/* A handler that said LUN_WAIT: goes on with the same handler. */
void lun_http_resume(lun_request *r);

/*
 * Ends the request with a verdict, from outside a phase handler (a timer, a
 * Lua thread).  The request may be gone when it returns.
 */
void lun_http_finish(lun_request *r, lun_verdict verdict);

/* References; put may end the request. */
void lun_http_get(lun_request *r);
void lun_http_put(lun_request *r);

/*
 * Internal redirect to another uri (or @name); the phases run again from
 * SERVER_REWRITE (named: REWRITE).  Say LUN_MOVED to your caller.  More than
 * ten: answers 500 by itself.
 */
void lun_http_redirect(lun_request *r, lun_str uri, lun_str args);
void lun_http_named(lun_request *r, lun_str name);

/*
 * A uri that a handler names: "/a%20b?c=d" becomes "/a b" and "c=d" (data
 * NULL: no '?'), which are views or in the pool.  LUN_ERROR: empty, or a path
 * that leaves its root or ends before its end.
 */
lun_rc lun_http_read_uri(lun_pool *pool, lun_str *uri, lun_str *args);

/* Called when output that had to wait has gone out: for flush(true). */
typedef void lun_drained_fn(lun_request *r, void *data);
void lun_http_on_drained(lun_request *r, lun_drained_fn *fn, void *data);
/* Whether output waits for the connection; a subrequest's is not waited for. */
bool lun_http_pending(const lun_request *r);

/*
 * For protocols, of a main request: whether filters hold what is to come
 * behind r->output, and when all of that was sent: they go on, as far as the
 * client lets them (r->blocked).  ERROR: the answer is lost.
 */
bool lun_http_holds(const lun_request *r);
lun_rc lun_http_pump(lun_request *r);

/*
 * Called once when the client goes away before the answer is complete
 * (lua_check_client_abort), or when a subrequest is cancelled; NULL takes it
 * back.
 */
typedef void lun_abort_fn(lun_request *r, void *data);
void lun_http_on_abort(lun_request *r, lun_abort_fn *fn, void *data);

/*
 * For protocols, which hold a reference: calls the one, and, when the client
 * has left, both.
 */
void lun_http_tell_drained(lun_request *r);
void lun_http_tell_gone(lun_request *r);

#endif

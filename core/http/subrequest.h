/*
 * subrequest.h -- requests that the server makes to itself for another one.
 *
 * A subrequest runs all phases from SERVER_REWRITE on, but ACCESS, in the
 * memory of its main request.  Its header goes nowhere: whoever wants it looks
 * at r->out when it is done.  Its body is captured, or takes its place in its
 * parent's output: before what the parent says after it was begun.
 *
 * References: its course holds one of the main request, like any other, from
 * lun_subrequest_start() until it has ended.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_SUBREQUEST_H
#define LUN_HTTP_SUBREQUEST_H

#include "http/request.h"
#include "os/file.h"

enum {
    LUN_SUB_CAPTURE     = 0x01,    /* the body is kept; else it goes out */
    LUN_SUB_BARE        = 0x02,    /* a status is no page, nor an error_page */
    LUN_SUB_OWN_VALUES  = 0x04,    /* variables are asked for anew */
    LUN_SUB_COPY_VALUES = 0x08,    /* ... begin as the parent has them */
    LUN_SUB_LIMITED     = 0x10     /* captured: output_buffer_size at most */
};

/*
 * It is over, and may be looked at until the main request ends.  Called once,
 * unless it was cancelled; no Lua runs, the parent may be resumed.
 */
typedef void lun_subrequest_fn(lun_request *r, void *data);

/*
 * A GET without a body, which may still be changed, or left alone: nothing
 * happens before it is started.  uri and args live as long as the request; the
 * parent's variables are its own unless flags say otherwise.  NULL: too many
 * are inside one another, or not over yet; the caller logs it.
 */
lun_request *lun_subrequest_new(lun_request *parent, lun_str uri,
    lun_str args, unsigned flags);

/* The same; NULL: logged. */
lun_request *lun_subrequest_ask(lun_request *parent, lun_str uri,
    lun_str args, unsigned flags);

/*
 * Before it starts: it begins where its parent stands, whatever has led there,
 * instead of with its uri.
 */
void lun_subrequest_stay(lun_request *r);

/*
 * Before it starts: a body of its own, of which its header tells; that of its
 * parent, whose header it has; none.
 */
void lun_subrequest_set_body(lun_request *r, lun_str data);
void lun_subrequest_set_file(lun_request *r, lun_fd file, lun_str path,
    int64_t size);
void lun_subrequest_share_body(lun_request *r);
void lun_subrequest_drop_body(lun_request *r);

/*
 * Runs it at the end of the loop's turn, or when others of its main request
 * have ended, of which a hundred run at a time.  One that goes out: the parent
 * has sent its header.  done may be NULL.
 */
void lun_subrequest_start(lun_request *r, lun_subrequest_fn *done,
    void *data);

/*
 * Nobody waits for it any more: it ends as soon as it can, unlogged, and done
 * is not called.  The caller holds a reference.
 */
void lun_subrequest_cancel(lun_request *r);

/* When it is done: how it was answered; 500 when it was not. */
unsigned lun_subrequest_status(const lun_request *r);

/* ... the status (444 and its like) with which it hung up, or 0. */
unsigned lun_subrequest_hung_up(const lun_request *r);

/* ... what was captured; and that it is no longer needed. */
lun_str lun_subrequest_body(const lun_request *r);
void lun_subrequest_forget(lun_request *r);

/* What was to be kept is longer than subrequest_output_buffer_size; logged. */
bool lun_subrequest_too_big(const lun_request *r);

/*
 * A body filter of r has held what came until a subrequest was done, and takes
 * it now: in that one's `done`, or later.
 */
void lun_subrequest_go_on(lun_request *r);

/*
 * In a setter: this configuration has subrequests whose output goes out.  One
 * that has none does not pay for keeping it in order.
 */
void lun_subrequest_in_order(lun_conf *cf);

/* --- for output.c, finish.c, h1.c --- */

/* The end of a subrequest's body filters. */
lun_rc lun_subrequest_take(lun_request *r, lun_buf *in);

/* Whether its output is wanted though the client has left. */
bool lun_subrequest_captured(const lun_request *r);

/* LUN_NEXT: a status is answered as always. */
lun_verdict lun_subrequest_answer(lun_request *r, unsigned status);
void lun_subrequest_hang_up(lun_request *r, unsigned status);

/* Its course is over. */
void lun_subrequest_end(lun_request *r);

/* When the program starts: lines of theirs as objects of JSON. */
void lun_subrequest_log_members(void);

/* For the log context of a main request: who speaks, maybe itself. */
const lun_request *lun_subrequest_speaker(const lun_request *main);

#endif

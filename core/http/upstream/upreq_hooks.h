/*
 * upreq_hooks.h -- two more stages of an upstream request, for those who keep
 * answers, or want to know of them: a cache, proxy_store.
 *
 * Hooks are put into a lun_upreq_conf by lun_upreq_hook_in(), with a conf of
 * their own.  There may be several: each is asked in its turn until one
 * answers in place of a server.  Any of them may be NULL.
 *
 *     look_up  choose connect ... header  judge  body body body  end
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_HOOKS_H
#define LUN_HTTP_UPREQ_HOOKS_H

#include "http/upstream/upreq.h"

typedef enum {
    LUN_UPREQ_GO_ON,               /* a server is asked; its answer passes */
    LUN_UPREQ_SERVE,               /* `serve` answers; no server (any more) */
    LUN_UPREQ_WAIT                 /* look_up: lun_upreq_resume() follows */
} lun_upreq_hook_verdict;

struct lun_upreq_hooks {
    /*
     * The request's body is here, no server is chosen, nothing of the request
     * is made.  May fill x->fetch.  While it waits the client may leave: then
     * `end` is called.
     */
    lun_upreq_hook_verdict  (*look_up)(lun_upreq *x);
    /*
     * x->answer is a server's whole header which is to be passed on: no other
     * server is going to be asked.  Nothing of it is in r->out yet.  It may be
     * looked at, and changed.  GO_ON: x->fetch.keep says from now on whether
     * the body is wanted.
     */
    lun_upreq_hook_verdict  (*judge)(lun_upreq *x);
    /* If x->fetch.keep: the next bytes of the body, without their frames;
       also where another wanted it. */
    void  (*body)(lun_upreq *x, lun_str bytes);
    /*
     * No server has an answer, for that reason (LUN_TRY_...): `status` is what
     * the client would get.
     */
    lun_upreq_hook_verdict  (*fail)(lun_upreq *x, unsigned why,
                                unsigned status);
    /*
     * x is over, or leaves the request to `serve`: exactly once after its turn
     * to look up, if that came.  `complete`: all of a body came.
     */
    void  (*end)(lun_upreq *x, bool complete);
    /*
     * After SERVE, and `end`: answers r, whose header is not sent, and
     * finishes it (lun_http_finish(), now or later).  x holds nothing any
     * more; r->upreq is still x, for variables.
     */
    void  (*serve)(lun_upreq *x);
    /* The answer's header is r->out: there may be more to say. */
    void  (*add_headers)(lun_upreq *x);
};

/* What the hooks have of x, which is NULL at first; NULL: they are none of
   its conf's. */
static inline void **
lun_upreq_hook_data(lun_upreq *x, const lun_upreq_hooks *hooks)
{
    unsigned  i;

    for (i = 0; i < x->conf->hook_count; i++) {
        if (x->conf->hooks[i].hooks == hooks) {
            return &x->hooks_data[i];
        }
    }

    return NULL;
}

/*
 * For `serve`: x->answer and this body are the answer, which is treated like a
 * server's.  r is finished.
 */
void lun_upreq_serve(lun_upreq *x, lun_buf *body);

/* In `judge`: a page of ours will stand for the answer (intercept_errors). */
bool lun_upreq_has_page(const lun_upreq *x);

/* After WAIT, of those that waited: GO_ON or SERVE.  From the loop, not from
   inside of a hook. */
void lun_upreq_resume(lun_upreq *x, lun_upreq_hook_verdict v);

#endif

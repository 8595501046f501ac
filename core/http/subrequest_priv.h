/*
 * subrequest_priv.h -- what subrequest.c (their course) and postpone.c (their
 * output's place) share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_SUBREQUEST_PRIV_H
#define LUN_HTTP_SUBREQUEST_PRIV_H

#include "http/engine.h"
#include "http/subrequest.h"

typedef struct lun_piece  lun_piece;       /* postpone.c's */

/* Whether a subrequest may run: subrequest_turns.c. */
typedef enum {
    LUN_TURN_NONE,                 /* not started, or of the main request */
    LUN_TURN_WAITS,
    LUN_TURN_SLOT,                 /* it runs */
    LUN_TURN_LENT,                 /* it does, and a child has its slot */
    LUN_TURN_OVER
} lun_turn;

/* Of a subrequest, and of a main request that has some. */
struct lun_subrequest {
    lun_request         *r;
    unsigned             flags;
    unsigned             left;     /* levels that may still be below */
    unsigned             hung_up;
    bool                 cancelled;
    bool                 ending;   /* captured: its children go on */
    lun_subrequest_fn   *done;
    void                *data;
    lun_task             task;     /* runs it */
    lun_turn             turn;
    bool                 waited;   /* before it had a slot */
    lun_list             link;     /* in the queue of the main request's */
    unsigned             children, waiting;    /* that are not over; of them */
    unsigned             slots;    /* of a main request: taken */
    unsigned             alive;    /* ... subrequests that are not over */
    lun_list             queue;    /* ... those that wait */
    struct lun_span     *span;     /* trace.h; or NULL */
    lun_log              log;
    const lun_request   *speaker;  /* of a main request: who logs */

    char                *body;     /* captured: malloc */
    size_t               len, room;
    bool                 too_big;  /* some of it is not there */

    lun_piece           *pieces;   /* output that waits for its turn */
    lun_piece          **last;
    lun_request         *active;   /* of a root; NULL: nothing waits yet */
};

/* It is started: it runs at the end of the loop's turn, or later. */
void lun_subrequest_enter_turn(lun_subrequest *s);

/* Its course is over, or never begins: another may run. */
void lun_subrequest_leave_turn(lun_subrequest *s);

/* Whose output its own goes into. */
lun_request *lun_postpone_root(lun_request *r);

/* It begins: its place is behind all that its parent has said. */
void lun_postpone_enter(lun_request *r);

/* Its course is over: whoever is next may speak. */
void lun_postpone_leave(lun_request *r);

/* Whether output of a root's tree is still to come. */
bool lun_postpone_waits(const lun_subrequest *root);

/* The root's output was taken: filters of who speaks go on, then others. */
lun_rc lun_postpone_pump(lun_request *root);

#endif

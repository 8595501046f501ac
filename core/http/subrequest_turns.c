/*
 * subrequest_turns.c -- which subrequests of a main request run, and which
 * wait for their turn.
 *
 * So many have a slot.  One that waits for a child of its own gives its slot
 * to it, and gets it back: whatever runs has a slot or one below it, so that
 * the one whose output is next is never kept waiting by those behind it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/subrequest_priv.h"

#include "base/check.h"


enum { SLOTS = 100 };


/* Its output was to go where nothing goes any more. */
static bool
is_for_nobody(const lun_subrequest *s)
{
    const lun_request  *root = lun_postpone_root(s->r);

    return (s->flags & LUN_SUB_CAPTURE) == 0
           && (root->aborted || (root->parent == NULL && root->conn->gone));
}


static void
on_task(lun_task *task)
{
    lun_subrequest  *s = lun_container_of(task, lun_subrequest, task);

    if (s->waited && is_for_nobody(s)) {
        lun_http_finish(s->r, LUN_FAILED);

    } else {
        lun_http_run(s->r);
    }
}


static void
run(lun_subrequest *s)
{
    s->turn = LUN_TURN_SLOT;
    lun_loop_post(s->r->conn->loop, &s->task, on_task);
}


static lun_subrequest *
parent_of(const lun_subrequest *s)
{
    return s->r->parent->sub;
}


void
lun_subrequest_enter_turn(lun_subrequest *s)
{
    lun_subrequest  *parent = parent_of(s), *top = s->r->main->sub;

    LUN_CHECK(s->turn == LUN_TURN_NONE);
    top->alive++;
    parent->children++;

    if (parent->turn == LUN_TURN_SLOT) {
        parent->turn = LUN_TURN_LENT;
        run(s);

    } else if (top->slots < SLOTS) {
        top->slots++;
        run(s);

    } else {
        s->turn = LUN_TURN_WAITS;
        s->waited = true;
        parent->waiting++;
        lun_list_push_back(&top->queue, &s->link);
    }
}


static void
remove_waiting(lun_subrequest *s)
{
    lun_list_remove(&s->link);
    parent_of(s)->waiting--;
}


/* The first that waits, of that parent or (NULL) of all. */
static bool
run_waiting(lun_subrequest *top, const lun_subrequest *parent)
{
    lun_subrequest  *s;

    lun_list_each(&top->queue, it) {
        s = lun_container_of(it, lun_subrequest, link);

        if (parent == NULL || parent_of(s) == parent) {
            remove_waiting(s);
            run(s);
            return true;
        }
    }

    return false;
}


/* The nearest above that has use for a slot; else whoever waits longest. */
static void
pass_slot_on(const lun_subrequest *s)
{
    lun_subrequest  *p, *top = s->r->main->sub;

    for (p = parent_of(s); ; p = parent_of(p)) {
        if (p->waiting != 0) {
            (void) run_waiting(top, p);
            return;
        }

        if (p == top) {
            break;
        }

        if (p->turn == LUN_TURN_LENT && p->children == 0) {
            p->turn = LUN_TURN_SLOT;
            return;
        }
    }

    if (!run_waiting(top, NULL)) {
        top->slots--;
    }
}


void
lun_subrequest_leave_turn(lun_subrequest *s)
{
    lun_turn  turn = s->turn;

    LUN_CHECK(turn != LUN_TURN_NONE && turn != LUN_TURN_OVER);
    s->turn = LUN_TURN_OVER;
    parent_of(s)->children--;
    s->r->main->sub->alive--;

    if (turn == LUN_TURN_WAITS) {
        remove_waiting(s);

    } else if (turn == LUN_TURN_SLOT) {
        pass_slot_on(s);
    }
}

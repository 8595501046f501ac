/*
 * postpone.c -- the output of subrequests, in its place: a body filter that is
 * in the chain only where the configuration has subrequests whose output goes
 * out.
 *
 *     main:  "a"  [child: "b" [grandchild: "c"] "d"]  "e" eof
 *
 * One request of the tree is `active`: its output passes.  That of others
 * waits in their `pieces`, among which a child has its place, until it is
 * their turn.  The root of the tree is the main request, or one that is
 * captured.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/subrequest_priv.h"

#include "base/check.h"


/* A child, or what is said in this place. */
struct lun_piece {
    lun_piece    *next;
    lun_request  *child;
    lun_chain     bufs;
};

extern lun_http_module  lun_http_postpone;


lun_request *
lun_postpone_root(lun_request *r)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    while (r->parent != NULL && (r->sub->flags & LUN_SUB_CAPTURE) == 0) {
        r = r->parent;
    }

    return r;
}


static lun_piece *
add_piece(lun_subrequest *s, lun_request *child)
{
    lun_piece  *p = lun_pool_new(s->r->pool, lun_piece);

    p->child = child;
    lun_chain_init(&p->bufs);
    *s->last = p;
    s->last = &p->next;

    return p;
}


static lun_piece *
take_piece(lun_subrequest *s)
{
    lun_piece  *p = s->pieces;

    if (p != NULL) {
        s->pieces = p->next;

        if (s->pieces == NULL) {
            s->last = &s->pieces;
        }
    }

    return p;
}


static lun_rc
emit(lun_request *root, lun_buf *in)
{
    lun_rc  rc = LUN_ERROR;

    if (!root->aborted && !(root->parent == NULL && root->conn->gone)) {
        rc = lun_http_next_body(root, &lun_http_postpone, in);
    }

    if (rc == LUN_ERROR) {
        root->keepalive = 0;
    }

    return rc;
}


static void
postpone(lun_request *r, lun_buf *in)
{
    lun_piece    *p;
    lun_buf  *next;

    p = add_piece(r->sub, NULL);
    r->buffered = 1;               /* its bufs are not free yet */

    for ( ; in != NULL; in = next) {
        next = in->next;
        lun_chain_push(&p->bufs, in);
    }
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_buf      *b;
    lun_request  *root;

    if (r->sub == NULL) {
        return lun_http_next_body(r, &lun_http_postpone, in);
    }

    root = lun_postpone_root(r);

    if (root->sub->active == NULL) {
        return lun_http_next_body(r, &lun_http_postpone, in);
    }

    for (b = in; b != NULL; b = b->next) {
        r->done |= b->eof || b->eof_part;

        if (r != root) {           /* the whole answer ends with its root's */
            b->eof = 0;
            b->eof_part = 0;
        }
    }

    if (root->sub->active == r && r->sub->pieces == NULL) {
        return emit(root, in);
    }

    postpone(r, in);
    return LUN_OK;
}


void
lun_postpone_enter(lun_request *r)
{
    lun_request     *root = lun_postpone_root(r);
    lun_subrequest  *above = r->parent->sub, *top = root->sub;

    LUN_CHECK(r->parent != NULL);
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (top->active == NULL) {
        top->active = root;
    }

    /* What its parent has said comes first, wherever it is. */
    if (r->parent->held != 0) {
        r->parent->unheld = 1;
        (void) lun_http_output(r->parent, NULL);
        r->parent->unheld = 0;
    }

    if (top->active == r->parent && above->pieces == NULL) {
        top->active = r;

    } else {
        (void) add_piece(above, r);
    }
}


/* True: r's filters hold more, until the client has taken some of it. */
static bool
go_on(lun_request *r)
{
    return r->held != 0 && !r->aborted
           && lun_http_output(r, NULL) != LUN_ERROR && r->held != 0;
}


/*
 * Output has to be in the order of the page, whatever order subrequests end in:
 * only the active one's goes on, and where it ends its parent's does.
 */
static void
advance(lun_request *root)
{
    lun_piece           *p;
    lun_request     *r;
    lun_subrequest  *top = root->sub;

    for ( ;; ) {
        r = top->active;
        p = take_piece(r->sub);

        if (p != NULL && p->child != NULL) {
            top->active = p->child;

        } else if (p != NULL) {
            (void) emit(root, p->bufs.head);

        } else {
            r->buffered = 0;

            if (go_on(r) || r == root || !r->ended) {
                return;
            }

            top->active = r->parent;
        }
    }
}


void
lun_postpone_leave(lun_request *r)
{
    lun_request  *root = lun_postpone_root(r);

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (root->sub->active == r) {
        advance(root);
    }
}


lun_rc
lun_postpone_pump(lun_request *root)
{
    if (emit(root, NULL) == LUN_ERROR) {
        return LUN_ERROR;
    }

    advance(root);
    return root->aborted ? LUN_ERROR : LUN_OK;
}


bool
lun_postpone_waits(const lun_subrequest *root)
{
    return root->active != NULL
           && (root->active != root->r || root->pieces != NULL);
}


void
lun_subrequest_in_order(lun_conf *cf)
{
    (void) lun_http_top_conf(cf, &lun_http_postpone);
}


static bool
is_idle(const lun_request *r)
{
    return r->sub == NULL;
}


/* Between the filters of modules and those that make the whole: gzip, range. */
lun_http_module  lun_http_postpone = {
    .name = "postpone",
    .conf_size = sizeof(void *),
    .body_filter = on_body,
    .is_idle = is_idle,
};

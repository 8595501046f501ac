/*
 * upreq_input.c -- whose memory the connection to a server reads into.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_input.h"

#include "base/check.h"
#include "net/conn_input.h"


struct lun_upreq_input {
    lun_conn_input  own;           /* is_set: conn reads into ours */
};


bool
lun_upreq_input_is_set(const lun_upreq *x)
{
    return x->input != NULL && x->input->own.is_set;
}


void
lun_upreq_set_input(lun_upreq *x, char *room, size_t size)
{
    LUN_CHECK(!lun_conn_reading(x->conn) && !lun_upreq_input_is_set(x));

    if (x->input == NULL) {
        x->input = lun_pool_new(x->r->pool, struct lun_upreq_input);
    }

    lun_conn_set_input(x->conn, room, size, &x->input->own);
}


void
lun_upreq_restore_input(lun_upreq *x)
{
    lun_conn  *c = x->conn;

    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);

    if (lun_upreq_input_is_set(x)) {
        lun_conn_restore_input(c, &x->input->own);
        c->in.pos = c->in.last = c->in.start;
    }
}


void
lun_upreq_leave_input(lun_upreq *x)
{
    if (!lun_conn_reading(x->conn)) {
        lun_upreq_restore_input(x);

    } else if (x->input != NULL) {
        x->input->own.is_set = false;
    }
}

/*
 * listen_priv.h -- a set of listeners, for listen.c and listen_accept.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LISTEN_PRIV_H
#define LUN_LISTEN_PRIV_H

#include "net/listen.h"
#include "net/loop.h"

/* Whether another connection may come; if not, that is said. */
bool lun_listen_may_take(lun_listen_set *set);
/* One has come. */
void lun_listen_taken(lun_listen_set *set);

/* A worker's end of a listener. */
typedef struct {
    lun_acceptor  acceptor;
    lun_list      rest;            /* in the set's list while it rests */
} listen_taker;

struct lun_listen_set {
    lun_pool       *pool;
    lun_listener  **items;
    size_t          count;
    size_t          room;          /* of items */
    uint32_t       *index;         /* position in items + 1, 0: empty */
    size_t          mask;          /* slots of the index - 1 */

    /* A worker's. */
    lun_loop       *loop;          /* that it accepts in */
    const lun_log  *log;
    size_t          limit;
    unsigned        batch;
    const lun_array *debug;        /* of lun_cidr, or NULL */
    listen_taker   *takers;        /* in one piece, apart from the listeners:
                                      that memory is the master's as well */
    bool            started;
    bool            full;          /* too many connections: not accepting */
    lun_list        resting;       /* of takers: what each had was refused */
    size_t          portion;       /* how many of those are tried at once */
    lun_task        review;
    lun_timer       pause;         /* until they are */
    bool            crowded;       /* one has come that wants a place */
    bool            quieter;       /* some were muted */
    lun_msec        said;          /* when it complained last */
    lun_msec        said_reused;
};

#endif

/*
 * script.h -- an input as a script of deeds, and the servers that the deeds'
 * connections lead to: whether they take, refuse or ignore them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FUZZ_SCRIPT_H
#define LUN_FUZZ_SCRIPT_H

#include "session/upstream/round_robin.h"
#include "step.h"


enum { REFUSED = 9 };              /* a port that nobody listens at */

typedef struct {
    const uint8_t  *p, *end;
    unsigned        refused;       /* connections to come that are not taken */
    bool            deaf;          /* ... and those that nobody answers */
    bool            hasty;         /* what happens next does not wait */
} script;


static unsigned
next_byte(script *s)
{
    return s->p < s->end ? *s->p++ : 0;
}


static bool
is_open(const memory_socket *at)
{
    return at != NULL && at->s != NULL && !at->closed;
}


/* One of those that lead to servers, the latest being 0; NULL: none. */
static memory_socket *
server_socket(unsigned n)
{
    size_t          i;
    unsigned        best = 0, below = UINT32_MAX;
    memory_socket  *found = NULL;

    for ( ; n != UINT32_MAX; n--, below = best) {
        for (i = 0, best = 0; i < SOCKETS; i++) {
            if (is_open(&sockets[i]) && sockets[i].outgoing
                && !sockets[i].connecting && sockets[i].order < below
                && sockets[i].order > best)
            {
                best = sockets[i].order;
                found = &sockets[i];
            }
        }

        if (best == 0) {
            break;
        }
    }

    return found;
}


static void
let_connect(script *s)
{
    size_t          i;
    memory_socket  *at;

    for (i = 0; i < SOCKETS; i++) {
        at = &sockets[i];

        if (at->s == NULL || !at->connecting || at->closed || s->deaf) {
            continue;
        }

        if (at->port == REFUSED || s->refused > 0) {
            s->refused -= s->refused > 0;
            connected(at, lun_err_of_kind(LUN_ERR_REFUSED));

        } else {
            connected(at, 0);
        }
    }
}


static bool
wants_to_connect(void)
{
    size_t  i;

    for (i = 0; i < SOCKETS; i++) {
        if (is_open(&sockets[i]) && sockets[i].connecting) {
            return true;
        }
    }

    return false;
}


static void
run(script *s)
{
    unsigned  n = 0;

    if (s->hasty) {
        (void) step();
        let_connect(s);
        return;
    }

    settle();

    while (!s->deaf && wants_to_connect()) {
        LUN_CHECK(n++ < 1000);
        let_connect(s);
        settle();
    }
}

/* Nobody says or takes anything now: each connection ends by its timers. */
static void
wait_for_end(script *s, void (*run)(script *s), lun_msec life)
{
    lun_msec  next, until = lun_time_monotonic() + life;

    s->hasty = false;
    run(s);

    while (lun_conn_count(lp) > 0) {
        next = lun_timer_next(lp);
        LUN_CHECK(next <= life && lun_time_monotonic() < until);
        pass(next);
        run(s);
    }
}


/* Each run begins with servers that nobody has tried. */
static void
check_servers(const lun_array *all)
{
    size_t               i, k;
    lun_upstream_group  *g;

    for (i = 0; i < all->count; i++) {
        g = (*(lun_upstream **) lun_array_at(all, i))->peers;

        for ( ; g != NULL; g = g->next) {
            for (k = 0; k < g->count; k++) {
                LUN_CHECK(g->peers[k].state->conns == 0);
                *g->peers[k].state = (lun_upstream_state) {
                    .effective = g->peers[k].weight
                };
            }
        }
    }
}

#endif

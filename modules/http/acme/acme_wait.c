/*
 * acme_wait.c -- handshakes that wait for a certificate on demand: the first
 * ones of a name, for some seconds, and no more than so many in a worker.
 *
 * Whose duty it is may be another worker: what has come of it is looked for in
 * the folder and in the zone, while anybody waits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_demand.h"

#include "os/clock.h"


enum {
    MOST = 256,                    /* that wait in a worker */
    LOOK = 100                     /* ms */
};

/* A handshake; in its connection's memory. */
typedef struct {
    lun_list                link;
    lun_conn               *c;
    const lun_acme         *a;
    const lun_acme_demand  *d;
    lun_str                 host, file;
    lun_msec                until;
} waiter;

static lun_list   waiters = { &waiters, &waiters };
static size_t     waiting;
static lun_timer  timer;


static bool
has_ended(const waiter *w)
{
    return lun_acme_store_has(w->d->home, w->file, ".crt")
           || lun_acme_demand_asked(w->a, w->host) != LUN_ACME_ASKED
           || w->until <= lun_clock.mono;
}


static void
forget(waiter *w)
{
    lun_list_remove(&w->link);
    lun_list_init(&w->link);
    waiting--;

    if (waiting == 0) {
        lun_timer_stop(&timer);
    }
}


/* The connection goes. */
static void
on_gone(void *data)
{
    waiter  *w = data;

    if (!lun_list_empty(&w->link)) {
        forget(w);
    }
}


static void
on_look(lun_timer *t)
{
    waiter    *w;
    lun_conn  *c;
    lun_list   over = { &over, &over };

    lun_list_each_safe (&waiters, it) {
        w = lun_container_of(it, waiter, link);

        if (has_ended(w)) {
            lun_list_remove(&w->link);
            lun_list_push_back(&over, &w->link);
        }
    }

    /* A handshake that goes on may end others that wait. */
    while (!lun_list_empty(&over)) {
        w = lun_container_of(over.next, waiter, link);
        c = w->c;
        forget(w);

        if (!c->closed) {
            lun_listen_of(c)->engine->tls->go_on(c);
        }
    }

    if (waiting != 0) {
        w = lun_container_of(waiters.next, waiter, link);
        lun_timer_start(w->c->loop, &timer, LOOK, on_look);
    }
}


static const lun_acme_demand *
demand_of(const lun_server *server)
{
    const lun_acme_conf  *conf = server->conf[lun_http_acme.index];

    return conf != NULL ? conf->demand : NULL;
}


bool
lun_acme_is_coming(lun_conn *c, const lun_server *server)
{
    bool                    coming;
    lun_str                 host;
    lun_pool               *pool;
    const lun_acme         *a;
    const lun_acme_demand  *d = demand_of(server);

    if (d == NULL) {
        return false;
    }

    a = lun_module_data(lun_listen_of(c)->engine, &lun_http_acme.head);
    pool = lun_pool_new_sized(1024);
    host = lun_acme_demand_host(c, pool);
    coming = host.len != 0
             && !lun_acme_store_has(d->home, lun_acme_demand_name(host, pool),
                                    ".crt")
             && lun_acme_demand_wish(a, d, host, &c->log)
             && d->wait != 0 && waiting < MOST;
    lun_pool_free(pool);

    return coming;
}


void
lun_acme_wait(lun_conn *c, const lun_server *server)
{
    lun_pool  *pool = lun_conn_memory(c);
    waiter    *w = lun_pool_new(pool, waiter);

    w->c = c;
    w->a = lun_module_data(lun_listen_of(c)->engine, &lun_http_acme.head);
    w->d = demand_of(server);
    w->host = lun_acme_demand_host(c, pool);
    w->file = lun_acme_demand_name(w->host, pool);
    w->until = lun_clock.mono + w->d->wait;
    lun_list_push_back(&waiters, &w->link);
    lun_pool_on_end(pool, on_gone, w);
    waiting++;

    if (!lun_timer_runs(&timer)) {
        lun_timer_start(c->loop, &timer, LOOK, on_look);
    }
}

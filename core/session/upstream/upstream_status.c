/*
 * upstream_status.c -- what upstreams say of themselves: their servers, what
 * these have in hand, and how well they are.
 *
 * Counts are all workers'.  A server's state is that of the zone; without one
 * each worker knows of its own failures only, and says that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_status.h"

#include "os/clock.h"
#include "session/engine.h"
#include "session/upstream/round_robin.h"
#include "session/upstream/upstream_health.h"
#include "session/upstream/upstream_metrics.h"


/* Where a walk is: an upstream, and in it a server, from 1; 0: not there. */
enum { SERVER_BITS = 18 };


/*
 * Angie's words; the gravest reason comes first, since a server may have
 * several.
 */
static const char *
state_of(const lun_upstream_group *g, const lun_upstream_server *p)
{
    int64_t                    since;
    const lun_upstream_state  *s = p->state;

    if (p->down) {
        return "down";
    }

    if ((s->unwell & g->checks.all) != 0) {
        return "unhealthy";
    }

    if (!lun_upstream_is_well(g, s)) {
        return "checking";
    }

    if (p->drain) {
        return "draining";
    }

    if (!g->single && p->max_fails != 0 && s->fails >= p->max_fails) {
        return "unavailable";
    }

    if (p->max_conns != 0 && s->conns >= p->max_conns) {
        return "busy";
    }

    since = (int64_t) lun_clock.mono - s->back;

    return g->slow && s->back != 0 && since >= 0
           && (lun_msec) since < p->server->slow_start ? "recovering" : "up";
}


static int64_t
mean(const uint64_t *count)
{
    return count[0] != 0 ? (int64_t) (count[1] / count[0]) : 0;
}


/* Times, as HTTP's servers have them, or those of a stream. */
static void
write_times(lun_status_walk *w, bool is_http, const uint64_t *cells)
{
    int64_t  connect = mean(cells + LUN_UPSTREAM_CONNECTS);
    int64_t  header = mean(cells + LUN_UPSTREAM_HEADERS);
    int64_t  answer = mean(cells + LUN_UPSTREAM_ANSWERS);

    lun_status_number(w, "connect_time", connect);
    lun_status_number(w, is_http ? "header_time" : "first_byte_time", header);
    lun_status_number(w, is_http ? "response_time" : "last_byte_time", answer);
}


static void
write_health(lun_status_walk *w, const lun_upstream *u,
    const lun_upstream_state *s, const uint64_t *cells)
{
    int64_t  down = (int64_t) cells[LUN_UPSTREAM_DOWNTIME];

    if (!lun_status_open(w, LUN_STR("health"))) {
        return;
    }

    if (s->down_since != 0) {
        down += lun_max(lun_clock.sec * 1000 + lun_clock.msec - s->down_since,
                        0);
    }

    lun_status_number(w, "fails", (int64_t) cells[LUN_UPSTREAM_FAILS]);
    lun_status_number(w, "unavailable",
                      (int64_t) cells[LUN_UPSTREAM_UNAVAILABLE]);
    lun_status_number(w, "downtime", down);

    if (s->down_since != 0) {
        lun_status_time(w, "downstart", s->down_since);
    }

    write_times(w, lun_str_eq(u->protocol, LUN_STR("http")), cells);

    if (u->checks.all != 0 && lun_status_open(w, LUN_STR("probes"))) {
        lun_status_number(w, "count", (int64_t) cells[LUN_UPSTREAM_CHECKS]);
        lun_status_number(w, "fails",
                          (int64_t) cells[LUN_UPSTREAM_CHECK_FAILS]);

        if (s->probed != 0) {
            lun_status_time(w, "last", lun_max(s->probed, -s->probed));
        }

        lun_status_close(w);
    }

    lun_status_close(w);
}


/* The same as NGINX Plus has it. */
static void
write_checks(lun_status_walk *w, const lun_upstream *u,
    const lun_upstream_state *s, const uint64_t *cells)
{
    if (u->checks.all == 0 || !lun_status_open(w, LUN_STR("health_checks"))) {
        return;
    }

    lun_status_number(w, "checks", (int64_t) cells[LUN_UPSTREAM_CHECKS]);
    lun_status_number(w, "fails", (int64_t) cells[LUN_UPSTREAM_CHECK_FAILS]);
    lun_status_number(w, "unhealthy",
                      (int64_t) cells[LUN_UPSTREAM_UNHEALTHY]);

    if (s->probed != 0) {
        lun_status_flag(w, "last_passed", s->probed > 0);
    }

    lun_status_close(w);
}


/*
 * The state is copied under the lock, in one piece; what is printed of it takes
 * longer than a lock may be held.
 */
static void
write_server(lun_status_walk *w, const lun_upstream *u,
    const lun_upstream_group *g, lun_upstream_server *p, bool backup)
{
    uint64_t            cells[LUN_UPSTREAM_CELLS];
    lun_upstream_state  s;

    if (!lun_status_open(w, p->name)) {
        return;
    }

    lun_upstream_server_lock(g);
    s = *p->state;
    lun_upstream_server_unlock(g);
    lun_metric_read(p->counts_at, LUN_UPSTREAM_CELLS, cells);

    lun_status_text(w, LUN_STR("server"), p->server->name);

    if (p->server->service.len != 0) {
        lun_status_text(w, LUN_STR("service"), p->server->service);
    }

    lun_status_flag(w, "backup", backup);
    lun_status_number(w, "weight", p->weight);
    lun_status_text(w, LUN_STR("state"), lun_str_z(state_of(g, p)));

    if (p->max_conns != 0) {
        lun_status_number(w, "max_conns", p->max_conns);
    }

    if (lun_status_open(w, LUN_STR("selected"))) {
        lun_status_number(w, "current", (int64_t) cells[LUN_UPSTREAM_CURRENT]);
        lun_status_number(w, "total", (int64_t) cells[LUN_UPSTREAM_SELECTED]);

        if (s.selected != 0) {
            lun_status_time(w, "last", s.selected);
        }

        lun_status_close(w);
    }

    if (lun_str_eq(u->protocol, LUN_STR("http"))) {
        lun_status_write_responses(w, cells);
    }

    if (lun_status_open(w, LUN_STR("data"))) {
        lun_status_number(w, "sent", (int64_t) cells[LUN_UPSTREAM_SENT]);
        lun_status_number(w, "received",
                          (int64_t) cells[LUN_UPSTREAM_RECEIVED]);
        lun_status_close(w);
    }

    write_health(w, u, &s, cells);
    write_checks(w, u, &s, cells);

    if (p->server->route.len != 0 || u->sticky != NULL) {
        lun_status_text(w, LUN_STR("sid"), lun_upstream_server_id(p));
    }

    lun_status_close(w);
}


/* Servers from number *at on; true: there are more. */
static bool
write_servers(lun_status_walk *w, lun_upstream *u, uint32_t *at)
{
    size_t               i, before = 0;
    lun_upstream_group  *first, *g;

    if (u->refresh != NULL) {
        u->refresh(u, lun_status_pool(w));
    }

    first = u->peers;

    for (g = first; g != NULL; before += g->count, g = g->next) {
        while (*at < before + g->count) {
            if (lun_status_is_full(w)) {
                return true;
            }

            i = *at - before;
            write_server(w, u, g, &g->peers[i], g != first);
            ++*at;
        }
    }

    return false;
}


/* The servers are the last of its members; true: it is not complete. */
static bool
write_upstream(lun_status_walk *w, lun_upstream *u, uint32_t *at)
{
    if (*at == 0) {
        if (!lun_status_open(w, u->name)) {
            return false;
        }

        lun_status_text(w, LUN_STR("method"), lun_str_z(u->method->name));

        if (u->zone != NULL) {
            lun_status_text(w, LUN_STR("zone"), u->zone->name);
        }

        if (u->keepalive != NULL) {
            lun_status_number(w, "keepalive",
                              (int64_t) lun_metric_sum(u->idle_at));
        }

        if (!lun_status_open(w, LUN_STR("peers"))) {
            lun_status_close(w);
            return false;
        }
    }

    *at -= *at != 0;

    if (write_servers(w, u, at)) {
        ++*at;
        return true;
    }

    *at = 0;
    lun_status_close(w);
    lun_status_close(w);
    return false;
}


static bool
write_upstreams(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint32_t          i, at = *cursor & ((1U << SERVER_BITS) - 1);
    lun_upstream     *u;
    const lun_array  *all = lun_upstream_all(data);

    for (i = *cursor >> SERVER_BITS; i < all->count; i++) {
        u = *(lun_upstream **) lun_array_at(all, i);

        if (at == 0 && lun_status_is_full(w)) {
            *cursor = i << SERVER_BITS;
            return true;
        }

        if (u->block && write_upstream(w, u, &at)) {
            *cursor = i << SERVER_BITS | at;
            return true;
        }
    }

    return false;
}


void
lun_upstream_add_status(lun_generation *gen, lun_engine *e)
{
    lun_status_add(gen, lun_pool_fmt(gen->pool, "status/%s/upstreams",
                                     e->protocol->name).data,
                   write_upstreams, e);
}

/*
 * status_server.c -- nodes of the server as a whole: the program, connections,
 * zones, workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/status/status_priv.h"

#include "http/accept/request_metrics.h"
#include "net/duty.h"
#include "os/lock.h"
#include "os/sock.h"


enum { PAGE = 4096 };              /* bytes that zones are counted in */


/* --- for the modules ----------------------------------------------------- */

bool
lun_status_arg(const lun_request *r, const char *name, lun_str *value)
{
    lun_str      word = lun_str_z(name), rest = r->args, one;
    const char  *end;

    while (rest.len != 0) {
        end = lun_str_chr(rest, '&');
        one = lun_str_of(rest.data, end != NULL ? (size_t) (end - rest.data)
                                                : rest.len);

        if (lun_str_starts(one, word)
            && (one.len == word.len || one.data[word.len] == '='))
        {
            *value = lun_str_of(one.data + lun_min(word.len + 1, one.len),
                                one.len - lun_min(word.len + 1, one.len));
            return true;
        }

        rest = lun_str_of(one.data + one.len, rest.len - one.len);

        if (rest.len != 0) {
            rest = lun_str_of(rest.data + 1, rest.len - 1);
        }
    }

    return false;
}


void
lun_status_say_it_changes(lun_request *r)
{
    lun_http_set_out(r, LUN_STR("Expires"),
                     LUN_STR("Thu, 01 Jan 1970 00:00:01 GMT"));
    lun_http_set_out(r, LUN_STR("Cache-Control"), LUN_STR("no-cache"));
}


/* --- the program --------------------------------------------------------- */

static void
write_config_files(lun_status_walk *w, const lun_generation *gen)
{
    size_t                i;
    const lun_conf_file  *f;

    if (!lun_status_asked(w)->config_files
        || !lun_status_open(w, LUN_STR("config_files")))
    {
        return;
    }

    for (i = 0; i < gen->snapshot.file_count; i++) {
        f = &gen->snapshot.files[i];

        if (!f->asset) {
            lun_status_text(w, f->path, f->text);
        }
    }

    lun_status_close(w);
}


bool
lun_status_write_program(lun_status_walk *w, void *data, uint32_t *cursor)
{
    char                   room[LUN_ADDR_TEXT];
    lun_conn              *c = lun_status_asked(w)->conn;
    const lun_generation  *gen = lun_status_generation(w);

    lun_status_text(w, LUN_STR("version"), LUN_STR(LUN_VERSION));

    if (c != NULL) {
        lun_status_text(w, LUN_STR("address"),
                        lun_addr_format(lun_conn_local(c), false, room,
                                        sizeof(room)));
    }

    lun_status_number(w, "generation", gen->number);
    lun_status_time(w, "load_time", gen->load_time);
    write_config_files(w, gen);

    return false;
}


/* --- connections --------------------------------------------------------- */

static bool
write_connections(lun_status_walk *w, void *data, uint32_t *cursor)
{
    uint64_t  states[LUN_CONN_WAITING + 1];
    uint64_t  handled = lun_metric_sum(lun_conn_handled_at);
    uint64_t  accepted = lun_metric_sum(lun_conn_accepted_at);

    lun_metric_read(lun_conn_states_at, LUN_ARRAY_LEN(states), states);
    lun_status_number(w, "accepted", (int64_t) accepted);
    lun_status_number(w, "dropped", (int64_t) (accepted
                                       - lun_min(handled, accepted)));
    lun_status_number(w, "active", (int64_t) (states[LUN_CONN_ACTIVE]
                                       - lun_min(states[LUN_CONN_WAITING],
                                                 states[LUN_CONN_ACTIVE])));
    lun_status_number(w, "idle", (int64_t) states[LUN_CONN_WAITING]);

    return false;
}


/* --- zones --------------------------------------------------------------- */

static void
write_zone(lun_status_walk *w, const lun_zone *zone)
{
    uint64_t  used, all;

    if (!lun_status_open(w, zone->name)) {
        return;
    }

    zone->kind->room(zone, &used, &all);
    lun_status_text(w, LUN_STR("kind"), lun_str_z(zone->kind->name));
    lun_status_number(w, "size", (int64_t) zone->size);

    if (lun_status_open(w, LUN_STR("pages"))) {
        lun_status_number(w, "used", (int64_t) ((used + PAGE - 1) / PAGE));
        lun_status_number(w, "free", (int64_t) ((all - lun_min(used, all))
                                                / PAGE));
        lun_status_close(w);
    }

    if (lun_status_open(w, LUN_STR("slots"))) {
        lun_status_close(w);
    }

    lun_status_close(w);
}


static bool
write_zones(lun_status_walk *w, void *data, uint32_t *cursor)
{
    const lun_zone      *zone;
    const lun_zone_set  *zones = lun_status_generation(w)->zones;

    for ( ; *cursor < lun_zone_count(zones); ++*cursor) {
        if (lun_status_is_full(w)) {
            return true;
        }

        zone = lun_zone_at(zones, *cursor);

        if (zone->kind->room != NULL && zone->shm.addr != NULL) {
            write_zone(w, zone);
        }
    }

    return false;
}


/* --- workers ------------------------------------------------------------- */

static void
write_worker(lun_status_walk *w, const lun_metric_process *p)
{
    char      room[24];
    lun_str   name = lun_str_of(room, (size_t) (lun_fmt_u64(room,
                                         (uint64_t) p->pid) - room));

    if (!lun_status_open(w, name)) {
        return;
    }

    lun_status_number(w, "generation", p->generation);
    lun_status_number(w, "connections",
                      (int64_t) p->cells[lun_conn_states_at
                                         + LUN_CONN_ACTIVE]);
    lun_status_number(w, "requests", (int64_t) p->cells[lun_requests_at]);
    lun_status_number(w, "processing",
                      (int64_t) p->cells[lun_conn_states_at
                                         + LUN_CONN_WRITING]);
    lun_status_write_worker(w, p);
    lun_status_close(w);
}


static bool
write_workers(lun_status_walk *w, void *data, uint32_t *cursor)
{
    lun_metric_process  p;

    while (lun_metric_next_process(cursor, &p)) {
        if (p.pid != 0) {
            write_worker(w, &p);
        }
    }

    return false;
}


/* --- duties -------------------------------------------------------------- */

static void
write_duty(const lun_duty *d, uint64_t owner, void *data)
{
    lun_str           name;
    lun_status_walk  *w = data;

    name = lun_pool_fmt(lun_status_pool(w), "%s %.*s", d->kind->name,
                        LUN_S(d->object));

    if (lun_status_open(w, name)) {
        lun_status_number(w, "worker", owner != 0 ? lun_lock_pid_of(owner) : 0);
        lun_status_close(w);
    }
}


static bool
write_duties(lun_status_walk *w, void *data, uint32_t *cursor)
{
    const lun_generation  *gen = lun_status_generation(w);

    if (gen->duties != NULL) {
        lun_duty_each(gen->duties, write_duty, w);
    }

    return false;
}


void
lun_status_add_server(lun_generation *gen)
{
    lun_status_add(gen, "status/lunette", lun_status_write_program, NULL);
    lun_status_add(gen, "status/connections", write_connections, NULL);
    lun_status_add(gen, "status/slabs", write_zones, NULL);
    lun_status_add(gen, "status/workers", write_workers, NULL);
    lun_status_add(gen, "status/duties", write_duties, NULL);
}

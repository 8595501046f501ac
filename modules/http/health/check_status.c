/*
 * check_status.c -- check_status: the servers that Tengine's `check` asks, as a
 * page, as lines, or as JSON.
 *
 *     /status?format=json&status=down
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/check.h"

#include "base/escape.h"
#include "session/upstream/upstream_health.h"


typedef enum { HTML, CSV, JSON } format;

typedef struct {
    lun_request  *r;
    format        format;
    lun_str       only;            /* "up", "down"; "": both */
    lun_array     parts;           /* of lun_str */
    unsigned      up, down;
    unsigned      index;           /* of all servers */
} listing;


static bool
read_arg(const lun_request *r, lun_str name, lun_str *value)
{
    lun_str      one, rest = r->args;
    const char  *end;

    while (rest.len != 0) {
        end = lun_str_chr(rest, '&');
        one = lun_str_of(rest.data, end != NULL ? (size_t) (end - rest.data)
                                                : rest.len);

        if (lun_str_after(one, name, value)) {
            return true;
        }

        rest = lun_str_of(rest.data + one.len, rest.len - one.len);
        rest = lun_str_of(rest.data + (end != NULL),
                          rest.len - (end != NULL));
    }

    return false;
}


static format
format_of(lun_str name, format otherwise)
{
    return lun_str_eq(name, LUN_STR("html")) ? HTML
           : lun_str_eq(name, LUN_STR("csv")) ? CSV
           : lun_str_eq(name, LUN_STR("json")) ? JSON : otherwise;
}


static lun_str
escape(const listing *l, lun_str text)
{
    return l->format == HTML ? lun_escape_html_new(l->r->pool, text)
           : l->format == JSON ? lun_escape_json_new(l->r->pool, text) : text;
}


static lun_str
row_of(const listing *l, unsigned index, const lun_upstream *u,
    const lun_check *k, const lun_upstream_server *p, bool well)
{
    int          port = (int) k->head.port;
    lun_str      name = escape(l, p->name), upstream = escape(l, u->name);
    lun_pool    *pool = l->r->pool;
    const char  *state = well ? "up" : "down";

    switch (l->format) {

    case CSV:
        return lun_pool_fmt(pool, "%u,%.*s,%.*s,%s,%u,%u,%s,%d\n", index,
                            LUN_S(upstream), LUN_S(name), state,
                            p->state->rise, p->state->fall, k->type->name,
                            port);

    case JSON:
        return lun_pool_fmt(pool, "%s{\"index\": %u, \"upstream\": \"%.*s\", "
                            "\"name\": \"%.*s\", \"status\": \"%s\", "
                            "\"rise\": %u, \"fall\": %u, \"type\": \"%s\", "
                            "\"port\": %d}", l->parts.count != 0 ? ",\n    "
                            : "", index, LUN_S(upstream), LUN_S(name), state,
                            p->state->rise, p->state->fall, k->type->name,
                            port);

    default:
        return lun_pool_fmt(pool, "<tr%s><td>%u</td><td>%.*s</td><td>%.*s</td>"
                            "<td>%s</td><td>%u</td><td>%u</td><td>%s</td>"
                            "<td>%d</td></tr>\n", well ? ""
                            : " class=\"down\"", index, LUN_S(upstream),
                            LUN_S(name), state, p->state->rise,
                            p->state->fall, k->type->name, port);
    }
}


static void
add_server(listing *l, const lun_upstream *u, const lun_check *k,
    const lun_upstream_group *g, const lun_upstream_server *p)
{
    bool      well = lun_upstream_is_well(g, p->state);
    lun_str   row;
    unsigned  index = l->index++;

    l->up += well;
    l->down += !well;

    if (l->only.len == 0
        || lun_str_eq(l->only, well ? LUN_STR("up") : LUN_STR("down")))
    {
        row = row_of(l, index, u, k, p, well);
        *(lun_str *) lun_array_push(&l->parts) = row;
    }
}


static void
add_servers(listing *l)
{
    size_t                     i, n;
    lun_upstream              *u;
    const lun_check           *k;
    const lun_array           *all = lun_upstream_all(l->r->session.engine);
    const lun_upstream_group  *g;

    for (n = 0; n < all->count; n++) {
        u = *(lun_upstream **) lun_array_at(all, n);
        k = lun_check_of(u);

        if (k == NULL) {
            continue;
        }

        if (u->refresh != NULL) {
            u->refresh(u, l->r->pool);
        }

        for (g = u->peers; g != NULL; g = g->next) {
            for (i = 0; i < g->count; i++) {
                add_server(l, u, k, g, &g->peers[i]);
            }
        }
    }
}


static lun_verdict
respond(listing *l)
{
    unsigned      generation = lun_http_generation(l->r)->number;
    lun_pool     *pool = l->r->pool;
    lun_str       rows = lun_pool_join(pool, l->parts.items, l->parts.count);
    unsigned      total = l->up + l->down;

    switch (l->format) {

    case CSV:
        return lun_http_respond(l->r, 200, LUN_STR("text/plain"), rows);

    case JSON:
        return lun_http_respond(l->r, 200, LUN_STR("application/json"),
            lun_pool_fmt(pool, "{\"servers\": {\n  \"total\": %u,\n  \"up\": "
                         "%u,\n  \"down\": %u,\n  \"generation\": %u,\n  "
                         "\"server\": [\n    %.*s\n  ]\n}}\n", total, l->up,
                         l->down, generation, LUN_S(rows)));

    default:
        return lun_http_respond(l->r, 200, LUN_STR("text/html"),
            lun_pool_fmt(pool, "<!DOCTYPE html>\n<html lang=\"en\">\n<title>"
                         "Health checks</title>\n<style>body{font-family:"
                         "sans-serif}td,th{border:1px solid;padding:.2em .6em}"
                         "table{border-collapse:collapse}.down{background:"
                         "#d33;color:#fff}</style>\n<h1>Health checks</h1>\n"
                         "<p>Servers: %u, up: %u, down: %u, generation: %u"
                         "</p>\n<table>\n<tr><th>Index</th><th>Upstream</th>"
                         "<th>Name</th><th>Status</th><th>Rise counts</th>"
                         "<th>Fall counts</th><th>Check type</th><th>Check "
                         "port</th></tr>\n%.*s</table>\n</html>\n", total,
                         l->up, l->down, generation, LUN_S(rows)));
    }
}


lun_verdict
lun_check_status(lun_request *r, lun_str format_name)
{
    lun_str  word;
    listing  l = { .r = r, .format = format_of(format_name, HTML),
                   .only = LUN_STR("") };

    if ((r->method & (LUN_GET | LUN_HEAD)) == 0) {
        return LUN_STATUS + 405;
    }

    if (read_arg(r, LUN_STR("format="), &word)) {
        l.format = format_of(word, l.format);
    }

    if (read_arg(r, LUN_STR("status="), &word)
        && (lun_str_eq(word, LUN_STR("up"))
            || lun_str_eq(word, LUN_STR("down"))))
    {
        l.only = word;
    }

    lun_array_init(&l.parts, r->pool, sizeof(lun_str), 16);
    add_servers(&l);
    return respond(&l);
}

/*
 * server.c -- which server of an address a name belongs to.
 *
 * Exact names are one hash; so are the names behind "*." and those before
 * ".*", asked with one label less each time, so that the longest wins.  Then
 * come regexes, in the order of the text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/location.h"


typedef struct {
    lun_pattern  *pattern;
    lun_server   *server;
} name_regex;

struct lun_server_map {
    lun_pool    *pool;
    lun_server  *fallback;
    lun_hash     exact;
    lun_hash     tails;            /* "*.a.b" and ".a.b": key "a.b" */
    lun_hash     heads;            /* "a.b.*": key "a.b" */
    lun_array    regexes;          /* of name_regex */
};


lun_server_map *
lun_server_map_new(lun_pool *pool)
{
    lun_server_map  *map = lun_pool_new(pool, lun_server_map);

    map->pool = pool;
    lun_hash_init(&map->exact, pool, 0, false);
    lun_hash_init(&map->tails, pool, 0, false);
    lun_hash_init(&map->heads, pool, 0, false);
    lun_array_init(&map->regexes, pool, sizeof(name_regex), 0);

    return map;
}


static lun_str
without(lun_str name, size_t at_start, size_t at_end)
{
    return lun_str_of(name.data + at_start, name.len - at_start - at_end);
}


static bool
has_star(lun_str name)
{
    return lun_str_chr(name, '*') != NULL;
}


static bool
put(lun_hash *hash, lun_str key, lun_server *server)
{
    return lun_hash_add(hash, key, server) == NULL;
}


lun_name_verdict
lun_server_map_add(lun_server_map *map, lun_str name, lun_server *server)
{
    lun_str  key;

    if (lun_str_starts(name, LUN_STR("*."))) {
        key = without(name, 2, 0);

        if (key.len == 0 || has_star(key)) {
            return LUN_NAME_INVALID;
        }

        return put(&map->tails, key, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    if (lun_str_ends(name, LUN_STR(".*"))) {
        key = without(name, 0, 2);

        if (key.len == 0 || has_star(key)) {
            return LUN_NAME_INVALID;
        }

        return put(&map->heads, key, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    if (has_star(name)) {
        return LUN_NAME_INVALID;
    }

    if (lun_str_starts(name, LUN_STR("."))) {
        key = without(name, 1, 0);

        return put(&map->exact, key, server) && put(&map->tails, key, server)
               ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    return put(&map->exact, name, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
}


void
lun_server_map_add_regex(lun_server_map *map, lun_pattern *pattern,
    lun_server *server)
{
    name_regex  *nr = lun_array_push(&map->regexes);

    nr->pattern = pattern;
    nr->server = server;
}


void
lun_server_map_set_default(lun_server_map *map, lun_server *server)
{
    map->fallback = server;
}


lun_server *
lun_server_map_default(const lun_server_map *map)
{
    return map->fallback;
}


static lun_server *
by_tail(const lun_hash *tails, lun_str host)
{
    size_t       used;
    const char  *dot;
    lun_server  *server;

    /* The star stands for at least one byte, so a dot in front is none. */
    while (host.len > 1) {
        dot = memchr(host.data + 1, '.', host.len - 1);

        if (dot == NULL) {
            return NULL;
        }

        used = (size_t) (dot + 1 - host.data);
        host = without(host, used, 0);
        server = lun_hash_get(tails, host);

        if (server != NULL) {
            return server;
        }
    }

    return NULL;
}


static lun_server *
by_head(const lun_hash *heads, lun_str host)
{
    lun_server  *server;

    while (host.len > 0) {
        host.len--;

        if (host.data[host.len] != '.') {
            continue;
        }

        server = lun_hash_get(heads, host);

        if (server != NULL) {
            return server;
        }
    }

    return NULL;
}


lun_server *
lun_server_find(lun_request *r, const lun_server_map *map, lun_str host)
{
    size_t             i;
    lun_server        *server = NULL;
    const name_regex  *nr;

    if (map->exact.count != 0) {
        server = lun_hash_get(&map->exact, host);
    }

    if (server == NULL && map->tails.count != 0) {
        server = by_tail(&map->tails, host);
    }

    if (server == NULL && map->heads.count != 0) {
        server = by_head(&map->heads, host);
    }

    for (i = 0; server == NULL && i < map->regexes.count && host.len != 0;
         i++)
    {
        nr = lun_array_at(&map->regexes, i);

        if (lun_pattern_match(r, nr->pattern, host) == LUN_PATTERN_YES) {
            server = nr->server;
        }
    }

    return server != NULL ? server : map->fallback;
}

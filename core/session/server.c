/*
 * server.c -- which server of an address a name belongs to.
 *
 * Exact names are one hash; so are the names behind "*." and those before
 * ".*", asked with one label less each time, so that the longest wins.  Then
 * come regexes, in the order of the text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/server.h"


typedef struct {
    lun_pattern  *pattern;
    lun_server   *server;
} name_regex;

typedef struct {
    lun_hash     exact;
    lun_hash     tails;            /* "*.a.b" and ".a.b": key "a.b" */
    lun_hash     heads;            /* "a.b.*": key "a.b" */
    lun_array    regexes;          /* of name_regex */
} names;

/* Thousands of addresses have one server, whatever its name. */
struct lun_server_map {
    lun_pool    *pool;
    lun_server  *fallback;
    names       *names;            /* NULL: none were added */
};


lun_server_map *
lun_server_map_new(lun_pool *pool)
{
    lun_server_map  *map = lun_pool_new(pool, lun_server_map);

    map->pool = pool;
    return map;
}


static names *
names_of(lun_server_map *map)
{
    names  *n = map->names;

    if (n == NULL) {
        n = map->names = lun_pool_new(map->pool, names);
        lun_hash_init(&n->exact, map->pool, 0, false);
        lun_hash_init(&n->tails, map->pool, 0, false);
        lun_hash_init(&n->heads, map->pool, 0, false);
        lun_array_init(&n->regexes, map->pool, sizeof(name_regex), 0);
    }

    return n;
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


/*
 * "*.name" and "name.*" are kept without their stars; ".name" is kept twice, as
 * itself and as "*.name".
 */
lun_name_verdict
lun_server_map_add(lun_server_map *map, lun_str name, lun_server *server)
{
    names    *n = names_of(map);
    lun_str   key;

    if (lun_str_starts(name, LUN_STR("*."))) {
        key = without(name, 2, 0);

        if (key.len == 0 || has_star(key)) {
            return LUN_NAME_INVALID;
        }

        return put(&n->tails, key, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    if (lun_str_ends(name, LUN_STR(".*"))) {
        key = without(name, 0, 2);

        if (key.len == 0 || has_star(key)) {
            return LUN_NAME_INVALID;
        }

        return put(&n->heads, key, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    if (has_star(name)) {
        return LUN_NAME_INVALID;
    }

    if (lun_str_starts(name, LUN_STR("."))) {
        key = without(name, 1, 0);

        return put(&n->exact, key, server) && put(&n->tails, key, server)
               ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
    }

    return put(&n->exact, name, server) ? LUN_NAME_ADDED : LUN_NAME_TAKEN;
}


void
lun_server_map_add_regex(lun_server_map *map, lun_pattern *pattern,
    lun_server *server)
{
    name_regex  *nr = lun_array_push(&names_of(map)->regexes);

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


/*
 * nginx's order: exact, longest leading wildcard, longest trailing one, regexes
 * as they stand in the file.
 */
lun_server *
lun_server_find(lun_session *s, const lun_server_map *map, lun_str host)
{
    size_t             i;
    lun_server        *server = NULL;
    const names       *n = map->names;
    const name_regex  *nr;

    if (n == NULL) {
        return map->fallback;
    }

    if (n->exact.count != 0) {
        server = lun_hash_get(&n->exact, host);
    }

    if (server == NULL && n->tails.count != 0) {
        server = by_tail(&n->tails, host);
    }

    if (server == NULL && n->heads.count != 0) {
        server = by_head(&n->heads, host);
    }

    for (i = 0; server == NULL && i < n->regexes.count && host.len != 0;
         i++)
    {
        nr = lun_array_at(&n->regexes, i);

        if (s != NULL
            ? lun_pattern_match(s, nr->pattern, host)
              == LUN_PATTERN_YES
            : lun_pattern_fits(nr->pattern, host))
        {
            server = nr->server;
        }
    }

    return server != NULL ? server : map->fallback;
}

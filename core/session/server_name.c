/*
 * server_name.c -- server_name, and the names of an address.
 *
 * Names are hashed only where it matters: an address with one server needs no
 * table, unless a regex wants to capture.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/server.h"

#include "format/idna.h"
#include "os/sock.h"
#include "session/regex.h"


static lun_str
host_name(lun_conf *cf)
{
    char  room[256];

    lun_sock_host_name(room, sizeof(room));
    lun_mem_lower(room, room, strlen(room));

    return lun_pool_str(cf->pool, lun_str_z(room));
}


static lun_str
lower(lun_conf *cf, lun_str s)
{
    char    *text;
    size_t   i;

    for (i = 0; i < s.len && lun_lower(s.data[i]) == s.data[i]; i++) {
        /* lower so far */
    }

    if (i == s.len) {
        return s;
    }

    text = lun_pool_text(cf->pool, s.len);
    lun_mem_lower(text, s.data, s.len);

    return lun_str_of(text, s.len);
}


static bool
has_upper(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (lun_lower(s.data[i]) != s.data[i]) {
            return true;
        }
    }

    return false;
}


static lun_rc
name_regex(lun_conf *cf, lun_str value, lun_server_name *n)
{
    if (value.len == 1) {
        return lun_conf_fail(cf, "empty regex in server name \"%.*s\"",
                             LUN_S(value));
    }

    n->name = lun_str_of(value.data + 1, value.len - 1);

    /* Hosts are lower case: a pattern with capitals means to ignore case. */
    n->regex = lun_pattern_new(cf, n->name,
                               has_upper(n->name) ? LUN_REGEX_CASELESS : 0);

    return n->regex != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
add_name(lun_conf *cf, lun_server_name *n, lun_str value)
{
    if ((lun_str_starts(value, LUN_STR("*"))
         && (value.len < 3 || value.data[1] != '.'))
        || lun_str_eq(value, LUN_STR(".")))
    {
        return lun_conf_fail(cf, "server name \"%.*s\" is invalid",
                             LUN_S(value));
    }

    if (lun_str_chr(value, '/') != NULL) {
        lun_conf_warn(cf, "server name \"%.*s\" has suspicious symbols",
                      LUN_S(value));
    }

    if (lun_str_starts(value, LUN_STR("~"))) {
        return name_regex(cf, value, n);
    }

    n->name = lun_str_caseeq(value, LUN_STR("$hostname"))
              ? host_name(cf) : lower(cf, value);
    return LUN_OK;
}


static void
push_name(lun_server *server, lun_server_name *n)
{
    if (server->names == NULL) {
        server->names = n;
    } else {
        server->last_name->next = n;
    }

    server->last_name = n;
}


/* A name in another script is asked for as DNS has it. */
static void
add_ascii(lun_conf *cf, lun_server *server, const lun_server_name *n)
{
    lun_str           ascii;
    lun_server_name  *other;

    if (n->regex == NULL && lun_idna_is_needed(n->name)
        && lun_idna_to_ascii(cf->pool, n->name, &ascii))
    {
        other = lun_pool_new(cf->pool, lun_server_name);
        other->name = ascii;
        push_name(server, other);
    }
}


lun_rc
lun_set_server_name(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t            i;
    lun_server       *server = cf->block->owner;
    lun_server_name  *n;

    for (i = 1; i < cf->argc; i++) {
        n = lun_pool_new(cf->pool, lun_server_name);

        if (add_name(cf, n, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }

        if (server->names == NULL) {
            server->name = cf->args[i].data[0] == '~' ? cf->args[i] : n->name;
        }

        push_name(server, n);
        add_ascii(cf, server, n);
    }

    return LUN_OK;
}


void
lun_server_conf_end(lun_conf *cf, lun_server *server)
{
    if (server->names == NULL) {
        server->names = lun_pool_new(cf->pool, lun_server_name);
        server->names->name = LUN_STR("");
    }

    if (lun_str_starts(server->name, LUN_STR("."))) {
        server->name.data++;
        server->name.len--;
    }
}


/* The same name twice on an address is a warning, and the first has it. */
static lun_rc
add_to_map(lun_conf *cf, lun_server_map *map, lun_server *server, lun_str text)
{
    const lun_server_name  *n;

    for (n = server->names; n != NULL; n = n->next) {

        if (n->regex != NULL) {
            lun_server_map_add_regex(map, n->regex, server);
            continue;
        }

        switch (lun_server_map_add(map, n->name, server)) {

        case LUN_NAME_ADDED:
            break;

        case LUN_NAME_TAKEN:
            lun_log(LUN_LOG_WARN, cf->log, 0, "conflicting server name "
                    "\"%.*s\" on %.*s, ignored", LUN_S(n->name), LUN_S(text));
            break;

        case LUN_NAME_INVALID:
            return lun_conf_fail_bare(cf, "invalid server name or wildcard "
                                      "\"%.*s\" on %.*s", LUN_S(n->name),
                                      LUN_S(text));
        }
    }

    return LUN_OK;
}


static bool
has_regex(const lun_server *server)
{
    const lun_server_name  *n;

    for (n = server->names; n != NULL; n = n->next) {
        if (n->regex != NULL) {
            return true;
        }
    }

    return false;
}


lun_rc
lun_server_conf_names(lun_conf *cf, lun_server_map *map,
    const lun_server_link *servers, lun_str text)
{
    const lun_server_link  *link;

    if (servers->next == NULL && !has_regex(servers->server)) {
        return LUN_OK;
    }

    for (link = servers; link != NULL; link = link->next) {
        if (add_to_map(cf, map, link->server, text) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}

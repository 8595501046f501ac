/*
 * sock_host.c -- what connect() and setpeername() take for a host: a path
 * behind "unix:", or a name or an address, which may have a port of its own.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_host.h"

#include "modules/lua/run/side.h"

enum { UNIX_PREFIX = 5 };          /* "unix:" */


bool
lun_sock_host_is_unix(lun_str host)
{
    return lun_str_casestarts(host, LUN_STR("unix:"));
}


/* What follows the colon behind a host. */
static const char *
read_port(lun_str text, uint16_t *port)
{
    uint64_t  n;

    if (lun_str_to_u64(text, &n) != LUN_OK || n < 1 || n > UINT16_MAX) {
        return "invalid port";
    }

    *port = (uint16_t) n;
    return NULL;
}


/* "[::1]" or "[::1]:80"; the name keeps its brackets. */
static const char *
read_brackets(lun_str host, lun_str *name, uint16_t *port)
{
    lun_str      rest;
    lun_addr     addr;
    const char  *end = memchr(host.data, ']', host.len);

    if (end == NULL) {
        return "invalid host";
    }

    *name = lun_str_of(host.data, (size_t) (end + 1 - host.data));
    rest = lun_str_of(end + 1, host.len - name->len);

    if (name->len == 2) {
        return "no host";
    }

    if (rest.len != 0 && rest.data[0] != ':') {
        return "invalid host";
    }

    if (rest.len != 0
        && read_port(lun_str_of(rest.data + 1, rest.len - 1), port) != NULL)
    {
        return "invalid port";
    }

    return lun_addr_parse(*name, &addr) == LUN_OK ? NULL
                                                  : "invalid IPv6 address";
}


const char *
lun_sock_host_read(lun_str host, lun_str *name, uint16_t *port)
{
    const char  *colon, *why;

    *name = host;

    if (lun_sock_host_is_unix(host)) {
        return host.len == UNIX_PREFIX ? "no path in the unix domain socket"
                                       : NULL;
    }

    if (host.len != 0 && host.data[0] == '[') {
        return read_brackets(host, name, port);
    }

    /* What is behind a NUL counts for the pool's name and for nothing else. */
    if (memchr(host.data, '/', host.len) != NULL
        || memchr(host.data, '?', host.len) != NULL
        || memchr(host.data, '\0', host.len) != NULL)
    {
        return "invalid host";
    }

    colon = memchr(host.data, ':', host.len);

    if (colon != NULL) {
        *name = lun_str_of(host.data, (size_t) (colon - host.data));
        why = read_port(lun_str_of(colon + 1, host.len - name->len - 1), port);

        if (why != NULL) {
            return why;
        }
    }

    return name->len == 0 ? "no host" : NULL;
}


lun_resolver *
lun_sock_host_resolver(const lun_lua_ctx *ctx, lun_str name,
    lun_msec *timeout)
{
    lun_addr               addr;
    lun_lua_main          *main = ctx->main;
    lun_lua_net            net = main->side->net(ctx);
    lun_resolver_options   options = { .timeout = 30000 };

    *timeout = options.timeout;

    if (net.known) {
        if (net.resolver == NULL && !main->gen->deaf
            && lun_addr_parse(name, &addr) != LUN_OK)
        {
            return NULL;
        }

        *timeout = net.resolver_timeout;
        return lun_name_servers_resolver(main->engine, net.resolver);
    }

    if (main->resolver == NULL) {
        main->resolver = lun_resolver_new(main->pool, main->gen->loop,
                                          &options, NULL);
    }

    return main->resolver;
}

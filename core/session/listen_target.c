/*
 * listen_target.c -- what the first word of a listen names: addresses and
 * ports.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/listen_target.h"

#include "os/path.h"


static lun_rc
bad_target(lun_conf *cf, const char *why)
{
    return lun_conf_fail(cf, "%s in \"%.*s\" of the \"listen\" directive",
                         why, LUN_S(cf->args[1]));
}


static bool
read_port(lun_str s, uint16_t *port)
{
    uint64_t  n;

    if (lun_str_to_u64(s, &n) != LUN_OK || n < 1 || n > 65535) {
        return false;
    }

    *port = (uint16_t) n;
    return true;
}


static bool
read_ports(lun_str s, lun_listen_target *t)
{
    const char  *dash = lun_str_chr(s, '-');

    if (dash == NULL) {
        t->last = 0;
        return read_port(s, &t->first) && (t->last = t->first) != 0;
    }

    return read_port(lun_str_of(s.data, (size_t) (dash - s.data)), &t->first)
           && read_port(lun_str_of(dash + 1, s.len - 1
                                             - (size_t) (dash - s.data)),
                        &t->last)
           && t->first <= t->last;
}


/* Digits, where a name would have something else. */
static bool
is_number(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (!lun_is_digit(s.data[i])) {
            return false;
        }
    }

    return s.len != 0;
}


static lun_rc
bad_ports(lun_conf *cf, const lun_listen_target *t)
{
    return bad_target(cf, t->last != 0 && t->first > t->last
                          ? "invalid port range" : "invalid port");
}


static lun_rc
read_unix(lun_conf *cf, lun_str text, lun_listen_target *t)
{
    if (lun_path_native == LUN_PATH_WINDOWS) {
        return bad_target(cf, "the unix domain sockets are not supported "
                          "on this platform");
    }

    if (text.len == 5) {
        return bad_target(cf, "no path in the unix domain socket");
    }

    if (text.len - 5 > 107) {
        return bad_target(cf, "too long path in the unix domain socket");
    }

    t->count = 1;
    t->addrs[0].family = LUN_AF_UNIX;
    t->addrs[0].path = lun_pool_strz(cf->pool, lun_str_of(text.data + 5,
                                                          text.len - 5));
    return LUN_OK;
}


static lun_rc
read_inet6(lun_conf *cf, lun_str text, lun_listen_target *t)
{
    lun_str      rest;
    const char  *close = lun_str_chr(text, ']');

    if (close == NULL) {
        return bad_target(cf, "invalid host");
    }

    rest = lun_str_of(close + 1, text.len - (size_t) (close + 1 - text.data));

    if (rest.len != 0) {
        if (rest.data[0] != ':' || !read_ports(lun_str_of(rest.data + 1,
                                                          rest.len - 1), t))
        {
            return bad_ports(cf, t);
        }

    } else if (t->first == 0) {
        return bad_target(cf, "no port");
    }

    text.len -= rest.len;

    if (lun_addr_parse(text, &t->addrs[0]) != LUN_OK
        || t->addrs[0].family != LUN_AF_INET6)
    {
        return bad_target(cf, "invalid IPv6 address");
    }

    t->count = 1;
    return LUN_OK;
}


static lun_rc
look_up(lun_conf *cf, lun_str host, lun_listen_target *t)
{
    if (host.len == 0) {
        return bad_target(cf, "no host");
    }

    if (lun_str_eq(host, LUN_STR("*"))) {
        t->count = 1;
        t->addrs[0].family = LUN_AF_INET;
        return LUN_OK;
    }

    if (lun_addr_parse(host, &t->addrs[0]) == LUN_OK
        && t->addrs[0].family == LUN_AF_INET)
    {
        t->count = 1;
        return LUN_OK;
    }

    if (lun_addr_lookup(lun_pool_strz(cf->temp, host), 0, t->addrs,
                        LUN_LISTEN_ADDRS, &t->count) != 0 || t->count == 0)
    {
        return bad_target(cf, "host not found");
    }

    return LUN_OK;
}


/*
 * A lone number is a port and anything else a host, as in nginx; a port range
 * ("8080-8090") may stand in either place.
 */
lun_rc
lun_listen_target_read(lun_conf *cf, lun_str text, uint16_t port,
    lun_listen_target *t)
{
    const char  *colon;

    t->count = 0;
    t->first = t->last = port;
    memset(t->addrs, 0, sizeof(t->addrs[0]));

    if (lun_str_casestarts(text, LUN_STR("unix:"))) {
        return read_unix(cf, text, t);
    }

    if (lun_str_starts(text, LUN_STR("["))) {
        return read_inet6(cf, text, t);
    }

    colon = lun_str_chr(text, ':');

    if (colon != NULL) {
        if (!read_ports(lun_str_of(colon + 1, text.len - 1
                                   - (size_t) (colon - text.data)), t))
        {
            return bad_ports(cf, t);
        }

        text.len = (size_t) (colon - text.data);

    } else if (read_ports(text, t)) {
        text = LUN_STR("*");

    } else if (is_number(text)) {
        return bad_ports(cf, t);
    }

    if (t->first == 0) {
        return bad_target(cf, "no port");
    }

    return look_up(cf, text, t);
}

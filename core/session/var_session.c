/*
 * var_session.c -- $variables that every protocol has: the connection, times,
 * this process.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/session.h"

#include "base/fmt.h"
#include "os/clock.h"
#include "os/proc.h"
#include "session/server.h"


static void
give(lun_value *v, lun_str text)
{
    v->text = text;
}


static void
give_addr(lun_session *s, lun_value *v, const lun_addr *addr)
{
    char    *p, room[LUN_ADDR_TEXT];
    lun_str  text;

    if (addr->family == LUN_AF_INET) {
        p = lun_pool_text(s->pool, LUN_FMT_IPV4);
        give(v, lun_str_of(p, (size_t) (lun_fmt_ipv4(p, addr->ip) - p)));
        return;
    }

    if (addr->family == LUN_AF_UNIX) {
        give(v, LUN_STR("unix:"));
        return;
    }

    text = lun_addr_format(addr, false, room, sizeof(room));

    /* Brackets are for where a port follows. */
    if (lun_str_starts(text, LUN_STR("["))) {
        text = lun_str_of(text.data + 1, text.len - 2);
    }

    give(v, lun_pool_str(s->pool, text));
}


static void
give_number(lun_session *s, lun_value *v, uint64_t n)
{
    enum { DIGITS = 20 };

    char  *p = lun_pool_text(s->pool, DIGITS);

    give(v, lun_str_of(p, (size_t) (lun_fmt_u64(p, n) - p)));
}


static void
give_port(lun_session *s, lun_value *v, const lun_addr *addr)
{
    if (addr->port != 0) {
        give_number(s, v, addr->port);

    } else {
        give(v, LUN_STR(""));
    }
}


static void
get_remote_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    give_addr(s, v, s->remote);
}


static void
get_binary_remote_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_addr  *addr = s->remote;

    if (addr->family == LUN_AF_UNIX) {
        give(v, LUN_STR("unix:"));

    } else {
        give(v, lun_str_of((const char *) addr->ip,
                           addr->family == LUN_AF_INET ? 4 : 16));
    }
}


static void
get_remote_port(lun_session *s, lun_value *v, uintptr_t data)
{
    give_port(s, v, s->remote);
}


static void
get_server_addr(lun_session *s, lun_value *v, uintptr_t data)
{
    give_addr(s, v, lun_conn_local(s->conn));
}


static void
get_server_port(lun_session *s, lun_value *v, uintptr_t data)
{
    give_port(s, v, lun_conn_local(s->conn));
}


static void
get_server_name(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, s->server->name);
}


static void
get_connection(lun_session *s, lun_value *v, uintptr_t data)
{
    give_number(s, v, s->conn->number);
}


static void
give_msec(lun_session *s, lun_value *v, int64_t ms)
{
    ms = lun_max(ms, 0);
    give(v, lun_pool_fmt(s->pool, "%" PRId64 ".%03d", ms / 1000,
                         (int) (ms % 1000)));
}


static void
get_msec(lun_session *s, lun_value *v, uintptr_t data)
{
    give_msec(s, v, lun_clock.sec * 1000 + (int64_t) lun_clock.msec);
}


static void
get_time_local(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, lun_pool_str(s->pool, lun_clock_local()));
}


static void
get_time_iso8601(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, lun_pool_str(s->pool, lun_clock_iso8601()));
}


static void
get_pid(lun_session *s, lun_value *v, uintptr_t data)
{
    give(v, lun_pool_fmt(s->pool, "%" PRId64, lun_proc_pid()));
}


static void
get_hostname(lun_session *s, lun_value *v, uintptr_t data)
{
    char  room[256];

    lun_sock_host_name(room, sizeof(room));
    give(v, lun_pool_str(s->pool, lun_str_z(room)));
}


static void
get_constant(lun_session *s, lun_value *v, uintptr_t text)
{
    give(v, lun_str_z((const char *) text));
}


const lun_variable  lun_session_variables[] = {
    { .name = LUN_STR_INIT("remote_addr"), .get = get_remote_addr,
      .help = "the client's address" },
    { .name = LUN_STR_INIT("binary_remote_addr"),
      .get = get_binary_remote_addr,
      .help = "the client's address in 4 or 16 bytes: a key for zones" },
    { .name = LUN_STR_INIT("remote_port"), .get = get_remote_port,
      .help = "the client's port" },
    { .name = LUN_STR_INIT("server_addr"), .get = get_server_addr,
      .help = "the address that the client reached" },
    { .name = LUN_STR_INIT("server_port"), .get = get_server_port,
      .help = "the port that the client reached" },
    { .name = LUN_STR_INIT("server_name"), .get = get_server_name,
      .help = "the server that was chosen, by its first name" },
    { .name = LUN_STR_INIT("connection"), .get = get_connection,
      .help = "the connection's number" },
    { .name = LUN_STR_INIT("msec"), .get = get_msec,
      .flags = LUN_VAR_VOLATILE,
      .help = "the time in seconds, with milliseconds" },
    { .name = LUN_STR_INIT("time_local"), .get = get_time_local,
      .flags = LUN_VAR_VOLATILE,
      .help = "the local time, as logs write it" },
    { .name = LUN_STR_INIT("time_iso8601"), .get = get_time_iso8601,
      .flags = LUN_VAR_VOLATILE,
      .help = "the local time: 2026-01-31T12:00:00+00:00" },
    { .name = LUN_STR_INIT("pid"), .get = get_pid,
      .help = "the worker's process" },
    { .name = LUN_STR_INIT("hostname"), .get = get_hostname,
      .help = "the machine's name" },
    { .name = LUN_STR_INIT("nginx_version"), .get = get_constant,
      .data = (uintptr_t) LUN_VERSION, .flags = LUN_VAR_CONSTANT,
      .help = "this server's version" },
    { .name = LUN_STR_NULL }
};

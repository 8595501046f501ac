/*
 * conn_sock.c -- what the socket of a connection is told, and asked.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_sock.h"

#include "net/conn_io.h"


static lun_err
have_none(void)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


lun_fd
lun_conn_fd(const lun_conn *c)
{
    return lun_conn_has_socket(c) ? c->stream.fd : LUN_FD_NONE;
}


static lun_err
set_option(lun_fd fd, lun_sock_option option, int value)
{
    switch (option) {

    case LUN_SOCK_KEEPALIVE:
        return lun_sock_keepalive(fd, value != 0);

    case LUN_SOCK_REUSE_ADDR:
        return lun_sock_reuse_addr(fd, value != 0);

    case LUN_SOCK_NODELAY:
        return lun_sock_nodelay(fd, value != 0);

    case LUN_SOCK_KEEPIDLE:
    case LUN_SOCK_KEEPINTVL:
    case LUN_SOCK_KEEPCNT:
        return lun_sock_set_probes(fd, option, value);

    default:
        return lun_sock_buffer(fd, option == LUN_SOCK_SNDBUF, value);
    }
}


lun_err
lun_conn_option(const lun_conn *c, lun_sock_option option, int value)
{
    return lun_conn_has_socket(c) ? set_option(c->stream.fd, option, value)
                                  : have_none();
}


lun_err
lun_conn_ask_option(const lun_conn *c, lun_sock_option option, int *value)
{
    return lun_conn_has_socket(c) ? lun_sock_ask(c->stream.fd, option, value)
                                  : have_none();
}


lun_err
lun_conn_figures(const lun_conn *c, lun_sock_figures *f)
{
    return lun_conn_has_socket(c) ? lun_sock_measure(c->stream.fd, f)
                                  : have_none();
}


lun_err
lun_conn_bind(const lun_conn *c, const lun_addr *addr)
{
    return lun_conn_has_socket(c) ? lun_sock_bind(c->stream.fd, addr)
                                  : have_none();
}


lun_err
lun_conn_transparent(const lun_conn *c, lun_family family)
{
    return lun_conn_has_socket(c) ? lun_sock_transparent(c->stream.fd, family)
                                  : have_none();
}


lun_err
lun_conn_peek(const lun_conn *c)
{
    return lun_conn_has_socket(c) ? lun_sock_peek(c->stream.fd) : have_none();
}


lun_err
lun_conn_original(const lun_conn *c, lun_addr *addr)
{
    return lun_conn_has_socket(c)
           ? lun_sock_original(c->stream.fd, c->remote.family, addr)
           : have_none();
}


lun_err
lun_conn_end_socket(const lun_conn *c)
{
    return lun_conn_has_socket(c) ? lun_sock_shutdown_write(c->stream.fd)
                                  : have_none();
}

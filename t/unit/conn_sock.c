/*
 * conn_sock.c -- a connection with a socket of its own, and one without.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/conn_sock.c"

#include "loop_help.h"
#include "tap.h"


static void  ignore_read(lun_conn *c)  { (void) c; }

static const lun_conn_io  shared_io = {
    .traits = LUN_IO_SHARED | LUN_IO_PACKETS,
    .close  = ignore_read,
};

static const lun_conn_io  secure_io = {
    .traits = LUN_IO_SECURE,
    .close  = ignore_read,
};


static void
asks_socket(void)
{
    int        value = -1;
    lun_err    err;
    lun_addr   here;
    lun_conn  *c = lun_conn_new_out(lp, LUN_AF_INET, 512, NULL, &err);

    ok(c != NULL, "a connection with a socket");
    ok(lun_conn_is_plain(c) && lun_conn_has_socket(c)
       && !lun_conn_is_secure(c), "is plain");
    ok(lun_conn_fd(c) == c->stream.fd && lun_conn_fd(c) != LUN_FD_NONE,
       "has a number");

    is_int(lun_conn_option(c, LUN_SOCK_KEEPALIVE, true), 0, "takes options");
    is_int(lun_conn_ask_option(c, LUN_SOCK_KEEPALIVE, &value), 0,
           "and tells them");
    ok(value != 0, "as they were set");
    is_int(lun_conn_option(c, LUN_SOCK_KEEPALIVE, false), 0, "again");
    is_int(lun_conn_ask_option(c, LUN_SOCK_KEEPALIVE, &value), 0, "and again");
    is_int(value, 0, "off");
    is_int(lun_conn_option(c, LUN_SOCK_NODELAY, true), 0, "of another kind");
    is_int(lun_conn_option(c, LUN_SOCK_KEEPIDLE, 30),
           lun_sock_set_probes(c->stream.fd, LUN_SOCK_KEEPIDLE, 30),
           "and with a number, where the system knows it");
    is_int(lun_conn_option(c, LUN_SOCK_RCVBUF, 65536), 0, "a buffer");
    is_int(lun_conn_option(c, LUN_SOCK_SNDBUF, 65536), 0, "another");

    lun_addr_parse(LUN_STR("127.0.0.1"), &here);
    is_int(lun_conn_bind(c, &here), 0, "is bound");
    ok(lun_conn_local(c)->family == LUN_AF_INET && lun_conn_local(c)->port != 0,
       "to an address");
    ok(lun_conn_peek(c) != 0, "nothing has come");
    ok(lun_conn_end_socket(c) != 0, "what is not connected has no end");

    c->io = &secure_io;
    ok(lun_conn_is_secure(c) && lun_conn_has_socket(c)
       && !lun_conn_is_plain(c), "TLS keeps the socket");
    c->io = NULL;
    lun_conn_close(c);
}


static bool
is_refused(lun_err err)
{
    return lun_err_kind_of(err) == LUN_ERR_NOT_SUPPORTED;
}


static void
has_none(void)
{
    int        value;
    lun_addr   addr = { .family = LUN_AF_INET };
    lun_conn  *c = lun_conn_new_bare(lp, 512, NULL);

    c->io = &shared_io;
    ok(!lun_conn_has_socket(c) && !lun_conn_is_secure(c)
       && !lun_conn_is_plain(c), "a connection without one");
    ok(lun_conn_fd(c) == LUN_FD_NONE, "has no number");
    ok(is_refused(lun_conn_option(c, LUN_SOCK_NODELAY, true))
       && is_refused(lun_conn_ask_option(c, LUN_SOCK_NODELAY, &value)),
       "no options");
    ok(is_refused(lun_conn_bind(c, &addr))
       && is_refused(lun_conn_transparent(c, LUN_AF_INET))
       && is_refused(lun_conn_original(c, &addr)), "no addresses");
    ok(is_refused(lun_conn_peek(c)) && is_refused(lun_conn_end_socket(c)),
       "and no bytes");
    is_int(lun_conn_local(c)->family, LUN_AF_NONE, "nor a place");
    lun_conn_nodelay(c);
    ok(!c->nodelay, "nothing is asked of a system");
    lun_conn_close(c);
    is_int((int64_t) lun_conn_count(lp), 0, "none is left");
}


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);
    asks_socket();
    has_none();
    lun_loop_fini(lp);

    return done_testing();
}

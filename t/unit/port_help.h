/*
 * port_help.h -- a port, pairs of sockets on it, and waiting for answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PORT_HELP_H
#define LUN_PORT_HELP_H

#include "os/port.h"
#include "os/time.h"
#include "tap.h"


enum {
    LIMIT  = 10000,                /* ms; nothing takes that long */
    BUFFER = 256 * 1024            /* bytes of a socket's: left to itself a
                                      system may take 32 MB at once */
};

static lun_port  *port;
static lun_fd     listener;
static lun_addr   address;
static int        calls;           /* of done, since the last look */
static TAP_UNUSED int64_t  last;            /* result of the last */
static TAP_UNUSED lun_err  last_err;


static TAP_UNUSED void
on_done(lun_op *op)
{
    calls++;
    last = op->result;
    last_err = op->err;
}


/* Waits until `done` was called n times since the last call of this. */
static TAP_UNUSED int
turn(int n)
{
    int       seen;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (calls < n && lun_time_monotonic() < end) {
        lun_port_wait(port, 100, NULL);
    }

    seen = calls;
    calls = 0;
    return seen;
}


static TAP_UNUSED void
pair(lun_stream *s, lun_fd *client)
{
    lun_fd  fd;

    memset(s, 0, sizeof(*s));

    if (lun_sock_connect_wait(&address, LIMIT, client) != 0
        || lun_sock_accept_wait(listener, LIMIT, &fd) != 0
        || lun_sock_buffer(*client, false, BUFFER) != 0
        || lun_sock_buffer(fd, true, BUFFER) != 0
        || lun_port_attach(port, s, fd, false) != 0)
    {
        ok(0, "cannot make a pair");
        exit(1);
    }
}


static TAP_UNUSED void
say(lun_fd client, const char *text)
{
    if (lun_sock_send_wait(client, text, strlen(text), LIMIT) != 0) {
        ok(0, "cannot send %s", text);
    }
}


static TAP_UNUSED void
hears(lun_fd client, const char *want)
{
    char    buf[64];
    size_t  got, n = 0;

    while (n < strlen(want)) {
        if (lun_sock_recv_wait(client, buf + n, sizeof(buf) - n, LIMIT, &got)
            || got == 0)
        {
            break;
        }
        n += got;
    }

    is_mem(buf, n, want, strlen(want), "the client hears %s", want);
}


static void
begin(void)
{
    lun_err      err;
    const char  *failed;

    const lun_listen_options  plain = { .backlog = 16, .fastopen = -1 };

    lun_sock_init();
    lun_addr_parse(LUN_STR("127.0.0.1"), &address);
    port = lun_port_new(&err);

    if (!ok(port != NULL, "a port")
        || !is_int(lun_sock_listen(&address, &plain, &listener, &failed), 0,
                   "a listener"))
    {
        exit(1);
    }

    lun_sock_local(listener, &address);
}


static void
end(void)
{
    lun_sock_close(listener);
    lun_port_free(port);
}

#endif

/*
 * win_transmit.c -- files that the kernel sends: the way of server editions,
 * whatever this one is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/port.c"

#include "os/proc.h"
#include "os/time.h"
#include "tap.h"


enum { LENGTH = 300000, LIMIT = 10000 };

static bool  done;


static void
on_done(lun_op *op)
{
    done = true;
}


static void
await(lun_port *port)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (!done && lun_time_monotonic() < end) {
        lun_port_wait(port, 100, NULL);
    }

    ok(done, "it completes");
    done = false;
}


static void
connect_pair(lun_port *port, lun_stream *s, lun_fd *client)
{
    lun_fd       listener, fd;
    lun_addr     address;
    const char  *failed;

    const lun_listen_options  plain = { .backlog = 16, .fastopen = -1 };

    memset(s, 0, sizeof(*s));
    lun_addr_parse(LUN_STR("127.0.0.1"), &address);

    if (lun_sock_listen(&address, &plain, &listener, &failed) != 0
        || lun_sock_local(listener, &address) != 0
        || lun_sock_connect_wait(&address, LIMIT, client) != 0
        || lun_sock_accept_wait(listener, LIMIT, &fd) != 0
        || lun_port_attach(port, s, fd, false) != 0)
    {
        ok(0, "cannot make a pair");
        exit(1);
    }

    lun_sock_close(listener);
}


/* Reads what the stream sends meanwhile. */
static size_t
drain(lun_fd client, char *buf, size_t want)
{
    size_t  n, got;

    for (n = 0; n < want; n += got) {
        if (lun_sock_recv_wait(client, buf + n, want - n, LIMIT, &got)
            || got == 0)
        {
            break;
        }
    }

    return n;
}


static void
the_choice(void)
{
    ok(is_transmitted(true, TRANSMIT_LEAST + 1), "a large part, by a server");
    ok(!is_transmitted(true, TRANSMIT_LEAST), "not a small one");
    ok(!is_transmitted(false, TRANSMIT_LEAST + 1), "not by a client edition");
    ok(!is_transmitted(false, LENGTH), "which lets two run at a time");
}


static void
a_part_is_read(lun_port *port, lun_fd file, const char *content, size_t size)
{
    static char  got[LENGTH];

    lun_fd      client;
    lun_stream  s;

    connect_pair(port, &s, &client);
    lun_port_send_file(&s, file, 500, size, on_done);
    ok(lun_port_os_of(&s.out)->buffer != NULL, "into a buffer of ours");
    is_int((int64_t) drain(client, got, size), (int64_t) size, "arrives");
    await(port);
    ok(memcmp(got, content + 500, size) == 0, "as it is in the file");

    lun_port_close(&s);
    lun_sock_close(client);
}


static void
a_large_part_is_transmitted(lun_port *port, lun_fd file, const char *content)
{
    static char  got[LENGTH];

    lun_fd      client;
    lun_stream  s;

    connect_pair(port, &s, &client);

    lun_port_send_file(&s, file, 1000, LENGTH - 1000, on_done);
    ok(lun_port_os_of(&s.out)->buffer == NULL, "without a buffer of ours");
    is_int((int64_t) drain(client, got, LENGTH - 1000), LENGTH - 1000,
           "arrives");
    await(port);
    is_int(s.out.err, 0, "no error");
    is_int(s.out.result, LENGTH - 1000, "all of it");
    ok(memcmp(got, content + 1000, LENGTH - 1000) == 0, "as it is in the file");

    lun_port_send_file(&s, file, LENGTH - 10, 70000, on_done);
    is_int((int64_t) drain(client, got, 10), 10, "less, where the file ends");
    await(port);
    is_int(s.out.result, 10, "and it says so");

    lun_port_send_file(&s, file, LENGTH, 70000, on_done);
    await(port);
    is_int(s.out.result, 0, "nothing behind the end");

    lun_port_close(&s);
    lun_sock_close(client);
}


int
main(void)
{
    static char  content[LENGTH];

    char       path[64];
    size_t     i;
    lun_fd     file;
    lun_err    err;
    lun_port  *port;

    for (i = 0; i < LENGTH; i++) {
        content[i] = (char) (i % 251);
    }

    snprintf(path, sizeof(path), "win_transmit.%lld.tmp",
             (long long) lun_proc_pid());

    port = lun_port_new(&err);
    extensions.server = true;
    ok(extensions.transmit != NULL, "the system has it");

    is_int(lun_file_open(path, LUN_FILE_READ | LUN_FILE_WRITE
                               | LUN_FILE_CREATE | LUN_FILE_TRUNC, 0600,
                         &file),
           0, "a file");
    is_int(lun_file_write(file, content, LENGTH, 0), 0, "is written");

    the_choice();
    a_large_part_is_transmitted(port, file, content);
    a_part_is_read(port, file, content, 1000);
    extensions.server = false;
    a_part_is_read(port, file, content, TRANSMIT_LEAST + 1);

    lun_file_close(file);
    lun_file_delete(path);
    lun_port_free(port);

    return done_testing();
}

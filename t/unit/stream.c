/*
 * stream.c -- the life of a stream, sentence by sentence of port.h.
 *
 * The client's end is driven by the blocking calls of sock.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/port.h"

#include "os/dir.h"
#include "os/proc.h"
#include "port_help.h"


enum { BIG = 16 << 20, MUCH = 2 << 20 };


static void
a_read_answers_with_what_has_come(void)
{
    char        buf[16];
    lun_fd      client;
    lun_stream  s;

    pair(&s, &client);

    say(client, "hello");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(calls, 0, "not from inside the call");
    ok(lun_port_busy(&s), "it is in flight");
    is_int(turn(1), 1, "but from a wait");
    is_mem(buf, (size_t) last, "hello", 5, "with the bytes");
    ok(!lun_port_busy(&s), "it has landed");

    lun_port_read(&s, buf, sizeof(buf), on_done);
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "nothing has come");
    say(client, "again");
    is_int(turn(1), 1, "then something has");
    is_mem(buf, (size_t) last, "again", 5, "and is there");

    say(client, "abcdef");
    lun_port_read(&s, buf, 4, on_done);
    is_int(turn(1), 1, "a small buffer");
    is_mem(buf, (size_t) last, "abcd", 4, "takes a part");
    lun_port_read(&s, buf, 4, on_done);
    is_int(turn(1), 1, "the next");
    is_mem(buf, (size_t) last, "ef", 2, "the rest");

    lun_port_close(&s);
    lun_sock_close(client);
}


static void
an_empty_read_waits_for_something(void)
{
    char        buf[16];
    lun_fd      client;
    lun_stream  s;

    pair(&s, &client);

    lun_port_read(&s, NULL, 0, on_done);
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "nothing is there");
    say(client, "x");
    is_int(turn(1), 1, "something is");
    is_int(last, 0, "and is not taken");
    is_int(last_err, 0, "without an error");

    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "then it is");
    is_mem(buf, (size_t) last, "x", 1, "read");

    lun_port_read(&s, NULL, 0, on_done);
    lun_sock_close(client);
    is_int(turn(1), 1, "an end is something as well");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "then it is read");
    is_int(last, 0, "as the end");

    lun_port_close(&s);
}


static void
the_end_follows_the_bytes(void)
{
    char        buf[16];
    lun_fd      client;
    lun_stream  s;

    pair(&s, &client);

    say(client, "last words");
    lun_sock_shutdown_write(client);
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "bytes and end at once");
    is_mem(buf, (size_t) last, "last words", 10, "first the bytes");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "then");
    is_int(last, 0, "the end");
    is_int(last_err, 0, "without an error");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    is_int(turn(1), 1, "again");
    is_int(last, 0, "the end");

    lun_port_close(&s);
    lun_sock_close(client);
}


static void
a_reset_is_an_error(void)
{
    char        buf[16];
    lun_fd      client;
    lun_stream  s;

    pair(&s, &client);
    lun_port_read(&s, buf, sizeof(buf), on_done);
    lun_sock_abort(client);
    is_int(turn(1), 1, "a reset arrives");
    is_int(lun_err_kind_of(last_err), LUN_ERR_RESET, "as one");
    lun_port_close(&s);

    pair(&s, &client);
    lun_port_abort(&s);
    is_int(lun_err_kind_of(lun_sock_peek(client)), LUN_ERR_RESET,
           "an abort is one for the other side");
    lun_sock_close(client);
}


static void
a_send_takes_slices(void)
{
    size_t      sent;
    lun_fd      client;
    lun_stream  s;

    const lun_slice  slices[] = {
        { "one ", 4 }, { "two ", 4 }, { "three", 5 }
    };

    pair(&s, &client);
    is_int(lun_port_send(&s, slices, 3, false, &sent), 0, "three");
    is_int((int64_t) sent, 13, "all of them");
    hears(client, "one two three");

    is_int(lun_port_send(&s, slices, 1, true, &sent), 0, "one with more");
    is_int(lun_port_send(&s, slices + 1, 1, false, &sent), 0, "and that");
    hears(client, "one two ");

    lun_port_write(&s, slices, 3, on_done);
    is_int(calls, 0, "a write does not answer from inside");
    is_int(turn(1), 1, "but from a wait");
    is_int(last, 13, "with what was taken");
    hears(client, "one two three");

    lun_port_close(&s);
    lun_sock_close(client);
}


/* Reads at least n bytes and checks that they count up. */
static bool
drains(lun_fd client, size_t n, unsigned char *next)
{
    size_t         i, got;
    unsigned char  buf[65536];

    while (n) {
        if (lun_sock_recv_wait(client, buf, lun_min(n, sizeof(buf)), LIMIT,
                               &got) || got == 0)
        {
            return false;
        }

        for (i = 0; i < got; i++) {
            if (buf[i] != (*next)++) {
                return false;
            }
        }

        n -= got;
    }

    return true;
}


static void
a_full_socket_takes_the_rest_later(void)
{
    char           *data = malloc(BIG);
    size_t          i, sent, total = 0;
    lun_fd          client;
    lun_err         err = 0;
    lun_slice       slices[2];
    lun_stream      s;
    unsigned char   next = 0;

    for (i = 0; i < BIG; i++) {
        data[i] = (char) i;
    }

    pair(&s, &client);

    /* Some systems take any size at once if they are asked to. */
    while (total < BIG && err == 0) {
        slices[0] = (lun_slice) { data + total, 1 };
        slices[1] = (lun_slice) { data + total + 1, BIG - total - 1 };
        err = lun_port_send(&s, slices, 2, false, &sent);
        total += sent;
    }

    is_int(lun_err_kind_of(err), LUN_ERR_AGAIN, "the socket is full");
    ok(total < MUCH, "of what its buffers take: %u", (unsigned) total);

    /* Two slices whose bytes go on where the sends have ended. */
    slices[0] = (lun_slice) { data + total % 256, 1000 };
    slices[1] = (lun_slice) { data + (total + 1000) % 256, 1000 };
    lun_port_write(&s, slices, 2, on_done);
    memset(slices, 0, sizeof(slices));

    ok(drains(client, total, &next), "the client reads it all, in order");
    is_int(turn(1), 1, "then the write completes");
    ok(last > 0 && last <= 2000, "with what was taken: %d", (int) last);
    is_int(last_err, 0, "without an error");
    ok(drains(client, (size_t) last, &next), "which arrives, in order");

    lun_port_close(&s);
    lun_sock_close(client);
    free(data);
}


static void
a_file_is_sent(void)
{
    char        path[100];
    lun_fd      client, file;
    lun_stream  s;

    (void) lun_dir_make_all("build", 0755);
    snprintf(path, sizeof(path), "build/test-port-%lld",
             (long long) lun_proc_pid());

    is_int(lun_file_open(path, LUN_FILE_READ | LUN_FILE_WRITE
                               | LUN_FILE_CREATE | LUN_FILE_TRUNC, 0644,
                         &file),
           0, "a file");
    is_int(lun_file_write(file, "0123456789", 10, 0), 0, "with ten bytes");
    lun_file_close(file);
    is_int(lun_file_open(path, LUN_FILE_READ | LUN_FILE_ASYNC, 0, &file), 0,
           "opened to be sent");

    pair(&s, &client);
    lun_port_send_file(&s, file, 2, 5, on_done);
    is_int(calls, 0, "not from inside the call");
    is_int(turn(1), 1, "a part of it");
    is_int(last, 5, "is sent");
    hears(client, "23456");

    lun_port_send_file(&s, file, 7, 3, on_done);
    is_int(turn(1), 1, "and the rest");
    is_int(last, 3, "is sent");
    hears(client, "789");

    lun_port_send_file(&s, file, 10, 5, on_done);
    is_int(turn(1), 1, "what is not there");
    is_int(last, 0, "is nothing");
    is_int(last_err, 0, "but no error");

    lun_port_close(&s);
    lun_sock_close(client);
    lun_file_close(file);
    lun_file_delete(path);
}


static void
a_connect_answers(void)
{
    char        buf[8];
    size_t      sent;
    lun_fd      fd, server;
    lun_err     err;
    lun_addr    nobody;
    lun_slice   hi = { "hi", 2 };
    lun_stream  s;

    memset(&s, 0, sizeof(s));
    is_int(lun_sock_stream(LUN_AF_INET, &fd), 0, "a socket");
    is_int(lun_port_attach(port, &s, fd, false), 0, "attached before");
    lun_port_wait(port, 0, NULL);
    lun_port_connect(&s, &address, on_done);
    is_int(calls, 0, "not from inside the call");
    is_int(turn(1), 1, "it is connected");
    is_int(last_err, 0, "without an error");
    ok(!s.hung_up, "and not hung up");

    is_int(lun_sock_accept_wait(listener, LIMIT, &server), 0, "truly");
    is_int(lun_port_send(&s, &hi, 1, false, &sent), 0, "it sends");
    hears(server, "hi");
    lun_port_read(&s, buf, sizeof(buf), on_done);
    say(server, "ho");
    is_int(turn(1), 1, "and reads");
    is_mem(buf, (size_t) last, "ho", 2, "the answer");
    lun_port_close(&s);
    lun_sock_close(server);

    /* A port where nobody listens any more. */
    nobody = address;
    nobody.port = 0;
    is_int(lun_sock_stream(LUN_AF_INET, &fd), 0, "a socket");
    is_int(lun_sock_bind(fd, &nobody), 0, "takes a port");
    lun_sock_local(fd, &nobody);
    lun_sock_close(fd);

    memset(&s, 0, sizeof(s));
    err = lun_sock_stream(LUN_AF_INET, &fd);
    is_int(err ? err : lun_port_attach(port, &s, fd, false), 0, "another");
    lun_port_connect(&s, &nobody, on_done);
    is_int(turn(1), 1, "nobody is there");
    is_int(lun_err_kind_of(last_err), LUN_ERR_REFUSED, "who would listen");
    lun_port_close(&s);
}


static void
close_cancels_once(void)
{
    char        buf[8], *data = calloc(1, 65536);
    size_t      sent;
    lun_fd      client;
    lun_slice   slice = { data, 65536 };
    lun_stream  s;

    pair(&s, &client);

    while (lun_port_send(&s, &slice, 1, false, &sent) == 0) {
        /* until it is full */
    }

    lun_port_read(&s, buf, sizeof(buf), on_done);
    lun_port_write(&s, &slice, 1, on_done);
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "both wait");

    lun_port_close(&s);
    is_int(calls, 0, "close answers nothing from inside");
    ok(lun_port_busy(&s), "both are in flight still");
    is_int(turn(2), 2, "then both answer");
    ok(!lun_port_busy(&s), "and it may go");
    is_int(lun_err_kind_of(s.in.err), LUN_ERR_CANCELLED, "the read");
    is_int(lun_err_kind_of(s.out.err), LUN_ERR_CANCELLED, "and the write");

    memset(&s, 0xee, sizeof(s));
    lun_port_wait(port, 0, NULL);
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "and never again");
    lun_sock_close(client);
    free(data);
}


static void
close_of_a_read_that_could_go_at_once(void)
{
    char        buf[8];
    lun_fd      client;
    lun_stream  s;

    pair(&s, &client);
    say(client, "abcdefgh");
    lun_port_read(&s, buf, 4, on_done);
    is_int(turn(1), 1, "more is there than was read");
    lun_port_read(&s, buf, 4, on_done);
    lun_port_close(&s);
    is_int(turn(1), 1, "one answer");
    ok(last_err == 0 ? last > 0
                     : lun_err_kind_of(last_err) == LUN_ERR_CANCELLED,
       "cancelled, or what it had got by then");
    lun_port_wait(port, 0, NULL);
    is_int(calls, 0, "and no other");
    lun_sock_close(client);
}


/* However the port waits. */
static void
all(void)
{
    a_read_answers_with_what_has_come();
    an_empty_read_waits_for_something();
    the_end_follows_the_bytes();
    a_reset_is_an_error();
    a_send_takes_slices();
    a_full_socket_takes_the_rest_later();
    a_file_is_sent();
    a_connect_answers();
    close_cancels_once();
    close_of_a_read_that_could_go_at_once();
}


int
main(void)
{
    begin();
    all();
    end();

    begin();
    lun_port_use_poll(port);
    all();
    end();

    return done_testing();
}

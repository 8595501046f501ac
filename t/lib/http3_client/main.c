/*
 * main.c -- a client of HTTP/3 for specs: what curl is for the other versions,
 * as far as specs ask.
 *
 *     http3_client [options] https://ADDRESS:PORT/PATH [URL ...]
 *
 * All go over one connection, one after the other, or together (--parallel).
 * What is printed of an answer looks like HTTP/1's.
 *
 *     -X METHOD, -I           (HEAD)
 *     -H "Name: value"        "Name;" has an empty value, "Name:" is left out
 *     --data-binary @FILE     a body
 *     --repeat N              each URL so often
 *     --parallel              does not wait for an answer before the next
 *     --trailer "Name: value" behind the body
 *     --show-trailers         prints those of answers, behind the body
 *     --show-end              prints how each stream and the connection ended
 *     --no-body               prints how many bytes of a body there are
 *     --slow                  takes a body as slowly as it can
 *     --rebind                comes from another port after every 20 packets
 *     --websocket NAME        CONNECT with that :protocol, and the body for the
 *                             tunnel
 *     --connect HOST:PORT     CONNECT, the same
 *     --hold                  leaves it to the server to end the tunnel
 *     --cancel                resets the stream when its header has come
 *     --early                 shakes hands twice, and says all with the second
 *                             hello
 *     --pause MS              after each answer
 *     --alpn NAME             instead of h3; --sni NAME
 *     --cert FILE, --key FILE the client's certificate
 *     --max-time SECONDS      exit code 28 when they are over
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>
#include <stdlib.h>

#include "net/quic/quic_path.h"
#include "os/sock.h"
#include "t/lib/http3_client/client.h"


exchange  exchanges[EXCHANGES];
size_t    exchange_count;


void
quit(int status, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "http3_client: %s\n", why);
    exit(status);
}


exchange *
find_exchange(int64_t id)
{
    size_t  i;

    for (i = 0; i < exchange_count; i++) {
        if (exchanges[i].id == id) {
            return &exchanges[i];
        }
    }

    return NULL;
}


/* --- answers ------------------------------------------------------------- */

static void
print(const exchange *x)
{
    fwrite(x->head, 1, x->head_len, stdout);

    if (opt.no_body) {
        printf("%zu bytes\n", x->len);

    } else {
        fwrite(x->body, 1, x->len, stdout);
    }

    if (opt.show_trailers) {
        fwrite(x->trailers, 1, x->trailers_len, stdout);
    }

    if (opt.show_end) {
        printf("%s 0x%x\n", x->ended ? "ended" : "closed",
               (unsigned) x->code);
    }
}


static void
pause_for(unsigned ms)
{
    uint64_t  end = lun_quic_now() + (uint64_t) ms * 1000000;

    while (!over && lun_quic_now() < end) {
        turn(end);
    }
}


static void
wait_for(exchange *x)
{
    while (!over && !x->ended && !x->closed) {
        turn(UINT64_MAX);
    }
}


static void
ask(exchange *x)
{
    while (!over && !open_stream(x)) {
        turn(UINT64_MAX);
    }

    if (over) {
        return;
    }

    submit(x);

    if (!opt.parallel) {
        wait_for(x);

        if (opt.pause != 0) {
            pause_for(opt.pause);
        }
    }
}


int
main(int argc, char **argv)
{
    size_t  i;

    lun_sock_init();
    read_words(argc, argv);
    begin_quic();

    for (i = 0; i < exchange_count; i++) {
        ask(&exchanges[i]);
    }

    for (i = 0; i < exchange_count; i++) {
        wait_for(&exchanges[i]);
        print(&exchanges[i]);
    }

    if (opt.show_end) {
        print_end();
    }

    say_goodbye();
    fflush(stdout);

    return exchanges[exchange_count - 1].ended || opt.show_end ? 0 : FAILED;
}

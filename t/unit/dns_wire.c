/*
 * dns_wire.c -- messages to a name server on 127.0.0.1 and back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/dns/dns_wire.c"

#include "loop_help.h"
#include "tap.h"


static lun_addr      where;
static lun_stream    udp;
static lun_acceptor  acceptor;
static char          heard[512];           /* by the server */
static char          events[2048];         /* by the wire's owner */
static lun_conn     *tcp;
static lun_dns_wire *wire;


static void
on_message(void *owner, size_t server, const uint8_t *data, size_t len)
{
    snprintf(events + strlen(events), 64, "%u:%.*s(%u) ", (unsigned) server,
             (int) lun_min(len, (size_t) 20), (const char *) data,
             (unsigned) len);
}


static void
on_message_free(void *owner, size_t server, const uint8_t *data, size_t len)
{
    on_message(owner, server, data, len);
    lun_dns_wire_free(wire);
    wire = NULL;
}


static void
on_heard(lun_op *op)
{
    if (op->err == 0) {
        heard[op->result] = '\0';
    }
}


static void  on_read(lun_conn *c)     { lun_conn_want(c); }
static void  on_written(lun_conn *c)  { }

static const lun_conn_state  quiet = { .doing = "testing", .on_read = on_read,
                                       .on_written = on_written };

static void
on_taken(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0) {
        tcp = lun_conn_new(lp, fd, 1024, NULL);
        lun_conn_enter(tcp, &quiet);
        lun_conn_want(tcp);
    }
}


static void
open_server(void)
{
    lun_fd              fd;
    const char         *failed;
    lun_listen_options  options = { .backlog = -1, .fastopen = -1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &where);
    is_int(lun_sock_listen(&where, &options, &acceptor.fd, &failed), 0, "TCP");
    lun_sock_local(acceptor.fd, &where);
    acceptor.family = LUN_AF_INET;
    acceptor.take = on_taken;
    lun_port_accept(lp->port, &acceptor);

    lun_sock_datagram(LUN_AF_INET, &fd);
    is_int(lun_sock_bind(fd, &where), 0, "UDP at the same port");
    lun_port_attach(lp->port, &udp, fd, true);
}


#define turn_until(x)                                                         \
    for (int turns_ = 0; turns_ < 50 && !(x); turns_++) {                     \
        lun_loop_turn(lp, 50);                                                \
    }


static void
say_udp(const char *text)
{
    size_t     n;
    lun_slice  slice = { text, strlen(text) };

    lun_port_send(&udp, &slice, 1, false, &n);
}


/* What was asked from the old port is still answered there, for a while. */
static void
changes_its_port(const lun_addr *before)
{
    channel   *old = wire->channels[0];
    lun_addr   local;

    lun_dns_wire_send(wire, 0, (const uint8_t *) "soon", 4);
    ok(wire->channels[0] == old, "a port for some minutes");

    old->opened = lun_clock.mono - RENEW;
    lun_dns_wire_send(wire, 0, (const uint8_t *) "later", 5);
    ok(wire->channels[0] != NULL && wire->channels[0] != old, "then another");
    lun_sock_local(wire->channels[0]->stream.fd, &local);
    ok(local.port != before->port, "with a number of its own");

    say_udp("late");
    turn_until(strstr(events, "late"));
    ok(strstr(events, "0:late(4) ") != NULL, "the old one still hears");
    ok(lun_timer_runs(&old->end), "for a while");
    on_old(&old->end);
    ok(lun_list_empty(&wire->leaving), "and is gone");

    /* The server hears one port: the new one was refused. */
    lun_dns_wire_send(wire, 0, (const uint8_t *) "again", 5);
    wire->channels[0]->opened = lun_clock.mono - RENEW;
    lun_dns_wire_send(wire, 0, (const uint8_t *) "again", 5);
    ok(!lun_list_empty(&wire->leaving), "one is leaving when the wire ends");
}


static void
carries_datagrams(void)
{
    lun_addr  local;

    wire = lun_dns_wire_new(lp, &where, 1, NULL, on_message, NULL);
    lun_port_read(&udp, heard, sizeof(heard) - 1, on_heard);
    lun_dns_wire_send(wire, 0, (const uint8_t *) "query", 5);
    turn_until(heard[0]);
    is_str(heard, "query", "there");

    lun_sock_local(wire->channels[0]->stream.fd, &local);
    lun_sock_connect_datagram(udp.fd, &local);
    say_udp("answer");
    turn_until(events[0]);
    say_udp("another");
    turn_until(strstr(events, "another"));
    is_str(events, "0:answer(6) 0:another(7) ", "and back, in any number");

    changes_its_port(&local);

    lun_dns_wire_free(wire);
    lun_loop_turn(lp, 0);
    ok(1, "gone, with a read in flight");
}


static void
survives_a_dead_server(void)
{
    lun_addr  nobody = where;

    nobody.port = 1;
    wire = lun_dns_wire_new(lp, &nobody, 1, NULL, on_message, NULL);
    lun_dns_wire_send(wire, 0, (const uint8_t *) "query", 5);
    turn_until(wire->channels[0] == NULL);
    lun_dns_wire_send(wire, 0, (const uint8_t *) "query", 5);
    ok(wire->channels[0] != NULL, "a new socket for the next query");
    lun_dns_wire_free(wire);
    lun_loop_turn(lp, 0);
}


static void
say_tcp(const char *data, size_t len)
{
    size_t     n;
    lun_slice  slice = { data, len };

    lun_conn_send(tcp, &slice, 1, false, &n);
}


static void
carries_long_messages(void)
{
    static char  message[3000];

    wire = lun_dns_wire_new(lp, &where, 1, NULL, on_message, NULL);
    events[0] = '\0';
    tcp = NULL;
    lun_dns_wire_send_tcp(wire, 0, (const uint8_t *) "query", 5);
    turn_until(tcp != NULL && tcp->in.last - tcp->in.pos == 7);
    is_mem(tcp->in.pos, 7, "\0\5query", 7, "with its length before it");

    memset(message, 'x', sizeof(message));
    say_tcp("\x0b", 1);
    lun_loop_turn(lp, 20);
    say_tcp("\xb8", 1);
    say_tcp(message, 2000);
    lun_loop_turn(lp, 20);
    is_str(events, "", "not before it is whole");
    say_tcp(message, 1000);
    turn_until(events[0]);
    is_str(events, "0:xxxxxxxxxxxxxxxxxxxx(3000) ", "back in one piece");
    ok(lun_list_empty(&wire->exchanges), "one connection, one question");
    lun_conn_close(tcp);

    tcp = NULL;
    lun_dns_wire_send_tcp(wire, 0, (const uint8_t *) "query", 5);
    turn_until(tcp != NULL);
    lun_dns_wire_free(wire);
    turn_until(tcp->eof);
    ok(tcp->eof, "closed with the wire");
    lun_conn_close(tcp);
}


/* What a hostile server says over TCP, and then nothing more. */
static void
hears_no_nonsense(void)
{
    static const struct { const char *say; size_t len; bool closes;
                          const char *what; } rows[] = {
        { "\0\0", 2, false, "a message of nothing" },
        { "\0\0\0\2ok", 6, false, "one behind it" },
        { "\0", 1, true, "half a length" },
        { "\377\377abc", 5, true, "less than was said" },
        { "", 0, true, "nothing at all" },
    };
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        wire = lun_dns_wire_new(lp, &where, 1, NULL, on_message, NULL);
        events[0] = '\0';
        tcp = NULL;
        lun_dns_wire_send_tcp(wire, 0, (const uint8_t *) "query", 5);
        turn_until(tcp != NULL && tcp->in.last - tcp->in.pos == 7);

        if (rows[i].len != 0) {
            say_tcp(rows[i].say, rows[i].len);
        }

        if (rows[i].closes) {
            lun_conn_close(tcp);
        }

        turn_until(lun_list_empty(&wire->exchanges));
        ok(lun_list_empty(&wire->exchanges) && events[0] == '\0', "%s is none",
           rows[i].what);

        if (!rows[i].closes) {
            lun_conn_close(tcp);
        }

        lun_dns_wire_free(wire);
        lun_loop_turn(lp, 20);
    }
}


static void
may_be_freed_by_its_owner(void)
{
    wire = lun_dns_wire_new(lp, &where, 1, NULL, on_message_free, NULL);
    events[0] = '\0';
    tcp = NULL;
    lun_dns_wire_send_tcp(wire, 0, (const uint8_t *) "query", 5);
    turn_until(tcp != NULL);
    say_tcp("\0\2ok", 4);
    turn_until(events[0]);
    ok(wire == NULL, "in the middle of an answer");
    lun_conn_close(tcp);
    lun_loop_turn(lp, 20);
    is_int((int64_t) lun_conn_count(lp), 0, "no connection is left");
}


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);
    open_server();

    carries_datagrams();
    survives_a_dead_server();
    carries_long_messages();
    hears_no_nonsense();
    may_be_freed_by_its_owner();

    return done_testing();
}

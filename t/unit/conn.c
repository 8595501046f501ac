/*
 * conn.c -- connections to ourselves over 127.0.0.1.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/conn.c"

#include "loop_help.h"
#include "tap.h"


typedef struct {
    lun_msec  limit;
} test_conf;

static lun_fd        listener = LUN_FD_NONE;
static lun_addr      where;
static lun_acceptor  acceptor;
static lun_conn     *client, *server;
static char          events[256];
static test_conf     conf = { 60000 };


static void  note(const char *what)  { strcat(events, what); }

static void  on_read(lun_conn *c)     { note("r"); }
static void  on_written(lun_conn *c)  { note("w"); }
static void  on_timeout(lun_conn *c)  { note("t"); }
static void  on_gone(lun_conn *c)     { note("g"); }
static void  on_free(lun_conn *c)     { note("f"); }

static void
read_and_close(lun_conn *c)
{
    note("c");
    lun_conn_close(c);
}


static const lun_conn_state  quiet = {
    .doing      = "testing",
    .on_read    = on_read,
    .on_written = on_written,
    .on_timeout = on_timeout,
    .on_gone    = on_gone,
    .timeout    = LUN_TIMEOUT(test_conf, limit),
};

static const lun_conn_state  closing = {
    .doing      = "closing",
    .on_read    = read_and_close,
    .on_gone    = read_and_close,
    .on_timeout = read_and_close,
};


static void
on_taken(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    if (err == 0) {
        server = lun_conn_new(lp, fd, 1024, NULL);
        server->remote = *peer;
        server->timeouts = &conf;
        server->on_free = on_free;
        lun_conn_enter(server, &quiet);
    }
}


/* Turns until the events are what they should become. */
static int
expect(const char *want, const char *name)
{
    int  turns;

    for (turns = 0; turns < 100 && strcmp(events, want) != 0; turns++) {
        lun_loop_turn(lp, 50);
    }

    is_str(events, want, "%s", name);
    events[0] = '\0';
    return turns;
}


static void
listen_here(void)
{
    lun_err             err;
    const char         *failed;
    lun_listen_options  options = { .backlog = -1, .fastopen = -1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &where);
    err = lun_sock_listen(&where, &options, &listener, &failed);
    is_int(err, 0, "listens");
    lun_sock_local(listener, &where);

    acceptor = (lun_acceptor) { .fd = listener, .family = LUN_AF_INET,
                                .take = on_taken };
    is_int(lun_port_accept(lp->port, &acceptor), 0, "accepts");
}


static void
make_pair(size_t in_size)
{
    int      turns;
    lun_err  err;

    server = NULL;
    events[0] = '\0';

    client = lun_conn_new_out(lp, LUN_AF_INET, in_size, NULL, &err);
    client->timeouts = &conf;
    lun_conn_enter(client, &quiet);
    lun_conn_connect(client, &where);

    for (turns = 0; turns < 100
                    && (server == NULL || lun_conn_writing(client)); turns++)
    {
        lun_loop_turn(lp, 50);
    }

    events[0] = '\0';
}


static size_t
say(lun_conn *c, const char *words)
{
    size_t     sent;
    lun_slice  slice = { words, strlen(words) };

    return lun_conn_send(c, &slice, 1, false, &sent) == 0 ? sent : 0;
}


static void
close_both(void)
{
    client->on_free = on_free;
    lun_conn_close(client);
    lun_conn_close(server);
    expect("ff", "both freed");
}


static void
is_small(void)
{
    ok(sizeof(lun_conn) < 800, "%u bytes", (unsigned) sizeof(lun_conn));
}


static void
connects(void)
{
    lun_err    err;
    lun_conn  *c;

    make_pair(256);
    ok(server != NULL, "accepted");
    is_int(lun_conn_local(server)->port, where.port, "local address");
    ok(lun_addr_eq(lun_conn_local(client), &server->remote), "peer's address");
    is_int((int64_t) (server->log.conn - client->log.conn), 1, "numbers");
    is_str(server->log.doing, "testing", "the log knows the state");
    is_int((int64_t) lun_conn_count(lp), 2, "two of them");
    close_both();
    is_int((int64_t) lun_conn_count(lp), 0, "none");

    c = lun_conn_new_out(lp, LUN_AF_INET, 0, NULL, &err);
    lun_conn_enter(c, &closing);
    c->on_free = on_free;
    lun_addr_parse(LUN_STR("127.0.0.1:1"), &where);
    lun_conn_connect(c, &where);
    expect("cf", "a refused connection is gone");
    lun_sock_local(listener, &where);
}


static void
reads(void)
{
    int   n;
    char  text[64], want[64];

    make_pair(256);

    lun_conn_want(server);
    ok(lun_conn_reading(server), "reading");
    is_int((int64_t) say(client, "hello"), 5, "sent at once");
    is_int(client->sent, 5, "and counted");
    expect("r", "read");
    n = sprintf(want, "serving connection *%d, testing",
                (int) server->number);
    is_mem(text, lun_conn_report(lp, text, sizeof(text)), want, (size_t) n,
           "a panic would say for whom");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "hello", 5, "the bytes");
    ok(!lun_conn_reading(server), "no longer reading");

    say(client, " world");
    lun_conn_want(server);
    expect("r", "read on");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "hello world", 11, "behind the first");

    server->in.pos += 6;
    lun_conn_compact(server);
    ok(server->in.pos == server->in.start, "moved to the start");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "world", 5, "what was not consumed");

    lun_conn_grow(server, 8);
    is_int(server->in.end - server->in.start, 8, "a buffer of another size");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "world", 5, "the same bytes");

    say(client, "12345");
    lun_conn_want(server);
    expect("r", "read until it is full");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "world123", 8, "no more than there is room");
    lun_conn_want(server);
    ok(!lun_conn_reading(server), "no room, no read");

    server->in.pos = server->in.last;
    lun_conn_compact(server);
    lun_conn_want(server);
    expect("r", "the rest");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "45", 2, "as sent");

    close_both();
}


/* Told of bytes that nobody has room for, which stay where they are. */
static void
watches(void)
{
    make_pair(256);

    server->in.pos = server->in.last = server->in.end;
    lun_conn_watch(server);
    ok(lun_conn_reading(server), "watching");
    say(client, "hello");
    expect("r", "told of bytes");
    ok(server->in.last == server->in.end, "of which none is read");
    is_int(server->received, 0, "nor counted");

    lun_conn_compact(server);
    lun_conn_want(server);
    expect("r", "then they are read");
    is_mem(server->in.pos, (size_t) (server->in.last - server->in.pos),
           "hello", 5, "as sent");
    is_int(server->received, 5, "and counted");

    lun_conn_watch(server);
    client->on_free = on_free;
    lun_conn_close(client);
    expect("fr", "told of the end, in the same words");
    lun_conn_want(server);
    expect("g", "which a read finds");
    ok(server->eof, "the end");
    lun_conn_close(server);
    expect("f", "freed");

    make_pair(256);
    lun_conn_watch(server);
    lun_conn_close(server);
    expect("f", "closed while it watches");
    client->on_free = on_free;
    lun_conn_close(client);
    expect("f", "and the other end");
}


static void
sees_the_end(void)
{
    make_pair(256);
    lun_conn_want(server);
    client->on_free = on_free;
    lun_conn_close(client);
    expect("fg", "freed here, gone there");
    ok(server->eof && !server->gone, "end of the stream, no error");
    lun_conn_want(server);
    ok(!lun_conn_reading(server), "nothing more to ask for");
    lun_conn_close(server);
    expect("f", "freed");

    make_pair(256);
    lun_conn_want(server);
    client->on_free = on_free;
    lun_conn_abort(client);
    expect("fg", "reset");
    ok(server->gone && server->err != 0, "an error");
    lun_conn_close(server);
    expect("f", "freed");
}


static void
writes(void)
{
    static char  big[1 << 20];
    size_t       sent, total, turns;
    lun_err      err;
    lun_slice    slices[2];

    make_pair(256);

    /* Until the system takes no more. */
    for (total = 0, err = 0; err == 0; total += sent) {
        slices[0] = (lun_slice) { big, sizeof(big) / 2 };
        slices[1] = (lun_slice) { big + sizeof(big) / 2, sizeof(big) / 2 };
        err = lun_conn_send(client, slices, 2, false, &sent);
    }

    is_int(lun_err_kind_of(err), LUN_ERR_AGAIN, "full");
    ok(!client->gone, "that is no error");

    slices[0] = (lun_slice) { big, sizeof(big) };
    lun_conn_write(client, slices, 1);
    ok(lun_conn_writing(client), "writing");
    slices[0] = (lun_slice) { NULL, 0 };

    lun_conn_grow(server, sizeof(big));

    for (turns = 0; turns < 10000 && strchr(events, 'w') == NULL; turns++) {
        events[0] = '\0';
        server->in.pos = server->in.last;

        if (!lun_conn_reading(server)) {
            lun_conn_compact(server);
            lun_conn_want(server);
        }

        lun_loop_turn(lp, 50);
    }

    ok(strchr(events, 'w') != NULL, "written once the peer reads");
    ok(lun_conn_written(client) > 0, "at least one byte");
    is_int(client->sent, (int64_t) total + lun_conn_written(client),
           "counted");

    /* Closed in the middle of a write, and of a read. */
    events[0] = '\0';
    while (lun_conn_send(client, &(lun_slice) { big, sizeof(big) }, 1, false,
                         &sent) == 0) { /* fill it again */ }
    lun_conn_write(client, &(lun_slice) { big, sizeof(big) }, 1);
    close_both();
}


static void
closes_in_a_handler(void)
{
    make_pair(256);
    lun_conn_enter(server, &closing);
    lun_conn_want(server);
    say(client, "x");
    expect("cf", "in on_read");
    client->on_free = on_free;
    lun_conn_close(client);
    expect("f", "the other one");

    make_pair(256);
    lun_conn_enter(server, &closing);
    lun_conn_limit(server, 1);
    expect("cf", "in on_timeout");
    client->on_free = on_free;
    lun_conn_close(client);
    expect("f", "the other one");
}


static void
calls_nobody_after_close(void)
{
    make_pair(256);
    lun_conn_want(server);
    say(client, "x");
    lun_conn_limit(server, 0);
    server->on_free = on_free;
    lun_conn_close(server);
    client->on_free = on_free;
    lun_conn_close(client);
    expect("ff", "only on_free");
    lun_loop_turn(lp, 0);
    is_str(events, "", "nothing later");
}


static void
keeps_time(void)
{
    static const lun_conn_state  untimed = { .doing = "waiting" };

    make_pair(256);
    ok(lun_timer_runs(&server->timer), "the state has a limit");
    is_int((int64_t) (server->timer.deadline - lun_clock.mono) <= 60000, 1,
           "its own");
    lun_conn_enter(server, &untimed);
    ok(!lun_timer_runs(&server->timer), "this one has none");

    conf.limit = 1;
    lun_conn_enter(server, &quiet);
    conf.limit = 60000;
    expect("t", "fires");
    lun_conn_touch(server);
    ok(server->timer.deadline > lun_clock.mono + 1000, "touched");
    ok(lun_conn_waited(server) < 1000, "it has not waited for long");
    server->timer.deadline -= 30000;
    ok(lun_conn_waited(server) >= 30000, "now it has");
    close_both();
}


static void  close_it(lun_conn *c)  { note("i"); lun_conn_close(c); }

static void
close_any(lun_conn *c, void *data)
{
    close_it(c);
}


static void
close_the_other(lun_conn *c, void *data)
{
    note("o");
    lun_conn_close(c == server ? client : server);
}


static const lun_conn_state  leaving = {
    .doing    = "leaving",
    .on_quit  = close_it,
};


static void
closes_idle_ones(void)
{
    make_pair(256);
    lun_conn_set_idle(server, true);
    lun_conn_set_idle(server, true);
    lun_conn_set_idle(client, true);
    is_int((int64_t) lun_conn_idle_count(lp), 2, "two idle");
    lun_conn_set_idle(client, false);
    is_int((int64_t) lun_conn_idle_count(lp), 1, "one busy");
    lun_conn_enter(server, &leaving);
    lun_conn_enter(client, &quiet);
    lun_conn_quit(lp);
    expect("if", "told to quit, the one whose state has a word for it");
    is_int((int64_t) lun_conn_idle_count(lp), 0, "none idle");
    client->on_free = on_free;
    lun_conn_close(client);
    expect("f", "the busy one");

    make_pair(256);
    client->on_free = on_free;
    lun_conn_set_idle(server, true);
    lun_conn_set_idle(client, true);
    lun_conn_each(lp, close_the_other, NULL);
    expect("of", "one closes the other before its turn");
    lun_conn_each(lp, close_any, NULL);
    expect("if", "which leaves one");
}


/* Says goodbye the first time, closes the second. */
static void
linger(lun_conn *c)
{
    if (c->requests++ != 0) {
        close_it(c);
        return;
    }

    note("l");
}


static const lun_conn_state  lingering = {
    .doing    = "lingering",
    .on_drain = linger,
};


static void
makes_room(void)
{
    lun_conn  *first, *second;

    make_pair(256);
    first = client;
    second = server;
    make_pair(256);
    is_int((int64_t) lun_conn_busy_count(lp), 4, "four are busy");

    lun_conn_set_idle(first, true);
    lun_conn_set_idle(second, true);
    lun_conn_set_idle(first, true);
    lun_conn_set_pooled(client, true);
    is_int((int64_t) lun_conn_busy_count(lp), 1, "one is");
    is_int((int64_t) lun_conn_open_count(lp), 4, "all are open");

    first->start_time = second->start_time = client->start_time = 0;
    lun_conn_drain(lp, 1, 100);
    expect("f", "one goes: the other was served in between");
    ok(first->idle && first->mark == LUN_MARK_CONN, "and stays");

    lun_conn_enter(first, &lingering);
    first->on_free = on_free;
    lun_conn_drain(lp, 8, 3);
    expect("l", "one lingers, where there is room");
    lun_conn_drain(lp, 8, 2);
    expect("if", "and goes in the end");

    lun_conn_drain(lp, 8, 2);
    expect("", "the pooled one stays, where there is room");
    client->on_free = on_free;
    lun_conn_drain(lp, 8, 1);
    expect("f", "and goes if need be");
    is_int((int64_t) lun_conn_open_count(lp), 1, "the busy one is left");
    lun_conn_drain(lp, 8, 0);
    expect("", "for good");

    server->start_time = lun_clock.mono;
    lun_conn_set_idle(server, true);
    lun_conn_drain(lp, 8, 1);
    expect("", "one that has just come is spared, where there is room");
    lun_conn_drain(lp, 8, 0);
    expect("f", "and is not, if need be");

    make_pair(256);
    client->start_time = 0;
    lun_conn_set_idle(client, true);
    lun_conn_enter(client, &lingering);
    client->on_free = on_free;
    lun_conn_drain(lp, 1, 1);
    expect("lif", "twice, when there is no room at all");
    lun_conn_close(server);
    expect("f", "the other");
}


static void  count_less(void *p)    { note("-"); }
static void  on_pool_end(void *p)   { note("p"); }

static void
reuses_memory(void)
{
    lun_conn  *old;

    make_pair(256);
    old = client;
    lun_conn_memory(client);
    ok(lun_conn_memory(client) == client->pool, "one pool, made when wanted");
    ok(server->pool == NULL, "and not before");
    lun_pool_on_end(client->pool, on_pool_end, NULL);
    lun_conn_on_less(lp, count_less, NULL);
    client->on_free = on_free;
    lun_conn_close(client);
    expect("fp-", "on_free, the pool, one less");
    lun_conn_on_less(lp, NULL, NULL);
    lun_conn_close(server);
    expect("f", "the other");

    make_pair(200);
#ifdef LUN_POOL_DEBUG
    (void) old;
    skip("memory is not kept in this build");
#else
    ok(client == old, "the memory of the last one of its class");
#endif
    is_int(client->in.end - client->in.start, 200, "as large as was asked");
    ok(client->pool == NULL && client->sent == 0 && !client->closed, "clean");
    close_both();
}


int
main(void)
{
    lun_sock_init();
    lun_loop_init(lp);
    listen_here();

    is_small();
    connects();
    reads();
    watches();
    sees_the_end();
    writes();
    closes_in_a_handler();
    calls_nobody_after_close();
    keeps_time();
    closes_idle_ones();
    makes_room();
    reuses_memory();

    lun_port_accept_stop(&acceptor);
    lun_sock_close(listener);
    lun_loop_fini(lp);
    return done_testing();
}

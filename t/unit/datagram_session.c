/*
 * datagram_session.c -- sessions of datagrams: one worker, over 127.0.0.1.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/datagram.c"
#include "../../core/net/datagram_socket.c"

#include "os/proc.h"
#include "os/time.h"
#include "loop_help.h"
#include "tap.h"


enum { LIMIT = 10000, MANY = 10000, CLIENTS = 4 };

static lun_pool        *pool;
static lun_listen_set  *set;
static lun_listener    *door_of_all;
static lun_addr         here;
static lun_fd           clients[CLIENTS];

/* The sessions that have begun, and what they were given. */
static struct {
    int        begun;
    lun_conn  *conns[CLIENTS];
    int        reads;
    char       text[64 * 1024];    /* what the last read has brought */
    size_t     len;
    bool       quiet;              /* who begins does not read */
    bool       echoes;
    bool       closes;             /* at the first datagram */
} seen;

static lun_datagrams          *all;
static lun_datagram_counters  *counters;


static void
on_read(lun_conn *c)
{
    size_t     sent;
    lun_slice  text = { c->in.pos, (size_t) (c->in.last - c->in.pos) };

    seen.reads++;
    seen.len = text.len;
    memcpy(seen.text, text.data, text.len);

    if (seen.echoes
        && (lun_conn_send(c, &text, 1, false, &sent) != 0 || sent != text.len))
    {
        ok(0, "cannot answer");
    }

    if (seen.closes) {
        lun_conn_close(c);
        return;
    }

    c->in.pos = c->in.last;
    lun_conn_compact(c);
    lun_conn_want(c);
}


static void
on_written(lun_conn *c)
{
    seen.reads++;
}


static const lun_conn_state  serving_ = {
    .doing = "testing",
    .on_read = on_read,
    .on_written = on_written
};


static void
on_begin(lun_listener *l, lun_conn *c)
{
    seen.conns[seen.begun++ % CLIENTS] = c;
    lun_conn_enter(c, &serving_);

    if (!seen.quiet) {
        lun_conn_want(c);
    }
}


static bool
turn_until(const int *count, int n)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (*count < n && lun_time_monotonic() < end) {
        lun_loop_turn(lp, 20);
    }

    return *count == n;
}


static bool
turn_until_received(uint64_t n)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (counters->received < n && lun_time_monotonic() < end) {
        lun_loop_turn(lp, 20);
    }

    return counters->received == n;
}


static void
speak(int client, const char *text, size_t len)
{
    if (lun_sock_send_to(clients[client], text, len, &here) != 0) {
        ok(0, "cannot send");
    }
}


/* What the client is told: its length; -1: nothing. */
static int
hear(int client, char *room, size_t size)
{
    size_t    got;
    lun_err   err;
    lun_addr  from;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    do {
        err = lun_sock_receive_from(clients[client], room, size, &got, &from);

        if (err == 0) {
            return lun_addr_eq(&from, &here) ? (int) got : -1;
        }

        lun_loop_turn(lp, 1);
    } while (lun_time_monotonic() < end);

    return -1;
}


static void
begin_all(const char *where)
{
    int        i;
    bool       fresh;
    lun_addr   addr;

    memset(&seen, 0, sizeof(seen));
    memset(counters, 0, sizeof(*counters));

    pool = lun_pool_new_sized(4096);
    set = lun_listen_set_new(pool);
    lun_addr_parse(lun_str_z(where), &addr);
    door_of_all = lun_listen_want_datagrams(set, &addr, &fresh);
    door_of_all->begin = on_begin;

    if (lun_listen_open(set, NULL, 1, NULL) != LUN_OK
        || lun_listen_start(set, lp, 0, NULL) != LUN_OK
        || lun_sock_local(door_of_all->fd, &here) != 0)
    {
        ok(0, "cannot listen");
        exit(1);
    }

    door_of_all->addr.port = here.port;
    find_door(all, door_of_all->fd)->addr.port = here.port;
    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    addr.port = here.port;
    here = addr;

    for (i = 0; i < CLIENTS; i++) {
        addr.port = 0;
        (void) lun_sock_datagram(LUN_AF_INET, &clients[i]);
        (void) lun_sock_bind(clients[i], &addr);
    }
}


static void
end_all(void)
{
    int  i;

    for (i = 0; i < CLIENTS; i++) {
        lun_sock_close(clients[i]);
    }

    lun_listen_stop(set);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
    lun_loop_turn(lp, 0);              /* what was in flight comes back */
    ok(lun_list_empty(&all->doors) && counters->sessions == 0
       && counters->waiting == 0 && lun_conn_count(lp) == 0, "nothing is left");
}


static void
each_client_has_a_session(const char *where)
{
    char  room[64];

    begin_all(where);
    seen.echoes = true;

    speak(0, "one", 3);
    is_int(hear(0, room, sizeof(room)), 3, "an answer");
    speak(1, "another", 7);
    is_int(hear(1, room, sizeof(room)), 7, "another client's");
    is_int(seen.begun, 2, "two sessions");
    ok(!lun_addr_eq(&seen.conns[0]->remote, &seen.conns[1]->remote)
       && lun_addr_eq(lun_conn_local(seen.conns[0]), &here)
       && seen.conns[0]->datagram, "with their addresses");

    speak(0, "", 0);
    is_int(hear(0, room, sizeof(room)), 0, "an empty one comes, and goes");
    is_int(seen.begun, 2, "to the same session");
    is_int((int64_t) counters->sessions, 2, "which are two");

    lun_conn_close(seen.conns[0]);
    is_int((int64_t) counters->sessions, 1, "one ends");
    speak(0, "again", 5);
    is_int(hear(0, room, sizeof(room)), 5, "the client begins anew");
    is_int(seen.begun, 3, "a third session");

    seen.closes = true;
    speak(0, "end", 3);
    speak(1, "end", 3);
    ok(turn_until(&seen.reads, 6), "both end where they read");
    end_all();
}


static void
large_ones_are_whole(void)
{
    char  *big = lun_calloc(LUN_DATAGRAM_MOST);

    begin_all("127.0.0.1");
    memset(big, 'b', LUN_DATAGRAM_MOST);

    speak(0, big, 60000);
    ok(turn_until(&seen.reads, 1), "a large one");
    is_mem(seen.text, seen.len, big, 60000, "is read at once");
    speak(0, "small", 5);
    ok(turn_until(&seen.reads, 2) && seen.len == 5, "and a small one after it");

    lun_conn_close(seen.conns[0]);
    lun_free(big);
    end_all();
}


static void
what_nobody_reads_waits(void)
{
    int  i;

    begin_all("127.0.0.1");
    seen.quiet = true;

    for (i = 0; i < QUEUE_MOST + 5; i++) {
        speak(0, "12345", (size_t) (i % 5) + 1);
        ok(turn_until_received((uint64_t) i + 1) || i > 0, "received");
    }

    is_int(seen.begun, 1, "one session");
    is_int((int64_t) counters->dropped, 5, "what is too much is dropped");
    is_int(find_door(all, door_of_all->fd)->sessions == 1, 1, "which waits");

    lun_conn_want(seen.conns[0]);
    ok(turn_until(&seen.reads, QUEUE_MOST), "then all are read, one by one");
    is_int((int64_t) seen.len, (QUEUE_MOST - 1) % 5 + 1, "in their order");
    is_int((int64_t) counters->waiting, 0, "none waits");

    speak(0, "1", 1);
    ok(turn_until(&seen.reads, QUEUE_MOST + 1), "and the next");
    lun_conn_close(seen.conns[0]);

    speak(0, "1", 1);
    ok(turn_until(&seen.begun, 2), "one that closes with some that wait");
    lun_conn_close(seen.conns[1]);
    end_all();
}


static void
detached_sessions_still_send(void)
{
    char       room[64];
    size_t     sent;
    lun_slice  late = { "late", 4 };

    begin_all("127.0.0.1");
    speak(0, "1", 1);
    ok(turn_until(&seen.reads, 1), "a session");
    lun_datagram_detach(seen.conns[0]);
    lun_datagram_detach(seen.conns[0]);

    speak(0, "2", 1);
    ok(turn_until(&seen.reads, 2) && seen.begun == 2, "then a second one");
    is_int(lun_conn_send(seen.conns[0], &late, 1, false, &sent), 0,
           "the first sends");
    is_int(hear(0, room, sizeof(room)), 4, "and is heard");

    lun_conn_write(seen.conns[1], &late, 1);
    is_int(hear(0, room, sizeof(room)), 4, "what is posted is sent");
    ok(turn_until(&seen.reads, 3) && lun_conn_written(seen.conns[1]) == 4,
       "and that is told");

    lun_conn_write(seen.conns[1], &late, 1);
    lun_conn_close(seen.conns[1]);
    lun_conn_close(seen.conns[0]);
    end_all();
}


/* What waited for a session that takes no more begins the next one. */
static void
detached_sessions_lose_nothing(void)
{
    int  i, closes;

    for (closes = 0; closes < 2; closes++) {
        begin_all("127.0.0.1");
        seen.quiet = true;

        for (i = 0; i < 3; i++) {
            speak(0, "123", (size_t) i + 1);
        }

        ok(turn_until_received(3), "three wait");
        seen.quiet = false;
        lun_datagram_detach(seen.conns[0]);

        if (closes) {
            lun_conn_close(seen.conns[0]);
        }

        ok(turn_until(&seen.reads, 3) && seen.begun == 2 && seen.len == 3,
           "all are read by the second session");
        lun_conn_close(seen.conns[1]);

        if (!closes) {
            lun_conn_close(seen.conns[0]);
        }

        end_all();
    }
}


/* A worker that leaves: its sessions go on, new ones do not begin. */
static void
sessions_outlive_listeners(void)
{
    char         room[64];
    lun_fd       fd;
    const char  *failed;

    const lun_listen_options  opt = { .datagram = 1 };

    begin_all("127.0.0.1");
    seen.echoes = true;
    speak(0, "1", 1);
    is_int(hear(0, room, sizeof(room)), 1, "a session");

    lun_listen_stop(set);
    lun_listen_let_go(set, NULL);
    is_int(door_of_all->fd, LUN_FD_NONE, "the listener is gone");

    speak(0, "more", 4);
    is_int(hear(0, room, sizeof(room)), 4, "the session goes on");
    speak(1, "new", 3);
    ok(turn_until_received(3), "somebody new");
    is_int(seen.begun, 1, "is not served");
    is_int((int64_t) counters->dropped, 1, "but dropped");
    is_int(lun_err_kind_of(lun_sock_listen(&here, &opt, &fd, &failed)),
           LUN_ERR_ADDR_IN_USE, "the address is taken");

    lun_conn_close(seen.conns[0]);
    is_int(lun_sock_listen(&here, &opt, &fd, &failed), 0,
           "until the last session ends");
    lun_sock_close(fd);
    end_all();
}


static void
the_limit_is_kept(void)
{
    begin_all("127.0.0.1");
    lun_listen_limit(set, 2);

    speak(0, "1", 1);
    speak(1, "1", 1);
    speak(2, "1", 1);
    ok(turn_until_received(3), "three clients");
    is_int(seen.begun, 2, "two connections");

    speak(0, "2", 1);
    ok(turn_until(&seen.reads, 3), "those go on");
    lun_conn_close(seen.conns[0]);
    speak(2, "2", 1);
    ok(turn_until(&seen.begun, 3), "another when one has gone");
    lun_conn_close(seen.conns[1]);
    lun_conn_close(seen.conns[2]);
    end_all();
}


/* By the thousand: the index, without sockets for each. */
static void
many_are_found(void)
{
    int                i, good = 0;
    lun_datagram_key   key;

    begin_all("127.0.0.1");
    memset(&key, 0, sizeof(key));
    key.local = key.remote = here;

    for (i = 0; i < MANY; i++) {
        key.remote.port = (uint16_t) (1000 + i);
        route(all, find_door(all, door_of_all->fd), &key, "", 0);
        seen.begun = 0;
    }

    is_int((int64_t) counters->sessions, MANY, "many sessions");

    for (i = 0; i < MANY; i++) {
        key.remote.port = (uint16_t) (1000 + i);
        good += find_session(all, &key, hash_of(&key)) != NULL;
    }

    is_int(good, MANY, "all are found");

    for (i = 0; i < MANY; i++) {
        key.remote.port = (uint16_t) (1000 + i);
        lun_conn_close(find_session(all, &key, hash_of(&key))->conn);
    }

    end_all();
}


int
main(void)
{
    lun_sock_init();

    if (lun_loop_init(lp) != 0) {
        ok(0, "no loop");
        return 1;
    }

    all = lun_datagrams_of(lp);
    counters = &all->counters;

    each_client_has_a_session("127.0.0.1");
    each_client_has_a_session("0.0.0.0");
    large_ones_are_whole();
    what_nobody_reads_waits();
    detached_sessions_still_send();
    detached_sessions_lose_nothing();
    sessions_outlive_listeners();
    the_limit_is_kept();
    many_are_found();

    lun_loop_fini(lp);
    return done_testing();
}

/*
 * listen.c -- listeners over reloads, on 127.0.0.1.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/listen.c"
#include "../../core/net/listen_accept.c"

#include "os/proc.h"
#include "loop_help.h"
#include "tap.h"


static char            said[8192];
static lun_log         log_;
static lun_log_target  target;
static int             taken;
static lun_conn       *conns[8];


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    strncat(said, line, len);
}


static void
on_take(lun_listener *l, lun_fd fd, const lun_addr *peer)
{
    static const lun_conn_state  quiet = { .doing = "testing" };

    conns[taken] = lun_conn_new(lp, fd, 256, NULL);
    lun_conn_enter(conns[taken++], &quiet);
}


static lun_listener *
want(lun_listen_set *set, const char *text)
{
    bool           fresh;
    lun_addr       addr;
    lun_listener  *l;

    lun_addr_parse(lun_str_z(text), &addr);
    l = lun_listen_want(set, &addr, &fresh);
    l->take = on_take;
    l->file = LUN_STR("nginx.conf");
    l->line = 12;
    return l;
}


/* "127.0.0.1:PORT" of a port that the socket has. */
static const char *
text_of(lun_fd fd)
{
    static char  text[4][LUN_ADDR_TEXT + 1];
    static int   turn;
    lun_str      s;
    lun_addr     addr;

    turn = (turn + 1) % 4;
    lun_sock_local(fd, &addr);
    s = lun_addr_format(&addr, true, text[turn], LUN_ADDR_TEXT);
    memmove(text[turn], s.data, s.len);
    text[turn][s.len] = '\0';
    return text[turn];
}


/* Connected: the caller's; LUN_FD_NONE: refused. */
static lun_fd
knock(const char *text)
{
    lun_fd    fd;
    lun_addr  addr;

    lun_addr_parse(lun_str_z(text), &addr);
    return lun_sock_connect_wait(&addr, 2000, &fd) == 0 ? fd : LUN_FD_NONE;
}


static void
turn_until(int n)
{
    for (int i = 0; i < 20 && taken < n; i++) {
        lun_loop_turn(lp, 50);
    }
}


static void
finds_by_address(void)
{
    bool             fresh, good = true;
    size_t           i, n = 20000;
    lun_addr         addr;
    lun_pool        *pool = lun_pool_new_sized(1 << 16);
    lun_listen_set  *set = lun_listen_set_new(pool);

    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    ok(lun_listen_find(set, &addr) == NULL, "nothing in an empty set");

    for (i = 0; i < n; i++) {
        addr.ip[2] = (uint8_t) (i >> 8);
        addr.ip[3] = (uint8_t) i;
        addr.port = 80;
        good &= lun_listen_want(set, &addr, &fresh) != NULL && fresh;
    }

    ok(good, "each new");
    is_int((int64_t) lun_listen_count(set), (int64_t) n, "all there");
    ok(lun_listen_want(set, &addr, &fresh) == lun_listen_at(set, n - 1)
       && !fresh, "the same again");

    for (i = 0; i < n; i++) {
        good &= lun_listen_find(set, &lun_listen_at(set, i)->addr)
                == lun_listen_at(set, i);
    }

    ok(good, "found, in the order they were asked for");
    addr.port = 81;
    ok(lun_listen_find(set, &addr) == NULL, "another port is another one");
    is_mem(lun_listen_at(set, 0)->text.data, lun_listen_at(set, 0)->text.len,
           "127.0.0.0:80", 12, "as the log says it");
    ok(lun_pool_size(pool) / n < 700, "%u bytes each",
       (unsigned) (lun_pool_size(pool) / n));

    lun_pool_free(pool);
}


/* Steps over taken slots for each address, on average and at worst. */
static void
spreads_addresses(void)
{
    bool             fresh;
    size_t           i, n = 40000, steps, sum = 0, most = 0;
    uint32_t        *slot;
    lun_addr         addr;
    lun_pool        *pool = lun_pool_new_sized(1 << 16);
    lun_listen_set  *set = lun_listen_set_new(pool);

    /* Neighbours in ports as well as in addresses. */
    for (i = 0; i < n; i++) {
        lun_addr_parse(LUN_STR("127.9.0.0"), &addr);
        addr.port = (uint16_t) (i % 2 == 0 ? 10000 + i : 80);
        addr.ip[2] = (uint8_t) (i % 2 == 0 ? 0 : i >> 8);
        addr.ip[3] = (uint8_t) (i % 2 == 0 ? 0 : i);
        lun_listen_want(set, &addr, &fresh);
    }

    for (i = 0; i < set->count; i++) {
        addr = set->items[i]->addr;
        slot = slot_of(set, &addr, false);
        steps = ((size_t) (slot - set->index) - lun_addr_hash(&addr))
                & set->mask;
        sum += steps;
        most = lun_max(most, steps);
    }

    is_int((int64_t) set->count, (int64_t) n, "no two are the same");
    ok(sum < n && most < 100, "%u steps for %u addresses, at most %u",
       (unsigned) sum, (unsigned) n, (unsigned) most);
    lun_pool_free(pool);
}


static void
tells_families_apart(void)
{
    static const char *const  texts[] = {
        "127.0.0.1:80", "0.0.0.0:80", "[::]:80", "[::1]:80",
        "[::ffff:127.0.0.1]:80", "127.0.0.1:81", "unix:/a", "unix:/A",
        "unix:/a:80"
    };
    char             path[] = "unix:/changes";
    bool             good = true;
    size_t           i, n = LUN_ARRAY_LEN(texts);
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l;

    for (i = 0; i < n; i++) {
        want(set, texts[i]);
    }

    is_int((int64_t) lun_listen_count(set), (int64_t) n, "each is one");

    for (i = 0; i < n; i++) {
        l = lun_listen_at(set, i);
        good &= want(set, texts[i]) == l
                && lun_str_eq(l->text, lun_str_z(texts[i]));
    }

    ok(good, "and found again");

    l = want(set, path);
    path[6] = 'C';
    ok(want(set, "unix:/changes") == l, "a path is copied");
    lun_pool_free(pool);
}


static void
opens_and_accepts(void)
{
    lun_fd           a;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(set, "127.0.0.1");

    taken = 0;
    is_int(lun_listen_open(set, NULL, 1, &log_), LUN_OK, "opens");
    is_int(lun_listen_start(set, lp, 0, &log_), LUN_OK, "starts");
    a = knock(text_of(l->fd));
    turn_until(1);
    is_int(taken, 1, "takes a connection");
    lun_listen_stop(set);
    lun_listen_stop(set);

    lun_conn_close(conns[0]);
    lun_loop_turn(lp, 0);
    lun_sock_close(a);
    lun_listen_close_rest(set, NULL);
    ok(l->fd == LUN_FD_NONE, "closed");
    lun_pool_free(pool);
}


static void
keeps_over_reloads(void)
{
    lun_fd           fd;
    const char      *first;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *x, *y;

    x = want(old, "127.0.0.1");
    y = want(old, "127.0.0.2");
    lun_listen_open(old, NULL, 1, &log_);
    fd = y->fd;
    first = text_of(x->fd);

    y = want(set, "127.0.0.2");
    want(set, "127.0.0.3");
    y->options.backlog = 17;
    is_int(lun_listen_open(set, old, 1, &log_), LUN_OK, "opens the new one");
    ok(y->inherited && y->fd == fd, "has the old one by its address");

    lun_listen_close_rest(old, set);
    ok(knock(first) == LUN_FD_NONE, "nobody wants it: closed");
    fd = knock(text_of(y->fd));
    ok(fd != LUN_FD_NONE, "wanted: still open");

    lun_sock_close(fd);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static void
opens_nothing_if_nothing_changes(void)
{
    enum { MANY = 300 };

    char             text[32];
    size_t           i, same = 0;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l;

    /* In another order: it is the address that counts. */
    for (i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "127.9.%u.%u", (unsigned) (i / 250),
                 (unsigned) (i % 250 + 1));
        want(old, text);
        snprintf(text, sizeof(text), "127.9.%u.%u",
                 (unsigned) ((MANY - 1 - i) / 250),
                 (unsigned) ((MANY - 1 - i) % 250 + 1));
        want(set, text);
    }

    is_int(lun_listen_open(old, NULL, 1, &log_), LUN_OK, "opens many");
    is_int(lun_listen_open(set, old, 1, &log_), LUN_OK, "and once more");

    for (i = 0; i < MANY; i++) {
        l = lun_listen_at(set, i);
        same += l->inherited && l->fd == lun_listen_at(old, MANY - 1 - i)->fd;
    }

    is_int((int64_t) same, MANY, "every socket is the old one");
    lun_listen_undo(set, old);
    ok(lun_listen_at(old, 0)->fd != LUN_FD_NONE, "which undoing leaves open");
    lun_listen_close_rest(old, NULL);
    lun_pool_free(pool);
}


static void
changes_nothing_on_failure(void)
{
    char             line[256];
    lun_fd           fd, other;
    const char      *failed;
    lun_addr         addr;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *x, *y, *z;

    x = want(old, "127.0.0.1");
    lun_listen_open(old, NULL, 1, &log_);

    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    lun_sock_listen(&addr, &x->options, &other, &failed);

    want(set, "127.0.0.1");
    y = want(set, text_of(other));
    z = want(set, "127.0.0.4");
    said[0] = '\0';
    is_int(lun_listen_open(set, old, 1, &log_), LUN_ERROR, "address in use");

    snprintf(line, sizeof(line), "bind() to %s failed (", text_of(other));
    ok(strstr(said, "[emerg]") != NULL && strstr(said, line) != NULL
       && strstr(said, ") in nginx.conf:12\n") != NULL
       && strchr(said, '\n') == strrchr(said, '\n'), "one line says so");
    diag("%.*s", (int) strcspn(said, "\n"), said);
    ok(y->fd == LUN_FD_NONE && z->fd == LUN_FD_NONE, "new ones are closed");

    fd = knock(text_of(x->fd));
    ok(x->fd != LUN_FD_NONE && fd != LUN_FD_NONE, "the old one is open");

    lun_sock_close(fd);
    lun_sock_close(other);
    lun_listen_close_rest(old, NULL);
    lun_pool_free(pool);
}


static void
tries_addresses(void)
{
    lun_fd           fd;
    const char      *text;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listen_set  *none = lun_listen_set_new(pool);
    lun_listener    *l;

    l = want(old, "127.0.0.1");
    lun_listen_open(old, NULL, 1, &log_);
    text = text_of(l->fd);

    l = want(set, text);
    l->options.reuseport = true;
    said[0] = '\0';
    is_int(lun_listen_try(set, &log_), LUN_OK, "one in use is as it should be");
    fd = knock(text);
    ok(fd != LUN_FD_NONE && said[0] == '\0', "and keeps its clients");
    lun_sock_close(fd);

    lun_listen_close_rest(old, NULL);
    is_int(lun_listen_try(set, &log_), LUN_OK, "one that is free can be had");
    fd = knock(text);
    ok(fd == LUN_FD_NONE && l->fd == LUN_FD_NONE, "and does not stay open");

    want(none, "192.0.2.9:81");
    is_int(lun_listen_try(none, &log_), LUN_ERROR, "another machine's can't");
    ok(strstr(said, "bind() to 192.0.2.9:81 failed (") != NULL
       && strstr(said, ") in nginx.conf:12\n") != NULL, "and it says where");

    lun_pool_free(pool);
}


/* The same address for connections and for datagrams: two sockets. */
static void
has_both_kinds(void)
{
    bool             fresh;
    lun_fd           fd;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(old, "127.0.0.1"), *d;

    lun_listen_open(old, NULL, 1, &log_);
    l = want(set, text_of(l->fd));
    d = lun_listen_want_datagrams(set, &l->addr, &fresh);
    ok(fresh && d != l && d->options.datagram, "another listener");
    ok(lun_listen_want_datagrams(set, &l->addr, &fresh) == d && !fresh,
       "once");
    is_int(lun_listen_open(set, NULL, 1, &log_), LUN_ERROR, "one is in use");

    lun_listen_close_rest(old, NULL);
    is_int(lun_listen_open(set, NULL, 1, &log_), LUN_OK, "both can be had");
    ok(l->fd != d->fd, "each with its socket");

    fd = d->fd;
    old = lun_listen_set_new(pool);
    d = lun_listen_want_datagrams(old, &l->addr, &fresh);
    is_int(lun_listen_open(old, set, 1, &log_), LUN_OK, "a reload");
    is_int(d->fd, fd, "finds its own");

    lun_listen_close_rest(set, old);
    lun_listen_close_rest(old, NULL);
    lun_pool_free(pool);
}


static void
shares_ports(void)
{
    unsigned         i;
    lun_fd           fd[4];
    const char      *text;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *probe = lun_listen_set_new(pool);
    lun_listen_set  *old = lun_listen_set_new(pool);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(probe, "127.0.0.1");

    lun_listen_open(probe, NULL, 1, &log_);
    text = text_of(l->fd);
    lun_listen_close_rest(probe, NULL);

    l = want(old, text);
    l->options.reuseport = 1;
    is_int(lun_listen_open(old, NULL, 3, &log_), LUN_OK, "opens");
    ok(l->fd_count == (l->fds != NULL ? 3 : 0),
       "one for each worker, or one for all");

    l = want(set, text);
    l->options.reuseport = 1;
    is_int(lun_listen_open(set, old, 1, &log_), LUN_OK, "fewer workers");
    lun_listen_close_rest(old, set);
    lun_listen_start(set, lp, 0, &log_);

    taken = 0;
    for (i = 0; i < 4; i++) {
        fd[i] = knock(text);
    }

    turn_until(4);
    is_int(taken, 4, "no connection goes to a worker that is not there");

    for (i = 0; i < 4; i++) {
        lun_sock_close(fd[i]);
    }

    while (taken > 0) {
        lun_conn_close(conns[--taken]);
    }

    lun_listen_stop(set);
    lun_loop_turn(lp, 0);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static void
sheds_load(void)
{
    lun_fd           fd[2];
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(set, "127.0.0.1");

    taken = 0;
    said[0] = '\0';
    is_int((int64_t) lun_conn_count(lp), 0, "no connections yet");
    lun_listen_open(set, NULL, 1, &log_);
    lun_listen_limit(set, 1);
    lun_listen_start(set, lp, 0, &log_);

    fd[0] = knock(text_of(l->fd));
    turn_until(1);
    ok(!set->takers[0].acceptor.open, "the limit is reached: it stops");
    ok(strstr(said, "1 worker_connections are not enough") != NULL, "says so");
    fd[1] = knock(text_of(l->fd));
    turn_until(2);
    is_int(taken, 1, "the next one has to wait");

    lun_conn_close(conns[0]);
    turn_until(2);
    is_int(taken, 2, "until the first has gone");

    lun_conn_close(conns[1]);
    lun_loop_turn(lp, 0);
    ok(set->takers[0].acceptor.open, "it goes on");

    lun_listen_stop(set);
    lun_sock_close(fd[0]);
    lun_sock_close(fd[1]);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static void
makes_room_for_new_ones(void)
{
    int              i;
    lun_fd           fd[8];
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(set, "127.0.0.1");

    taken = 0;
    said[0] = '\0';
    lun_listen_open(set, NULL, 1, &log_);
    lun_listen_limit(set, 4);
    lun_listen_start(set, lp, 0, &log_);

    for (i = 0; i < 4; i++) {
        fd[i] = knock(text_of(l->fd));
        turn_until(i + 1);
        lun_conn_set_idle(conns[i], true);
        conns[i]->start_time = 0;
    }

    is_int((int64_t) lun_conn_open_count(lp), 4, "as many as may be");
    is_str(said, "", "which is no reason to complain");
    lun_conn_set_idle(conns[0], true);

    for (i = 4; i < 6; i++) {
        fd[i] = knock(text_of(l->fd));
        turn_until(i + 1);
    }

    lun_loop_turn(lp, 0);
    is_int(taken, 6, "two more are taken");
    is_int((int64_t) lun_conn_open_count(lp), 4, "and two have gone");
    ok(conns[0]->idle && conns[3]->idle, "the two that were idle for longest");
    ok(strstr(said, "4 worker_connections are not enough, reusing connections")
       != NULL, "says so");

    lun_conn_set_idle(conns[4], true);
    lun_conn_set_idle(conns[5], true);
    lun_conn_set_idle(conns[0], false);
    lun_conn_set_idle(conns[3], false);
    lun_conn_set_idle(conns[4], false);
    ok(set->takers[0].acceptor.open, "three are busy: it goes on");
    lun_conn_set_idle(conns[5], false);
    fd[6] = knock(text_of(l->fd));
    turn_until(7);
    lun_loop_turn(lp, 0);
    ok(!set->takers[0].acceptor.open, "all are: it stops");
    lun_conn_set_idle(conns[6], true);
    lun_conn_set_idle(conns[0], true);
    lun_loop_turn(lp, 0);
    ok(set->takers[0].acceptor.open, "until some are idle");

    lun_listen_stop(set);

    for (i = 0; i < 7; i++) {
        lun_sock_close(fd[i]);

        if (i != 1 && i != 2) {
            lun_conn_close(conns[i]);
        }
    }

    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


/* As the port says it. */
static void
fail(lun_listen_set *set, size_t i)
{
    set->takers[i].acceptor.stuck = true;
    on_accept(&set->takers[i].acceptor, LUN_FD_NONE, NULL,
              lun_err_of_kind(LUN_ERR_TOO_MANY_FILES));
}


static size_t
open_takers(const lun_listen_set *set)
{
    size_t  i, n = 0;

    for (i = 0; i < set->count; i++) {
        n += set->takers[i].acceptor.open;
    }

    return n;
}


static void
wait_for_pause(lun_listen_set *set)
{
    lun_timer_stop(&set->pause);
    on_pause_over(&set->pause);
}


static void
rests_without_files(void)
{
    enum { MANY = 100 };

    char             text[32];
    size_t           i;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);

    for (i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "127.8.0.%u", (unsigned) i + 1);
        want(set, text);
    }

    lun_listen_open(set, NULL, 1, &log_);
    lun_listen_start(set, lp, 0, &log_);
    said[0] = '\0';
    fail(set, 7);
    ok(!set->takers[7].acceptor.open && lun_timer_runs(&set->pause)
       && open_takers(set) == MANY - 1, "too many files: that one rests");
    wait_for_pause(set);
    ok(open_takers(set) == MANY && !lun_timer_runs(&set->pause),
       "and goes on");

    for (i = 0; i < MANY; i++) {
        fail(set, i);
    }

    wait_for_pause(set);
    ok(open_takers(set) == PORTION && lun_timer_runs(&set->pause),
       "of many, a few are tried");
    wait_for_pause(set);
    ok(open_takers(set) == 3 * PORTION, "more, when that goes well");
    fail(set, 0);
    wait_for_pause(set);
    ok(open_takers(set) == 4 * PORTION - 1, "few again, when it does not");

    lun_listen_stop(set);
    ok(open_takers(set) == 0 && lun_list_empty(&set->resting)
       && !lun_timer_runs(&set->pause), "stopped, nothing is tried");
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


/* Where a limit of files can be set at all: no turns that do nothing. */
static void
does_not_spin_without_files(void)
{
    enum { MOST = 1024 };

    int              n = 0;
    lun_fd           a, fds[MOST];
    uint64_t         before;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(set, "127.0.0.1");

    lun_listen_open(set, NULL, 1, &log_);
    lun_listen_start(set, lp, 0, &log_);
    lun_loop_turn(lp, 0);
    said[0] = '\0';
    taken = 0;
    a = knock(text_of(l->fd));

    if (lun_proc_limit_files(256) != 0) {
        skip("this system does not let us");
    }

    while (n < MOST && lun_sock_stream(LUN_AF_INET, &fds[n]) == 0) {
        n++;
    }

    if (n < MOST) {
        before = lun_port_count(lp->port)->waits;
        turn_until(1);
        ok(lun_port_count(lp->port)->waits - before <= 20
           && taken == 0, "it waits for files");
        ok(strstr(said, "[crit] ") != NULL
           && strstr(said, "accept() failed on ") != NULL, "and says so");
    }

    while (n > 0) {
        lun_sock_close(fds[--n]);
    }

    turn_until(1);
    is_int(taken, 1, "who came meanwhile is served");
    lun_conn_close(conns[0]);
    lun_loop_turn(lp, 0);
    lun_sock_close(a);
    lun_listen_stop(set);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static void
complains_once_a_second(void)
{
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);

    want(set, "127.0.0.1");
    lun_listen_open(set, NULL, 1, &log_);
    lun_listen_start(set, lp, 0, &log_);

    said[0] = '\0';
    lun_clock.mono = 5000;
    fail(set, 0);
    fail(set, 0);
    ok(strstr(said, "[crit]") != NULL
       && strchr(said, '\n') == strrchr(said, '\n'), "one line");
    lun_clock.mono = 6000;
    fail(set, 0);
    ok(strchr(said, '\n') != strrchr(said, '\n'), "another one later");

    lun_listen_stop(set);
    lun_listen_close_rest(set, NULL);
    lun_pool_free(pool);
}


static void
removes_files_of_unix_sockets(void)
{
    lun_fd           fd;
    lun_err          err;
    const char      *path = "unix:listen-test.sock";
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_listen_set  *set = lun_listen_set_new(pool);
    lun_listener    *l = want(set, path);
    lun_file_info    info;

    err = lun_sock_stream(LUN_AF_UNIX, &fd);

    if (err != 0) {
        skip("this system has no unix sockets");
        lun_pool_free(pool);
        return;
    }

    lun_sock_close(fd);
    is_int(lun_listen_open(set, NULL, 1, &log_), LUN_OK, "opens");
    is_int(lun_file_stat(path + 5, &info), 0, "its file is there");
    lun_listen_close_rest(set, NULL);
    ok(lun_file_stat(path + 5, &info) != 0, "and gone when it closes");

    lun_listen_open(set, NULL, 1, &log_);
    l->file_id[1]++;
    lun_listen_close_rest(set, NULL);
    is_int(lun_file_delete(path + 5), 0, "a file of somebody else stays");
    lun_pool_free(pool);
}


int
main(void)
{
    target = (lun_log_target) { .level = LUN_LOG_INFO, .write = hear };
    log_ = (lun_log) { .level = LUN_LOG_INFO, .targets = &target };

    lun_sock_init();
    lun_loop_init(lp);

    finds_by_address();
    spreads_addresses();
    tells_families_apart();
    opens_and_accepts();
    keeps_over_reloads();
    opens_nothing_if_nothing_changes();
    changes_nothing_on_failure();
    tries_addresses();
    has_both_kinds();
    shares_ports();
    sheds_load();
    makes_room_for_new_ones();
    rests_without_files();
    does_not_spin_without_files();
    complains_once_a_second();
    removes_files_of_unix_sockets();

    lun_loop_fini(lp);
    return done_testing();
}

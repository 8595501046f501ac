/*
 * round_robin.c -- which server's turn it is, and servers that fail.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/upstream/round_robin.c"

#include "tap.h"


static lun_pool     *pool;
static lun_session   req = { .mark = LUN_MARK_SESSION };
static lun_conf      cf;
static lun_upstream  up;


/* "a" ... of these weights; 0 ends them. */
static lun_upstream_server_conf *
servers(const int *weights)
{
    char                  name;
    lun_addr              addr = { .family = LUN_AF_INET };
    lun_upstream_server_conf  *s;

    memset(&up, 0, sizeof(up));
    up.name = LUN_STR("up");
    up.method = &lun_round_robin;
    lun_array_init(&up.servers, pool, sizeof(lun_upstream_server_conf), 8);

    for (name = 'a'; *weights != 0; weights++, name++) {
        s = lun_array_push(&up.servers);
        lun_upstream_server_addrs(pool, s, &addr, 1);
        s->weight = *weights;
        s->addr_names[0] = lun_pool_str(pool, lun_str_of(&name, 1));
    }

    return up.servers.items;
}


static void
ready(void)
{
    is_int(lun_upstream_groups_new(&cf, &up), LUN_OK, "there are servers");
}


/* The next n requests, each of which ends at once: "aab-" (-: none live). */
static const char *
turns(int n, unsigned outcome)
{
    int           i;
    lun_balance   b;
    static char   text[64];

    for (i = 0; i < n; i++) {
        memset(&b, 0, sizeof(b));
        (void) begin(&req, &up, &b);

        if (b.get(&req, &b) == LUN_BALANCE_OK) {
            text[i] = b.name.data[0];
            b.put(&req, &b, outcome);

        } else {
            text[i] = '-';
        }
    }

    text[n] = '\0';
    return text;
}


/* What one request tries until there is nothing left. */
static const char *
tries(void)
{
    int           n = 0;
    lun_balance   b = { 0 };
    static char   text[64];

    (void) begin(&req, &up, &b);

    do {
        if (b.get(&req, &b) != LUN_BALANCE_OK) {
            text[n++] = '-';
            break;
        }

        text[n++] = b.name.data[0];
        b.put(&req, &b, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
    } while (b.tries > 0);

    text[n] = '\0';
    return text;
}


static void
weights(void)
{
    (void) servers((int[]) { 1, 1, 1, 0 });
    ready();
    is_str(turns(7, LUN_BALANCE_DONE), "abcabca", "one after the other");

    (void) servers((int[]) { 5, 1, 1, 0 });
    ready();
    is_str(turns(14, LUN_BALANCE_DONE), "aabacaaaabacaa",
           "the heavy one does not come in a row");

    (void) servers((int[]) { 3, 2, 0 });
    ready();
    is_str(turns(10, LUN_BALANCE_DONE), "ababaababa", "three to two");

    servers((int[]) { 1, 4, 1, 0 })[1].down = true;
    ready();
    is_str(turns(4, LUN_BALANCE_DONE), "acac", "who is down has no turn");
}


static void
failures(void)
{
    servers((int[]) { 1, 1, 0 })[0].fail_timeout = 5;
    ready();
    lun_clock.mono = 1000000;

    is_str(tries(), "ab", "a request tries each of them once");
    is_str(tries(), "-", "and then all have failed");

    lun_clock.mono = 1005000;
    is_str(turns(1, LUN_BALANCE_DONE), "-", "as long as fail_timeout says");

    lun_clock.mono = 1006000;
    lun_clock.sec -= 3600;
    is_str(turns(1, LUN_BALANCE_FAILED), "a", "then one is put to the test");
    is_str(turns(1, LUN_BALANCE_DONE), "-", "and has failed it");

    lun_clock.mono = 1012000;
    is_str(turns(3, LUN_BALANCE_DONE), "bba", "or passed");

    servers((int[]) { 4, 1, 0 })[0].max_fails = 2;
    ready();
    lun_clock.mono = 2000000;
    (void) turns(1, LUN_BALANCE_FAILED);
    is_int(up.peers->peers[0].state->effective, 2, "failing costs weight");
    (void) turns(6, LUN_BALANCE_DONE);
    is_int(up.peers->peers[0].state->effective, 4, "which comes back");

    servers((int[]) { 1, 1, 0 })[1].max_fails = 0;
    ready();
    is_str(tries(), "ab", "one that is never given up");
    is_str(turns(3, LUN_BALANCE_FAILED), "bbb", "is tried for ever");

    (void) servers((int[]) { 1, 0 });
    ready();
    is_str(turns(3, LUN_BALANCE_FAILED), "aaa", "and so is an only one");
}


static void
limits(void)
{
    lun_balance           first = { 0 }, second = { 0 };
    lun_upstream_server_conf  *s = servers((int[]) { 1, 1, 0 });

    s[0].max_conns = 1;
    s[1].backup = true;
    ready();

    (void) begin(&req, &up, &first);
    is_int(first.tries, 2, "backups count as tries");
    (void) first.get(&req, &first);
    is_str(turns(2, LUN_BALANCE_DONE), "bb", "the backup, while it is busy");

    first.put(&req, &first, LUN_BALANCE_DONE);
    is_str(turns(2, LUN_BALANCE_DONE), "aa", "and not when it is free");

    s = servers((int[]) { 1, 0 });
    s->max_conns = 1;
    ready();
    memset(&first, 0, sizeof(first));
    (void) begin(&req, &up, &first);
    (void) begin(&req, &up, &second);
    (void) first.get(&req, &first);
    is_int(second.get(&req, &second), LUN_BALANCE_NONE,
           "the only one is busy");
    ok(lun_str_eq(second.name, LUN_STR("up")), "whose name is the upstream's");
}


static void
drains(void)
{
    lun_rr                rr = { 0 };
    lun_balance           b = { 0 };

    servers((int[]) { 1, 1, 0 })[0].drain = true;
    ready();
    is_str(turns(3, LUN_BALANCE_DONE), "bbb", "who drains has no turn");
    lun_rr_begin(&req, up.peers, &rr, &b);
    is_int(b.tries, 1, "and is no try");
    ok(!lun_rr_usable(&rr, 0) && lun_rr_usable_again(&rr, 0),
       "but for who was there before");

    servers((int[]) { 1, 0 })[0].drain = true;
    ready();
    is_str(turns(1, LUN_BALANCE_DONE), "-", "an only one, too");
}


static void
slow_starts(void)
{
    lun_upstream_state  *s;

    servers((int[]) { 1, 1, 0 })[0].slow_start = 10000;
    ready();
    lun_clock.mono = 100000;
    is_str(turns(4, LUN_BALANCE_DONE), "abab", "at first all are fine");

    s = up.peers->peers[0].state;
    (void) turns(1, LUN_BALANCE_FAILED);
    is_int(s->fails, 1, "one fails");
    lun_clock.mono += 11000;
    s->current = s->effective = 1000;
    is_str(turns(1, LUN_BALANCE_DONE), "a", "and passes its test");
    ok(s->back == 111000, "now it comes back");

    s->current = up.peers->peers[1].state->current = 0;
    s->effective = 1;
    lun_clock.mono += 2500;
    is_str(turns(10, LUN_BALANCE_DONE), "bbabbbbabb",
           "with a quarter of its weight");

    lun_clock.mono += 7500;
    s->current = up.peers->peers[1].state->current = 0;
    is_str(turns(4, LUN_BALANCE_DONE), "abab", "and then all of it");
}


static void
nobody(void)
{
    lun_rr               rr = { 0 };
    lun_balance          b = { 0 };
    lun_upstream_group  *g = lun_upstream_groups_of(pool, &up, NULL, 0);

    lun_rr_begin(&req, g, &rr, &b);
    is_int(b.get(&req, &b), LUN_BALANCE_NONE, "there may be no server");
    is_int(b.tries, 0, "and no try");
}


static void
restarts(void)
{
    lun_balance                b = { 0 };
    lun_upstream_server_conf  *s = servers((int[]) { 1, 1, 0 });

    s[0].max_conns = 1;
    s[1].max_conns = 1;
    s[1].backup = true;
    ready();

    (void) begin(&req, &up, &b);
    up.peers->peers[0].state->conns = 1;
    up.peers->next->peers[0].state->conns = 1;
    is_int(b.get(&req, &b), LUN_BALANCE_NONE, "all are busy");

    up.peers->peers[0].state->conns = 0;
    is_int(b.get(&req, &b), LUN_BALANCE_NONE, "it is with the backups now");
    lun_rr_restart(&req, b.data, up.peers);
    is_int(b.get(&req, &b), LUN_BALANCE_OK, "and begins again");
    ok(lun_str_eq(b.name, LUN_STR("a")), "with the first group");
}


/* A name has got more addresses than there was room for. */
static void
grows(void)
{
    int                  i;
    lun_balance          b = { 0 };
    lun_upstream_group  *small;
    int                  ones[101] = { 0 };

    (void) servers((int[]) { 1, 1, 0 });
    ready();
    small = up.peers;
    small->peers[0].down = small->peers[1].down = true;

    (void) begin(&req, &up, &b);
    is_int(b.get(&req, &b), LUN_BALANCE_NONE, "none of two can be had");

    for (i = 0; i < 100; i++) {
        ones[i] = 1;
    }

    (void) servers(ones);
    ready();
    lun_rr_restart(&req, b.data, up.peers);

    for (i = 0; b.get(&req, &b) == LUN_BALANCE_OK; i++) {
        b.put(&req, &b, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
    }

    is_int(i, 100, "each of a hundred, once");
}


static void
many(void)
{
    int   i, ones[101];

    for (i = 0; i < 100; i++) {
        ones[i] = 1;
    }

    ones[100] = 0;
    (void) servers(ones);
    ready();
    is_int((int) strlen(turns(60, LUN_BALANCE_DONE)), 60, "more than a word");

    lun_balance  b = { 0 };

    (void) begin(&req, &up, &b);

    for (i = 0; b.tries > 0; i++) {
        (void) b.get(&req, &b);
        b.put(&req, &b, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
    }

    is_int(i, 100, "all of a hundred are tried");
}


int
main(void)
{
    static lun_log  quiet;

    pool = lun_pool_new_sized(4096);
    req.pool = pool;
    req.log = &quiet;
    cf.pool = pool;

    weights();
    failures();
    limits();
    drains();
    slow_starts();
    nobody();
    restarts();
    grows();
    many();

    lun_pool_free(pool);
    return done_testing();
}

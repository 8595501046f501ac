/*
 * upstream_time.c -- averages of times, and who is the better one by them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/upstream_time.c"

#include "tap.h"


static lun_pool             *pool;
static lun_session           session = { .mark = LUN_MARK_SESSION };
static lun_upstream          up = { .method = &lun_round_robin };
static lun_upstream_try      try;
static const lun_time_conf   header = { .kind = LUN_TIME_HEADER };
static const lun_time_conf   all = { .kind = LUN_TIME_LAST_BYTE,
                                     .inflight = true };


static void
two_servers(void)
{
    int                        i;
    lun_conf                   cf = { .pool = pool };
    lun_addr                   addr = { .family = LUN_AF_INET };
    lun_upstream_server_conf  *s;

    lun_array_init(&up.servers, pool, sizeof(lun_upstream_server_conf), 2);

    for (i = 0; i < 2; i++) {
        s = lun_array_push(&up.servers);
        addr.port = (uint16_t) (i + 1);
        lun_upstream_server_addrs(pool, s, &addr, 1);
    }

    is_int(lun_upstream_groups_new(&cf, &up), LUN_OK, "there are servers");
    lun_clock.mono = 1000000;
    lun_clock.sec = 1000;
}


static void
give_back(size_t i, const lun_time_conf *conf, unsigned outcome)
{
    lun_rr       rr = { 0 };
    lun_balance  b = { 0 };

    lun_rr_begin(&session, up.peers, &rr, &b);
    lun_rr_choose(&rr, i, &b);
    session.tries = &try;
    lun_time_put(&session, &b, conf, outcome);
}


/* Server i answers after so many ms, and is done after twice that. */
static void
serve(size_t i, int64_t ms, unsigned outcome)
{
    try = (lun_upstream_try) { .connect_time = 0, .header_time = ms,
                               .response_time = ms < 0 ? ms : 2 * ms };
    give_back(i, &header, outcome);
}


static int
compare(const lun_time_conf *conf)
{
    return lun_time_compare(&up.peers->peers[0], &up.peers->peers[1], conf);
}


static void
averages(void)
{
    const lun_upstream_server  *p;

    two_servers();
    p = up.peers->peers;
    is_int(compare(&header), 0, "nothing is known of either");

    serve(0, 3, LUN_BALANCE_DONE);
    serve(1, 0, LUN_BALANCE_DONE);
    is_int(compare(&header), 0, "so little is chance");

    two_servers();
    p = up.peers->peers;
    serve(0, 100, LUN_BALANCE_DONE);
    is_int(average_now(p, false), 100, "the first is the average");
    ok(compare(&header) > 0, "the other one may be better");
    serve(0, 200, LUN_BALANCE_DONE);
    is_int(average_now(p, false), 125, "a new one counts a quarter");
    serve(0, 0, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
    is_int(average_now(p, false), 125, "a failure says nothing");
    serve(0, -1, LUN_BALANCE_DONE);
    is_int(average_now(p, false), 125, "nor who never came so far");

    serve(1, 300, LUN_BALANCE_DONE);
    ok(compare(&header) < 0, "who takes longer is worse");
    up.peers->peers[1].weight = 10;
    ok(compare(&header) > 0, "for its weight");
    up.peers->peers[1].weight = 1;
    up.peers->peers[0].state->conns = 4;
    ok(compare(&header) > 0, "and what it has in hand");
}


/* A client has gone, or may not have that server. */
static void
says_nothing(void)
{
    two_servers();
    try = (lun_upstream_try) { .connect_time = 0, .header_time = 100,
                               .response_time = 400 };
    give_back(0, &all, LUN_BALANCE_DONE);
    is_int(average_now(up.peers->peers, false), 400, "up to the last byte");
    try = (lun_upstream_try) { .connect_time = 0, .header_time = -1,
                               .response_time = 4 };
    give_back(0, &all, LUN_BALANCE_DONE);
    is_int(average_now(up.peers->peers, false), 400,
           "who has said nothing has no last byte");
    try.connect_time = -1;
    give_back(0, &all, LUN_BALANCE_NEXT);
    is_int(average_now(up.peers->peers, false), 400,
           "nor has who was not asked");
}


static void
forgets(void)
{
    const lun_upstream_server  *p;

    two_servers();
    p = up.peers->peers;
    serve(0, 4000, LUN_BALANCE_DONE);
    lun_clock.mono += 10000;
    is_int(average_now(p, false), 4000, "within fail_timeout it holds");
    lun_clock.mono += 1000;
    is_int(average_now(p, false), 3000, "then it fades");
    lun_clock.mono += 60000;
    is_int(average_now(p, false), 0, "until it is tried again");
    serve(0, 0, LUN_BALANCE_DONE);
    is_int(average_now(p, false), 3000, "which forgets nothing");
}


static void
in_flight(void)
{
    lun_rr       rr = { 0 };
    lun_balance  b = { 0 };

    two_servers();
    lun_rr_begin(&session, up.peers, &rr, &b);
    lun_rr_choose(&rr, 0, &b);
    lun_clock.mono += 500;
    is_int(average_now(up.peers->peers, false), 0, "it is not over");
    is_int(average_now(up.peers->peers, true), 500, "but takes its time");
    ok(compare(&all) > 0, "which makes the other one better");
    b.put(&session, &b, LUN_BALANCE_DONE);
    is_int(average_now(up.peers->peers, true), 0, "as long as it does");
    is_int(up.peers->peers[0].state->begun, 0, "nothing is left of it");
}


int
main(void)
{
    static lun_log  quiet;

    pool = lun_pool_new_sized(4096);
    session.pool = pool;
    session.log = &quiet;

    averages();
    says_nothing();
    forgets();
    in_flight();

    lun_pool_free(pool);
    return done_testing();
}

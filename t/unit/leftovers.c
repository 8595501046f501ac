/*
 * leftovers.c -- what a worker says of what it has not ended.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/leftovers.c"

#include "base/check.h"
#include "os/sock.h"
#include "t/fuzz/loop.h"
#include "tap.h"


static char  line[LUN_LOG_LINE];
static bool  keeps_cat;


static void
keep_line(lun_log_target *t, lun_log_level level, const char *text, size_t len)
{
    snprintf(line, sizeof(line), "%.*s", (int) len, text);
}


static size_t
count_cats(void)
{
    return keeps_cat ? 1 : 0;
}


static lun_log_target      target = { .level = LUN_LOG_ALERT,
                                      .write = keep_line };
static lun_generation      gen = { .loop = &served_loop,
                                   .log = { .level = LUN_LOG_ALERT,
                                            .targets = &target } };
static lun_generation      latest = { .before = &gen };
static const lun_leftover  cats[] = { { "cat", count_cats }, { NULL, NULL } };
static const lun_floors    floors = { .leftovers = cats };


/* The line, from its words on; "" if there is none. */
static const char *
told(void)
{
    const char  *p;

    line[0] = '\0';
    lun_leftovers_expect_none();
    lun_leftovers_tell(&gen);
    p = strstr(line, "not ended");
    return p != NULL ? p : line;
}


static void
on_nothing(lun_timer *timer)
{
}


static void
on_task(lun_task *task)
{
}


static void
test_counts(void)
{
    lun_task    task = { 0 };
    lun_timer   timers[2] = { { .idle = true } };
    lun_pool   *pool, *older = lun_pool_new_sized(256);

    lun_leftovers_begin();
    lun_pool_free(older);
    is_str(told(), "", "who has ended everything says nothing");

    lun_timer_start(&served_loop, &timers[0], 1000, on_nothing);
    is_str(told(), "not ended at exit: 1 timer\n", "a timer, an idle one too");

    lun_timer_start(&served_loop, &timers[1], 1000, on_nothing);
    lun_loop_post(&served_loop, &task, on_task);
    keeps_cat = true;
    is_str(told(), "not ended at exit: 2 timers, 1 posted task, 1 cat\n",
           "two of them, a task, and what other floors have");

    lun_timer_stop(&timers[0]);
    lun_timer_stop(&timers[1]);
    lun_loop_unpost(&task);
    keeps_cat = false;
    pool = lun_pool_new_sized(4096);
    ok(strncmp(told(), "not ended at exit: 1 pool of 4", 30) == 0,
       "a pool, and its bytes: %s", line);
    lun_pool_free(pool);
    is_str(told(), "", "and none any more");
}


static void
test_descriptors(void)
{
    lun_fd  sock;

    LUN_CHECK(lun_sock_datagram(LUN_AF_INET, &sock) == 0);
    lun_leftovers_begin();
    lun_sock_close(sock);
    is_str(told(), "", "what was open before is nobody's business");

    lun_leftovers_begin();
    LUN_CHECK(lun_sock_datagram(LUN_AF_INET, &sock) == 0);
    ok(strstr(told(), "descriptor ") != NULL && strstr(line, "(socket"),
       "a descriptor, and what it is: %s", line);
    lun_sock_close(sock);
}


static void
test_connection(void)
{
    lun_err    err;
    lun_conn  *c;

    lun_leftovers_begin();
    c = lun_conn_new_out(&served_loop, LUN_AF_INET, 256, &gen.log, &err);
    LUN_CHECK(c != NULL);
    ok(strncmp(told(), "not ended at exit: 1 connection, descriptor ", 44)
       == 0, "a connection: %s", line);
    lun_conn_close(c);
    is_str(told(), "", "closed");
}


static void
test_occasions(void)
{
    lun_timer  timer = { 0 };

    lun_timer_start(&served_loop, &timer, 1000, on_nothing);
    line[0] = '\0';
    lun_leftovers_tell(&gen);
    is_str(line, "", "a worker that was stopped is not asked");

    lun_leftovers_expect_none();
    lun_leftovers_tell(&latest);
    is_str(line, "", "nor a generation that has one before it");
    lun_leftovers_tell(&gen);
    ok(line[0] != '\0', "but that one");
    lun_timer_stop(&timer);
}


int
main(void)
{
    lun_sock_init();
    LUN_CHECK(lun_loop_init(&served_loop) == 0);
    lun_generation_use(&floors);

    test_counts();
    test_descriptors();
    test_connection();
    test_occasions();

    lun_loop_fini(&served_loop);
    return done_testing();
}

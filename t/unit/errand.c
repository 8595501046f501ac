/*
 * errand.c -- what the server does of its own accord: how many there are, how
 * they end, what a dump says of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/errand.c"

#include "loop_help.h"


typedef struct {
    lun_errand  errand;
    unsigned    number;
} question;

static unsigned  late, freed;
static char      said[512];


static void
on_line(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    size_t  n = strlen(said);

    n = (size_t) (lun_fmt(said + n, said + sizeof(said) - 1, "%.*s",
                          (int) len, line) - said);
    said[n] = '\0';
}


static lun_log_target  target = { .level = LUN_LOG_ERR, .write = on_line };
static lun_log         own_log = { .level = LUN_LOG_ERR, .targets = &target };


static void
on_late_question(lun_errand *e)
{
    late++;
    lun_errand_end(e);
}


static void
on_free(lun_errand *e)
{
    freed = ((question *) e)->number;
}


static const lun_errand_kind  few = {
    .name = "question", .most = 2, .late = on_late_question, .free = on_free
};

static const lun_errand_kind  many = { .name = "answer" };


static question *
open_one(const lun_errand_kind *kind, unsigned number)
{
    question  *q = lun_errand_new(lp, kind, sizeof(*q), &own_log);

    if (q != NULL) {
        q->number = number;
    }

    return q;
}


static void
ends(void)
{
    question  *one = open_one(&few, 1), *two = open_one(&few, 2);

    ok(open_one(&few, 3) == NULL, "there are as many as may be");
    is_int(lun_errand_count(lp, &few), 2, "of that kind");
    ok(lun_errand_is_open(&one->errand), "one is open");

    lun_errand_hold(&one->errand);
    lun_errand_end(&one->errand);
    ok(!lun_errand_is_open(&one->errand), "until it is over");
    is_int(lun_errand_count(lp, &few), 1, "and there is room for another");

    lun_errand_put(&one->errand);
    is_int(freed, 0, "its memory is there while somebody holds it");
    lun_errand_put(&one->errand);
    is_int(freed, 1, "and then goes");

    lun_errand_limit(&two->errand, 100, true);
    is_int(lun_timer_pending(lp), 0, "an idle one keeps no worker");
    lun_errand_limit(&two->errand, 100, false);
    is_int(lun_timer_pending(lp), 1, "another does");
    lun_clock.mono += 101;
    lun_timer_fire_due(lp);
    is_int(late, 1, "its time is over");
    is_int(lun_timer_pending(lp), 0, "once");
    lun_errand_put(&two->errand);
    is_int(freed, 2, "it may be over before it is put back");
}


static void
is_dumped(void)
{
    question  *a = open_one(&few, 1), *b = open_one(&many, 2);

    a->errand.what = LUN_STR("of a");
    lun_clock.mono += 1234;
    lun_errand_dump(lp);
    ok(strstr(said, "dump: question \"of a\", age 1.234 s") != NULL,
       "a dump says how long it has been open");
    ok(strstr(said, "dump: answer \"\"") != NULL, "of every kind");

    lun_errand_end(&a->errand);
    lun_errand_put(&a->errand);
    said[0] = '\0';
    lun_errand_dump(lp);
    ok(strstr(said, "question") == NULL, "nothing of one that is over");

    lun_loop_fini(lp);
    lun_errand_end(&b->errand);
    lun_errand_put(&b->errand);
    ok(true, "one may outlive its loop");
}


int
main(void)
{
    is_int(lun_loop_init(lp), 0, "a loop");
    is_int(lun_errand_count(lp, &few), 0, "has none at first");
    lun_errand_dump(lp);
    is_int(said[0], '\0', "and nothing to say");

    ends();
    is_dumped();

    return done_testing();
}

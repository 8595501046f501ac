/*
 * errand.c -- what the server does of its own accord.
 *
 * A loop has a list of those that are open; they are few, so it is counted by
 * going through it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/errand.h"

#include "base/check.h"
#include "shm/metric.h"


enum { MEMORY = 2048 };

/* Of a loop. */
typedef struct {
    lun_loop_part  part;
    lun_list       open;
} errands;


static void
end_errands(lun_loop *loop, lun_loop_part *part)
{
    errands  *all = lun_container_of(part, errands, part);

    /* Pools may end later than the loop, and with them errands. */
    while (!lun_list_empty(&all->open)) {
        lun_list_remove(all->open.next);
    }

    lun_free(all);
}


static errands *
find_errands(const lun_loop *loop)
{
    lun_loop_part  *part = loop->parts;

    while (part != NULL && part->end != end_errands) {
        part = part->next;
    }

    return part != NULL ? lun_container_of(part, errands, part) : NULL;
}


static errands *
errands_of(lun_loop *loop)
{
    errands  *all = find_errands(loop);

    if (all == NULL) {
        all = lun_calloc(sizeof(errands));
        lun_list_init(&all->open);
        all->part.end = end_errands;
        lun_loop_add_part(loop, &all->part);
    }

    return all;
}


/*
 * An errand is counted before it does anything, so its kind's limit holds for
 * those that only wait as well.
 */
void *
lun_errand_new(lun_loop *loop, const lun_errand_kind *kind, size_t size,
    const lun_log *log)
{
    lun_pool    *pool;
    lun_errand  *e;

    LUN_CHECK(size >= sizeof(lun_errand));

    if (kind->most != 0 && lun_errand_count(loop, kind) >= kind->most) {
        return NULL;
    }

    pool = lun_pool_new_sized(lun_max((size_t) MEMORY, 2 * size));
    e = lun_pool_zalloc(pool, size);
    e->mark = LUN_MARK_ERRAND;
    e->holds = 1;
    e->kind = kind;
    e->loop = loop;
    e->pool = pool;
    e->log = *log;
    e->what = LUN_STR("");
    e->started = lun_clock.mono;
    lun_list_push_back(&errands_of(loop)->open, &e->link);

    if (kind->open_at != NULL) {
        lun_metric_add(*kind->open_at, 1);
    }

    return e;
}


static void
on_late(lun_timer *timer)
{
    lun_errand  *e = lun_container_of(timer, lun_errand, timer);

    LUN_CHECK_MARK(e, LUN_MARK_ERRAND);
    e->kind->late(e);
}


void
lun_errand_limit(lun_errand *e, lun_msec limit, bool idle)
{
    LUN_CHECK_MARK(e, LUN_MARK_ERRAND);
    LUN_CHECK(lun_errand_is_open(e) && e->kind->late != NULL);

    lun_timer_set_idle(&e->timer, idle);
    lun_timer_start(e->loop, &e->timer, limit, on_late);
}


void
lun_errand_end(lun_errand *e)
{
    LUN_CHECK_MARK(e, LUN_MARK_ERRAND);

    lun_timer_stop(&e->timer);
    lun_list_remove(&e->link);
    e->link.next = NULL;

    if (e->kind->open_at != NULL) {
        lun_metric_sub(*e->kind->open_at, 1);
    }
}


void
lun_errand_hold(lun_errand *e)
{
    LUN_CHECK_MARK(e, LUN_MARK_ERRAND);
    e->holds++;
}


void
lun_errand_put(lun_errand *e)
{
    LUN_CHECK_MARK(e, LUN_MARK_ERRAND);
    LUN_CHECK(e->holds > 0);

    if (--e->holds > 0) {
        return;
    }

    LUN_CHECK(!lun_errand_is_open(e));

    if (e->kind->free != NULL) {
        e->kind->free(e);
    }

    e->mark = LUN_MARK_DEAD;
    lun_pool_free(e->pool);
}


size_t
lun_errand_count(const lun_loop *loop, const lun_errand_kind *kind)
{
    size_t    n = 0;
    errands  *all = find_errands(loop);

    if (all == NULL) {
        return 0;
    }

    lun_list_each(&all->open, it) {
        n += lun_container_of(it, lun_errand, link)->kind == kind;
    }

    return n;
}


static void
dump_errand(const lun_errand *e)
{
    lun_log   log = e->log;
    lun_msec  age = lun_clock.mono - e->started;

    log.forced = true;
    log.level = LUN_LOG_NOTICE;
    lun_log(LUN_LOG_NOTICE, &log, 0, "dump: %s \"%.*s\", age %" PRIu64
            ".%03d s", e->kind->name, LUN_S(e->what), age / 1000,
            (int) (age % 1000));
}


void
lun_errand_dump(const lun_loop *loop)
{
    errands  *all = find_errands(loop);

    if (all == NULL) {
        return;
    }

    lun_list_each(&all->open, it) {
        dump_errand(lun_container_of(it, lun_errand, link));
    }
}

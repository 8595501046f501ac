/*
 * listen_accept.c -- a worker takes connections from its listeners.
 *
 * When almost all worker_connections are taken, idle ones are closed to make
 * room for the new.  With too many that are in use it takes none at all, until
 * some have gone; an eighth is left for those that requests open themselves.
 *
 * A listener for which there is no file (or memory) rests for half a second;
 * the others go on with what they have.  When thousands rest, only a few are
 * tried after that, and more each time that goes well: trying is not free,
 * and a process that is short of files has other things to do.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/listen.h"

#include "base/check.h"
#include "net/conn.h"
#include "net/conn_metrics.h"
#include "net/datagram.h"
#include "net/listen_priv.h"
#include "os/cidr.h"


enum {
    ROOM        = 8,               /* a part of the limit */
    SCARCE      = 16,              /* the same */
    DRAIN_MOST  = 32,              /* closed at a time for one that comes */
    DRAIN_PART  = 8,               /* the same, as a part of the idle ones */
    REST        = 500,             /* ms */
    PORTION     = 16,              /* of the resting, to begin with */
    SAY_AGAIN   = 1000             /* ms between two complaints */
};


static bool
may_say(lun_msec *said)
{
    if (*said != 0 && lun_clock.mono - *said < SAY_AGAIN) {
        return false;
    }

    *said = lun_clock.mono;
    return true;
}


static bool
is_shortage(lun_err err)
{
    lun_err_kind  kind = lun_err_kind_of(err);

    return kind == LUN_ERR_TOO_MANY_FILES || kind == LUN_ERR_NO_MEMORY;
}


/* --- starting and stopping ----------------------------------------------- */

static void on_pause_over(lun_timer *timer);


static void
rest(lun_listen_set *set, listen_taker *t)
{
    lun_port_accept_stop(&t->acceptor);
    lun_list_remove(&t->rest);
    lun_list_push_back(&set->resting, &t->rest);

    set->portion = PORTION;

    if (!lun_timer_runs(&set->pause)) {
        set->pause.idle = true;
        lun_timer_start(set->loop, &set->pause, REST, on_pause_over);
    }
}


/* What can't be helped at the start is an error; later it is tried again. */
static lun_err
start_one(lun_listen_set *set, listen_taker *t)
{
    lun_err              err;
    const lun_listener  *l = t->acceptor.data;

    if (t->acceptor.open || !lun_list_empty(&t->rest)
        || l->options.datagram || l->muted)
    {
        return 0;
    }

    err = lun_port_accept(set->loop->port, &t->acceptor);

    if (err != 0 && may_say(&set->said)) {
        lun_log(LUN_LOG_CRIT, set->log, err, "could not accept on %.*s",
                LUN_S(l->text));
    }

    if (err != 0 && (set->started || is_shortage(err))) {
        rest(set, t);
        return 0;
    }

    return err;
}


static lun_err
start_all(lun_listen_set *set)
{
    size_t   i;
    lun_err  err;

    for (i = 0; i < set->count; i++) {
        err = start_one(set, &set->takers[i]);

        if (err != 0) {
            return err;
        }
    }

    return 0;
}


/* Nothing rests after it, either. */
static void
stop_all(lun_listen_set *set)
{
    size_t  i;

    for (i = 0; i < set->count; i++) {
        lun_port_accept_stop(&set->takers[i].acceptor);
        lun_list_remove(&set->takers[i].rest);
    }

    lun_timer_stop(&set->pause);
}


/* Their sessions need them, however many connections there are. */
static lun_err
start_datagrams(lun_listen_set *set)
{
    size_t         i;
    lun_err        err;
    lun_listener  *l;

    for (i = 0; i < set->count; i++) {
        l = set->items[i];

        if (!l->options.datagram) {
            continue;
        }

        err = lun_datagram_listen(l, set->takers[i].acceptor.fd, set->log);

        if (err != 0) {
            lun_log(LUN_LOG_CRIT, set->log, err, "could not receive on %.*s",
                    LUN_S(l->text));
            return err;
        }
    }

    return 0;
}


static void
stop_datagrams(lun_listen_set *set)
{
    size_t  i;

    for (i = 0; i < set->count; i++) {
        if (set->items[i]->options.datagram) {
            lun_datagram_unlisten(set->items[i]);
        }
    }
}


/* --- too many connections ------------------------------------------------ */

/* Idle ones are in nobody's way. */
static size_t
limit_of_busy(const lun_listen_set *set)
{
    return set->limit - set->limit / ROOM;
}


static bool
at_limit(const lun_listen_set *set)
{
    return set->limit != 0
           && lun_conn_busy_count(set->loop) >= limit_of_busy(set);
}


/*
 * Each start and stop is a system call per listener: with many listeners a
 * part of the connections has to go first.
 */
static bool
has_room(const lun_listen_set *set)
{
    size_t  slack = lun_min(set->count / 8, set->limit / 8);

    return set->limit == 0
           || lun_conn_busy_count(set->loop) + slack < limit_of_busy(set);
}


static bool
is_scarce(const lun_listen_set *set)
{
    return set->limit != 0
           && lun_conn_open_count(set->loop) + set->limit / SCARCE > set->limit;
}


static void
make_room(lun_listen_set *set)
{
    size_t  idle = lun_conn_idle_count(set->loop);

    if (idle != 0 && may_say(&set->said_reused)) {
        lun_log(LUN_LOG_WARN, set->log, 0, "%zu worker_connections are not "
                "enough, reusing connections", set->limit);
    }

    lun_conn_drain(set->loop,
                   lun_max(lun_min(idle / DRAIN_PART, (size_t) DRAIN_MOST), 1),
                   set->limit);
}


static void
stop_muted(lun_listen_set *set)
{
    size_t         i;
    listen_taker  *t;

    for (i = 0; i < set->count; i++) {
        t = &set->takers[i];

        if (set->items[i]->muted) {
            lun_port_accept_stop(&t->acceptor);
            lun_list_remove(&t->rest);
        }
    }
}


/*
 * Starts or stops, as things are by now: outside of the port's callbacks, and
 * when all that has come in this turn was looked at.
 */
static void
review(lun_task *task)
{
    lun_listen_set  *set = lun_container_of(task, lun_listen_set, review);

    if (set->quieter) {
        set->quieter = false;
        stop_muted(set);
    }

    if (set->crowded) {
        set->crowded = false;
        make_room(set);
    }

    if (!set->full && at_limit(set)) {
        set->full = true;
        stop_all(set);

        if (may_say(&set->said)) {
            lun_log(LUN_LOG_WARN, set->log, 0, "%zu worker_connections are "
                    "not enough, waiting for some to close", set->limit);
        }

    } else if (set->full && has_room(set)) {
        set->full = false;
        (void) start_all(set);
    }
}


static void
on_less(void *data)
{
    lun_listen_set  *set = data;

    if (set->full && has_room(set)) {
        lun_loop_post(set->loop, &set->review, review);
    }
}


/* --- too many files ------------------------------------------------------ */

static void
on_pause_over(lun_timer *timer)
{
    size_t           left;
    listen_taker    *t;
    lun_listen_set  *set = lun_container_of(timer, lun_listen_set, pause);

    left = set->portion;
    set->portion = lun_min(set->portion * 2, set->count);

    while (left-- > 0 && !lun_list_empty(&set->resting)) {
        t = lun_container_of(set->resting.next, listen_taker, rest);
        lun_list_remove(&t->rest);
        (void) start_one(set, t);
    }

    if (!lun_list_empty(&set->resting) && !lun_timer_runs(timer)) {
        lun_timer_start(set->loop, timer, REST, on_pause_over);
    }
}


static void
on_accept_error(lun_listen_set *set, listen_taker *t, lun_err err)
{
    const lun_listener  *l = t->acceptor.data;

    if (may_say(&set->said)) {
        lun_log(is_shortage(err) ? LUN_LOG_CRIT : LUN_LOG_ERR, set->log, err,
                "accept() failed on %.*s", LUN_S(l->text));
    }

    if (t->acceptor.stuck && set->started) {
        rest(set, t);
    }
}


/* --- connections --------------------------------------------------------- */

static void
on_accept(lun_acceptor *a, lun_fd fd, const lun_addr *peer, lun_err err)
{
    lun_listener    *l = a->data;
    lun_listen_set  *set = l->set;

    LUN_CHECK(set != NULL && l->take != NULL);

    if (fd == LUN_FD_NONE) {
        on_accept_error(set, lun_container_of(a, listen_taker, acceptor), err);
        return;
    }

    lun_metric_add(lun_conn_accepted_at, 1);
    l->take(l, fd, peer);
    lun_listen_taken(set);
}


bool
lun_listen_may_take(lun_listen_set *set)
{
    if (!set->started) {
        return false;
    }

    if (!at_limit(set)) {
        return true;
    }

    if (may_say(&set->said)) {
        lun_log(LUN_LOG_ALERT, set->log, 0, "%zu worker_connections are "
                "not enough", set->limit);
    }

    return false;
}


void
lun_listen_taken(lun_listen_set *set)
{
    if (!set->started) {
        return;
    }

    if (is_scarce(set)) {
        set->crowded = true;
        lun_loop_post(set->loop, &set->review, review);

    } else if (!set->full && at_limit(set)) {
        lun_loop_post(set->loop, &set->review, review);
    }
}


void
lun_listen_debug(lun_listen_set *set, const lun_array *networks)
{
    set->debug = networks;
}


void
lun_listen_set_debug(const lun_listener *l, const lun_addr *client,
    lun_log *log)
{
    if (l->set != NULL && l->set->debug != NULL
        && lun_cidr_any_has(l->set->debug, client))
    {
        log->forced = true;
        log->level = LUN_LOG_DEBUG;
    }
}


void
lun_listen_batch(lun_listen_set *set, unsigned connections)
{
    set->batch = connections;
}


void
lun_listen_limit(lun_listen_set *set, size_t connections)
{
    set->limit = connections;
}


/*
 * With reuseport each worker has a socket of its own among `fds`.  Either all
 * listeners accept, or none: a worker that serves half of a configuration would
 * look healthy.
 */
lun_rc
lun_listen_start(lun_listen_set *set, lun_loop *loop, unsigned worker,
    const lun_log *log)
{
    size_t         i;
    lun_listener  *l;

    LUN_CHECK(!set->started);

    if (set->takers == NULL) {
        set->takers = lun_pool_new_n(set->pool, listen_taker, set->count);
    }

    for (i = 0; i < set->count; i++) {
        l = set->items[i];

        set->takers[i].acceptor = (lun_acceptor) {
            .fd = l->fds != NULL ? l->fds[worker % l->fd_count] : l->fd,
            .family = l->addr.family,
            .take = on_accept,
            .data = l,
            .batch = set->batch != 0 ? set->batch : 1
        };
        lun_list_init(&set->takers[i].rest);
    }

    set->loop = loop;
    set->log = log;
    set->full = false;

    if (start_all(set) != 0 || start_datagrams(set) != 0) {
        stop_all(set);
        stop_datagrams(set);
        return LUN_ERROR;
    }

    set->started = true;
    lun_conn_on_less(loop, on_less, set);

    return LUN_OK;
}


lun_loop *
lun_listen_loop(const lun_listener *l)
{
    return l->set->loop;
}


void
lun_listen_mute(lun_listener *l)
{
    lun_listen_set  *set = l->set;

    l->muted = true;

    if (set->started) {
        set->quieter = true;
        lun_loop_post(set->loop, &set->review, review);
    }
}


void
lun_listen_stop(lun_listen_set *set)
{
    if (!set->started) {
        return;
    }

    set->started = false;

    lun_conn_on_less(set->loop, NULL, NULL);
    lun_loop_unpost(&set->review);
    stop_datagrams(set);
    stop_all(set);
    lun_loop_unpost(&set->review);
}

/*
 * master.c -- holds the listeners, looks after workers, changes generations.
 *
 * A reload reads and opens the new generation beside the old one, starts its
 * workers, and waits until each of them accepts; only then the old ones are
 * told to quit.  Listeners are shared meanwhile, so nobody is refused.  New
 * workers that can't begin are dropped, and the old ones never hear of it.
 *
 * Workers of generations that are going are kept in a list until the last of
 * them has gone; their generation's memory here is freed before that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/master.h"

#include "log/log_rotate.h"
#include "net/loop.h"
#include "os/control.h"
#include "os/service.h"
#include "run/generation.h"
#include "run/apart.h"
#include "run/main_conf.h"
#include "run/pidfile.h"
#include "run/startlog.h"
#include "run/upgrade.h"
#include "run/signals.h"
#include "run/worker.h"
#include "run/worker_set.h"
#include "shm/workers.h"


enum {
    LOOK_AGAIN = 10,               /* ms: while new workers start */
    ROTATE_LOOK = 1000,            /* ms: whether workers want it */
    STOP_LIMIT = 1000,             /* ms: then workers are killed */
    MAX_LEAVING = 64,
    MAX_ASKERS = 16
};

typedef enum {
    SERVING,
    QUITTING,
    STOPPING
} master_state;

static struct {
    const lun_options  *options;
    master_state        state;
    lun_worker_set        *now;           /* those that serve */
    lun_worker_set        *next;          /* a reload is starting them */
    lun_worker_set        *leaving[MAX_LEAVING];
    size_t              leaving_count;
    uint32_t            generations;
    lun_pidfile         pid;
    lun_timer           look;          /* whether `next` is ready; at the end,
                                          whether what is kept has ended */
    lun_timer           first;         /* whether the first workers are */
    lun_timer           limit;         /* of stopping */
    lun_timer           rotate;        /* logs, for workers that may not */
    bool                again;         /* another reload was asked for */
    bool                resting;       /* WINCH: without workers */
    lun_control        *askers[MAX_ASKERS];    /* who wait for the reload */
    size_t              asker_count;
} m;


static const lun_log *
log_of_now(void)
{
    return &m.now->gen->log;
}


static void on_rotate(lun_timer *timer);


/* What is kept for workers hears which of them there are. */
static void
settle(void)
{
    uint32_t  now = m.now->number, oldest = now;
    size_t    i;

    for (i = 0; i < m.leaving_count; i++) {
        oldest = lun_min(oldest, m.leaving[i]->number);
    }

    lun_generation_settle(now, oldest, false);
}


/* --- generations that go --- */

/* A generation's memory is not needed to see its workers go. */
static void
retire(lun_worker_set *w, lun_signal signal)
{
    lun_worker_set_send(w, signal);
    w->gen = NULL;
    w->beside = NULL;

    if (w->alive == 0 || m.leaving_count == MAX_LEAVING) {
        lun_worker_set_free(w);
        return;
    }

    m.leaving[m.leaving_count++] = w;
}


static void
look_after_leaving(void)
{
    size_t  i;

    for (i = 0; i < m.leaving_count; /* void */) {
        if (m.leaving[i]->alive != 0) {
            i++;
            continue;
        }

        lun_worker_set_free(m.leaving[i]);
        m.leaving[i] = m.leaving[--m.leaving_count];
    }

    settle();
}


/* --- reload --- */

static void reload(void);


static void
answer_askers(bool good, const char *text)
{
    size_t  i, n = m.asker_count;

    m.asker_count = 0;

    for (i = 0; i < n; i++) {
        lun_control_answer(m.askers[i], good, text);
    }
}


/* The last of several reloads is the one that counts: all wait for it. */
static void
reload_ended(bool good)
{
    lun_log_set_default(log_of_now());

    if (m.again) {
        m.again = false;
        reload();
        return;
    }

    answer_askers(good, good ? "" : lun_signals_last_error());
}


/* The new workers could not begin. */
static void
drop_next(void)
{
    lun_worker_set     *next = m.next;
    lun_generation  *gen = next->gen;

    m.next = NULL;
    m.now->beside = NULL;
    lun_timer_stop(&m.look);

    retire(next, LUN_SIGNAL_STOP);
    settle();
    lun_generation_drop(gen, m.now->gen);
}


static void
take_next(void)
{
    lun_worker_set     *old = m.now;
    lun_generation  *gen = old->gen;

    m.now = m.next;
    m.now->beside = NULL;
    m.next = NULL;
    m.resting = false;
    m.generations = m.now->gen->number;    /* one that fails is none */

    lun_log_set_default(log_of_now());
    lun_startlog_redirect(m.now->gen);
    lun_listen_close_rest(gen->listeners, m.now->gen->listeners);
    lun_pidfile_move(&m.pid, m.now->gen);

    on_rotate(&m.rotate);
    retire(old, LUN_SIGNAL_QUIT);
    settle();
    lun_generation_free(gen);
}


static void
on_look(lun_timer *timer)
{
    if (m.next->fatal) {
        lun_log(LUN_LOG_EMERG, NULL, 0, "new workers could not start, "
                "the old ones go on");
        drop_next();
        reload_ended(false);
        return;
    }

    if (lun_worker_set_ready(m.next)) {
        take_next();
        reload_ended(true);
        return;
    }

    lun_timer_start(&lun_worker.loop, timer, LOOK_AGAIN, on_look);
}


static void
reload(void)
{
    lun_generation  *gen;

    /* One at a time: the files are read once more when this one has ended. */
    if (m.next != NULL) {
        m.again = true;
        return;
    }

    lun_log(LUN_LOG_NOTICE, log_of_now(), 0, "reconfiguring");
    lun_signals_keep_error(m.now->gen);

    gen = lun_generation_new(m.options, m.generations + 1, NULL,
                             m.now->gen);

    if (gen == NULL) {
        reload_ended(false);
        return;
    }

    if (lun_generation_open(gen, m.now->gen) != LUN_OK) {
        lun_generation_free(gen);
        reload_ended(false);
        return;
    }

    m.next = lun_worker_set_new(gen, m.options);
    m.now->beside = gen;

    if (m.next != NULL) {
        m.next->beside = m.now->gen;
    }

    /* Whatever fails up to here is undone, and the old one serves on. */
    if (m.next == NULL
        || lun_generation_run_hooks(gen, &gen->on_lead) != LUN_OK
        || lun_worker_set_start(m.next) != LUN_OK)
    {
        if (m.next != NULL) {
            drop_next();

        } else {
            m.now->beside = NULL;
            lun_generation_drop(gen, m.now->gen);
        }

        reload_ended(false);
        return;
    }

    lun_timer_start(&lun_worker.loop, &m.look, LOOK_AGAIN, on_look);
}


/* --- the end --- */

static void on_ending(lun_timer *timer);


static bool
all_gone(void)
{
    return m.now->alive == 0 && m.next == NULL && m.leaving_count == 0;
}


static void
check_end(void)
{
    look_after_leaving();

    if (m.state == SERVING || !all_gone()) {
        return;
    }

    if (lun_generation_end_kept(m.state == STOPPING)) {
        lun_loop_stop(&lun_worker.loop);

    } else {
        lun_timer_start(&lun_worker.loop, &m.look, LOOK_AGAIN, on_ending);
    }
}


static void
on_ending(lun_timer *timer)
{
    check_end();
}


/* The generation that never served; its workers leave with the others. */
static void
give_up_reload(void)
{
    if (m.next != NULL) {
        drop_next();
        m.again = false;
        lun_log_set_default(log_of_now());
        answer_askers(false, "the server is shutting down");
    }
}


static void
send_all(lun_signal signal)
{
    size_t  i;

    lun_worker_set_send(m.now, signal);

    if (m.next != NULL) {
        lun_worker_set_send(m.next, signal);
    }

    for (i = 0; i < m.leaving_count; i++) {
        lun_worker_set_send(m.leaving[i], signal);
    }
}


static void
on_limit(lun_timer *timer)
{
    size_t  i;

    lun_worker_set_kill(m.now);

    for (i = 0; i < m.leaving_count; i++) {
        lun_worker_set_kill(m.leaving[i]);
    }

    lun_timer_start(&lun_worker.loop, timer, STOP_LIMIT, on_limit);
}


/* Files of unix sockets stay where another program serves as well. */
static void
leave_shared_files(lun_generation *gen)
{
    if (lun_upgrade_shared()) {
        lun_listen_leave_files(gen->listeners);
    }
}


static void
quit(void)
{
    if (m.state != SERVING) {
        return;
    }

    m.state = QUITTING;
    give_up_reload();
    send_all(LUN_SIGNAL_QUIT);
    leave_shared_files(m.now->gen);
    lun_listen_close_rest(m.now->gen->listeners, NULL);
    check_end();
}


static void
stop(void)
{
    if (m.state == STOPPING) {
        return;
    }

    m.state = STOPPING;
    give_up_reload();
    send_all(LUN_SIGNAL_STOP);
    lun_timer_start(&lun_worker.loop, &m.limit, STOP_LIMIT, on_limit);
    check_end();
}


/* --- what arrives --- */

/* Only where logs are rotated and workers are somebody else. */
static void
on_rotate(lun_timer *timer)
{
    lun_generation  *gen = m.now->gen;

    if (lun_main_conf_of(gen)->user.uid >= 0
        && lun_log_files_rotate(&gen->logs))
    {
        lun_timer_start(&lun_worker.loop, timer, ROTATE_LOOK, on_rotate);
    }
}


static void
reopen(void)
{
    lun_log(LUN_LOG_NOTICE, log_of_now(), 0, "reopening logs");
    lun_log_files_reopen(&m.now->gen->logs);
    lun_startlog_redirect(m.now->gen);
    send_all(LUN_SIGNAL_REOPEN);
}


/*
 * Those who asked for a reload by control wait for its outcome; all others are
 * answered at once.
 */
static void
on_signal(void *data, lun_signal signal, lun_control *c)
{
    lun_signals_log(signal, log_of_now());

    switch (signal) {

    case LUN_SIGNAL_RELOAD:
        if (m.state != SERVING || m.asker_count == MAX_ASKERS) {
            lun_control_answer(c, false, m.state != SERVING
                               ? "the server is shutting down"
                               : "too many wait for a reload");
            return;
        }

        if (c != NULL) {
            m.askers[m.asker_count++] = c;
        }

        reload();
        return;

    case LUN_SIGNAL_REOPEN:
        reopen();
        break;

    case LUN_SIGNAL_QUIT:
        quit();
        break;

    case LUN_SIGNAL_STOP:
        stop();
        break;

    case LUN_SIGNAL_WINCH:
        m.resting = true;
        lun_worker_set_send(m.now, LUN_SIGNAL_QUIT);
        break;

    case LUN_SIGNAL_DUMP:
        lun_generation_dump_kept();
        send_all(LUN_SIGNAL_DUMP);
        break;

    case LUN_SIGNAL_PROFILE:
        lun_worker_set_send(m.now, LUN_SIGNAL_PROFILE);
        break;

    case LUN_SIGNAL_UPGRADE:
        if (m.state == SERVING) {
            (void) lun_upgrade_start(m.now->gen, m.options, &m.pid);
        }

        break;

    default:
        break;
    }

    lun_control_answer(c, true, "");
}


/* The words come through lun_control; the port's own are not used. */
static void
on_plain_word(void *data, lun_signal signal)
{
    on_signal(data, signal, NULL);
}


/* The program that was to follow us has not stayed. */
static void
go_on_alone(void)
{
    if (m.state == SERVING && m.resting) {
        reload();
    }
}


typedef struct {
    const lun_generation  *gen;
    int64_t                pid;
} dead_worker;


/* What the dead did for others is nobody's: those whom that zone has hear. */
static lun_rc
mend_zones(void *data)
{
    const dead_worker  *d = data;

    lun_workers_look_at(d->gen->zones);
    lun_zone_mend(d->gen->zones, d->pid, log_of_now());
    return LUN_OK;
}


static void
mend_after(const lun_generation *gen, int64_t pid)
{
    dead_worker  d = { gen, pid };

    (void) lun_apart(gen, mend_zones, &d);
}


static void
on_exit_of_child(void *data, int64_t pid, int code, const char *text)
{
    size_t  i;
    bool    upgrade;

    if (lun_generation_owns(pid)) {
        lun_proc_tell_child(pid, code, text);
        check_end();
        return;
    }

    upgrade = lun_upgrade_ended(pid, &m.pid);

    lun_log(code >= 128 ? LUN_LOG_ALERT : LUN_LOG_NOTICE, log_of_now(), 0,
            "%s process %" PRId64 " %s", upgrade ? "new binary" : "worker",
            pid, text);

    if (upgrade) {
        go_on_alone();
        return;
    }

    /* Its locks first: whoever starts next may need them. */
    mend_after(m.now->gen, pid);

    if (m.next != NULL) {
        mend_after(m.next->gen, pid);
    }

    if (!lun_worker_set_died(m.now, pid, code)
        && (m.next == NULL || !lun_worker_set_died(m.next, pid, code)))
    {
        for (i = 0; i < m.leaving_count; i++) {
            if (lun_worker_set_died(m.leaving[i], pid, code)) {
                break;
            }
        }
    }

    check_end();

    /* Nobody is left to serve, and nobody would do better. */
    if (m.state == SERVING && m.now->fatal && m.now->alive == 0
        && m.next == NULL && !m.resting)
    {
        m.state = STOPPING;
        check_end();
    }
}


static lun_rc
open_ears(void)
{
    lun_err  err;

    err = lun_loop_init(&lun_worker.loop);

    if (err == 0) {
        err = lun_proc_listen(lun_worker.loop.port, on_exit_of_child,
                              on_plain_word, NULL);
    }

    if (err == 0) {
        err = lun_control_open(lun_worker.loop.port, on_signal, NULL);
    }

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "could not make a port");
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* A service runs when its workers accept. */
static void
on_first(lun_timer *timer)
{
    if (lun_worker_set_ready(m.now)) {
        lun_service_ready();

    } else if (lun_service_starting()) {
        lun_timer_start(&lun_worker.loop, timer, LOOK_AGAIN, on_first);
    }
}


/* Closes all that is open; the generation is gone after it. */
static void
close_down(lun_generation *gen)
{
    lun_pidfile_remove(&m.pid);
    leave_shared_files(gen);
    lun_listen_close_rest(gen->listeners, NULL);
    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "exit");
    lun_generation_free(gen);
}


/*
 * The pid file comes after the listening sockets, which are open by now: who
 * waits for it can connect, even if the workers have yet to start.
 */
int
lun_master_run(lun_generation *gen, const lun_options *o)
{
    int  status;

    m.options = o;
    m.generations = gen->number;

    lun_proc_set_title("master process");

    if (open_ears() != LUN_OK || lun_pidfile_write(&m.pid, gen) != LUN_OK
        || (m.now = lun_worker_set_new(gen, o)) == NULL)
    {
        close_down(gen);
        return 1;
    }

    lun_startlog_close(gen);
    lun_startlog_redirect(gen);
    lun_log(LUN_LOG_NOTICE, &gen->log, 0, LUN_PRODUCT "/" LUN_VERSION);
    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "start worker processes");

    if (lun_generation_run_hooks(gen, &gen->on_lead) != LUN_OK) {
        close_down(gen);
        return 1;
    }

    (void) lun_worker_set_start(m.now);
    on_rotate(&m.rotate);
    on_first(&m.first);
    lun_loop_run(&lun_worker.loop);

    status = m.now->fatal ? LUN_EXIT_FATAL : 0;
    gen = m.now->gen;

    lun_control_close();
    lun_worker_set_free(m.now);
    lun_loop_fini(&lun_worker.loop);
    close_down(gen);

    return status;
}

/*
 * worker.c -- a process that serves: as a worker of a master, or alone.
 *
 * Told to quit it stops accepting, lets go of the listeners, closes what is
 * idle, and ends when no timer runs for anybody any more: whatever a request
 * waits for has one.
 *
 * Alone, a process reloads in place: the new generation accepts, and the old
 * one stays in memory for the requests that it still has.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/worker.h"

#include <stdlib.h>

#include "base/check.h"
#include "net/conn.h"
#include "net/datagram.h"
#include "net/quic/quic_route.h"
#include "net/loop.h"
#include "os/control.h"
#include "os/service.h"
#include "os/splice.h"
#include "run/dump.h"
#include "run/main_conf.h"
#include "run/generation.h"
#include "run/leftovers.h"
#include "run/pidfile.h"
#include "run/worker_init.h"
#include "run/startlog.h"
#include "run/signals.h"
#include "shm/workers.h"


enum {
    MANY        = 64,                  /* accepted per wake-up */
    LAST_MOMENT = 100,                 /* ms, after worker_shutdown_timeout */
    END_AGAIN   = 20                   /* ms: whether what is kept has ended */
};

lun_worker_info            lun_worker;

static bool                stopping;   /* at once */
static lun_timer           patience;   /* worker_shutdown_timeout */
static lun_task            quitting;   /* a handler wants it */
static const lun_options  *options;    /* alone: to read anew */


static void
on_end(lun_timer *timer)
{
    stopping = true;
}


/*
 * Requests end as if their clients had left, and are in the access log, as
 * soon as what they have in flight has come back.
 */
static void
on_patience(lun_timer *timer)
{
    lun_log(LUN_LOG_NOTICE, NULL, 0, "worker_shutdown_timeout, exiting");
    lun_conn_give_up(&lun_worker.loop);
    lun_timer_start(&lun_worker.loop, timer, LAST_MOMENT, on_end);
}


/*
 * Listeners first: while requests end, no new ones come.  What idles is closed
 * by its states, what works goes on until it is done or patience ends.
 */
static void
quit(void)
{
    lun_generation        *gen = lun_worker.gen;
    const lun_main_conf   *core = lun_main_conf_of(gen);

    if (lun_self.exiting) {
        return;
    }

    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "gracefully shutting down");
    lun_proc_set_title("worker process is shutting down");

    lun_self.exiting = true;
    gen->exiting = true;

    lun_listen_stop(gen->listeners);

    if (options != NULL) {
        lun_listen_close_rest(gen->listeners, NULL);

    } else {
        lun_listen_let_go(gen->listeners, NULL);
    }

    lun_conn_quit(gen->loop);
    (void) lun_generation_run_hooks(gen, &gen->on_quit);
    lun_duty_quit(gen->duties);

    if (core->shutdown_timeout != 0) {
        patience.idle = true;
        lun_timer_start(gen->loop, &patience, core->shutdown_timeout,
                        on_patience);
    }
}


static void
on_quit_task(lun_task *task)
{
    quit();
}


/* A handler asks, and has to end before its timers are told. */
static void
quit_soon(void)
{
    lun_loop_post(&lun_worker.loop, &quitting, on_quit_task);
}


static void
on_signal(void *data, lun_signal signal)
{
    switch (signal) {

    case LUN_SIGNAL_QUIT:
        quit();
        return;

    case LUN_SIGNAL_STOP:
        stopping = true;
        return;

    case LUN_SIGNAL_REOPEN:
        lun_log(LUN_LOG_NOTICE, NULL, 0, "reopening logs");
        lun_log_files_reopen(&lun_worker.gen->logs);
        lun_startlog_redirect(lun_worker.gen);
        return;

    case LUN_SIGNAL_DUMP:
        lun_generation_dump_kept();        /* who serves alone has some */
        lun_dump(lun_worker.gen);
        return;

    case LUN_SIGNAL_PROFILE:
        lun_generation_floors()->profile(lun_worker.gen);
        return;

    default:                           /* what only a master can do */
        return;
    }
}


/* Programs that Lua or an upstream has started. */
static void
on_exit_of_child(void *data, int64_t pid, int code, const char *text)
{
    lun_log(LUN_LOG_NOTICE, NULL, 0, "%s %" PRId64, lun_proc_child_heard, pid);

    lun_proc_tell_child(pid, code, text);
}


static bool
is_done(void)
{
    return stopping || (lun_self.exiting
                        && lun_timer_pending(&lun_worker.loop) == 0
                        && lun_generation_active() == 0);
}


/* The other workers, of whatever generation, see this one from now on. */
static void
enter_row(lun_generation *gen)
{
    lun_err  err;

    lun_workers_look_at(gen->zones);
    err = lun_workers_enter(gen->loop->port, gen->number,
                            (uint32_t) lun_self.number);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "no row among the workers: "
                "nobody can write to this process");
    }
}


/*
 * Modules before sockets: the first request finds everything that on_start
 * makes.  Duties come last, since one may ask this server something.
 */
static lun_rc
start_serving(lun_generation *gen)
{
    const lun_events_conf  *events = lun_events_conf_of(gen);

    if (events->use_poll) {
        lun_port_use_poll(gen->loop->port);
    }

    lun_metric_enter(gen->metrics, gen->number, &gen->log);
    enter_row(gen);

    if (lun_self.agent) {
        lun_listen_let_go(gen->listeners, NULL);
        return lun_generation_run_hooks(gen, &gen->on_start);
    }

    lun_listen_batch(gen->listeners, events->multi_accept ? MANY : 1);
    lun_listen_debug(gen->listeners, events->debug);
    lun_datagram_share(gen->loop, gen->zones);
    lun_quic_share(gen->loop, gen->zones);

    if (lun_generation_run_hooks(gen, &gen->on_start) != LUN_OK
        || lun_listen_start(gen->listeners, gen->loop,
                            (unsigned) lun_self.number, &gen->log) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_listen_limit(gen->listeners, (size_t) events->worker_connections);
    lun_duty_start(gen->duties, gen->loop, gen->number,
                   (unsigned) lun_self.number, lun_self.count, &gen->log);
    return LUN_OK;
}


static void
serve(void)
{
    lun_generation  *gen;

    while (!is_done()) {
        lun_loop_turn(&lun_worker.loop, LUN_PORT_FOREVER);
    }

    gen = lun_worker.gen;
    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "exiting");

    if (lun_self.exiting && !stopping) {
        lun_leftovers_expect_none();
    }

    lun_timer_stop(&patience);
    lun_self.exiting = true;
    gen->exiting = true;

    (void) lun_generation_run_hooks(gen, &gen->on_exit);
    lun_duty_exit(gen->duties);
    lun_workers_leave();
    lun_metric_leave();
    lun_port_splice_end();
    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "exit");
}


const char *
lun_worker_kind(const lun_generation *gen, unsigned number)
{
    return number < gen->workers ? "worker process"
                                 : "privileged agent process";
}


/* Standard error of a worker may lead nowhere. */
static void
log_panic(const char *text, size_t size)
{
    size -= size != 0 && text[size - 1] == '\n';
    lun_log_text(LUN_LOG_ALERT, NULL, lun_str_of(text, size));
}


/* What it was about. */
static size_t
report_conn(char *text, size_t size)
{
    return lun_conn_report(&lun_worker.loop, text, size);
}


static void
introduce(lun_generation *gen, unsigned number)
{
    if (lun_worker.gen == NULL) {
        lun_panic_set_sink(log_panic);
        lun_panic_add(report_conn);
    }

    lun_worker.gen = gen;
    lun_self.number = (int) number;
    lun_self.count = gen->workers;
    lun_self.agent = number == gen->workers;
    lun_self.quit = quit_soon;
    lun_self.hears_children = true;
}


/* What a fork during a reload has of the generation that it is not of. */
static void
leave_behind(lun_generation *other, const lun_generation *gen)
{
    lun_listen_let_go(other->listeners, gen->listeners);
    lun_zone_close(other->zones);
    lun_log_files_close(&other->logs);
}


LUN_NORETURN void
lun_worker_run(lun_generation *gen, lun_boot *boot, unsigned number,
    lun_generation *beside)
{
    lun_err  err;

    introduce(gen, number);
    lun_startlog_close(gen);
    lun_startlog_redirect(gen);

    if (beside != NULL) {
        leave_behind(beside, gen);
    }

    lun_proc_set_title(lun_worker_kind(gen, number));
    lun_worker_init_env(gen);

    lun_proc_bind_to_parent();

    if (lun_worker_init(gen, number) != LUN_OK) {
        exit(LUN_EXIT_FATAL);
    }

    err = lun_loop_init(&lun_worker.loop);

    if (err == 0) {
        err = lun_proc_listen(lun_worker.loop.port, on_exit_of_child,
                              on_signal, NULL);
    }

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "could not make a port");
        exit(LUN_EXIT_FATAL);
    }

    lun_leftovers_begin();

    /* Where its cells are: a reload that failed may have looked elsewhere. */
    lun_metric_open(gen->metrics, gen->number, &gen->log);

    if (start_serving(gen) != LUN_OK) {
        exit(LUN_EXIT_FATAL);
    }

    atomic_store(&boot->serving[number], lun_proc_pid());
    serve();
    lun_generation_free(gen);
    exit(0);
}


/*
 * Windows has no fork(): the configuration is read again, from the master's
 * snapshot, and the zones and sockets that it has made are taken over.
 */
LUN_NORETURN void
lun_worker_boot(lun_boot *boot, unsigned number, const lun_fd *fds,
    size_t count)
{
    lun_generation  *gen;

    if (!lun_boot_is_sane(boot) || number >= boot->workers) {
        exit(LUN_EXIT_FATAL);
    }

    gen = lun_generation_new(&boot->options, boot->generation, &boot->snapshot,
                             NULL);

    if (gen == NULL || lun_log_files_open(&gen->logs) != LUN_OK) {
        exit(LUN_EXIT_FATAL);
    }

    gen->load_time = boot->load_time;
    lun_log_set_default(&gen->log);
    lun_zone_adopt(gen->zones, boot->zones, boot->zone_count);
    lun_metric_open(gen->metrics, gen->number, &gen->log);
    lun_listen_adopt(gen->listeners, fds, count);

    introduce(gen, number);

    if (lun_generation_run_hooks(gen, &gen->on_init) != LUN_OK
        || lun_generation_run_hooks(gen, &gen->on_zones) != LUN_OK)
    {
        exit(LUN_EXIT_FATAL);
    }

    lun_worker_run(gen, boot, number, NULL);
}


/* --- alone --- */

static bool
reload_alone(void)
{
    lun_generation  *gen, *old = lun_worker.gen;

    gen = lun_generation_new(options, old->number + 1, NULL, old);

    if (gen == NULL) {
        return false;
    }

    if (lun_generation_open(gen, old) != LUN_OK) {
        lun_generation_free(gen);
        return false;
    }

    lun_listen_stop(old->listeners);
    introduce(gen, 0);

    if (lun_generation_run_hooks(gen, &gen->on_lead) != LUN_OK
        || start_serving(gen) != LUN_OK)
    {
        lun_generation_settle(old->number, old->number, true);
        lun_listen_stop(gen->listeners);
        introduce(old, 0);
        enter_row(old);
        (void) lun_listen_start(old->listeners, old->loop, 0, &old->log);
        lun_generation_drop(gen, old);
        return false;
    }

    lun_log_set_default(&gen->log);
    lun_startlog_redirect(gen);
    lun_listen_close_rest(old->listeners, gen->listeners);
    old->exiting = true;
    lun_conn_quit(old->loop);
    (void) lun_generation_run_hooks(old, &old->on_quit);
    lun_duty_quit(old->duties);

    /* Nobody counts its requests: it goes with the one that follows. */
    gen->before = old;
    lun_generation_settle(gen->number, gen->number, true);
    return true;
}


/* A word to a process without a master. */
static void
on_own_word(void *data, lun_signal signal, lun_control *c)
{
    bool  ok = true;

    lun_signals_log(signal, &lun_worker.gen->log);

    if (signal == LUN_SIGNAL_RELOAD) {
        lun_log(LUN_LOG_NOTICE, NULL, 0, "reconfiguring");
        lun_signals_keep_error(lun_worker.gen);
        ok = reload_alone();
        lun_log_set_default(&lun_worker.gen->log);

    } else {
        on_signal(NULL, signal);
    }

    lun_control_answer(c, ok, ok ? "" : lun_signals_last_error());
}


/*
 * `master_process off`, and `lunette debug`: what the master does otherwise is
 * done here.
 */
int
lun_worker_alone(lun_generation *gen, const lun_options *o)
{
    lun_err       err;
    lun_port     *port;
    lun_pidfile   pid;

    options = o;
    introduce(gen, 0);
    lun_worker_init_env(gen);

    err = lun_loop_init(&lun_worker.loop);
    port = lun_worker.loop.port;

    if (err == 0) {
        err = lun_proc_listen(port, on_exit_of_child, on_signal, NULL);
    }

    if (err == 0) {
        err = lun_control_open(port, on_own_word, NULL);
    }

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "could not make a port");
        return 1;
    }

    lun_leftovers_begin();

    if (lun_generation_run_hooks(gen, &gen->on_lead) != LUN_OK
        || start_serving(gen) != LUN_OK
        || lun_pidfile_write(&pid, gen) != LUN_OK)
    {
        return LUN_EXIT_FATAL;
    }

    lun_startlog_close(gen);
    lun_startlog_redirect(gen);
    lun_service_ready();
    serve();

    while (!lun_generation_end_kept(stopping)) {
        lun_loop_turn(&lun_worker.loop, END_AGAIN);
    }

    lun_control_close();
    lun_listen_stop(lun_worker.gen->listeners);
    lun_listen_close_rest(lun_worker.gen->listeners, NULL);
    lun_pidfile_remove(&pid);
    lun_generation_free(lun_worker.gen);

    return 0;
}

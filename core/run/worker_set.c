/*
 * worker_set.c -- the master's workers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/worker_set.h"

#include "net/loop.h"
#include "run/worker.h"


enum {
    YOUNG = 1000,                  /* ms: to die before that is suspicious */
    FREE_DEATHS = 3,               /* young deaths without a pause */
    FIRST_PAUSE = 100,             /* ms, doubled with each further one */
    MAX_PAUSE = 5000
};

struct lun_worker_proc {
    lun_list       link;
    lun_worker_set   *set;
    lun_proc       proc;           /* pid 0: to be started by the timer */
    unsigned       number;
    lun_msec       started;
    unsigned       young_deaths;
    lun_timer      again;
};


/* What lun_proc_start() reads; a forked child finds itself in it. */
typedef struct {
    lun_shm   *shms;
    lun_fd    *fds;
} furniture;

static lun_worker_proc  *newborn;


/* Linux: the child, with all of the master's memory. */
static void
run_forked(void *user)
{
    lun_boot  *boot = user;

    lun_worker_run(newborn->set->gen, boot, newborn->number,
                   newborn->set->beside);
}


static uint32_t
list_segments(const lun_worker_set *w, lun_shm *shms)
{
    size_t  i, n;

    shms[0] = w->shm;
    n = lun_zone_count(w->gen->zones);

    for (i = 0; i < n; i++) {
        shms[i + 1] = lun_zone_at(w->gen->zones, i)->shm;
    }

    return (uint32_t) n + 1;
}


static uint32_t
list_listeners(const lun_worker_set *w, lun_fd *fds)
{
    size_t  i, n = lun_listen_count(w->gen->listeners);

    for (i = 0; i < n; i++) {
        fds[i] = lun_listen_at(w->gen->listeners, i)->fd;
    }

    return (uint32_t) n;
}


static lun_err
start(lun_worker_proc *wp)
{
    lun_err              err;
    lun_worker_set         *w = wp->set;
    furniture            f;
    const char          *kind = lun_worker_kind(w->gen, wp->number);
    lun_proc_start_spec  spec;

    f.shms = lun_calloc((lun_zone_count(w->gen->zones) + 1)
                        * sizeof(lun_shm));
    f.fds = lun_calloc((lun_listen_count(w->gen->listeners) + 1)
                       * sizeof(lun_fd));

    spec = (lun_proc_start_spec) {
        .number = wp->number,
        .shm_count = list_segments(w, f.shms),
        .shms = f.shms,
        .listener_count = list_listeners(w, f.fds),
        .listeners = f.fds,
        .user = w->boot,
        .title = kind,
        .run = run_forked,
    };

    /* A fork finds itself in `newborn`; elsewhere `number` tells who it is. */
    atomic_store(&w->boot->serving[wp->number], 0);
    newborn = wp;
    wp->started = lun_clock.mono;
    err = lun_proc_start(&spec, &wp->proc);

    lun_free(f.shms);
    lun_free(f.fds);

    if (err != 0) {
        wp->proc.pid = 0;
        lun_log(LUN_LOG_ALERT, &w->gen->log, err,
                "starting a %s failed", kind);
        return err;
    }

    w->alive++;
    lun_log(LUN_LOG_NOTICE, &w->gen->log, 0, "start %s %" PRId64, kind,
            wp->proc.pid);

    return 0;
}


static void
start_later(lun_worker_proc *wp);


static void
on_again(lun_timer *timer)
{
    lun_worker_proc  *wp = lun_container_of(timer, lun_worker_proc, again);

    if (start(wp) != 0) {
        wp->young_deaths++;
        start_later(wp);
    }
}


static void
start_later(lun_worker_proc *wp)
{
    unsigned  n = wp->young_deaths;
    lun_msec  pause;

    n = n > FREE_DEATHS ? lun_min(n - FREE_DEATHS - 1, 16u) : 0;
    pause = lun_min((lun_msec) FIRST_PAUSE << n, (lun_msec) MAX_PAUSE);
    lun_timer_start(&lun_worker.loop, &wp->again, pause, on_again);
}


lun_worker_set *
lun_worker_set_new(lun_generation *gen, const lun_options *o)
{
    lun_err       err;
    lun_worker_set  *w = lun_calloc(sizeof(lun_worker_set));

    w->gen = gen;
    w->number = gen->number;
    lun_list_init(&w->list);
    w->boot = lun_boot_new(gen, o, &w->shm, &err);

    if (w->boot == NULL) {
        lun_log(LUN_LOG_EMERG, NULL, err, "no memory for the boot block");
        lun_free(w);
        return NULL;
    }

    return w;
}


static void
forget(lun_worker_proc *wp)
{
    if (wp->proc.pid != 0) {
        lun_proc_forget(&wp->proc);
        wp->set->alive--;
    }

    lun_timer_stop(&wp->again);
    lun_list_remove(&wp->link);
    lun_free(wp);
}


static lun_worker_proc *
proc_of(lun_list *link)
{
    return lun_container_of(link, lun_worker_proc, link);
}


void
lun_worker_set_free(lun_worker_set *w)
{
    while (!lun_list_empty(&w->list)) {
        forget(proc_of(w->list.next));
    }

    lun_shm_free(&w->shm);
    lun_free(w);
}


lun_rc
lun_worker_set_start(lun_worker_set *w)
{
    unsigned          i;
    lun_worker_proc  *wp;

    w->respawn = true;

    for (i = 0; i < lun_boot_count(w->gen); i++) {
        wp = lun_calloc(sizeof(lun_worker_proc));
        wp->set = w;
        wp->number = i;
        lun_list_push_back(&w->list, &wp->link);

        if (start(wp) != 0) {
            wp->young_deaths = FREE_DEATHS;
            start_later(wp);
        }
    }

    return w->alive != 0 ? LUN_OK : LUN_ERROR;
}


bool
lun_worker_set_ready(const lun_worker_set *w)
{
    unsigned  i;

    for (i = 0; i < lun_boot_count(w->gen); i++) {
        if (atomic_load(&w->boot->serving[i]) == 0) {
            return false;
        }
    }

    return true;
}


/*
 * A row without a process waits to be started again; when all are to quit, that
 * must not happen any more, so it is forgotten.
 */
void
lun_worker_set_send(lun_worker_set *w, lun_signal signal)
{
    lun_err           err;
    lun_worker_proc  *wp;

    if (signal == LUN_SIGNAL_QUIT || signal == LUN_SIGNAL_STOP) {
        w->respawn = false;
    }

    lun_list_each_safe (&w->list, it) {
        wp = proc_of(it);

        if (wp->proc.pid == 0) {
            if (!w->respawn) {
                forget(wp);
            }

            continue;
        }

        err = lun_proc_send_signal(&wp->proc, signal);

        if (err != 0) {
            lun_log(LUN_LOG_ALERT, NULL, err, "telling worker process "
                    "%" PRId64 " to %s failed", wp->proc.pid,
                    lun_signal_name(signal));
        }
    }
}


void
lun_worker_set_kill(lun_worker_set *w)
{
    lun_list_each (&w->list, it) {
        if (proc_of(it)->proc.pid != 0) {
            lun_proc_kill(&proc_of(it)->proc);
        }
    }
}


static lun_worker_proc *
find(lun_worker_set *w, int64_t pid)
{
    lun_list_each (&w->list, it) {
        if (proc_of(it)->proc.pid == pid) {
            return proc_of(it);
        }
    }

    return NULL;
}


static void
respawn(lun_worker_proc *wp)
{
    if (lun_clock.mono - wp->started < YOUNG) {
        wp->young_deaths++;

    } else {
        wp->young_deaths = 0;
    }

    if (wp->young_deaths > FREE_DEATHS || start(wp) != 0) {
        start_later(wp);
    }
}


bool
lun_worker_set_died(lun_worker_set *w, int64_t pid, int code)
{
    lun_worker_proc  *wp = find(w, pid);

    if (wp == NULL) {
        return false;
    }

    if (code == LUN_EXIT_FATAL && w->respawn) {
        lun_log(LUN_LOG_ALERT, NULL, 0, "worker process %" PRId64 " exited "
                "with fatal code %d and cannot be respawned", pid, code);
        w->fatal = true;
    }

    if (!w->respawn || code == LUN_EXIT_FATAL) {
        forget(wp);
        return true;
    }

    lun_proc_forget(&wp->proc);
    wp->proc.pid = 0;
    w->alive--;
    respawn(wp);

    return true;
}

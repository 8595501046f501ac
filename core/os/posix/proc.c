/*
 * proc.c -- workers as forks, words as signals.
 *
 * A handler only sets a bit and posts one operation to the port, so that what
 * a word leads to happens in lun_port_wait().  Nothing is ever blocked or
 * ignored, hence nothing leaks into programs that are started; the handlers
 * themselves end with exec.
 *
 * A worker forgets its parent's port before it can hear a signal; what it is
 * told before it listens waits in the bits.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"
#include "os/lock.h"
#include "os/posix/port_priv.h"
#include "os/posix/proc_priv.h"


/*
 * In the order of their urgency: when several have come, the first goes
 * first, and all of them before the news of the dead.
 */
static const struct {
    int         signo;
    lun_signal  master;
    lun_signal  worker;
    bool        speaks;            /* lun_proc_send_signal says it so */
} signals[] = {
    { SIGTERM,  LUN_SIGNAL_STOP,    LUN_SIGNAL_STOP,   true },
    { SIGINT,   LUN_SIGNAL_STOP,    LUN_SIGNAL_STOP,   false },
    { SIGQUIT,  LUN_SIGNAL_QUIT,    LUN_SIGNAL_QUIT,   true },
    { SIGHUP,   LUN_SIGNAL_RELOAD,  LUN_SIGNAL_NONE,   true },
    { SIGUSR1,  LUN_SIGNAL_REOPEN,  LUN_SIGNAL_REOPEN, true },
    { SIGUSR2,  LUN_SIGNAL_UPGRADE, LUN_SIGNAL_NONE,   true },
    { SIGWINCH, LUN_SIGNAL_WINCH,   LUN_SIGNAL_QUIT,   true },
    { SIGTTIN,  LUN_SIGNAL_DUMP,    LUN_SIGNAL_DUMP,   true },
    { SIGTTOU,  LUN_SIGNAL_PROFILE, LUN_SIGNAL_PROFILE, true }
};

static const char *const  names[LUN_SIGNALS] = {
    [LUN_SIGNAL_NONE]    = "none",
    [LUN_SIGNAL_QUIT]    = "quit",
    [LUN_SIGNAL_STOP]    = "stop",
    [LUN_SIGNAL_REOPEN]  = "reopen",
    [LUN_SIGNAL_RELOAD]  = "reload",
    [LUN_SIGNAL_UPGRADE] = "upgrade",
    [LUN_SIGNAL_WINCH]   = "winch",
    [LUN_SIGNAL_DUMP]    = "dump",
    [LUN_SIGNAL_PROFILE] = "profile"
};

/* What the handler sees. */
static _Atomic uint32_t      heard;      /* 1 << signo */
static _Atomic bool          posted;
static _Atomic(lun_port *)   ears;
static lun_op                hearing;

static lun_signal_fn          *word_fn;
static void                 *word_data;
static lun_proc_exit_fn     *exit_fn;
static void                 *exit_data;
static lun_wake_fn          *wake_fn;
static void                 *wake_data;

/* In a worker: who forked it, and the port that it may be deep inside of. */
static pid_t                 parent;
static lun_port             *parents_port __attribute__((used));


static void
on_os_signal(int signo)
{
    int        err = errno;
    lun_port  *port;

    atomic_fetch_or(&heard, 1u << signo);
    port = atomic_load(&ears);

    if (port && !atomic_exchange(&posted, true)) {
        lun_port_post_remote(port, &hearing);
    }

    errno = err;
}


/*
 * Signals are only noted where they come; what they mean depends on whether
 * this is a worker.
 */
static void
on_heard(lun_op *op)
{
    size_t      i;
    lun_signal  signal;
    uint32_t    bits;

    atomic_store(&posted, false);
    bits = atomic_exchange(&heard, 0);

    for (i = 0; i < LUN_ARRAY_LEN(signals); i++) {
        if (bits & 1u << signals[i].signo) {
            signal = parent ? signals[i].worker : signals[i].master;

            if (signal != LUN_SIGNAL_NONE && word_fn) {
                word_fn(word_data, signal);
            }
        }
    }

    if (bits & 1u << SIGURG && wake_fn) {
        wake_fn(wake_data);
    }

    if (bits & 1u << SIGCHLD) {
        lun_child_reap(exit_fn, exit_data);
    }
}


/* These mean nothing here, and would end who does not know them. */
static void
on_other(int signo)
{
}


static lun_err
install_handlers(void)
{
    size_t            i;
    struct sigaction  sa = { .sa_handler = on_os_signal,
        .sa_flags = SA_RESTART };
    struct sigaction  other = { .sa_handler = on_other,
                                .sa_flags = SA_RESTART };

    if (sigaction(SIGALRM, &other, NULL) == -1
        || sigaction(SIGIO, &other, NULL) == -1)
    {
        return errno;
    }

    for (i = 0; i < LUN_ARRAY_LEN(signals); i++) {
        if (sigaction(signals[i].signo, &sa, NULL) == -1) {
            return errno;
        }
    }

    return sigaction(SIGCHLD, &sa, NULL) == -1 ? errno : 0;
}


/* Who started us may have blocked some: nginx does, before it execs. */
static void
unblock_signals(void)
{
    sigset_t  none;

    (void) sigemptyset(&none);
    (void) sigprocmask(SIG_SETMASK, &none, NULL);
}


/* Whatever was heard before there was a port is told now. */
static void
listen_at(lun_port *port)
{
    hearing.done = on_heard;
    atomic_store(&ears, port);

    if (atomic_load(&heard) && !atomic_exchange(&posted, true)) {
        lun_port_post_remote(port, &hearing);
    }
}


const char  lun_proc_child_heard[] = "signal 17 (SIGCHLD) received from";


lun_err
lun_proc_listen(lun_port *port, lun_proc_exit_fn *on_exit,
    lun_signal_fn *on_signal, void *data)
{
    lun_err  err;

    err = install_handlers();
    if (err) {
        return err;
    }

    exit_fn = on_exit;
    exit_data = data;
    unblock_signals();

    /* A child that died before this has sent its signal to nobody. */
    atomic_fetch_or(&heard, 1u << SIGCHLD);
    lun_proc_on_signal(port, on_signal, data);

    return 0;
}


lun_err
lun_proc_hear_children(lun_port *port, lun_proc_exit_fn *on_exit, void *data)
{
    struct sigaction  sa = { .sa_handler = on_os_signal,
                             .sa_flags = SA_RESTART };

    if (sigaction(SIGCHLD, &sa, NULL) == -1) {
        return errno;
    }

    exit_fn = on_exit;
    exit_data = data;
    listen_at(port);
    return 0;
}


void
lun_proc_on_signal(lun_port *port, lun_signal_fn *on_signal, void *data)
{
    word_fn = on_signal;
    word_data = data;
    listen_at(port);
}


void
lun_proc_deafen(lun_port *port)
{
    (void) atomic_compare_exchange_strong(&ears, &port, NULL);
}


lun_err
lun_proc_on_wake(lun_wake_fn *woken, void *data)
{
    struct sigaction  sa = { .sa_handler = on_os_signal,
                             .sa_flags = SA_RESTART };

    wake_fn = woken;
    wake_data = data;

    return sigaction(SIGURG, &sa, NULL) == -1 ? errno : 0;
}


const char *
lun_signal_name(lun_signal signal)
{
    return (unsigned) signal < LUN_SIGNALS ? names[signal] : "unknown";
}


int
lun_proc_signal(lun_signal signal)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(signals); i++) {
        if (signals[i].speaks && signals[i].master == signal) {
            return signals[i].signo;
        }
    }

    return 0;
}


/* --- workers --- */

/* The first moments of a worker, with every signal held back. */
static void
forget_parent(pid_t pid)
{
    lun_port  *port;

    parent = pid;
    parents_port = port = atomic_load(&ears);
    atomic_store(&ears, NULL);
    atomic_store(&posted, false);
    atomic_store(&heard, 0);

    if (port) {
        lun_port_abandon(port);
    }

    word_fn = NULL;
    exit_fn = NULL;
    wake_fn = NULL;
    lun_child_clear();
    lun_lock_init_process();
}


static LUN_NORETURN void
be_worker(const lun_proc_start_spec *spec)
{
    if (spec->title) {
        lun_proc_set_title(spec->title);
    }

    spec->run(spec->user);
    (void) fflush(NULL);
    _exit(0);
}


/*
 * No signal may come between fork() and the child's own handlers: it would run
 * the parent's in the child.
 */
lun_err
lun_proc_start(const lun_proc_start_spec *spec, lun_proc *proc)
{
    pid_t     pid, self;
    lun_err   err;
    sigset_t  all, was;

    memset(proc, 0, sizeof(*proc));

    self = getpid();
    (void) fflush(NULL);
    (void) sigfillset(&all);
    (void) sigprocmask(SIG_SETMASK, &all, &was);

    pid = fork();
    err = errno;

    if (pid == 0) {
        forget_parent(self);
        (void) install_handlers();
        (void) sigprocmask(SIG_SETMASK, &was, NULL);
        be_worker(spec);
    }

    if (pid > 0) {
        lun_child_add(pid);
        proc->pid = pid;
    }

    (void) sigprocmask(SIG_SETMASK, &was, NULL);
    return pid == -1 ? err : 0;
}


void *
lun_proc_boot(uint32_t *number, const lun_fd **listeners, uint32_t *count)
{
    *number = 0;
    *listeners = NULL;
    *count = 0;
    return NULL;
}


lun_err
lun_proc_send_signal(const lun_proc *proc, lun_signal signal)
{
    int  signo = lun_proc_signal(signal);

    if (proc->pid <= 0 || signo == 0) {
        return ESRCH;
    }

    return kill((pid_t) proc->pid, signo) == -1 ? errno : 0;
}


void
lun_proc_kill(const lun_proc *proc)
{
    pid_t  pid = (pid_t) proc->pid;

    if (pid > 0) {
        (void) kill(lun_child_is_group(proc) ? -pid : pid, SIGKILL);
    }
}


/*
 * SIGKILL, since a worker that is stuck would hear nothing else, and would
 * keep the listeners from the next master.
 */
void
lun_proc_bind_to_parent(void)
{
    if (parent == 0) {
        return;
    }

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

    /* It may have died before the kernel knew of our wish. */
    if (getppid() != parent) {
        _exit(1);
    }
}

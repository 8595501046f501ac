/*
 * child.c -- the processes that we started: a table of them, their ends, and
 * programs.
 *
 * Only our own are waited for.  A waitpid(-1) would steal the status of what
 * Lua's io.popen and os.execute have started.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/pool.h"
#include "os/posix/proc_priv.h"
#include "os/time.h"


typedef struct {
    pid_t  pid;                    /* 0: a free place */
    bool   ended;
    int    status;                 /* as waitpid() has it, when it ended */
} child;

static child   *children;
static size_t   count;


static child *
find(pid_t pid)
{
    size_t  i;

    for (i = 0; i < count; i++) {
        if (children[i].pid == pid) {
            return &children[i];
        }
    }

    return NULL;
}


void
lun_child_add(pid_t pid)
{
    child  *c;

    c = find(0);

    if (c == NULL) {
        children = lun_realloc(children, (count + 8) * sizeof(child));
        c = children + count;
        memset(c, 0, 8 * sizeof(child));
        count += 8;
    }

    c->pid = pid;
    c->ended = false;
}


void
lun_child_clear(void)
{
    lun_free(children);
    children = NULL;
    count = 0;
}


/* Asks the kernel about a child that ran when we last looked. */
static bool
has_ended(child *c)
{
    pid_t  pid;

    if (c->ended) {
        return true;
    }

    do {
        pid = waitpid(c->pid, &c->status, WNOHANG);
    } while (pid == -1 && errno == EINTR);

    /* Somebody else has collected it: how it ended is lost. */
    if (pid == -1 && errno == ECHILD) {
        c->status = 0;
        pid = c->pid;
    }

    c->ended = pid == c->pid;
    return c->ended;
}


/* As a shell has it: 128 and the signal's number. */
static int
code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                               : WEXITSTATUS(status);
}


static void
say_end(const child *c, lun_proc_exit_fn *on_exit, void *data)
{
    char  text[64] = "", *end = text + sizeof(text) - 1;

    if (WIFSIGNALED(c->status)) {
        (void) lun_fmt(text, end, "exited on signal %d%s",
                       WTERMSIG(c->status),
                       WCOREDUMP(c->status) ? " (core dumped)" : "");
    } else {
        (void) lun_fmt(text, end, "exited with code %d",
                       WEXITSTATUS(c->status));
    }

    on_exit(data, c->pid, code_of(c->status), text);
}


/*
 * `on_exit` may start, wait for and forget children: the table may move and
 * grow under us, and what is new in it is asked about as well.
 */
void
lun_child_reap(lun_proc_exit_fn *on_exit, void *data)
{
    child   ended;
    size_t  i;

    for (i = 0; i < count; i++) {
        if (children[i].pid == 0 || children[i].ended
            || !has_ended(&children[i]))
        {
            continue;
        }

        ended = children[i];

        if (on_exit) {
            say_end(&ended, on_exit, data);
        }
    }
}


/*
 * A number is not given to another process as long as a group has it; if none
 * is left of it, it was free for the moment since we were told of the end.
 */
void
lun_proc_forget(lun_proc *proc)
{
    child  *c;

    c = proc->pid ? find((pid_t) proc->pid) : NULL;

    if (c) {
        c->pid = 0;

        if (lun_child_is_group(proc)) {
            (void) kill(-(pid_t) proc->pid, SIGKILL);
        }
    }

    proc->pid = 0;
}


/* --- waiting --- */

/* Sleeps until it has ended or the time is over. */
static void
await_end(pid_t pid, lun_msec left)
{
    int            fd, ms;
    struct pollfd  pfd = { .events = POLLIN };

    ms = left == LUN_PORT_FOREVER ? -1 : (int) lun_min(left, INT_MAX);
    fd = (int) syscall(SYS_pidfd_open, pid, 0);

    if (fd == -1) {                    /* Linux before 5.3 */
        lun_time_sleep(lun_min(left, 5));
        return;
    }

    pfd.fd = fd;
    (void) poll(&pfd, 1, ms);
    (void) close(fd);
}


/*
 * Sleeps until the child has ended (or looks every few milliseconds, where
 * there is no pidfd); AGAIN leaves the child as it was.
 */
lun_rc
lun_proc_wait(lun_proc *proc, lun_msec limit, int *code)
{
    child     *c;
    lun_msec   now, end;

    c = proc->pid ? find((pid_t) proc->pid) : NULL;

    if (c == NULL) {
        return LUN_ERROR;
    }

    now = lun_time_monotonic();
    end = limit > LUN_PORT_FOREVER - now ? LUN_PORT_FOREVER : now + limit;

    while (!has_ended(c)) {
        now = lun_time_monotonic();

        if (now >= end) {
            return LUN_AGAIN;
        }

        await_end(c->pid, end == LUN_PORT_FOREVER ? end : end - now);
    }

    *code = code_of(c->status);
    lun_proc_forget(proc);

    return LUN_OK;
}


bool
lun_proc_ended(lun_proc *proc, int *code, int *signal)
{
    child  *c = proc->pid ? find((pid_t) proc->pid) : NULL;

    if (c != NULL && !has_ended(c)) {
        return false;
    }

    *code = c != NULL ? WEXITSTATUS(c->status) : 0;
    *signal = c != NULL && WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
    lun_proc_forget(proc);

    return true;
}


bool
lun_child_is_group(const lun_proc *proc)
{
    return proc->os[0] != 0;
}


lun_err
lun_proc_ask_to_end(const lun_proc *proc)
{
    return kill(-(pid_t) proc->pid, SIGTERM) == -1 ? errno : 0;
}


lun_err
lun_proc_send(const lun_proc *proc, int number)
{
    return kill((pid_t) proc->pid, number) == -1 ? errno : 0;
}


/* --- programs --- */

static lun_err
redirect(posix_spawn_file_actions_t *actions, int fd, const char *path)
{
    return path == NULL ? 0
           : posix_spawn_file_actions_addopen(actions, fd, path,
                 O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
}


/* A duplicate of itself: it loses nothing but its close-on-exec. */
static lun_err
hand_down(posix_spawn_file_actions_t *actions,
    const lun_proc_command *command)
{
    size_t   i;
    lun_err  err = 0;

    for (i = 0; i < command->fd_count && err == 0; i++) {
        err = posix_spawn_file_actions_adddup2(actions, (int) command->fds[i],
                                               (int) command->fds[i]);
    }

    return err;
}


static lun_err
prepare_files(posix_spawn_file_actions_t *actions,
    const lun_proc_command *command)
{
    int      i;
    bool     same;
    lun_err  err;

    same = command->out && command->err
           && strcmp(command->out, command->err) == 0;

    err = redirect(actions, STDOUT_FILENO, command->out);

    if (err == 0) {
        err = same ? posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO,
                                                      STDERR_FILENO)
                   : redirect(actions, STDERR_FILENO, command->err);
    }

    for (i = 0; command->standard != NULL && i < 3 && err == 0; i++) {
        err = posix_spawn_file_actions_adddup2(actions,
                                               (int) command->standard[i], i);
    }

    if (err == 0) {
        err = hand_down(actions, command);
    }

    /* Last: the files are named from where we are. */
    if (err == 0 && command->dir) {
        err = posix_spawn_file_actions_addchdir_np(actions, command->dir);
    }

    return err;
}


/* Our handlers end with exec by themselves; what is ignored would not. */
static lun_err
prepare_signals(posix_spawnattr_t *attr)
{
    sigset_t  none, pipe;

    (void) sigemptyset(&none);
    (void) sigemptyset(&pipe);
    (void) sigaddset(&pipe, SIGPIPE);

    (void) posix_spawnattr_setsigmask(attr, &none);
    (void) posix_spawnattr_setsigdefault(attr, &pipe);

    return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK
                                          | POSIX_SPAWN_SETSIGDEF);
}


/* Where exec looks for a program of that name; NULL: nowhere. */
static const char *
find_program(const char *name, char *path, size_t room)
{
    size_t       len;
    struct stat  info;
    const char  *p = getenv("PATH"), *end;

    if (strchr(name, '/') != NULL) {
        return name;
    }

    for (p = p != NULL ? p : "/bin:/usr/bin"; ; p = end + 1) {
        end = strchrnul(p, ':');
        len = (size_t) (end - p);
        *lun_fmt(path, path + room - 1, "%.*s%s%s", (int) len, p,
                 len != 0 ? "/" : "", name) = '\0';

        if (access(path, X_OK) == 0 && stat(path, &info) == 0
            && S_ISREG(info.st_mode))
        {
            return path;
        }

        if (*end == '\0') {
            return NULL;
        }
    }
}


/*
 * A file that the kernel cannot run is a script of the shell's: execvp() says
 * so, posix_spawnp() does not.
 */
static lun_err
spawn_script(const lun_proc_command *command, pid_t *pid,
    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
    char **env)
{
    char          path[PATH_MAX];
    size_t        n = 0;
    lun_err       err;
    const char  **argv, *script;

    script = find_program(command->argv[0], path, sizeof(path));

    if (script == NULL) {
        return ENOEXEC;
    }

    while (command->argv[n] != NULL) {
        n++;
    }

    /* One more, and the NULL. */
    argv = lun_malloc((n + 2) * sizeof(char *));
    memcpy(argv + 2, command->argv + 1, n * sizeof(char *));
    argv[0] = "/bin/sh";
    argv[1] = script;

    err = posix_spawn(pid, argv[0], actions, attr, (char **) argv, env);
    lun_free(argv);
    return err;
}


/*
 * ENOEXEC: a script without "#!" is run by the shell, as execvp() does and
 * posix_spawnp() need not.
 */
static lun_err
spawn(const lun_proc_command *command, pid_t *pid)
{
    lun_err                      err;
    char                       **env;
    posix_spawnattr_t            attr;
    posix_spawn_file_actions_t   actions;

    env = command->env ? (char **) (uintptr_t) command->env : lun_env_all();

    err = posix_spawn_file_actions_init(&actions);
    if (err) {
        return err;
    }

    err = posix_spawnattr_init(&attr);
    if (err) {
        goto actions;
    }

    err = prepare_files(&actions, command);

    if (err == 0) {
        err = prepare_signals(&attr);
    }

    if (err == 0) {
        err = posix_spawnp(pid, command->argv[0], &actions, &attr,
                           (char **) (uintptr_t) command->argv, env);
    }

    if (err == ENOEXEC) {
        err = spawn_script(command, pid, &actions, &attr, env);
    }

    (void) posix_spawnattr_destroy(&attr);

actions:

    (void) posix_spawn_file_actions_destroy(&actions);
    return err;
}


/* --- programs that end with us --- */

/*
 * Also of what we have ourselves from whoever has started us.  Linux before
 * 5.11 does not know it: ours are close-on-exec anyway.
 */
static void
keep_nothing(void)
{
#ifdef SYS_close_range
    enum { FIRST = 3, ON_EXEC = 4 };   /* CLOSE_RANGE_CLOEXEC */

    (void) syscall(SYS_close_range, FIRST, ~0U, ON_EXEC);
#endif
}


static int
limit_data(uint64_t memory)
{
    struct rlimit  limit = { .rlim_cur = memory, .rlim_max = memory };

    return memory != 0 && setrlimit(RLIMIT_DATA, &limit) == -1 ? errno : 0;
}


/*
 * In the child, where nothing may be called that a signal's handler may not;
 * lun_user_become() reads files of groups: this process has one thread only.
 */
static int
become(const lun_proc_command *command, char **env, pid_t parent)
{
    int       i, fd, err;
    size_t    k;
    sigset_t  none;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

    if (command->group) {
        keep_nothing();

        if (setpgid(0, 0) == -1) {
            return errno;
        }
    }

    err = limit_data(command->memory);

    if (err == 0 && command->user != NULL) {
        err = lun_user_become(command->user, false);
    }

    if (err != 0) {
        return err;
    }

    if (getppid() != parent) {             /* it was faster */
        return ESRCH;
    }

    (void) signal(SIGPIPE, SIG_DFL);
    (void) sigemptyset(&none);
    (void) sigprocmask(SIG_SETMASK, &none, NULL);

    for (i = 0; command->standard != NULL && i < 3; i++) {
        fd = (int) command->standard[i];

        /* dup2() of one onto itself leaves its close-on-exec. */
        if (fd == i ? fcntl(fd, F_SETFD, 0) == -1 : dup2(fd, i) == -1) {
            return errno;
        }
    }

    for (k = 0; k < command->fd_count; k++) {
        fd = (int) command->fds[k];
        (void) fcntl(fd, F_SETFD, 0);
    }

    if (command->dir != NULL && chdir(command->dir) == -1) {
        return errno;
    }

    (void) execvpe(command->argv[0], (char **) (uintptr_t) command->argv, env);
    return errno;
}


/*
 * posix_spawn() knows no signal of a parent's death.  A pipe that exec closes
 * tells why there was none.
 */
static lun_err
fork_bound(const lun_proc_command *command, pid_t *pid)
{
    int      ends[2], code = 0;
    char   **env;
    pid_t    parent = getpid();

    LUN_CHECK(command->out == NULL && command->err == NULL);

    env = command->env ? (char **) (uintptr_t) command->env : lun_env_all();

    if (pipe2(ends, O_CLOEXEC) == -1) {
        return errno;
    }

    *pid = fork();

    if (*pid == 0) {
        code = become(command, env, parent);
        (void) !write(ends[1], &code, sizeof(code));
        _exit(127);
    }

    code = *pid == -1 ? errno : 0;
    (void) close(ends[1]);

    if (*pid != -1 && read(ends[0], &code, sizeof(code)) == sizeof(code)) {
        (void) waitpid(*pid, NULL, 0);
    }

    (void) close(ends[0]);
    return code;
}


lun_err
lun_proc_become(const char *const *argv)
{
    (void) signal(SIGPIPE, SIG_DFL);
    (void) execvp(argv[0], (char **) (uintptr_t) argv);
    return errno;
}


bool
lun_proc_limits_cpu(void)
{
    return false;
}


lun_err
lun_proc_run(const lun_proc_command *command, lun_proc *proc)
{
    pid_t    pid;
    lun_err  err;

    memset(proc, 0, sizeof(*proc));

    err = command->bound ? fork_bound(command, &pid) : spawn(command, &pid);

    if (err == 0) {
        lun_child_add(pid);
        proc->pid = pid;
        proc->os[0] = command->bound && command->group;
    }

    return err;
}

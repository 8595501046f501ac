/*
 * proc.c -- workers and words, programs and their ends.
 *
 * On Windows a worker is this program again, so main() looks for its boot
 * slot first; what the two share lies in a segment.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/proc.h"

#include <stdatomic.h>

#include "os/control.h"
#include "os/dir.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 20000 };

/* In the segment. */
typedef struct {
    void               *self;      /* its address, as the master has it */
    _Atomic uint32_t    started;
    _Atomic uint32_t    signal;
    _Atomic uint64_t    pid;
    lun_fd              listener;
} common;

static lun_port    *port;
static const char  *program;
static bool         quitting;


/* --- the worker --- */

static void
on_worker_word(void *data, lun_signal signal)
{
    common  *c = data;

    atomic_store(&c->signal, signal);
    quitting = signal == LUN_SIGNAL_QUIT;
}


static void
worker(common *c, lun_fd listener)
{
    lun_err   err;
    lun_addr  addr;

    port = lun_port_new(&err);

    if (port == NULL || c->self != c
        || lun_proc_listen(port, NULL, on_worker_word, c) != 0)
    {
        exit(3);
    }

    lun_proc_bind_to_parent();

    if (lun_sock_local(listener, &addr) != 0 || addr.port == 0) {
        exit(4);
    }

    atomic_store(&c->pid, (uint64_t) lun_proc_pid());
    atomic_store(&c->started, 1);

    while (!quitting) {
        lun_port_wait(port, LIMIT, NULL);
    }

    exit(5);
}


/* Linux: the forked child's main. */
static void
run(void *user)
{
    common  *c = user;

    worker(c, c->listener);
}


/* --- the master --- */

static int       deaths, death_code;
static int64_t   death_pid;
static char      death_text[100];
static lun_signal  told;


static void
on_exit_of(void *data, int64_t pid, int code, const char *text)
{
    deaths++;
    death_pid = pid;
    death_code = code;
    snprintf(death_text, sizeof(death_text), "%s", text);
}


static void
on_signal(void *data, lun_signal signal, lun_control *c)
{
    told = signal;
    lun_control_answer(c, true, "done");
}


static bool
begun(common *c)
{
    return atomic_load(&c->started) != 0;
}


static bool
heard(common *c)
{
    return atomic_load(&c->signal) != LUN_SIGNAL_NONE;
}


static bool
died(common *c)
{
    return deaths != 0;
}


static bool
await(bool (*what)(common *c), common *c)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    while (!what(c) && lun_time_monotonic() < end) {
        lun_port_wait(port, 5, NULL);
    }

    return what(c);
}


static void
start(common *c, const lun_shm *shm, lun_proc *proc)
{
    lun_proc_start_spec  spec = {
        .number = 3, .shm_count = 1, .shms = shm, .listener_count = 1,
        .listeners = &c->listener, .user = c, .title = "worker process",
        .run = run
    };

    atomic_store(&c->started, 0);
    atomic_store(&c->signal, LUN_SIGNAL_NONE);
    deaths = 0;

    is_int(lun_proc_start(&spec, proc), 0, "a worker is started");
    ok(proc->pid > 0, "it has a pid");
    ok(await(begun, c), "and begins, with the segment at its place");
    is_int((int64_t) atomic_load(&c->pid), proc->pid, "its own idea of it");
}


static void
a_worker_lives_and_dies(common *c, const lun_shm *shm)
{
    int64_t   pid;
    lun_proc  proc;

    start(c, shm, &proc);
    pid = proc.pid;
    ok(lun_proc_alive(pid), "it lives");

    is_int(lun_proc_send_signal(&proc, LUN_SIGNAL_REOPEN), 0,
           "it is told a word");
    ok(await(heard, c), "and hears it");
    is_int(atomic_load(&c->signal), LUN_SIGNAL_REOPEN, "the same word");

    is_int(lun_proc_send_signal(&proc, LUN_SIGNAL_QUIT), 0,
           "it is told to quit");
    ok(await(died, c), "and dies");
    is_int(death_pid, pid, "itself");
    is_int(death_code, 5, "with its code");
    is_str(death_text, "exited with code 5", "in words");
    lun_proc_forget(&proc);
    is_int(proc.pid, 0, "forgotten");
    ok(!lun_proc_alive(pid), "and gone");
}


static void
a_worker_is_killed(common *c, const lun_shm *shm)
{
    int64_t   pid;
    lun_proc  proc;

    start(c, shm, &proc);
    pid = proc.pid;
    lun_proc_kill(&proc);
    ok(await(died, c), "a killed worker's death arrives");
    is_int(deaths, 1, "once");
    is_int(death_pid, pid, "its own");
    ok(death_code != 0, "with a code");
    lun_proc_forget(&proc);
}


static bool
was_told(common *c)
{
    return told != LUN_SIGNAL_NONE;
}


/* By another process: where there is an answer, it waits for it. */
static void
a_master_is_told(void)
{
    char              pid[32];
    int               code = -1;
    lun_rc            rc;
    lun_proc          proc;
    const char       *argv[] = { program, "reload", pid, NULL };
    lun_proc_command  command = { .argv = argv };

    is_int(lun_control_open(port, on_signal, NULL), 0, "listens for words");
    snprintf(pid, sizeof(pid), "%lld", (long long) lun_proc_pid());
    told = LUN_SIGNAL_NONE;
    is_int(lun_proc_run(&command, &proc), 0, "somebody says one");
    ok(await(was_told, NULL), "the word comes");
    is_int(told, LUN_SIGNAL_RELOAD, "the same");

    while ((rc = lun_proc_wait(&proc, 5, &code)) == LUN_AGAIN) {
        lun_port_wait(port, 5, NULL);
    }

    is_int(rc, LUN_OK, "who said it ends");
    is_int(code, 0, "content");
    lun_control_close();
}


/* --- programs --- */

static int
child(char **argv)
{
    char  path[1000], why[200];

    if (strcmp(argv[1], "code") == 0) {
        return atoi(argv[2]);
    }

    if (strcmp(argv[1], "sleep") == 0) {
        lun_time_sleep(60000);
        return 0;
    }

    if (strcmp(argv[1], "reload") == 0) {
        return lun_control_send(atoi(argv[2]), LUN_SIGNAL_RELOAD, LIMIT, why,
                                sizeof(why)) == LUN_OK ? 0 : 1;
    }

    /* "show": what it was given. */
    (void) lun_dir_current(path, sizeof(path));
    printf("%s|%s|%s|%s", argv[2], argv[3],
           lun_env_get("LUN_TEST") ? lun_env_get("LUN_TEST") : "-",
           strrchr(path, '/') ? strrchr(path, '/') : path);
    fflush(stdout);
    fprintf(stderr, "complaint");
    return 0;
}


static void
is_file(const char *path, const char *want)
{
    char    *data = NULL;
    size_t   size = 0;

    is_int(lun_file_slurp(path, &data, &size), 0, "%s is there", path);
    is_mem(data, size, want, strlen(want), "with what was said");
    free(data);
    lun_file_delete(path);
}


static void
programs_run(void)
{
    int                code = -1;
    lun_proc           proc;
    const char        *argv[5] = { program, "code", "9", NULL };
    lun_proc_command   command = { .argv = argv };

    is_int(lun_proc_run(&command, &proc), 0, "a program runs");
    is_int(lun_proc_wait(&proc, LIMIT, &code), LUN_OK, "and ends");
    is_int(code, 9, "with its code");
    is_int(lun_proc_wait(&proc, 0, &code), LUN_ERROR, "once");

    argv[1] = "sleep";
    argv[2] = NULL;
    is_int(lun_proc_run(&command, &proc), 0, "one that takes its time");
    is_int(lun_proc_wait(&proc, 0, &code), LUN_AGAIN, "still runs");
    is_int(lun_proc_wait(&proc, 1, &code), LUN_AGAIN, "and still");
    lun_proc_kill(&proc);
    is_int(lun_proc_wait(&proc, LIMIT, &code), LUN_OK, "until it is killed");
    ok(code != 0, "which is no success");

    argv[0] = "lun-no-such-program";
    is_int(lun_err_kind_of(lun_proc_run(&command, &proc)), LUN_ERR_NOT_FOUND,
           "a program that is not there");
    is_int(proc.pid, 0, "does not run");
}


static void
programs_get_what_they_are_given(void)
{
    int                code = -1;
    char               full[2000], here[1000];
    lun_proc           proc;
    const char        *argv[] = { full, "show", "a \"b\" c\\", "", NULL };
    lun_proc_command   command = { .argv = argv };

    (void) lun_dir_make_all("build/test-proc", 0755);
    (void) lun_dir_current(here, sizeof(here));

    if (strchr(program, ':') || program[0] == '/' || program[0] == '\\') {
        snprintf(full, sizeof(full), "%s", program);
    } else {
        snprintf(full, sizeof(full), "%s/%s", here, program);
    }

    command.dir = "build/test-proc";
    command.out = "build/test-proc/out";
    command.err = "build/test-proc/err";

    lun_env_set("LUN_TEST", "ours");
    is_str(lun_env_get("LUN_TEST"), "ours", "our environment");
    is_int(lun_proc_run(&command, &proc), 0, "a program runs");
    is_int(lun_proc_wait(&proc, LIMIT, &code), LUN_OK, "and ends");
    is_int(code, 0, "well");
    is_file("build/test-proc/out", "a \"b\" c\\||ours|/test-proc");
    is_file("build/test-proc/err", "complaint");

    lun_env_set("LUN_TEST", NULL);
    ok(lun_env_get("LUN_TEST") == NULL, "taken out");
    command.err = command.out;
    is_int(lun_proc_run(&command, &proc), 0, "both in one file");
    is_int(lun_proc_wait(&proc, LIMIT, &code), LUN_OK, "and ends");
    is_file("build/test-proc/out", "a \"b\" c\\||-|/test-proccomplaint");
}


static void
this_process(void)
{
    char  **env;
    bool    found = false;

    ok(lun_proc_pid() > 0, "a pid");
    ok(lun_proc_alive(lun_proc_pid()), "that runs");
    ok(!lun_proc_alive(0) && !lun_proc_alive(0x7ffffff0), "unlike these");
    is_int(lun_proc_send_to(lun_proc_pid(), 0), LUN_PROC_SENT,
           "it can be asked");
    is_int(lun_proc_send_to(0x7ffffff0, 0), LUN_PROC_MISSING, "others not");
    is_int(lun_proc_send_to((int64_t) 1 << 40 | lun_proc_pid(), 0),
           LUN_PROC_MISSING, "a number is not cut off");
    is_int(lun_proc_send_to(lun_proc_pid(), 1000), LUN_PROC_REFUSED,
           "no signal has that number");
    ok(lun_proc_cpus() >= 1, "on a processor");
    is_int(lun_proc_pin(0), 0, "on the first");
    is_str(lun_signal_name(LUN_SIGNAL_QUIT), "quit", "words have names");

    lun_env_set("LUN_TEST", "x=y");

    for (env = lun_env_all(); *env; env++) {
        found |= strcmp(*env, "LUN_TEST=x=y") == 0;
    }

    ok(found, "the environment is listed");
    lun_env_set("LUN_TEST", NULL);
    lun_proc_set_title("a title that is rather long, longer than the room");
}


int
main(int argc, char **argv)
{
    common             *c;
    lun_err             err;
    lun_shm             shm;
    uint32_t            number, count;
    lun_addr            addr;
    const char         *failed;
    const lun_fd       *listeners;
    lun_listen_options  opt = { .backlog = 16, .fastopen = -1 };

    argv = lun_proc_init(&argc, argv);
    program = argv[0];

    c = lun_proc_boot(&number, &listeners, &count);

    if (c) {
        worker(c, number == 3 && count == 1 ? listeners[0] : LUN_FD_NONE);
    }

    lun_sock_init();

    if (argc > 1) {
        return child(argv);
    }

    port = lun_port_new(&err);
    is_int(lun_shm_init(), 0, "the range");
    is_int(lun_shm_new(sizeof(common), &shm), 0, "a segment");
    c = shm.addr;
    c->self = c;

    lun_addr_parse(LUN_STR("127.0.0.1"), &addr);
    is_int(lun_sock_listen(&addr, &opt, &c->listener, &failed), 0,
           "a listener");
    is_int(lun_proc_listen(port, on_exit_of, NULL, NULL), 0, "we listen");

    a_worker_lives_and_dies(c, &shm);
    a_worker_is_killed(c, &shm);
    a_master_is_told();
    programs_run();
    programs_get_what_they_are_given();
    this_process();

    lun_port_free(port);
    lun_shm_free(&shm);

    return done_testing();
}

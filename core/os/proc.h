/*
 * proc.h -- workers, made to the weaker system: "start a worker with these
 * segments", "tell it a word", "it died".  And plain child processes.
 *
 * On Linux a worker is a fork: it inherits everything that the master has in
 * memory.  On Windows it is this executable again, started suspended, with
 * the segments mapped and the listeners duplicated before its first
 * instruction; it has nothing else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_PROC_H
#define LUN_OS_PROC_H

#include "os/port.h"
#include "os/shm.h"
#include "os/user.h"

/* What can be told to a worker, and (by signals or -s) to a master. */
typedef enum {
    LUN_SIGNAL_NONE,
    LUN_SIGNAL_QUIT,               /* finish the requests, then exit */
    LUN_SIGNAL_STOP,               /* exit */
    LUN_SIGNAL_REOPEN,             /* open the log files anew */
    LUN_SIGNAL_RELOAD,
    LUN_SIGNAL_UPGRADE,            /* USR2 */
    LUN_SIGNAL_WINCH,              /* stop the workers, stay */
    LUN_SIGNAL_DUMP,               /* write to the log what there is */
    LUN_SIGNAL_PROFILE,            /* begin to sample Lua, or end it */
    LUN_SIGNALS
} lun_signal;

const char *lun_signal_name(lun_signal signal);

typedef struct {
    int64_t    pid;                /* 0: no process */
    intptr_t   os[4];
} lun_proc;

/*
 * The boot slot: what a Windows worker starts from.  It lies at the start of
 * the first segment; `user` is the roof's (core/run/boot.h).
 */
typedef struct {
    uint32_t      number;          /* which worker */
    uint32_t      shm_count;
    const lun_shm *shms;
    uint32_t      listener_count;
    const lun_fd *listeners;       /* in: the master's; the worker's own are */
    void         *user;            /* what lun_proc_boot() gives the worker */
    const char   *title;           /* "worker process", for ps */
    void        (*run)(void *user);      /* Linux: the forked child's main */
} lun_proc_start_spec;

/*
 * Starts a worker.  On Linux it calls spec->run(spec->user) in the child and
 * never returns there.
 */
lun_err lun_proc_start(const lun_proc_start_spec *spec, lun_proc *proc);

/*
 * In a Windows worker: the `user` and the listeners (this process's handles,
 * in the order of the spec).  NULL in every other process, and on Linux.
 */
void *lun_proc_boot(uint32_t *number, const lun_fd **listeners,
    uint32_t *count);

lun_err lun_proc_send_signal(const lun_proc *proc, lun_signal signal);
/* At once, without a word. */
void lun_proc_kill(const lun_proc *proc);

/* Gives back what a dead child left; pid becomes 0. */
void lun_proc_forget(lun_proc *proc);

/*
 * How a child ended.  `code` is what it exited with, or 128 and the number of
 * the signal that it died of (lun_proc_wait says the same); `text` is "exited
 * with code 1" or "exited on signal 9", and in words where the system's code
 * is a riddle.
 */
typedef void lun_proc_exit_fn(void *data, int64_t pid, int code,
    const char *text);
typedef void lun_signal_fn(void *data, lun_signal signal);

/* What the log says of a child's end, in front of its number. */
extern const char  lun_proc_child_heard[];

/*
 * Deaths of children and words told to this process arrive through its port.
 * In the master and in workers, once.  Words come from signals (Linux), from
 * the master's channel (a Windows worker) or the control pipe (control.h).
 */
lun_err lun_proc_listen(lun_port *port, lun_proc_exit_fn *on_exit,
    lun_signal_fn *on_signal, void *data);

/*
 * The same for deaths alone, in a process that is neither: signals end it, as
 * they end others.
 */
lun_err lun_proc_hear_children(lun_port *port, lun_proc_exit_fn *on_exit,
    void *data);

/* The worker ends when its master does.  Does nothing in other processes. */
void lun_proc_bind_to_parent(void);

/*
 * This process among those that serve.  Whoever starts it (core/run) fills it
 * in; all else is for core/run alone to know.
 */
typedef struct {
    int        number;             /* of the worker, from 0; -1: a master */
    unsigned   count;              /* workers of its generation */
    bool       agent;              /* number `count`: it accepts nothing */
    bool       exiting;            /* it was told to quit */
    bool       hears_children;     /* the next two functions are of use */
    void     (*quit)(void);        /* as if it were told to; NULL: a tool */
} lun_self_info;

extern lun_self_info  lun_self;

/*
 * `ended` is called for every child of this process that ends: its user knows
 * which are its own.  Again is harmless.  And for who listens: one has ended.
 */
typedef void lun_child_fn(int64_t pid, int code, const char *text);

void lun_proc_on_child(lun_child_fn *ended);
void lun_proc_tell_child(int64_t pid, int code, const char *text);

/*
 * The first thing in main(), before anything is opened: on Linux descriptors 0
 * to 2 that are closed lead to /dev/null from then on.  Returns the arguments
 * to use, in UTF-8; on Linux the old ones become the room for the title.
 */
char **lun_proc_init(int *argc, char **argv);

/* The file of this program, absolute, with '/'; links are followed. */
lun_err lun_proc_program(char *path, size_t room);
int64_t lun_proc_pid(void);
int64_t lun_proc_parent_pid(void);
int lun_proc_cpus(void);
/* What ps shows: "lunette: " and the title. */
void lun_proc_set_title(const char *title);
/* Pins this process to one processor. */
lun_err lun_proc_pin(unsigned cpu);
/* RLIMIT_NOFILE; does nothing on Windows. */
lun_err lun_proc_limit_files(uint64_t limit);
/* RLIMIT_CORE in bytes, INT64_MAX: none; does nothing on Windows. */
lun_err lun_proc_limit_core(uint64_t limit);
/* nice: -20 ... 20, the nearest priority class on Windows. */
lun_err lun_proc_set_priority(int nice);
/* The working folder of this process. */
lun_err lun_proc_set_dir(const char *path);
/* Detaches from the terminal.  The caller's process goes on as the daemon. */
lun_err lun_proc_daemon(void);
/*
 * Gives memory that is free, but still this process's, back to the system.
 * Whether there was any; on Windows that is not known.
 */
bool lun_proc_trim(void);
/* Standard error goes there from now on; does nothing on Windows. */
lun_err lun_proc_redirect_stderr(lun_fd fd);
/* Whether that is a process that runs. */
bool lun_proc_alive(int64_t pid);
/*
 * Where process numbers have the meaning that they have here: it is another in
 * another container, on another machine, and on Linux after its next start.
 */
uint64_t lun_proc_space(void);

/*
 * Any process by its number.  Linux: kill(), negative numbers included.
 * Windows: 2, 9 and 15 end it at once, 0 looks whether it is there, others
 * are refused.
 */
typedef enum {
    LUN_PROC_SENT,
    LUN_PROC_MISSING,
    LUN_PROC_DENIED,
    LUN_PROC_REFUSED               /* no such signal */
} lun_proc_sent;

lun_proc_sent lun_proc_send_to(int64_t pid, int number);

/* --- plain children: lunette spec, ngx.pipe --- */

typedef struct {
    const char *const  *argv;      /* ends with NULL; argv[0] is looked up */
    const char *const  *env;       /* "NAME=value" ..., NULL; or NULL: ours */
    const char         *dir;       /* working folder or NULL */
    const char         *out;       /* file for standard output, NULL: ours */
    const char         *err;       /* file for standard error, NULL: ours */
    const lun_fd       *fds;       /* it gets these under the same numbers; */
    size_t              fd_count;  /* on Linux only */
    const lun_fd       *standard;  /* NULL, or three that become its standard
                                      input, output, error */
    bool                bound;     /* it ends when this process does; then `out`
                                      and `err` are NULL */

    /* For one that is bound. */
    bool                group;     /* with all that it starts, it is a group:
                                      lun_proc_ask_to_end() and lun_proc_kill()
                                      are for all of them, and who is left when
                                      it is forgotten is killed */
    const lun_user     *user;      /* whom it runs as; NULL: us.  Linux */
    uint64_t            memory;    /* bytes that it may have, 0: no limit: the
                                      group's; on Linux each process's data */
    unsigned            cpu;       /* percent of the machine that the group may
                                      use, 0: no limit.  Windows */
} lun_proc_command;

/* Whether .cpu has an effect here. */
bool lun_proc_limits_cpu(void);
lun_err lun_proc_run(const lun_proc_command *command, lun_proc *proc);

/*
 * This process goes on as that program; it returns only why it can't. On
 * Windows it waits for the program and ends as that has.
 */
lun_err lun_proc_become(const char *const *argv);

/*
 * The same with pipes: ours[0] to its standard input, ours[1] and ours[2] from
 * its output and error, for lun_port_attach_pipe().  `merge`: errors go where
 * the output goes, and there is no ours[2].
 */
lun_err lun_proc_run_piped(const lun_proc_command *command, bool merge,
    lun_proc *proc, lun_fd *ours);

/*
 * A pipe to a program, or from it: our end, for lun_port_attach_pipe(), and
 * one for its `standard`.  What is made is the caller's, after an error too.
 */
lun_err lun_proc_pipe(lun_fd *ours, lun_fd *theirs, bool we_read);

/*
 * Whether it has ended: then it is forgotten, and *code is what it exited
 * with or, if *signal is not 0, that ended it.  A killed one on Windows ended
 * by signal 9.
 */
bool lun_proc_ended(lun_proc *proc, int *code, int *signal);

/*
 * Linux: the signal of that number.  Windows: 2, 9 and 15 end it at once, 0
 * looks whether it is there; others are refused.
 */
lun_err lun_proc_send(const lun_proc *proc, int number);

/*
 * A group's processes are asked to end in order: SIGTERM, and on Windows
 * CTRL_BREAK, which a program without a console does not hear.
 */
lun_err lun_proc_ask_to_end(const lun_proc *proc);

/*
 * LUN_AGAIN: it still runs after `limit` ms (0: just look).  LUN_OK: it has
 * ended, and is forgotten.  LUN_ERROR: no such child.
 */
lun_rc lun_proc_wait(lun_proc *proc, lun_msec limit, int *code);

const char *lun_env_get(const char *name);   /* valid until the next set */
void lun_env_set(const char *name, const char *value);   /* NULL: unset */
/* Every "NAME=value"; ends with NULL. */
char **lun_env_all(void);

#endif

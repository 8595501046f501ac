/*
 * proc_priv.h -- what proc.c, child.c, self.c and control.c share: children,
 * the boot slot, words.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WIN_PROC_PRIV_H
#define LUN_WIN_PROC_PRIV_H

#include "windows/win.h"


/* --- the boot slot: what a worker finds before its first instruction --- */

enum { LUN_SLOT_MARK = 0x10a7b007 };

/*
 * In a segment of its own, which the master keeps as long as the worker
 * lives: the words go through it.  The worker's command line says where.
 */
typedef struct {
    uint32_t           mark;
    uint32_t           pid;        /* whose slot this is */
    uint32_t           master;     /* the master's process number */
    uint32_t           number;
    void              *user;
    HANDLE             told;       /* the worker's handle: a word is there */
    HANDLE             knock;      /* its handle of knock.c's; or NULL */
    volatile LONG      words;      /* 1 << lun_signal: told, not yet taken */
    uint32_t           listener_count;
    WSAPROTOCOL_INFOW  listeners[];
} lun_slot;

/* This worker's; NULL in every other process. */
lun_slot *lun_slot_mine(void);


/* --- children --- */

typedef struct lun_child  lun_child;
struct lun_child {
    lun_child      *next;
    int64_t         pid;
    HANDLE          process;
    HANDLE          job;           /* of a group: ends with this handle */

    /* A worker's. */
    lun_shm         shm;
    lun_slot       *slot;
    HANDLE          told;

    /* Its end: seen by a wait thread, then told by the port's. */
    HANDLE          wait;
    volatile LONG   posted;        /* the packet is on its way */
    bool            delivered;     /* it has come */
    bool            forgotten;     /* free it when it comes */
};

/* Takes the handle; its end will be told to the listener.  Never NULL. */
lun_child *lun_child_add(HANDLE process, int64_t pid, lun_proc *proc);
lun_child *lun_child_of(const lun_proc *proc);

/* What is in it ends when this process does. */
HANDLE lun_proc_job(void);

/* The master's event that its workers set; NULL: it does not listen. */
HANDLE lun_knock_event(void);

/* Where and to whom ends are told from now on. */
void lun_child_listen(lun_port *port, lun_proc_exit_fn *on_exit, void *data);

/* --- exit.c: the end of a process in words; pure --- */

enum { LUN_EXIT_KILLED = 137 };    /* as a shell has it: 128 + 9 */

void lun_exit_text(uint32_t code, char *text, size_t room);


/* --- words --- */

/* Gives this process a word, from any thread. */
void lun_signal_send(lun_signal signal);

/* Who takes them from now on, in the port's thread. */
void lun_signal_listen(lun_port *port, lun_signal_fn *on_signal, void *data);


/* --- command.c: command lines, environments, what is inherited --- */

/*
 * One command line from arguments, quoted so that the child's C library
 * splits it into the same ones.  malloc'ed; NULL: no memory.
 */
char *lun_command_join(const char *const *argv);

/* The other way: one block, ends with NULL; never NULL. */
char **lun_command_split(const char *line, int *argc);

/* "NAME=value" strings, as CreateProcess wants them; malloc'ed. */
wchar_t *lun_command_env(const char *const *env);

/* Handles that a child inherits, and nothing else; and its job. */
typedef struct {
    STARTUPINFOEXW  info;
    HANDLE          handles[3];
    HANDLE          job;
    DWORD           count;
    bool            listed;        /* the attribute list is there */
} lun_inherit;

/*
 * Duplicates of the handles; NULL or invalid ones are left out.  The child is
 * in the job (or NULL: none) before it is there, if the system knows how.
 */
lun_err lun_inherit_init(lun_inherit *in, HANDLE input, HANDLE out, HANDLE err,
    HANDLE job);
void lun_inherit_fini(lun_inherit *in);

/* CreateProcessW with that; it may write to `line`. */
lun_err lun_inherit_start(lun_inherit *in, const wchar_t *program,
    wchar_t *line, const wchar_t *env, const wchar_t *dir, DWORD flags,
    PROCESS_INFORMATION *made);

#endif

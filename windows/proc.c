/*
 * proc.c -- workers: this executable again, started suspended.
 *
 * Before its first instruction the master maps every segment into it at its
 * address, gives it its duplicates of the listeners and the event that tells
 * it a word, and writes all that into a slot of its own.  Nothing has a name
 * that another process could guess, nothing is polled for, and whatever
 * fails, fails in the master, which then ends the child that never ran.
 *
 * A job object holds the workers; the system ends them when the master's
 * only handle of it goes, however the master ends.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/proc.h"

#include "windows/proc_priv.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/lock.h"


const char  lun_proc_child_heard[] = "the end is told of process";

static const char  worker_mark[] = "worker process";

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

/* Who takes words, and the words that have come. */
static struct {
    lun_port        *port;
    lun_signal_fn   *on_signal;
    void            *data;
    volatile LONG    bits;
    bool             waiting;      /* on the slot's event */
    bool             console;      /* its events are ours */
} ears;


const char *
lun_signal_name(lun_signal signal)
{
    return (unsigned) signal < LUN_SIGNALS ? names[signal] : "unknown";
}


/* --- the master's side --- */

HANDLE
lun_proc_job(void)
{
    static HANDLE  job;

    JOBOBJECT_EXTENDED_LIMIT_INFORMATION  limits;

    if (job == NULL) {
        job = CreateJobObjectW(NULL, NULL);
        memset(&limits, 0, sizeof(limits));
        limits.BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        SetInformationJobObject(job, JobObjectExtendedLimitInformation,
                                &limits, sizeof(limits));
    }

    return job;
}


/*
 * In the job from its first moment: a master that dies before it could put it
 * there would leave a process that nobody ever resumes.
 */
static lun_err
start_in_job(const wchar_t *program, wchar_t *line, DWORD flags, HANDLE job,
    PROCESS_INFORMATION *made)
{
    lun_err      err;
    lun_inherit  in;

    err = lun_inherit_init(&in, NULL, GetStdHandle(STD_OUTPUT_HANDLE),
                           GetStdHandle(STD_ERROR_HANDLE), job);

    if (err == 0) {
        err = lun_inherit_start(&in, program, line, NULL, NULL, flags, made);
    }

    lun_inherit_fini(&in);
    return err;
}


static lun_err
create_suspended(const lun_slot *slot, PROCESS_INFORMATION *made)
{
    char          where[32], *line;
    size_t        len;
    DWORD         flags;
    lun_err       err;
    wchar_t      *program, *wide;

    const char  *argv[] = { LUN_PRODUCT, worker_mark, where, NULL };

    *lun_fmt(where, where + sizeof(where) - 1, "%p", (const void *) slot) = 0;

    program = lun_wide_program(&len);
    line = lun_command_join(argv);
    wide = line ? lun_wide_dup(line) : NULL;
    err = program && wide ? 0 : ERROR_NOT_ENOUGH_MEMORY;

    /* Without a console of ours, it shall not get one of its own. */
    flags = CREATE_SUSPENDED | (GetConsoleCP() ? 0 : DETACHED_PROCESS);

    if (err == 0) {
        err = start_in_job(program, wide, flags, lun_proc_job(), made);
    }

    /* Where jobs do not nest, it stays outside: it runs all the same. */
    if (err != 0 && program && wide) {
        err = start_in_job(program, wide, flags, NULL, made);
    }

    free(wide);
    free(line);
    free(program);
    return err;
}


static lun_err
map_segments(HANDLE process, const lun_shm *slot,
    const lun_proc_start_spec *spec)
{
    uint32_t  i;
    lun_err   err;

    err = lun_shm_map_into(process, slot);

    for (i = 0; i < spec->shm_count && err == 0; i++) {
        err = lun_shm_map_into(process, &spec->shms[i]);
    }

    return err;
}


static lun_err
hand_listeners(lun_slot *slot, const lun_proc_start_spec *spec)
{
    uint32_t  i;

    for (i = 0; i < spec->listener_count; i++) {
        if (WSADuplicateSocketW((SOCKET) spec->listeners[i], slot->pid,
                                &slot->listeners[i]) != 0)
        {
            return (lun_err) WSAGetLastError();
        }
    }

    slot->listener_count = spec->listener_count;
    return 0;
}


/* Gives the suspended child all that it will have. */
static lun_err
furnish(HANDLE process, const lun_shm *shm, HANDLE told,
    const lun_proc_start_spec *spec)
{
    lun_err    err;
    lun_slot  *slot;

    slot = shm->addr;
    slot->mark = LUN_SLOT_MARK;
    slot->pid = GetProcessId(process);
    slot->master = GetCurrentProcessId();
    slot->number = spec->number;
    slot->user = spec->user;

    /* For systems that could not start it there. */
    AssignProcessToJobObject(lun_proc_job(), process);

    err = map_segments(process, shm, spec);

    if (err == 0) {
        err = hand_listeners(slot, spec);
    }

    if (err == 0
        && !DuplicateHandle(GetCurrentProcess(), told, process, &slot->told, 0,
                            FALSE, DUPLICATE_SAME_ACCESS))
    {
        err = (lun_err) GetLastError();
    }

    if (err == 0 && lun_knock_event() != NULL
        && !DuplicateHandle(GetCurrentProcess(), lun_knock_event(), process,
                            &slot->knock, EVENT_MODIFY_STATE, FALSE, 0))
    {
        err = (lun_err) GetLastError();
    }

    return err;
}


/*
 * Suspended until it has all that it will look for: the slot, sockets, the
 * event by which it is told things.
 */
lun_err
lun_proc_start(const lun_proc_start_spec *spec, lun_proc *proc)
{
    HANDLE               told;
    lun_shm              shm;
    lun_err              err;
    lun_child           *child;
    PROCESS_INFORMATION  made;

    memset(proc, 0, sizeof(*proc));

    err = lun_shm_new(sizeof(lun_slot)
                      + spec->listener_count * sizeof(WSAPROTOCOL_INFOW),
                      &shm);
    if (err) {
        return err;
    }

    told = CreateEventW(NULL, FALSE, FALSE, NULL);

    if (told == NULL) {
        err = (lun_err) GetLastError();
        goto segment;
    }

    err = create_suspended(shm.addr, &made);

    if (err) {
        goto event;
    }

    err = furnish(made.hProcess, &shm, told, spec);

    if (err == 0 && ResumeThread(made.hThread) == (DWORD) -1) {
        err = (lun_err) GetLastError();
    }

    CloseHandle(made.hThread);

    if (err) {
        TerminateProcess(made.hProcess, LUN_EXIT_KILLED);
        CloseHandle(made.hProcess);
        goto event;
    }

    child = lun_child_add(made.hProcess, made.dwProcessId, proc);
    child->shm = shm;
    child->slot = shm.addr;
    child->told = told;
    return 0;

event:

    CloseHandle(told);

segment:

    lun_shm_free(&shm);
    return err;
}


/* --- the worker's side --- */

/* Whether the command line is a worker's, and the slot really ours. */
static lun_slot *
find_slot(void)
{
    int         argc;
    char       *line, **argv;
    uint64_t    where;
    lun_str     text;
    lun_slot   *slot;

    MEMORY_BASIC_INFORMATION  m;

    line = lun_wide_text(GetCommandLineW());

    if (line == NULL) {
        return NULL;
    }

    argv = lun_command_split(line, &argc);
    free(line);
    slot = NULL;

    if (argc == 3 && strcmp(argv[1], worker_mark) == 0) {
        text = lun_str_z(argv[2]);

        if (lun_str_casestarts(text, LUN_STR("0x"))) {
            text = lun_str_of(text.data + 2, text.len - 2);
        }

        if (lun_str_hex_to_u64(text, &where) == LUN_OK
            && VirtualQuery((void *) (uintptr_t) where, &m, sizeof(m)) != 0
            && m.State == MEM_COMMIT && m.Type == MEM_MAPPED
            && m.BaseAddress == (void *) (uintptr_t) where
            && m.RegionSize >= sizeof(lun_slot))
        {
            slot = (lun_slot *) (uintptr_t) where;
        }
    }

    lun_free(argv);

    if (slot != NULL && (slot->mark != LUN_SLOT_MARK
                         || slot->pid != GetCurrentProcessId()))
    {
        slot = NULL;
    }

    return slot;
}


lun_slot *
lun_slot_mine(void)
{
    static bool       known;
    static lun_slot  *slot;

    if (!known) {
        known = true;
        slot = find_slot();
    }

    return slot;
}


static lun_fd
open_listener(WSAPROTOCOL_INFOW *info)
{
    SOCKET  s;

    s = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO,
                   info, 0, WSA_FLAG_OVERLAPPED);

    if (s == INVALID_SOCKET) {
        return LUN_FD_NONE;
    }

    /* The system does not promise that a duplicate has these from the first. */
    SetHandleInformation((HANDLE) s, HANDLE_FLAG_INHERIT, 0);
    lun_sock_nonblocking(s);
    return (lun_fd) s;
}


/*
 * Called by each part of a start that wants to know; sockets are opened once.
 */
void *
lun_proc_boot(uint32_t *number, const lun_fd **listeners, uint32_t *count)
{
    static lun_fd  *fds;

    uint32_t   i;
    lun_slot  *slot;

    *number = 0;
    *listeners = NULL;
    *count = 0;
    slot = lun_slot_mine();

    if (slot == NULL) {
        return NULL;
    }

    if (fds == NULL) {
        lun_sock_init();
        lun_lock_init_process();
        fds = lun_calloc((slot->listener_count + 1) * sizeof(lun_fd));

        for (i = 0; i < slot->listener_count; i++) {
            fds[i] = open_listener(&slot->listeners[i]);
        }
    }

    *number = slot->number;
    *listeners = fds;
    *count = slot->listener_count;
    return slot->user;
}


/* --- words --- */

/* The most urgent first. */
static void
on_words(lun_port *port, void *what, uint32_t bytes)
{
    static const lun_signal  order[] = {
        LUN_SIGNAL_STOP, LUN_SIGNAL_QUIT, LUN_SIGNAL_RELOAD, LUN_SIGNAL_REOPEN,
        LUN_SIGNAL_UPGRADE, LUN_SIGNAL_WINCH, LUN_SIGNAL_DUMP,
        LUN_SIGNAL_PROFILE
    };

    LONG        bits;
    size_t      i;
    lun_slot   *slot;

    bits = InterlockedExchange(&ears.bits, 0);
    slot = lun_slot_mine();

    if (slot != NULL) {
        bits |= InterlockedExchange(&slot->words, 0);
    }

    for (i = 0; i < LUN_ARRAY_LEN(order); i++) {
        if ((bits & 1 << order[i]) && ears.on_signal != NULL) {
            ears.on_signal(ears.data, order[i]);
        }
    }
}


static VOID CALLBACK
on_told(PVOID data, BOOLEAN timed_out)
{
    lun_port_packet(ears.port, on_words, NULL);
}


void
lun_signal_send(lun_signal signal)
{
    InterlockedOr(&ears.bits, 1 << signal);

    if (ears.port != NULL) {
        lun_port_packet(ears.port, on_words, NULL);
    }
}


void
lun_signal_listen(lun_port *port, lun_signal_fn *on_signal, void *data)
{
    ears.port = port;
    ears.on_signal = on_signal;
    ears.data = data;
}


/*
 * What is typed and clicked at the console comes to the workers as well, but
 * they wait for their master's word.  The system ends a process when this
 * returns from a close: so it does not return.
 */
static BOOL WINAPI
on_console(DWORD event)
{
    bool  last_call;

    if (event == CTRL_LOGOFF_EVENT) {
        return TRUE;                /* somebody's, and we are not his */
    }

    last_call = event == CTRL_CLOSE_EVENT || event == CTRL_SHUTDOWN_EVENT;

    if (lun_slot_mine() == NULL) {
        lun_signal_send(event == CTRL_BREAK_EVENT ? LUN_SIGNAL_QUIT
                                                : LUN_SIGNAL_STOP);
    }

    if (last_call) {
        Sleep(INFINITE);
    }

    return TRUE;
}


lun_err
lun_proc_listen(lun_port *port, lun_proc_exit_fn *on_exit,
    lun_signal_fn *on_signal, void *data)
{
    HANDLE     wait;
    lun_slot  *slot;

    lun_signal_listen(port, on_signal, data);
    lun_child_listen(port, on_exit, data);
    slot = lun_slot_mine();

    if (slot != NULL && !ears.waiting) {
        ears.waiting = true;

        if (!RegisterWaitForSingleObject(&wait, slot->told, on_told, NULL,
                                         INFINITE, WT_EXECUTEINWAITTHREAD))
        {
            return (lun_err) GetLastError();
        }
    }

    if (!ears.console) {
        ears.console = true;
        SetConsoleCtrlHandler(on_console, TRUE);
    }

    return 0;
}


lun_err
lun_proc_hear_children(lun_port *port, lun_proc_exit_fn *on_exit, void *data)
{
    lun_child_listen(port, on_exit, data);
    return 0;
}


/* The master's job object sees to it. */
void
lun_proc_bind_to_parent(void)
{
}

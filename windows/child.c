/*
 * child.c -- the processes that we started, their ends, and programs.
 *
 * One of the system's wait threads sees a process end and sends a packet to
 * the port; the child is freed by whichever comes last, the packet or
 * lun_proc_forget().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/proc_priv.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/control.h"


enum { WORD_LIMIT = 5000 };        /* ms for a word to a program of ours */

static lun_child  *children;

static struct {
    lun_port          *port;
    lun_proc_exit_fn  *on_exit;
    void              *data;
} listener;


static int
exit_code(const lun_child *c)
{
    DWORD  code;

    return GetExitCodeProcess(c->process, &code) ? (int) code : -1;
}


static void
on_end(lun_port *port, void *what, uint32_t bytes)
{
    int         code;
    char        text[128];
    lun_child  *c;

    c = what;
    c->delivered = true;

    if (c->forgotten) {
        lun_free(c);
        return;
    }

    if (listener.on_exit != NULL) {
        code = exit_code(c);
        lun_exit_text((uint32_t) code, text, sizeof(text));
        listener.on_exit(listener.data, c->pid, code, text);
    }
}


static VOID CALLBACK
on_os_signal(PVOID data, BOOLEAN timed_out)
{
    lun_child  *c = data;

    InterlockedExchange(&c->posted, 1);
    lun_port_packet(listener.port, on_end, c);
}


static void
watch(lun_child *c)
{
    RegisterWaitForSingleObject(&c->wait, c->process, on_os_signal, c, INFINITE,
                                WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE);
}


void
lun_child_listen(lun_port *port, lun_proc_exit_fn *on_exit, void *data)
{
    lun_child  *c;

    listener.port = port;
    listener.on_exit = on_exit;
    listener.data = data;

    for (c = children; c != NULL; c = c->next) {
        if (c->wait == NULL) {
            watch(c);
        }
    }
}


lun_child *
lun_child_add(HANDLE process, int64_t pid, lun_proc *proc)
{
    lun_child  *c;

    c = lun_calloc(sizeof(*c));
    c->process = process;
    c->pid = pid;
    c->next = children;
    children = c;

    proc->pid = pid;
    proc->os[0] = (intptr_t) c;

    if (listener.port != NULL) {
        watch(c);
    }

    return c;
}


lun_child *
lun_child_of(const lun_proc *proc)
{
    return proc->pid ? (lun_child *) proc->os[0] : NULL;
}


void
lun_proc_forget(lun_proc *proc)
{
    lun_child  *c, **link;

    c = lun_child_of(proc);
    proc->pid = 0;
    proc->os[0] = 0;

    if (c == NULL) {
        return;
    }

    for (link = &children; *link != c; link = &(*link)->next) {
        /* find it */
    }

    *link = c->next;

    if (c->wait != NULL) {
        UnregisterWaitEx(c->wait, INVALID_HANDLE_VALUE);
    }

    if (c->told != NULL) {
        CloseHandle(c->told);
    }

    if (c->job != NULL) {
        CloseHandle(c->job);
    }

    lun_shm_free(&c->shm);
    CloseHandle(c->process);

    if (c->posted && !c->delivered) {
        c->forgotten = true;
    } else {
        lun_free(c);
    }
}


lun_rc
lun_proc_wait(lun_proc *proc, lun_msec limit, int *code)
{
    DWORD       ms;
    lun_child  *c;

    c = lun_child_of(proc);

    if (c == NULL) {
        return LUN_ERROR;
    }

    ms = limit == LUN_PORT_FOREVER ? INFINITE
         : (DWORD) lun_min(limit, (lun_msec) INT32_MAX);

    if (WaitForSingleObject(c->process, ms) == WAIT_TIMEOUT) {
        return LUN_AGAIN;
    }

    *code = exit_code(c);
    lun_proc_forget(proc);
    return LUN_OK;
}


void
lun_proc_kill(const lun_proc *proc)
{
    lun_child  *c;

    c = lun_child_of(proc);

    if (c != NULL && c->job != NULL) {
        TerminateJobObject(c->job, LUN_EXIT_KILLED);

    } else if (c != NULL) {
        TerminateProcess(c->process, LUN_EXIT_KILLED);
    }
}


/* Its console is ours (start_group). */
lun_err
lun_proc_ask_to_end(const lun_proc *proc)
{
    return GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, (DWORD) proc->pid)
           ? 0 : (lun_err) GetLastError();
}


/* A worker hears it through its slot, a program as any master would. */
lun_err
lun_proc_send_signal(const lun_proc *proc, lun_signal word)
{
    char        why[128];
    lun_child  *c;

    c = lun_child_of(proc);

    if (c == NULL || word <= LUN_SIGNAL_NONE || word >= LUN_SIGNALS) {
        return ERROR_INVALID_PARAMETER;
    }

    if (c->slot != NULL) {
        InterlockedOr(&c->slot->words, 1 << word);
        return SetEvent(c->told) ? 0 : (lun_err) GetLastError();
    }

    return lun_control_send(c->pid, word, WORD_LIMIT, why, sizeof(why))
           == LUN_OK ? 0 : ERROR_PIPE_NOT_CONNECTED;
}


bool
lun_proc_ended(lun_proc *proc, int *code, int *signal)
{
    *code = *signal = 0;

    if (lun_proc_wait(proc, 0, code) == LUN_AGAIN) {
        return false;
    }

    if (*code == LUN_EXIT_KILLED) {
        *code = 0;
        *signal = LUN_EXIT_KILLED - 128;
    }

    return true;
}


lun_err
lun_proc_send(const lun_proc *proc, int number)
{
    enum { LOOK = 0, INTERRUPT = 2, KILL = 9, TERMINATE = 15 };

    if (number != LOOK && number != INTERRUPT && number != KILL
        && number != TERMINATE)
    {
        return ERROR_INVALID_PARAMETER;
    }

    if (!lun_proc_alive(proc->pid)) {
        return ERROR_PROCESS_ABORTED;
    }

    if (number != LOOK) {
        lun_proc_kill(proc);
    }

    return 0;
}


/* --- programs --- */

/* The file, or what we have ourselves; *opened: to be closed again. */
static lun_err
output(const char *path, DWORD ours, HANDLE *h, HANDLE *opened)
{
    lun_fd   fd;
    lun_err  err;

    *opened = NULL;

    if (path == NULL) {
        *h = GetStdHandle(ours);
        return 0;
    }

    err = lun_file_open(path, LUN_FILE_APPEND | LUN_FILE_CREATE
                              | LUN_FILE_TRUNC, 0644, &fd);
    *h = err ? NULL : (HANDLE) fd;
    *opened = *h;
    return err;
}


/* In a program's name and folder only '\' is sure to be understood. */
static wchar_t *
native(const char *path)
{
    wchar_t  *w, *p;

    w = lun_wide_dup(path);

    for (p = w; p != NULL && *p; p++) {
        if (*p == L'/') {
            *p = L'\\';
        }
    }

    return w;
}


/*
 * What cmd.exe is to run behind /c it takes as it stands: quotes in it are the
 * caller's.  It drops the first and the last where the first thing is one, so
 * that gets two more.  NULL: it is no such.
 */
static char *
shell_line(const char *const *argv)
{
    char        *head, *line;
    size_t       n, size;
    const char  *short_argv[8];

    for (n = 0; argv[n] != NULL; n++) {
        if (n == LUN_ARRAY_LEN(short_argv)) {
            return NULL;
        }

        short_argv[n] = argv[n];
    }

    if (n < 3 || strcmp(argv[0], "cmd.exe") != 0
        || strcmp(argv[n - 2], "/c") != 0)
    {
        return NULL;
    }

    short_argv[n - 1] = NULL;
    head = lun_command_join(short_argv);

    if (head == NULL) {
        return NULL;
    }

    size = strlen(head) + strlen(argv[n - 1]) + sizeof(" \"\"");
    line = malloc(size);

    if (line != NULL) {
        *lun_fmt(line, line + size - 1,
                 *argv[n - 1] == '"' ? "%s \"%s\"" : "%s %s", head,
                 argv[n - 1]) = '\0';
    }

    free(head);
    return line;
}


static wchar_t *
command_line(const lun_proc_command *command)
{
    char     *line, *end, *p;
    wchar_t  *w;

    line = shell_line(command->argv);

    if (line == NULL) {
        line = lun_command_join(command->argv);
    }

    if (line == NULL) {
        return NULL;
    }

    end = line + strcspn(line + (*line == '"'), *line == '"' ? "\"" : " ");

    for (p = line; p < end; p++) {
        if (*p == '/') {
            *p = '\\';
        }
    }

    w = lun_wide_dup(line);
    free(line);
    return w;
}


/*
 * A job inside ours, as systems since Windows 8 have it.  Where a limit is not
 * known (Wine has none of processors) it is without.
 */
static HANDLE
new_job(const lun_proc_command *command)
{
    enum { RATE_ENABLE = 1, RATE_HARD_CAP = 4, INFO_RATE = 15 };

    struct { DWORD flags, rate; }         rate;
    HANDLE                                job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION  limits;

    memset(&limits, 0, sizeof(limits));
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        | (command->memory != 0 ? JOB_OBJECT_LIMIT_JOB_MEMORY : 0);
    limits.JobMemoryLimit = (SIZE_T) command->memory;
    (void) SetInformationJobObject(job, JobObjectExtendedLimitInformation,
                                   &limits, sizeof(limits));

    /* In hundredths of a percent of all processors. */
    if (command->cpu != 0) {
        rate.flags = RATE_ENABLE | RATE_HARD_CAP;
        rate.rate = command->cpu * 100;
        (void) SetInformationJobObject(job, (JOBOBJECTINFOCLASS) INFO_RATE,
                                       &rate, sizeof(rate));
    }

    return job;
}


/*
 * CTRL_BREAK reaches who has the same console: a service gets one, which
 * nobody sees.  It would become our standard handles.
 */
static void
have_console(void)
{
    DWORD   i;
    HANDLE  h[3];
    static const DWORD  which[] = {
        STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE
    };

    if (GetConsoleCP() != 0) {
        return;
    }

    for (i = 0; i < 3; i++) {
        h[i] = GetStdHandle(which[i]);
    }

    AllocConsole();

    for (i = 0; i < 3; i++) {
        SetStdHandle(which[i], h[i]);
    }
}


/*
 * A name alone is looked for in PATH, and not, as the system would, in our
 * folder and the working one first: whoever may write there would say what
 * runs.  NULL: it is a path, or not there, and the system says so.
 */
static wchar_t *
find_in_path(const char *name)
{
    enum { ROOM = 32768 };

    DWORD     n = 0;
    wchar_t  *wide, *path, *found;

    if (strpbrk(name, "/\\:") != NULL) {
        return NULL;
    }

    wide = lun_wide_dup(name);
    path = lun_calloc(ROOM * sizeof(wchar_t));
    found = lun_calloc(ROOM * sizeof(wchar_t));

    if (wide != NULL && GetEnvironmentVariableW(L"PATH", path, ROOM) != 0) {
        n = SearchPathW(path, wide, L".exe", ROOM, found, NULL);
    }

    free(wide);
    lun_free(path);

    if (n == 0 || n >= ROOM) {
        lun_free(found);
        return NULL;
    }

    return found;
}


/* Into its own job, before its first instruction. */
static lun_err
start_group(const lun_proc_command *command, lun_inherit *in, wchar_t *line,
    const wchar_t *env, const wchar_t *dir, PROCESS_INFORMATION *made,
    HANDLE *job)
{
    lun_err   err;
    wchar_t  *program = find_in_path(command->argv[0]);

    have_console();
    err = program == NULL && strpbrk(command->argv[0], "/\\:") == NULL
          ? ERROR_FILE_NOT_FOUND
          : lun_inherit_start(in, program, line, env, dir,
                              CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP,
                              made);
    lun_free(program);

    if (err != 0) {
        return err;
    }

    AssignProcessToJobObject(lun_proc_job(), made->hProcess);
    *job = new_job(command);

    if (*job == NULL || !AssignProcessToJobObject(*job, made->hProcess)
        || ResumeThread(made->hThread) == (DWORD) -1)
    {
        err = (lun_err) GetLastError();
        TerminateProcess(made->hProcess, LUN_EXIT_KILLED);
        CloseHandle(made->hProcess);
        CloseHandle(made->hThread);

        if (*job != NULL) {
            CloseHandle(*job);
        }
    }

    return err;
}


/* *own: the group's job. */
static lun_err
start(const lun_proc_command *command, HANDLE input, HANDLE out, HANDLE err,
    PROCESS_INFORMATION *made, HANDLE *own)
{
    HANDLE        job = command->bound ? lun_proc_job() : NULL;
    lun_err       rc;
    wchar_t      *line, *env, *dir;
    lun_inherit   in;

    line = command_line(command);
    env = command->env ? lun_command_env(command->env) : NULL;
    dir = command->dir ? native(command->dir) : NULL;
    rc = line == NULL || (command->dir && dir == NULL) ? ERROR_INVALID_NAME : 0;

    if (rc == 0) {
        rc = lun_inherit_init(&in, input, out, err, job);

        if (rc == 0) {
            rc = command->group
                 ? start_group(command, &in, line, env, dir, made, own)
                 : lun_inherit_start(&in, NULL, line, env, dir, 0, made);
        }

        lun_inherit_fini(&in);
    }

    free(dir);
    lun_free(env);
    free(line);
    return rc;
}


bool
lun_proc_limits_cpu(void)
{
    return true;
}


lun_err
lun_proc_run(const lun_proc_command *command, lun_proc *proc)
{
    HANDLE               out, err, close_out, close_err, own = NULL;
    lun_err              rc;
    const lun_fd        *given = command->standard;
    PROCESS_INFORMATION  made;

    memset(proc, 0, sizeof(*proc));
    close_err = NULL;
    rc = output(command->out, STD_OUTPUT_HANDLE, &out, &close_out);

    if (rc == 0) {
        if (command->out && command->err
            && strcmp(command->out, command->err) == 0)
        {
            err = out;
        } else {
            rc = output(command->err, STD_ERROR_HANDLE, &err, &close_err);
        }
    }

    if (rc == 0) {
        rc = given != NULL
             ? start(command, (HANDLE) given[0], (HANDLE) given[1],
                     (HANDLE) given[2], &made, &own)
             : start(command, NULL, out, err, &made, &own);
    }

    if (close_out != NULL) {
        CloseHandle(close_out);
    }

    if (close_err != NULL) {
        CloseHandle(close_err);
    }

    if (rc == 0) {
        if (command->bound && !command->group) {       /* as in furnish() */
            AssignProcessToJobObject(lun_proc_job(), made.hProcess);
        }

        CloseHandle(made.hThread);
        lun_child_add(made.hProcess, made.dwProcessId, proc)->job = own;
    }

    return rc;
}


lun_err
lun_proc_become(const char *const *argv)
{
    int               code = 1;
    lun_err           err;
    lun_proc          proc;
    lun_proc_command  command = { .argv = argv };

    err = lun_proc_run(&command, &proc);

    if (err == 0) {
        (void) lun_proc_wait(&proc, LUN_PORT_FOREVER, &code);
        exit(code);
    }

    return err;
}

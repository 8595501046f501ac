/*
 * self.c -- this process: its arguments, its processors, its environment.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/proc_priv.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

#include "base/pool.h"


/* Our copy of the environment in UTF-8; NULL when it has to be made again. */
static char  **env;


/*
 * The arguments that main() was given are in the system's code page, and
 * with wildcards expanded by the C library: the command line has neither.
 */
char **
lun_proc_init(int *argc, char **argv)
{
    char  *line;

    /* No dialogs: nobody sits before a server. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX
                 | SEM_NOOPENFILEERRORBOX);

    /* The same bytes on both systems. */
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);

    if (GetConsoleCP()) {
        SetConsoleOutputCP(CP_UTF8);
    }

    lun_sock_init();
    line = lun_wide_text(GetCommandLineW());

    if (line == NULL) {
        return argv;
    }

    argv = lun_command_split(line, argc);
    free(line);
    return argv;
}


int64_t
lun_proc_pid(void)
{
    return GetCurrentProcessId();
}


int64_t
lun_proc_parent_pid(void)
{
    ULONG                      n;
    lun_slot                  *slot;
    PROCESS_BASIC_INFORMATION  info;

    slot = lun_slot_mine();

    if (slot != NULL) {
        return slot->master;
    }

    memset(&info, 0, sizeof(info));

    if (NtQueryInformationProcess(GetCurrentProcess(), ProcessBasicInformation,
                                  &info, sizeof(info), &n) < 0)
    {
        return 0;
    }

    return (int64_t) (uintptr_t) info.InheritedFromUniqueProcessId;
}


lun_err
lun_proc_program(char *path, size_t room)
{
    size_t    len;
    lun_err   err;
    wchar_t  *w = lun_wide_program(&len);

    if (w == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    err = lun_wide_to_path(path, room, w, len);
    free(w);
    return err;
}


/* Those that we may run on, not the machine's. */
int
lun_proc_cpus(void)
{
    DWORD      all;
    DWORD_PTR  ours, machine;

    all = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);

    if (all <= 64
        && GetProcessAffinityMask(GetCurrentProcess(), &ours, &machine)
        && ours != 0)
    {
        return __builtin_popcountll(ours);
    }

    return lun_max((int) all, 1);
}


/* The system has no such thing: tools show the command line. */
void
lun_proc_set_title(const char *title)
{
}


lun_err
lun_proc_pin(unsigned cpu)
{
    return cpu < 64
           && SetProcessAffinityMask(GetCurrentProcess(), (DWORD_PTR) 1 << cpu)
           ? 0 : ERROR_INVALID_PARAMETER;
}


lun_err
lun_proc_limit_files(uint64_t limit)
{
    return 0;
}


/* Handles of the console we leave are no use; redirected ones are. */
static void
drop_console_handle(DWORD which)
{
    DWORD   mode;
    HANDLE  h;

    h = GetStdHandle(which);

    if (h != NULL && h != INVALID_HANDLE_VALUE && GetConsoleMode(h, &mode)) {
        SetStdHandle(which, NULL);
    }
}


lun_err
lun_proc_daemon(void)
{
    drop_console_handle(STD_INPUT_HANDLE);
    drop_console_handle(STD_OUTPUT_HANDLE);
    drop_console_handle(STD_ERROR_HANDLE);
    FreeConsole();
    return 0;
}


lun_err
lun_proc_limit_core(uint64_t limit)
{
    return 0;
}


lun_err
lun_proc_set_priority(int nice)
{
    DWORD  kind;

    kind = nice < -10 ? HIGH_PRIORITY_CLASS
           : nice < 0 ? ABOVE_NORMAL_PRIORITY_CLASS
           : nice == 0 ? NORMAL_PRIORITY_CLASS
           : nice <= 10 ? BELOW_NORMAL_PRIORITY_CLASS : IDLE_PRIORITY_CLASS;

    return SetPriorityClass(GetCurrentProcess(), kind)
           ? 0 : (lun_err) GetLastError();
}


lun_err
lun_proc_set_dir(const char *path)
{
    BOOL      done;
    lun_err   err;
    wchar_t  *wide;

    wide = lun_wide_dup(path);

    if (wide == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    done = SetCurrentDirectoryW(wide);
    err = done ? 0 : (lun_err) GetLastError();
    free(wide);

    return err;
}


bool
lun_proc_trim(void)
{
    (void) HeapCompact(GetProcessHeap(), 0);

    return false;
}


lun_err
lun_proc_redirect_stderr(lun_fd fd)
{
    return 0;
}


bool
lun_proc_alive(int64_t pid)
{
    bool    lives;
    HANDLE  process;

    if (pid <= 0 || pid > UINT32_MAX) {
        return false;
    }

    process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD) pid);

    if (process == NULL) {
        return GetLastError() == ERROR_ACCESS_DENIED;
    }

    lives = WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
    CloseHandle(process);
    return lives;
}


uint64_t
lun_proc_space(void)
{
    char  name[256];

    lun_sock_host_name(name, sizeof(name));
    return lun_str_hash(lun_str_z(name));
}


/*
 * What a signal's number means here: to look, or to end.  There is no gentle
 * way to end somebody else's process.
 */
lun_proc_sent
lun_proc_send_to(int64_t pid, int number)
{
    enum { LOOK = 0, INTERRUPT = 2, KILL = 9, TERMINATE = 15 };

    bool    done;
    HANDLE  process;

    if (number != LOOK && number != INTERRUPT && number != KILL
        && number != TERMINATE)
    {
        return LUN_PROC_REFUSED;
    }

    if (!lun_proc_alive(pid)) {
        return LUN_PROC_MISSING;
    }

    if (number == LOOK) {
        return LUN_PROC_SENT;
    }

    process = OpenProcess(PROCESS_TERMINATE, FALSE, (DWORD) pid);

    if (process == NULL) {
        return LUN_PROC_DENIED;
    }

    done = TerminateProcess(process, LUN_EXIT_KILLED);
    CloseHandle(process);
    return done ? LUN_PROC_SENT : LUN_PROC_DENIED;
}


/* --- the environment --- */

static void
forget_env(void)
{
    size_t  i;

    for (i = 0; env != NULL && env[i] != NULL; i++) {
        free(env[i]);
    }

    lun_free(env);
    env = NULL;
}


/* "=C:=C:\folder" and its like are the command shell's own. */
char **
lun_env_all(void)
{
    size_t          n;
    wchar_t        *block;
    const wchar_t  *p;

    if (env != NULL) {
        return env;
    }

    block = GetEnvironmentStringsW();
    n = 0;

    for (p = block; p != NULL && *p; p += wcslen(p) + 1) {
        n++;
    }

    env = lun_calloc((n + 1) * sizeof(char *));
    n = 0;

    for (p = block; p != NULL && *p; p += wcslen(p) + 1) {
        if (*p != L'=' && (env[n] = lun_wide_text(p)) != NULL) {
            n++;
        }
    }

    if (block != NULL) {
        FreeEnvironmentStringsW(block);
    }

    return env;
}


const char *
lun_env_get(const char *name)
{
    char    **all;
    size_t    i, len;

    all = lun_env_all();
    len = strlen(name);

    for (i = 0; all[i]; i++) {
        if (strlen(all[i]) > len && all[i][len] == '='
            && lun_mem_casecmp(all[i], name, len) == 0)
        {
            return all[i] + len + 1;
        }
    }

    return NULL;
}


/* Through the C library, which has a copy that os.getenv() reads. */
void
lun_env_set(const char *name, const char *value)
{
    wchar_t  *n, *v;

    n = lun_wide_dup(name);
    v = lun_wide_dup(value ? value : "");

    if (n != NULL && v != NULL) {
        _wputenv_s(n, v);

        /* It takes an empty value for none. */
        if (value != NULL && *value == 0) {
            SetEnvironmentVariableW(n, v);
        }
    }

    free(n);
    free(v);
    forget_env();
}

/*
 * service.c -- registering, starting and asking: the service manager's side
 * of the command line.  service_plan.c has what is registered.
 *
 * The account is a virtual one, made by the system for this service alone; it
 * has no password that anybody could lose.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/service.h"

#include "windows/service/service_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/control.h"
#include "os/dir.h"
#include "os/file.h"
#include "os/time.h"
#include "windows/proc_priv.h"


enum {
    LOOK_AGAIN   = 50,             /* ms */
    CONFIG_ROOM  = 8192            /* what the manager says at most */
};

const char  lun_service_default_name[] = LUN_PRODUCT;

/* An open service; any of it may be NULL. */
typedef struct {
    SC_HANDLE   manager;
    SC_HANDLE   service;
    wchar_t    *name;
} entry;


static lun_rc
say(char *why, size_t room, const char *what, const char *name, DWORD err)
{
    char         text[256], *end;
    lun_str      words;
    const char  *advice;

    end = why + room - 1;
    advice = lun_service_advice(err);

    if (advice == NULL) {
        words = lun_err_text((lun_err) err, text, sizeof(text));
        *lun_fmt(why, end, "could not %s service \"%s\" (%u: %.*s)", what,
                 name, (unsigned) err, LUN_S(words)) = 0;
        return LUN_ERROR;
    }

    *lun_fmt(why, end, "could not %s service \"%s\": %s", what, name,
             advice) = 0;
    return LUN_ERROR;
}


static void
close_entry(entry *e)
{
    if (e->service != NULL) {
        CloseServiceHandle(e->service);
    }

    if (e->manager != NULL) {
        CloseServiceHandle(e->manager);
    }

    free(e->name);
}


/* 0 for `access`: the manager alone. */
static DWORD
open_entry(entry *e, const char *name, DWORD manager_access, DWORD access)
{
    memset(e, 0, sizeof(*e));
    e->name = lun_wide_dup(name);

    if (e->name == NULL) {
        return ERROR_INVALID_NAME;
    }

    e->manager = OpenSCManagerW(NULL, NULL, manager_access);

    if (e->manager == NULL) {
        return GetLastError();
    }

    if (access != 0) {
        e->service = OpenServiceW(e->manager, e->name, access);

        if (e->service == NULL) {
            return GetLastError();
        }
    }

    return 0;
}


/* --- install --- */

/* malloc'ed */
static wchar_t *
command_line(const char *const *argv)
{
    char     *line, *name;
    size_t    len;
    wchar_t  *program, *wide;

    wide = NULL;
    program = lun_wide_program(&len);
    name = program != NULL ? lun_wide_text(program) : NULL;
    line = name != NULL ? lun_service_image(name, argv) : NULL;

    if (line != NULL) {
        wide = lun_wide_dup(line);
    }

    free(line);
    free(name);
    free(program);
    return wide;
}


/* None of it is needed to serve. */
static void
describe(SC_HANDLE service, char *note, size_t room)
{
    size_t  i;

    static wchar_t                       text[] =
        L"Serves HTTP and runs Lua scripts.";
    static SERVICE_DESCRIPTIONW          description = { text };
    static SERVICE_FAILURE_ACTIONSW      recovery;
    static SERVICE_FAILURE_ACTIONS_FLAG  flag = { TRUE };
    static SERVICE_PRESHUTDOWN_INFO      shutdown = { LUN_SERVICE_SHUTDOWN };

    static const struct {
        DWORD        level;
        void        *info;
        const char  *what;
    } rows[] = {
        { SERVICE_CONFIG_DESCRIPTION, &description, "describe it" },
        { SERVICE_CONFIG_FAILURE_ACTIONS, &recovery, "have it started again "
          "when it dies" },
        { SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, &flag, "have it started again "
          "when it fails" },
        { SERVICE_CONFIG_PRESHUTDOWN_INFO, &shutdown, "get time to finish "
          "when the machine shuts down" }
    };

    lun_service_recovery(&recovery);

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        if (!ChangeServiceConfig2W(service, rows[i].level, rows[i].info)) {
            lun_service_note(note, room, rows[i].what, GetLastError());
        }
    }
}


/* Before anything is made: NULL, or what is wrong with it. */
static const char *
check(const lun_service_spec *spec)
{
    lun_file_info  info;

    if (!lun_service_is_name(spec->name)) {
        return "a service's name is letters, digits, '-', '_' and '.'";
    }

    if (lun_service_is_drive(spec->prefix)) {
        return "its prefix has to be a folder, not a whole drive";
    }

    if (lun_file_stat(spec->prefix, &info) != 0 || !info.is_dir) {
        return "its prefix has to be a folder that exists";
    }

    return NULL;
}


static DWORD
create(entry *e, const lun_service_spec *spec)
{
    DWORD     err;
    wchar_t  *line;
    wchar_t   account[128];

    _snwprintf(account, LUN_ARRAY_LEN(account), L"NT SERVICE\\%ls", e->name);
    line = command_line(spec->argv);

    if (line == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    e->service = CreateServiceW(e->manager, e->name, e->name,
                                SERVICE_ALL_ACCESS, SERVICE_WIN32_OWN_PROCESS,
                                SERVICE_AUTO_START, SERVICE_ERROR_NORMAL, line,
                                NULL, NULL, NULL, account, NULL);
    err = e->service != NULL ? 0 : GetLastError();
    free(line);
    return err;
}


/*
 * Description, event source and rights are wishes: what of them fails is a
 * note, and the service is installed all the same.
 */
lun_rc
lun_service_install(const lun_service_spec *spec, char *note,
    size_t note_room, char *why, size_t room)
{
    DWORD        err;
    entry        e;
    const char  *wrong;

    *note = 0;
    wrong = check(spec);

    if (wrong != NULL) {
        *lun_fmt(why, why + room - 1, "could not install service \"%s\" for "
                 "\"%s\": %s", spec->name, spec->prefix, wrong) = 0;
        return LUN_ERROR;
    }

    err = open_entry(&e, spec->name, SC_MANAGER_CREATE_SERVICE, 0);

    if (err == 0) {
        err = create(&e, spec);
    }

    if (err == 0) {
        describe(e.service, note, note_room);
        lun_service_note(note, note_room, "register the source of its events",
                         (DWORD) lun_event_register(e.name));
        lun_grant_folders(spec->prefix, e.name, note, note_room);
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "install", spec->name, err);
}


/* --- its command line --- */

static DWORD
ask_config(SC_HANDLE service, QUERY_SERVICE_CONFIGW **config)
{
    DWORD  err, n;

    *config = calloc(1, CONFIG_ROOM);

    if (*config == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    err = QueryServiceConfigW(service, *config, CONFIG_ROOM, &n)
          ? 0 : GetLastError();

    if (err != 0) {
        free(*config);
    }

    return err;
}


/* lun_free() it. */
static DWORD
ask_argv(SC_HANDLE service, char ***argv, int *argc)
{
    char                   *line;
    DWORD                   err;
    QUERY_SERVICE_CONFIGW  *config;

    err = ask_config(service, &config);

    if (err != 0) {
        return err;
    }

    line = lun_wide_text(config->lpBinaryPathName);
    free(config);

    if (line == NULL) {
        return ERROR_NOT_ENOUGH_MEMORY;
    }

    *argv = lun_command_split(line, argc);
    free(line);
    return 0;
}


char **
lun_service_argv(const char *name, int *argc, char *why, size_t room)
{
    char  **argv;
    DWORD   err;
    entry   e;

    err = open_entry(&e, name, SC_MANAGER_CONNECT, SERVICE_QUERY_CONFIG);

    if (err == 0) {
        err = ask_argv(e.service, &argv, argc);
    }

    close_entry(&e);

    if (err != 0) {
        (void) say(why, room, "look at", name, err);
        return NULL;
    }

    return argv;
}


/* --- start, stop --- */

static DWORD
ask(SC_HANDLE service, SERVICE_STATUS_PROCESS *s)
{
    DWORD  n;

    return QueryServiceStatusEx(service, SC_STATUS_PROCESS_INFO, (BYTE *) s,
                                sizeof(*s), &n)
           ? 0 : GetLastError();
}


/* Until it has left the state that it passes through. */
static DWORD
await(SC_HANDLE service, DWORD passing, SERVICE_STATUS_PROCESS *s)
{
    DWORD     err;
    uint64_t  until;

    until = lun_time_monotonic() + LUN_SERVICE_LIMIT;

    for ( ;; ) {
        err = ask(service, s);

        if (err != 0 || s->dwCurrentState != passing) {
            return err;
        }

        if (lun_time_monotonic() > until) {
            return ERROR_TIMEOUT;
        }

        Sleep(LOOK_AGAIN);
    }
}


/* A service that is gone, or never ran, has stopped. */
static DWORD
stop(SC_HANDLE service)
{
    DWORD                    err;
    SERVICE_STATUS           now;
    SERVICE_STATUS_PROCESS   s;

    if (!ControlService(service, SERVICE_CONTROL_STOP, &now)) {
        err = GetLastError();

        /* It is on its way. */
        if (err != ERROR_SERVICE_CANNOT_ACCEPT_CTRL) {
            return err;
        }
    }

    do {
        err = await(service, SERVICE_STOP_PENDING, &s);
    } while (err == 0 && s.dwCurrentState == SERVICE_START_PENDING
             && (err = await(service, SERVICE_START_PENDING, &s)) == 0
             && ControlService(service, SERVICE_CONTROL_STOP, &now));

    return err;
}


/* Reads the prefix before there is nobody left to ask. */
static void
take_back(entry *e)
{
    int          argc;
    char       **argv;
    const char  *prefix;

    if (ask_argv(e->service, &argv, &argc) != 0) {
        return;
    }

    prefix = lun_service_option(argv, "-p");

    if (prefix != NULL) {
        lun_grant_folders(prefix, e->name, NULL, 0);
    }

    lun_free(argv);
}


lun_rc
lun_service_uninstall(const char *name, char *why, size_t room)
{
    DWORD  err;
    entry  e;

    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_STOP | SERVICE_QUERY_STATUS
                     | SERVICE_QUERY_CONFIG | DELETE);

    if (err == 0) {
        err = stop(e.service);

        if (err == 0 || err == ERROR_SERVICE_NOT_ACTIVE) {
            take_back(&e);
            err = DeleteService(e.service) ? 0 : GetLastError();
        }
    }

    if (err == 0) {
        lun_event_unregister(e.name);
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "uninstall", name, err);
}


/* The manager could not run the program: we were let in, its account not. */
static lun_rc
say_not_run(const char *name, char *why, size_t room)
{
    char  folder[4096];

    if (lun_dir_program(folder, sizeof(folder)) != 0) {
        folder[0] = 0;
    }

    *lun_fmt(why, why + room - 1, "could not start service \"%s\": its account "
             "may not run the program; let it: icacls \"%s\" /grant "
             "\"NT SERVICE\\%s:(OI)(CI)RX\"", name, folder, name) = 0;
    return LUN_ERROR;
}


/*
 * That it runs is waited for: a configuration that is wrong ends it in the
 * first second, and whoever typed this should know.
 */
lun_rc
lun_service_start(const char *name, bool *ended, char *why, size_t room)
{
    bool                     refused;
    DWORD                    err;
    entry                    e;
    SERVICE_STATUS_PROCESS   s;

    refused = false;
    *ended = false;
    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_START | SERVICE_QUERY_STATUS);

    if (err == 0 && !StartServiceW(e.service, 0, NULL)) {
        err = GetLastError();
        refused = err == ERROR_ACCESS_DENIED;
    }

    if (err == 0) {
        err = await(e.service, SERVICE_START_PENDING, &s);
    }

    close_entry(&e);

    if (refused) {
        return say_not_run(name, why, room);
    }

    if (err == 0 && s.dwCurrentState != SERVICE_RUNNING) {
        *ended = true;
        *lun_fmt(why, why + room - 1, "service \"%s\" ended at once", name) = 0;
        return LUN_ERROR;
    }

    return err == 0 ? LUN_OK : say(why, room, "start", name, err);
}


lun_rc
lun_service_stop(const char *name, char *why, size_t room)
{
    DWORD  err;
    entry  e;

    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_STOP | SERVICE_QUERY_STATUS);

    if (err == 0) {
        err = stop(e.service);
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "stop", name, err);
}


/*
 * Through its pipe, which answers; the manager's own control does not say how
 * it went.
 */
lun_rc
lun_service_reload(const char *name, char *why, size_t room)
{
    DWORD                    err;
    entry                    e;
    SERVICE_STATUS_PROCESS   s;

    err = open_entry(&e, name, SC_MANAGER_CONNECT, SERVICE_QUERY_STATUS);

    if (err == 0) {
        err = ask(e.service, &s);
    }

    if (err == 0 && s.dwCurrentState != SERVICE_RUNNING) {
        err = s.dwCurrentState == SERVICE_STOPPED
              ? ERROR_SERVICE_NOT_ACTIVE : ERROR_SERVICE_CANNOT_ACCEPT_CTRL;
    }

    close_entry(&e);

    return err != 0 ? say(why, room, "reload", name, err)
           : lun_control_send(s.dwProcessId, LUN_SIGNAL_RELOAD,
                              LUN_SERVICE_LIMIT, why, room);
}


/* --- status --- */

static lun_service_state
state_of(DWORD state)
{
    switch (state) {

    case SERVICE_START_PENDING:
        return LUN_SERVICE_STARTING;

    case SERVICE_STOP_PENDING:
        return LUN_SERVICE_STOPPING;

    case SERVICE_STOPPED:
        return LUN_SERVICE_STOPPED;

    default:
        return LUN_SERVICE_RUNNING;
    }
}


static void
ask_account(SC_HANDLE service, char *account, size_t room)
{
    char                   *text;
    QUERY_SERVICE_CONFIGW  *config;

    *account = 0;

    if (ask_config(service, &config) != 0) {
        return;
    }

    if (config->lpServiceStartName != NULL) {
        text = lun_wide_text(config->lpServiceStartName);

        if (text != NULL) {
            *lun_fmt(account, account + room - 1, "%s", text) = 0;
            free(text);
        }
    }

    free(config);
}


lun_rc
lun_service_query(const char *name, lun_service_info *info, char *why,
    size_t room)
{
    DWORD                    err;
    entry                    e;
    SERVICE_STATUS_PROCESS   s;

    memset(info, 0, sizeof(*info));
    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_QUERY_STATUS | SERVICE_QUERY_CONFIG);

    if (err == 0) {
        err = ask(e.service, &s);
    }

    if (err == 0) {
        info->state = state_of(s.dwCurrentState);
        info->pid = s.dwProcessId;
        info->ever_ran = s.dwWin32ExitCode != ERROR_SERVICE_NEVER_STARTED;
        info->exit_code = s.dwWin32ExitCode == ERROR_SERVICE_SPECIFIC_ERROR
                          ? s.dwServiceSpecificExitCode : s.dwWin32ExitCode;
        ask_account(e.service, info->account, sizeof(info->account));
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "look at", name, err);
}

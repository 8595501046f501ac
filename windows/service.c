/*
 * service.c -- registering, starting and asking: the service manager's side
 * of the command line.
 *
 * The account is a virtual one, made by the system for this service alone; it
 * has no password that anybody could lose.  The manager starts a server that
 * died after a second, then after five, then every minute.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/service.h"

#include "windows/service_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "os/dir.h"
#include "os/time.h"
#include "windows/proc_priv.h"


enum {
    LIMIT            = 90000,      /* ms: for a start or a stop */
    LOOK_AGAIN       = 50,
    SHUTDOWN_LIMIT   = 60000,      /* that the system waits at its end */
    RECOVERY_MEMORY  = 86400       /* s without a death: count anew */
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

    switch (err) {

    case ERROR_SERVICE_DOES_NOT_EXIST:
        advice = "it is not installed";
        break;

    case ERROR_ACCESS_DENIED:
        advice = "access denied: run this as administrator";
        break;

    case ERROR_SERVICE_EXISTS:
        advice = "it is installed already";
        break;

    case ERROR_SERVICE_ALREADY_RUNNING:
        advice = "it runs already";
        break;

    case ERROR_SERVICE_NOT_ACTIVE:
        advice = "it does not run";
        break;

    case ERROR_SERVICE_MARKED_FOR_DELETE:
        advice = "it is being uninstalled: close what shows it (the services "
                 "console) and try again";
        break;

    case ERROR_TIMEOUT:
        advice = "it takes too long; see its error log";
        break;

    default:
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

/* The quoted path of this program, and the arguments; malloc'ed. */
static wchar_t *
command_line(const char *const *argv)
{
    char         *line;
    size_t        n, len;
    wchar_t      *program, *wide;
    const char  **all;

    for (n = 0; argv[n] != NULL; n++) {
        /* count */
    }

    program = lun_wide_program(&len);
    all = calloc(n + 2, sizeof(char *));
    wide = NULL;

    if (program != NULL && all != NULL) {
        memcpy(all + 1, argv, n * sizeof(char *));
        all[0] = lun_wide_text(program);
        line = all[0] != NULL ? lun_command_join(all) : NULL;
        wide = line != NULL ? lun_wide_dup(line) : NULL;
        free(line);
        free((char *) all[0]);
    }

    free(all);
    free(program);
    return wide;
}


/* None of it is needed to serve: what an old system lacks is left out. */
static void
describe(SC_HANDLE service)
{
    static wchar_t    text[] = L"Serves HTTP and runs Lua scripts.";
    static SC_ACTION  actions[] = {
        { SC_ACTION_RESTART, 1000 },
        { SC_ACTION_RESTART, 5000 },
        { SC_ACTION_RESTART, 60000 }
    };

    SERVICE_DESCRIPTIONW           description = { text };
    SERVICE_FAILURE_ACTIONSW       failure;
    SERVICE_FAILURE_ACTIONS_FLAG   flag = { TRUE };
    SERVICE_PRESHUTDOWN_INFO       shutdown = { SHUTDOWN_LIMIT };

    memset(&failure, 0, sizeof(failure));
    failure.dwResetPeriod = RECOVERY_MEMORY;
    failure.cActions = LUN_ARRAY_LEN(actions);
    failure.lpsaActions = actions;

    ChangeServiceConfig2W(service, SERVICE_CONFIG_DESCRIPTION, &description);
    ChangeServiceConfig2W(service, SERVICE_CONFIG_FAILURE_ACTIONS, &failure);
    ChangeServiceConfig2W(service, SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, &flag);
    ChangeServiceConfig2W(service, SERVICE_CONFIG_PRESHUTDOWN_INFO, &shutdown);
}


static lun_err
grant_folder(const char *path, const wchar_t *name, bool write)
{
    lun_err        err;
    lun_wide_path  w;

    if (write) {
        err = lun_dir_make_all(path, 0700);

        if (err != 0 && lun_err_kind_of(err) != LUN_ERR_EXISTS) {
            return err;
        }
    }

    err = lun_wide_path_of(&w, path, 0);

    if (err == 0) {
        err = lun_grant(w.text, name, write);
        lun_wide_end(&w);
    }

    return err;
}


static void
grant(const lun_service_spec *spec, const wchar_t *name, char *note,
    size_t room)
{
    char       path[4096];
    size_t     i;
    lun_err    err;

    static const struct {
        const char  *name;
        bool         write;
    } folders[] = {
        { "", false }, { "logs", true }, { "client_body_temp", true }
    };

    for (i = 0; i < LUN_ARRAY_LEN(folders); i++) {
        *lun_fmt(path, path + sizeof(path) - 1, "%s%s", spec->prefix,
                 folders[i].name) = 0;
        err = grant_folder(path, name, folders[i].write);

        if (err != 0 && *note == 0) {
            *lun_fmt(note, note + room - 1, "could not let NT SERVICE\\%s %s "
                     "\"%s\" (%d)", spec->name,
                     folders[i].write ? "write to" : "read", path, err) = 0;
        }
    }
}


/* The key above all services names none: no slashes, and not too long. */
static bool
is_good_name(const char *name)
{
    char    c;
    size_t  i;

    for (i = 0; name[i] != 0; i++) {
        c = lun_lower(name[i]);

        if (!(c >= 'a' && c <= 'z') && !lun_is_digit(c)
            && strchr("-_.", c) == NULL)
        {
            return false;
        }
    }

    return i > 0 && i <= 80;
}


lun_rc
lun_service_install(const lun_service_spec *spec, char *note,
    size_t note_room, char *why, size_t room)
{
    DWORD      err;
    entry      e;
    wchar_t   *line;
    wchar_t    account[128];

    *note = 0;

    if (!is_good_name(spec->name)) {
        *lun_fmt(why, why + room - 1, "a service's name is letters, digits, "
                 "'-', '_' and '.': \"%s\" is none", spec->name) = 0;
        return LUN_ERROR;
    }

    err = open_entry(&e, spec->name, SC_MANAGER_CREATE_SERVICE, 0);

    if (err == 0) {
        _snwprintf(account, LUN_ARRAY_LEN(account), L"NT SERVICE\\%ls",
                   e.name);
        line = command_line(spec->argv);
        e.service = line == NULL ? NULL
                    : CreateServiceW(e.manager, e.name, e.name,
                                     SERVICE_ALL_ACCESS,
                                     SERVICE_WIN32_OWN_PROCESS,
                                     SERVICE_AUTO_START, SERVICE_ERROR_NORMAL,
                                     line, NULL, NULL, NULL, account, NULL);
        err = e.service != NULL ? 0 : GetLastError();
        free(line);
    }

    if (err == 0) {
        describe(e.service);
        err = (DWORD) lun_event_register(e.name);

        if (err != 0) {
            *lun_fmt(note, note + note_room - 1, "could not register the "
                     "source of its events (%u)", (unsigned) err) = 0;
            err = 0;
        }

        grant(spec, e.name, note, note_room);
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "install", spec->name, err);
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

    until = lun_time_monotonic() + LIMIT;

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


lun_rc
lun_service_uninstall(const char *name, char *why, size_t room)
{
    DWORD  err;
    entry  e;

    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_STOP | SERVICE_QUERY_STATUS | DELETE);

    if (err == 0) {
        err = stop(e.service);

        if (err == 0 || err == ERROR_SERVICE_NOT_ACTIVE) {
            err = DeleteService(e.service) ? 0 : GetLastError();
        }
    }

    if (err == 0) {
        lun_event_unregister(e.name);
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "uninstall", name, err);
}


lun_rc
lun_service_start(const char *name, char *why, size_t room)
{
    DWORD                    err;
    entry                    e;
    SERVICE_STATUS_PROCESS   s;

    err = open_entry(&e, name, SC_MANAGER_CONNECT,
                     SERVICE_START | SERVICE_QUERY_STATUS);

    if (err == 0) {
        err = StartServiceW(e.service, 0, NULL) ? 0 : GetLastError();
    }

    if (err == 0) {
        err = await(e.service, SERVICE_START_PENDING, &s);
    }

    close_entry(&e);

    if (err == 0 && s.dwCurrentState != SERVICE_RUNNING) {
        *lun_fmt(why, why + room - 1, "service \"%s\" ended at once: see its "
                 "error log, or the event log if it could not open that",
                 name) = 0;
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


lun_rc
lun_service_reload(const char *name, char *why, size_t room)
{
    DWORD           err;
    entry           e;
    SERVICE_STATUS  now;

    err = open_entry(&e, name, SC_MANAGER_CONNECT, SERVICE_PAUSE_CONTINUE);

    if (err == 0) {
        err = ControlService(e.service, SERVICE_CONTROL_PARAMCHANGE, &now)
              ? 0 : GetLastError();
    }

    close_entry(&e);
    return err == 0 ? LUN_OK : say(why, room, "reload", name, err);
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
    DWORD                   n;
    QUERY_SERVICE_CONFIGW  *config;

    *account = 0;
    config = calloc(1, 8192);

    if (config != NULL && QueryServiceConfigW(service, config, 8192, &n)
        && config->lpServiceStartName != NULL)
    {
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
    return err == 0 ? LUN_OK : say(why, room, "ask", name, err);
}

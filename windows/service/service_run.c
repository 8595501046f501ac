/*
 * service_run.c -- inside the process that the service manager has started.
 *
 * The manager wants the main thread for itself; the server runs on the thread
 * that it makes for us.  Controls become words: they go to the server through
 * its port, as those of a console do.
 *
 * It is "starting" until its workers accept.  A stop drains: the server is
 * told to quit, and to stop when it has not gone within its patience.
 * Meanwhile a thread tells the manager that we are getting on, or it would
 * take us for dead.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/service/service_priv.h"

#include "base/fmt.h"
#include "os/time.h"
#include "windows/proc_priv.h"


enum {
    REOPEN_CONTROL = 129,          /* sc control NAME 129 */
    HINT           = 10000,        /* ms: the next sign of life */
    STEP           = 1000,         /* between two */
    START_PATIENCE = 30000         /* then it runs, whatever its workers do */
};

static struct {
    wchar_t                *name;
    lun_service_fn         *serve;
    void                   *data;
    int                     status;
    SERVICE_STATUS_HANDLE   manager;       /* NULL: this is no service */
    SRWLOCK                 lock;
    SERVICE_STATUS          now;
    uint64_t                began;         /* ms */
    uint64_t                told;          /* when it last gave a sign */
} service = { .lock = SRWLOCK_INIT };


/* From any thread; a service that has stopped says nothing more. */
static void
report(DWORD state, DWORD hint, int status)
{
    SERVICE_STATUS  *s;

    AcquireSRWLockExclusive(&service.lock);
    s = &service.now;

    if (s->dwCurrentState != SERVICE_STOPPED) {
        s->dwServiceType = SERVICE_WIN32_OWN_PROCESS;
        s->dwCheckPoint = state == SERVICE_RUNNING || state == SERVICE_STOPPED
                          ? 0 : s->dwCheckPoint + 1;
        s->dwCurrentState = state;
        s->dwWaitHint = hint;
        s->dwControlsAccepted = state == SERVICE_RUNNING
                                ? SERVICE_ACCEPT_STOP
                                  | SERVICE_ACCEPT_PARAMCHANGE
                                  | SERVICE_ACCEPT_PRESHUTDOWN
                                : 0;
        s->dwWin32ExitCode = status != 0 ? ERROR_SERVICE_SPECIFIC_ERROR : 0;
        s->dwServiceSpecificExitCode = (DWORD) status;
        SetServiceStatus(service.manager, s);
    }

    ReleaseSRWLockExclusive(&service.lock);
}


static void
event(lun_log_level level, const char *text)
{
    lun_event_log(level, text, strlen(text));
}


static DWORD WINAPI
drain(void *data)
{
    int  i;

    lun_signal_send(LUN_SIGNAL_QUIT);

    for (i = 1; service.now.dwCurrentState != SERVICE_STOPPED; i++) {
        Sleep(STEP);
        report(SERVICE_STOP_PENDING, HINT, 0);

        if (i == LUN_SERVICE_PATIENCE / STEP) {
            event(LUN_LOG_WARN, "requests still run after a minute: they are "
                  "cut off");
            lun_signal_send(LUN_SIGNAL_STOP);
        }
    }

    return 0;
}


static void
begin_stop(void)
{
    HANDLE  thread;

    report(SERVICE_STOP_PENDING, HINT, 0);
    thread = CreateThread(NULL, 0, drain, NULL, 0, NULL);

    if (thread == NULL) {
        lun_signal_send(LUN_SIGNAL_STOP);
        return;
    }

    CloseHandle(thread);
}


static DWORD WINAPI
on_control(DWORD control, DWORD event, void *what, void *data)
{
    switch (control) {

    case SERVICE_CONTROL_INTERROGATE:
        return NO_ERROR;

    case SERVICE_CONTROL_STOP:
    case SERVICE_CONTROL_PRESHUTDOWN:
        begin_stop();
        return NO_ERROR;

    case SERVICE_CONTROL_PARAMCHANGE:
        lun_signal_send(LUN_SIGNAL_RELOAD);
        return NO_ERROR;

    case REOPEN_CONTROL:
        lun_signal_send(LUN_SIGNAL_REOPEN);
        return NO_ERROR;

    default:
        return ERROR_CALL_NOT_IMPLEMENTED;
    }
}


static void WINAPI
service_main(DWORD argc, wchar_t **argv)
{
    service.manager = RegisterServiceCtrlHandlerExW(service.name, on_control,
                                                    NULL);
    if (service.manager == NULL) {
        service.status = 1;
        return;
    }

    lun_event_open(service.name);
    service.began = service.told = lun_time_monotonic();
    report(SERVICE_START_PENDING, HINT, 0);

    service.status = service.serve(service.data);

    if (service.status != 0) {
        event(LUN_LOG_ERR, "the server could not start or had to end; see "
              "its error log");
    }

    report(SERVICE_STOPPED, 0, service.status);
}


bool
lun_service_starting(void)
{
    uint64_t  now;

    if (service.manager == NULL) {
        return false;
    }

    now = lun_time_monotonic();

    /* Who never runs can't be stopped: no control is accepted before that. */
    if (now - service.began >= START_PATIENCE) {
        report(SERVICE_RUNNING, 0, 0);
        event(LUN_LOG_WARN, "the server has started, but not all workers "
              "serve yet; see its error log");
        return false;
    }

    if (now - service.told >= STEP) {
        service.told = now;
        report(SERVICE_START_PENDING, HINT, 0);
    }

    return true;
}


void
lun_service_ready(void)
{
    if (service.manager != NULL) {
        report(SERVICE_RUNNING, 0, 0);
        event(LUN_LOG_NOTICE, "the server has started");
    }
}


/*
 * Typed by hand there is no manager to talk to, which is the one error that
 * people meet.
 */
lun_rc
lun_service_run(const char *name, lun_service_fn *serve, void *data,
    int *status, char *why, size_t room)
{
    char                  text[256];
    lun_str               words;
    DWORD                 err;
    SERVICE_TABLE_ENTRYW  table[2];

    memset(table, 0, sizeof(table));
    service.name = lun_wide_dup(name);
    service.serve = serve;
    service.data = data;

    table[0].lpServiceName = service.name;
    table[0].lpServiceProc = service_main;

    if (service.name != NULL && StartServiceCtrlDispatcherW(table)) {
        *status = service.status;
        return LUN_OK;
    }

    err = GetLastError();

    if (err == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
        *lun_fmt(why, why + room - 1, "\"service run\" is for the service "
                 "manager; use \"service start\"") = 0;
        return LUN_ERROR;
    }

    words = lun_err_text((lun_err) err, text, sizeof(text));
    *lun_fmt(why, why + room - 1, "the service manager does not answer "
             "(%u: %.*s)", (unsigned) err, LUN_S(words)) = 0;
    return LUN_ERROR;
}

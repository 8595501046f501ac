/*
 * control.c -- words to a master through a named pipe, and its answers.
 *
 * One line each way: "reload" -> "ok ..." or "error ...".  The pipe lets in
 * SYSTEM, administrators and the account that the master runs as, from this
 * machine only; a client makes sure that the process at the other end is the
 * one it means, since anybody may have taken the name of a pipe that is gone.
 *
 * Each instance serves one client at a time, in the states below; in each but
 * ANSWERING exactly one operation of it is with the kernel.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/control.h"

#include "windows/proc_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "os/time.h"


enum {
    INSTANCES = 4,
    LINE      = LUN_LOG_LINE + 16      /* an answer may be a line of the log */
};

typedef enum {
    CLOSED,
    CONNECTING,                    /* for a client to come */
    READING,                       /* its word */
    ANSWERING,                     /* the word is out: the master works on it */
    WRITING,                       /* the answer */
    LEAVING                        /* for the client to close its end */
} state;

struct lun_control {
    OVERLAPPED  ov;
    HANDLE      pipe;
    state       state;
    size_t      have;
    char        line[LINE];
};

static struct {
    lun_control_fn  *on_signal;
    void            *data;
    lun_port        *port;
    lun_control      instances[INSTANCES];
} server;


static void
pipe_name(wchar_t *name, size_t room, int64_t pid)
{
    _snwprintf(name, room, L"\\\\.\\pipe\\" LUN_PRODUCT "-%u", (unsigned) pid);
}


/* --- the master's side --- */

static void on_pipe(lun_port *port, void *what, uint32_t bytes);


static void
restart(lun_control *c)
{
    DWORD  err;

    c->state = CONNECTING;
    c->have = 0;
    DisconnectNamedPipe(c->pipe);
    memset(&c->ov, 0, sizeof(c->ov));

    err = ConnectNamedPipe(c->pipe, &c->ov) ? 0 : GetLastError();

    /* A client was faster than we: then no packet comes by itself. */
    if (err == ERROR_PIPE_CONNECTED) {
        lun_port_packet(server.port, on_pipe, &c->ov);

    } else if (err != 0 && err != ERROR_IO_PENDING) {
        c->state = CLOSED;
    }
}


/* Started, or failed with a packet: what is done at once posts one too. */
static void
check_started(lun_control *c, BOOL done)
{
    if (!done && GetLastError() != ERROR_IO_PENDING) {
        restart(c);
    }
}


static void
read_on(lun_control *c, state next)
{
    c->state = next;
    memset(&c->ov, 0, sizeof(c->ov));
    check_started(c, ReadFile(c->pipe, c->line + c->have,
                              (DWORD) (LINE - c->have), NULL, &c->ov));
}


static lun_signal
word_of(lun_str name)
{
    int  signal;

    for (signal = LUN_SIGNAL_NONE + 1; signal < LUN_SIGNALS; signal++) {
        if (lun_str_eq(name, lun_str_z(lun_signal_name((lun_signal) signal)))) {
            return (lun_signal) signal;
        }
    }

    return LUN_SIGNAL_NONE;
}


static void
take_line(lun_control *c)
{
    lun_str      name;
    lun_signal   signal;
    const char  *end;

    end = lun_str_chr(lun_str_of(c->line, c->have), '\n');

    if (end == NULL && c->have < LINE) {
        read_on(c, READING);
        return;
    }

    c->state = ANSWERING;
    name = lun_str_trim(lun_str_of(c->line, end ? (size_t) (end - c->line)
                                                : 0));
    signal = word_of(name);

    if (signal == LUN_SIGNAL_NONE) {
        lun_control_answer(c, false, "unknown word");
        return;
    }

    server.on_signal(server.data, signal, c);
}


static void
on_pipe(lun_port *port, void *what, uint32_t bytes)
{
    bool          failed;
    lun_control  *c;

    c = lun_container_of(what, lun_control, ov);
    failed = c->ov.Internal != 0;

    switch (c->state) {

    case CLOSED:
    case ANSWERING:
        return;

    case CONNECTING:
        if (failed) {
            restart(c);
        } else {
            read_on(c, READING);
        }
        return;

    case READING:
        if (failed || bytes == 0) {
            restart(c);
            return;
        }

        c->have += bytes;
        take_line(c);
        return;

    case WRITING:
        /* Hanging up first would throw the answer away. */
        c->have = 0;
        read_on(c, LEAVING);
        return;

    case LEAVING:
        restart(c);
        return;
    }
}


void
lun_control_answer(lun_control *c, bool ok, const char *text)
{
    char  *end;

    if (c == NULL || c->state != ANSWERING) {
        return;
    }

    end = lun_fmt(c->line, c->line + LINE - 1, "%s %s", ok ? "ok" : "error",
                  text ? text : "");
    *end++ = '\n';

    c->state = WRITING;
    memset(&c->ov, 0, sizeof(c->ov));
    check_started(c, WriteFile(c->pipe, c->line, (DWORD) (end - c->line), NULL,
                               &c->ov));
}


static lun_err
open_instance(lun_control *c, const wchar_t *name, SECURITY_ATTRIBUTES *sa,
    bool first)
{
    lun_err  err;

    c->pipe = CreateNamedPipeW(name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED
                               | (first ? FILE_FLAG_FIRST_PIPE_INSTANCE : 0),
                               PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT
                               | PIPE_REJECT_REMOTE_CLIENTS,
                               INSTANCES, LINE, LINE, 0, sa);

    if (c->pipe == INVALID_HANDLE_VALUE) {
        return (lun_err) GetLastError();
    }

    err = lun_port_bind(server.port, c->pipe, on_pipe);

    if (err) {
        CloseHandle(c->pipe);
        return err;
    }

    restart(c);
    return 0;
}


/* What is typed at the console has nobody to answer. */
static void
on_console_word(void *data, lun_signal signal)
{
    server.on_signal(server.data, signal, NULL);
}


/*
 * The first instance claims the name (FILE_FLAG_FIRST_PIPE_INSTANCE): somebody
 * who sits on it already is an error and not a partner.
 */
lun_err
lun_control_open(lun_port *port, lun_control_fn *on_signal, void *data)
{
    int                  i;
    lun_err              err;
    wchar_t              name[64];
    SECURITY_ATTRIBUTES  sa;

    server.port = port;
    server.on_signal = on_signal;
    server.data = data;
    lun_signal_listen(port, on_console_word, NULL);

    err = lun_owner_access(&sa);

    if (err) {
        return err;
    }

    pipe_name(name, LUN_ARRAY_LEN(name), GetCurrentProcessId());

    for (i = 0; i < INSTANCES && err == 0; i++) {
        err = open_instance(&server.instances[i], name, &sa, i == 0);
    }

    LocalFree(sa.lpSecurityDescriptor);

    if (err) {
        lun_control_close();
    }

    return err;
}


void
lun_control_close(void)
{
    int           i;
    lun_control  *c;

    for (i = 0; i < INSTANCES; i++) {
        c = &server.instances[i];

        if (c->state != CLOSED) {
            c->state = CLOSED;
            CloseHandle(c->pipe);
        }
    }

    if (server.port != NULL) {
        lun_signal_listen(server.port, NULL, NULL);
        server.port = NULL;
    }
}


/* --- the client's side --- */

static DWORD
left_of(uint64_t until)
{
    uint64_t  now;

    now = lun_time_monotonic();
    return until > now ? (DWORD) lun_min(until - now, (uint64_t) INT32_MAX) : 0;
}


/* Whether this end's other one is the process that we mean. */
static bool
is_master(HANDLE pipe, int64_t pid)
{
    ULONG  server_pid;

    return GetNamedPipeServerProcessId(pipe, &server_pid)
           && (int64_t) server_pid == pid;
}


/*
 * Who owns the pipe is asked before a word is sent: another process could have
 * made one of that name.
 */
static lun_err
dial(int64_t pid, uint64_t until, HANDLE *pipe)
{
    DWORD    left;
    lun_err  err;
    wchar_t  name[64];

    pipe_name(name, LUN_ARRAY_LEN(name), pid);

    for ( ;; ) {
        *pipe = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL,
                            OPEN_EXISTING, FILE_FLAG_OVERLAPPED
                            | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                            NULL);

        if (*pipe != INVALID_HANDLE_VALUE) {
            if (is_master(*pipe, pid)) {
                return 0;
            }

            CloseHandle(*pipe);
            return ERROR_FILE_NOT_FOUND;
        }

        err = (lun_err) GetLastError();
        left = left_of(until);

        if (err != ERROR_PIPE_BUSY || left == 0) {
            return err;
        }

        WaitNamedPipeW(name, left);
    }
}


/* Waits for a started operation; cancels it when the time is over. */
static lun_err
await(HANDLE pipe, OVERLAPPED *ov, BOOL done, uint64_t until, DWORD *n)
{
    if (!done && GetLastError() != ERROR_IO_PENDING) {
        return (lun_err) GetLastError();
    }

    if (WaitForSingleObject(ov->hEvent, left_of(until)) != WAIT_OBJECT_0) {
        CancelIoEx(pipe, ov);

        if (!GetOverlappedResult(pipe, ov, n, TRUE)) {
            return ERROR_TIMEOUT;
        }
        return 0;
    }

    return GetOverlappedResult(pipe, ov, n, FALSE) ? 0
           : (lun_err) GetLastError();
}


/* Says the word, and reads one line into `line`. */
static lun_err
converse(HANDLE pipe, lun_signal signal, uint64_t until, char *line,
    size_t room)
{
    BOOL        done;
    char       *end;
    DWORD       n;
    size_t      have;
    lun_err     err;
    OVERLAPPED  ov;

    end = lun_fmt(line, line + room - 1, "%s\n", lun_signal_name(signal));
    memset(&ov, 0, sizeof(ov));
    ov.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);

    if (ov.hEvent == NULL) {
        return (lun_err) GetLastError();
    }

    done = WriteFile(pipe, line, (DWORD) (end - line), NULL, &ov);
    err = await(pipe, &ov, done, until, &n);

    for (have = 0; err == 0; have += n) {
        if (have > 0 && line[have - 1] == '\n') {
            break;
        }

        done = ReadFile(pipe, line + have, (DWORD) (room - 1 - have), NULL,
                        &ov);
        err = await(pipe, &ov, done, until, &n);

        if (err == 0 && n == 0) {
            err = ERROR_BROKEN_PIPE;
        }
    }

    CloseHandle(ov.hEvent);
    line[have] = 0;
    return err;
}


static void
explain(char *why, size_t room, lun_err err, int64_t pid, lun_msec limit)
{
    char     text[128], *end;
    lun_str  words;

    end = why + room - 1;

    switch (err) {

    case ERROR_FILE_NOT_FOUND:
        end = lun_fmt(why, end, "not running: there is no " LUN_PRODUCT " with "
                      "process number %" PRId64, pid);
        break;

    case ERROR_ACCESS_DENIED:
        end = lun_fmt(why, end, "access denied: run this as administrator, or "
                      "as the account that started " LUN_PRODUCT);
        break;

    case ERROR_TIMEOUT:
    case ERROR_PIPE_BUSY:
        end = lun_fmt(why, end, "process %" PRId64 " gave no answer within "
                      "%" PRIu64 " ms", pid, limit);
        break;

    case ERROR_BROKEN_PIPE:
    case ERROR_PIPE_NOT_CONNECTED:
        end = lun_fmt(why, end, "process %" PRId64 " ended without an answer",
                      pid);
        break;

    default:
        words = lun_err_text(err, text, sizeof(text));
        end = lun_fmt(why, end, "control pipe of process %" PRId64 " (%d: "
                      "%.*s)", pid, err, LUN_S(words));
        break;
    }

    *end = 0;
}


/* It has promised to end: a start right behind this finds the ports free. */
static void
await_end(int64_t pid, uint64_t until)
{
    HANDLE  process;

    process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD) pid);

    if (process != NULL) {
        WaitForSingleObject(process, left_of(until));
        CloseHandle(process);
    }
}


lun_rc
lun_control_send(int64_t pid, lun_signal signal, lun_msec limit, char *why,
    size_t room)
{
    char      line[LINE];
    HANDLE    pipe;
    lun_str   answer;
    lun_err   err;
    uint64_t  until;

    until = lun_time_monotonic();
    until = limit > UINT64_MAX - until ? UINT64_MAX : until + limit;
    err = dial(pid, until, &pipe);

    if (err) {
        explain(why, room, err, pid, limit);
        return LUN_ERROR;
    }

    err = converse(pipe, signal, until, line, sizeof(line));
    CloseHandle(pipe);

    if (err) {
        /* It has gone rather than said that it would: as was wished. */
        if (lun_err_kind_of(err) == LUN_ERR_RESET
            && signal == LUN_SIGNAL_STOP) {
            *why = 0;
            return LUN_OK;
        }

        explain(why, room, err, pid, limit);
        return LUN_ERROR;
    }

    answer = lun_str_z(line);
    answer.len--;                       /* the end of the line */

    if (lun_str_starts(answer, LUN_STR("ok"))) {
        if (signal == LUN_SIGNAL_STOP) {
            await_end(pid, until);
        }

        *why = 0;
        return LUN_OK;
    }

    if (lun_str_starts(answer, LUN_STR("error "))) {
        answer.data += 6;
        answer.len -= 6;
    }

    *lun_fmt(why, why + room - 1, "%.*s", LUN_S(answer)) = 0;
    return LUN_ERROR;
}

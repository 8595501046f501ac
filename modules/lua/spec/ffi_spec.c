/*
 * ffi_spec.c -- what `lunette spec` needs of the system, for
 * lua/lunette/spec/io.lua: files, child processes, blocking sockets, time.
 *
 * The runner tests the server's event loop, so it uses none of it: every call
 * here blocks, with a limit, and nothing calls back.  One process, one thread,
 * no request; sockets and processes are small integers and pointers that the
 * Lua side closes.  Functions that fail leave their reason for
 * lun_ffi_spec_error().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>

#include "base/pool.h"
#include "os/control.h"
#include "os/dir.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/sock.h"
#include "os/time.h"
#include "os/user.h"

enum {
    SPEC_TIMED_OUT = -1,
    SPEC_FAILED    = -2
};

/* The words of io.lua's numbers 0 to 5. */
static const lun_signal  words[] = {
    LUN_SIGNAL_QUIT, LUN_SIGNAL_STOP, LUN_SIGNAL_RELOAD, LUN_SIGNAL_REOPEN,
    LUN_SIGNAL_DUMP, LUN_SIGNAL_PROFILE
};

static char  last_error[512];

/* Who sent the datagram that was taken last. */
static lun_addr  last_sender;

/* The names of a folder, each with its zero byte, as far as they fit. */
typedef struct {
    char     *room;
    int64_t   size;
    int64_t   used;
} name_list;

LUN_EXPORT const char *lun_ffi_spec_error(void);
LUN_EXPORT int64_t lun_ffi_spec_now(void);
LUN_EXPORT void lun_ffi_spec_sleep(int64_t msec);
LUN_EXPORT int32_t lun_ffi_spec_make_dir(const char *path);
LUN_EXPORT int32_t lun_ffi_spec_remove(const char *path);
LUN_EXPORT int64_t lun_ffi_spec_list(const char *path, char *room,
    int64_t size);
LUN_EXPORT int64_t lun_ffi_spec_size(const char *path);
LUN_EXPORT int64_t lun_ffi_spec_read(const char *path, int64_t at, char *buf,
    int64_t size);
LUN_EXPORT int32_t lun_ffi_spec_write(const char *path, const char *data,
    int64_t size);
LUN_EXPORT int32_t lun_ffi_spec_date(const char *path, int64_t sec);
LUN_EXPORT int32_t lun_ffi_spec_current(char *room, int32_t size);
LUN_EXPORT int32_t lun_ffi_spec_program(char *room, int32_t size);
LUN_EXPORT int32_t lun_ffi_spec_cpus(void);
LUN_EXPORT int64_t lun_ffi_spec_pid(void);
LUN_EXPORT int32_t lun_ffi_spec_is_root(void);
LUN_EXPORT void lun_ffi_spec_setenv(const char *name, const char *value);
LUN_EXPORT lun_proc *lun_ffi_spec_run(const char *const *argv, const char *out,
    const char *err);
LUN_EXPORT int32_t lun_ffi_spec_wait(lun_proc *proc, int64_t msec,
    int32_t *code);
LUN_EXPORT int64_t lun_ffi_spec_proc_pid(const lun_proc *proc);
LUN_EXPORT void lun_ffi_spec_kill(lun_proc *proc);
LUN_EXPORT void lun_ffi_spec_forget(lun_proc *proc);
LUN_EXPORT int32_t lun_ffi_spec_signal(int64_t pid, int32_t word, int64_t msec);
LUN_EXPORT int64_t lun_ffi_spec_connect(const char *addr, int64_t msec);
LUN_EXPORT int64_t lun_ffi_spec_listen(const char *addr);
LUN_EXPORT int64_t lun_ffi_spec_bind(const char *text);
LUN_EXPORT int64_t lun_ffi_spec_take(int64_t fd, char *buf, int64_t size);
LUN_EXPORT int32_t lun_ffi_spec_reply(int64_t fd, const char *buf,
    int64_t size);
LUN_EXPORT int64_t lun_ffi_spec_accept(int64_t fd, int64_t msec);
LUN_EXPORT int64_t lun_ffi_spec_recv(int64_t fd, char *buf, int64_t size,
    int64_t msec);
LUN_EXPORT int32_t lun_ffi_spec_send(int64_t fd, const char *buf, int64_t size,
    int64_t msec);
LUN_EXPORT int32_t lun_ffi_spec_shutdown(int64_t fd);
LUN_EXPORT void lun_ffi_spec_abort(int64_t fd);
LUN_EXPORT void lun_ffi_spec_close(int64_t fd);

/* --- what went wrong --- */

static int32_t
failed(const char *what, lun_err err)
{
    char     room[256];
    lun_str  text;

    text = lun_err_text(err, room, sizeof(room));
    snprintf(last_error, sizeof(last_error), "%s: %.*s", what, LUN_S(text));
    return SPEC_FAILED;
}

static int32_t
answer(const char *what, lun_err err)
{
    return err == 0 ? 0 : failed(what, err);
}

/* A limit that passed is an answer of its own, not a failure. */
static int32_t
failed_or_late(const char *what, lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_AGAIN:
    case LUN_ERR_TIMEOUT:
        snprintf(last_error, sizeof(last_error), "%s: timed out", what);
        return SPEC_TIMED_OUT;

    default:
        return failed(what, err);
    }
}

const char *
lun_ffi_spec_error(void)
{
    return last_error;
}

/* --- time --- */

/* Microseconds of a clock that never goes back. */
int64_t
lun_ffi_spec_now(void)
{
    return (int64_t) lun_time_monotonic_us();
}

void
lun_ffi_spec_sleep(int64_t msec)
{
    lun_time_sleep((lun_msec) msec);
}

/* --- files --- */

/* With every folder above it; fine when it is there. */
int32_t
lun_ffi_spec_make_dir(const char *path)
{
    return answer(path, lun_dir_make_all(path, 0755));
}

/* A file, or a folder and all that is in it; fine when it is not there. */
int32_t
lun_ffi_spec_remove(const char *path)
{
    lun_err  err = lun_dir_remove_tree(path);

    return lun_err_kind_of(err) == LUN_ERR_NOT_FOUND ? 0 : answer(path, err);
}

static bool
add_name(void *data, const char *name, bool is_dir)
{
    name_list  *list = data;
    int64_t     size = (int64_t) strlen(name) + 1;

    if (list->used + size <= list->size) {
        memcpy(list->room + list->used, name, (size_t) size);
    }

    list->used += size;
    return true;
}

/* The bytes that all names need; those that do not fit are left out. */
int64_t
lun_ffi_spec_list(const char *path, char *room, int64_t size)
{
    lun_err    err;
    name_list  list = { room, size, 0 };

    err = lun_dir_list(path, add_name, &list);
    return err == 0 ? list.used : failed(path, err);
}

/* Bytes of a file; negative when there is none. */
int64_t
lun_ffi_spec_size(const char *path)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_file_stat(path, &info);
    return err == 0 ? info.size : failed(path, err);
}

int64_t
lun_ffi_spec_read(const char *path, int64_t at, char *buf, int64_t size)
{
    lun_fd   fd;
    size_t   done = 0;
    lun_err  err;

    err = lun_file_open(path, LUN_FILE_READ, 0, &fd);
    if (err != 0) {
        return failed(path, err);
    }

    err = lun_file_read(fd, buf, (size_t) size, at, &done);
    lun_file_close(fd);
    return err == 0 ? (int64_t) done : failed(path, err);
}

int32_t
lun_ffi_spec_write(const char *path, const char *data, int64_t size)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC,
                        0644, &fd);
    if (err != 0) {
        return failed(path, err);
    }

    err = lun_file_write(fd, data, (size_t) size, 0);
    lun_file_close(fd);
    return answer(path, err);
}

/* Makes the file as old as that. */
int32_t
lun_ffi_spec_date(const char *path, int64_t sec)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open(path, LUN_FILE_WRITE, 0, &fd);
    if (err != 0) {
        return failed(path, err);
    }

    err = lun_file_set_mtime(fd, sec);
    lun_file_close(fd);
    return answer(path, err);
}

int32_t
lun_ffi_spec_current(char *room, int32_t size)
{
    return answer("current folder", lun_dir_current(room, (size_t) size));
}

/* The folder of this executable. */
int32_t
lun_ffi_spec_program(char *room, int32_t size)
{
    return answer("program's folder", lun_dir_program(room, (size_t) size));
}

/* --- processes --- */

int32_t
lun_ffi_spec_cpus(void)
{
    return lun_proc_cpus();
}

int64_t
lun_ffi_spec_pid(void)
{
    return lun_proc_pid();
}

int32_t
lun_ffi_spec_is_root(void)
{
    return lun_user_is_root();
}

void
lun_ffi_spec_setenv(const char *name, const char *value)
{
    lun_env_set(name, value);
}

/* NULL when it can't be started.  Give it back with lun_ffi_spec_forget(). */
lun_proc *
lun_ffi_spec_run(const char *const *argv, const char *out, const char *err)
{
    lun_err           rc;
    lun_proc         *proc;
    lun_proc_command  command = { .argv = argv, .out = out, .err = err };

    proc = lun_calloc(sizeof(lun_proc));
    rc = lun_proc_run(&command, proc);
    if (rc != 0) {
        (void) failed(argv[0], rc);
        lun_free(proc);
        return NULL;
    }

    return proc;
}

/* 1: it has ended with *code; 0: it still runs after `msec`. */
int32_t
lun_ffi_spec_wait(lun_proc *proc, int64_t msec, int32_t *code)
{
    int     status = 0;
    lun_rc  rc;

    rc = lun_proc_wait(proc, (lun_msec) msec, &status);
    if (rc == LUN_AGAIN) {
        return 0;
    }

    *code = rc == LUN_OK ? status : -1;
    return 1;
}

int64_t
lun_ffi_spec_proc_pid(const lun_proc *proc)
{
    return proc->pid;
}

void
lun_ffi_spec_kill(lun_proc *proc)
{
    lun_proc_kill(proc);
}

void
lun_ffi_spec_forget(lun_proc *proc)
{
    lun_proc_forget(proc);
    lun_free(proc);
}

int32_t
lun_ffi_spec_signal(int64_t pid, int32_t word, int64_t msec)
{
    lun_rc  rc;

    rc = lun_control_send(pid, words[word], (lun_msec) msec, last_error,
                          sizeof(last_error));
    return rc == LUN_OK ? 0 : SPEC_FAILED;
}

/* --- sockets --- */

/* "127.0.0.1:80", "[::1]:80", "unix:/path". */
static int32_t
parse_addr(const char *text, lun_addr *addr)
{
    if (lun_addr_parse(lun_str_z(text), addr) == LUN_OK) {
        return 0;
    }

    snprintf(last_error, sizeof(last_error), "bad address \"%s\"", text);
    return SPEC_FAILED;
}

int64_t
lun_ffi_spec_connect(const char *text, int64_t msec)
{
    lun_fd    fd;
    lun_err   err;
    lun_addr  addr;

    lun_sock_init();
    if (parse_addr(text, &addr) != 0) {
        return SPEC_FAILED;
    }

    err = lun_sock_connect_wait(&addr, (lun_msec) msec, &fd);
    if (err != 0) {
        return failed_or_late("connect()", err);
    }

    if (addr.family != LUN_AF_UNIX) {
        (void) lun_sock_nodelay(fd, true);
    }

    return fd;
}

int64_t
lun_ffi_spec_listen(const char *text)
{
    lun_fd              fd;
    lun_err             err;
    lun_addr            addr;
    const char         *call = "listen()";
    lun_listen_options  options = { .backlog = 16, .fastopen = -1 };

    lun_sock_init();
    if (parse_addr(text, &addr) != 0) {
        return SPEC_FAILED;
    }

    err = lun_sock_listen(&addr, &options, &fd, &call);
    return err == 0 ? fd : failed(call, err);
}

/* A socket for datagrams. */
int64_t
lun_ffi_spec_bind(const char *text)
{
    lun_fd    fd;
    lun_err   err;
    lun_addr  addr;

    lun_sock_init();
    if (parse_addr(text, &addr) != 0) {
        return SPEC_FAILED;
    }

    err = lun_sock_datagram(addr.family, &fd);
    if (err != 0) {
        return failed("socket()", err);
    }

    err = lun_sock_bind(fd, &addr);
    if (err != 0) {
        lun_sock_close(fd);
        return failed("bind()", err);
    }

    return fd;
}

/* A datagram that is there already; SPEC_TIMED_OUT when there is none. */
int64_t
lun_ffi_spec_take(int64_t fd, char *buf, int64_t size)
{
    size_t   got = 0;
    lun_err  err;

    err = lun_sock_receive_from((lun_fd) fd, buf, (size_t) size, &got,
                                &last_sender);
    return err == 0 ? (int64_t) got : failed_or_late("recvfrom()", err);
}

int32_t
lun_ffi_spec_reply(int64_t fd, const char *buf, int64_t size)
{
    return answer("sendto()", lun_sock_send_to((lun_fd) fd, buf, (size_t) size,
                                               &last_sender));
}

int64_t
lun_ffi_spec_accept(int64_t fd, int64_t msec)
{
    lun_fd   taken;
    lun_err  err;

    err = lun_sock_accept_wait((lun_fd) fd, (lun_msec) msec, &taken);
    return err == 0 ? taken : failed_or_late("accept()", err);
}

/* Bytes, 0 at the end of the stream, or negative. */
int64_t
lun_ffi_spec_recv(int64_t fd, char *buf, int64_t size, int64_t msec)
{
    size_t   got = 0;
    lun_err  err;

    err = lun_sock_recv_wait((lun_fd) fd, buf, (size_t) size, (lun_msec) msec,
                             &got);
    return err == 0 ? (int64_t) got : failed_or_late("recv()", err);
}

/* Sends all of it. */
int32_t
lun_ffi_spec_send(int64_t fd, const char *buf, int64_t size, int64_t msec)
{
    lun_err  err;

    err = lun_sock_send_wait((lun_fd) fd, buf, (size_t) size, (lun_msec) msec);
    return err == 0 ? 0 : failed_or_late("send()", err);
}

int32_t
lun_ffi_spec_shutdown(int64_t fd)
{
    return answer("shutdown()", lun_sock_shutdown_write((lun_fd) fd));
}

void
lun_ffi_spec_abort(int64_t fd)
{
    lun_sock_abort((lun_fd) fd);
}

void
lun_ffi_spec_close(int64_t fd)
{
    lun_sock_close((lun_fd) fd);
}

/*
 * program_launch.c -- a program of an upstream begins: which port or socket it
 * listens at, and with which arguments and environment.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_priv.h"

#include "base/check.h"
#include "base/fmt.h"
#include "os/file.h"
#include "os/lock_file.h"
#include "os/privileged.h"
#include "os/proc.h"


/* Sockets of a slot whose name is taken have others, so many further on. */
enum { TURNS = 8, OTHERS_FROM = 4 * LUN_PROGRAM_MOST };


static lun_addr
port_addr(uint16_t port)
{
    lun_addr  addr;

    LUN_CHECK(lun_addr_parse(LUN_STR("127.0.0.1"), &addr) == LUN_OK);
    addr.port = port;

    return addr;
}


lun_addr
lun_program_addr(lun_str socket, uint32_t slot, uint32_t port,
    char path[LUN_PROGRAM_PATH])
{
    if (socket.len == 0) {
        return port_addr((uint16_t) port);
    }

    *lun_fmt(path, path + LUN_PROGRAM_PATH - 1, "%.*s.%u", LUN_S(socket),
             slot + port * OTHERS_FROM) = '\0';

    return (lun_addr) { .family = LUN_AF_UNIX, .path = path };
}


/* One whose listener has more to do than it can hold is somebody's, too. */
static bool
is_listened_at(const lun_addr *addr)
{
    lun_fd   fd;
    lun_err  err = lun_sock_connect_wait(addr, 0, &fd);

    if (err == 0) {
        lun_sock_close(fd);
    }

    return err == 0 || lun_err_kind_of(err) == LUN_ERR_AGAIN;
}


static void
name_lock(char name[LUN_PROGRAM_PATH + 5], const char *path)
{
    *lun_fmt(name, name + LUN_PROGRAM_PATH + 4, "%s.lock", path) = '\0';
}


/* Whether it is ours: false where somebody has locked or taken it. */
static bool
lock_socket(const lun_addr *addr, lun_fd *lock)
{
    char     name[LUN_PROGRAM_PATH + 5] = "";
    lun_err  err;

    *lock = LUN_FD_NONE;
    name_lock(name, addr->path);
    err = lun_lock_file_take(name, lock);

    /* Where there can't be a lock, the program will say why. */
    if (lun_err_kind_of(err) != LUN_ERR_BUSY && !is_listened_at(addr)) {
        return true;
    }

    lun_program_unlock(addr->path, lock);
    return false;
}


void
lun_program_unlock(const char *path, lun_fd *lock)
{
    char  name[LUN_PROGRAM_PATH + 5] = "";

    if (*lock != LUN_FD_NONE) {
        name_lock(name, path);
        lun_lock_file_drop(name, *lock);
        *lock = LUN_FD_NONE;
    }
}


/*
 * A socket that nobody is behind may have been left by one that is gone; what
 * another server listens at, as the one before us while we take over from it,
 * or where it has begun a program that does not listen yet, stays.
 */
static lun_err
find_socket(const lun_program_spec *spec, uint32_t slot, uint32_t *turn,
    lun_fd *lock)
{
    char      path[LUN_PROGRAM_PATH] = "";
    lun_addr  addr;

    for (*turn = 0; *turn < TURNS; (*turn)++) {
        addr = lun_program_addr(spec->socket, slot, *turn, path);

        if (lock_socket(&addr, lock)) {
            (void) lun_file_delete(path);
            return 0;
        }
    }

    return lun_err_of_kind(LUN_ERR_ADDR_IN_USE);
}


/* One that is free now; if somebody takes it before the program can, that
   says so and ends. */
static lun_err
find_port(uint32_t *port)
{
    lun_fd    fd;
    lun_err   err;
    lun_addr  addr = port_addr(0);

    err = lun_sock_stream(addr.family, &fd);

    if (err != 0) {
        return err;
    }

    err = lun_sock_bind(fd, &addr);

    if (err == 0) {
        err = lun_sock_local(fd, &addr);
    }

    lun_sock_close(fd);
    *port = addr.port;

    return err;
}


/* --- what it is told ----------------------------------------------------- */

/* What is put in place of a name, and its own text. */
typedef struct {
    lun_str  sign;
    lun_str  value;
} replacement;


/* A socket's path is told as it is. */
static lun_str
place_of(lun_pool *pool, const lun_addr *addr)
{
    return addr->family == LUN_AF_UNIX ? lun_str_z(addr->path)
           : lun_pool_fmt(pool, "127.0.0.1:%u", addr->port);
}


static lun_str
port_of(lun_pool *pool, const lun_addr *addr)
{
    return addr->family == LUN_AF_UNIX ? lun_str_z(addr->path)
           : lun_pool_fmt(pool, "%u", addr->port);
}


/* Each of them once, as often as it is needed in practice. */
static lun_str
replace(lun_pool *pool, lun_str text, const replacement *r, size_t n)
{
    size_t       i;
    const char  *at;

    for (i = 0; i < n; i++) {
        at = lun_str_find(text, r[i].sign);

        if (at != NULL) {
            text = lun_pool_fmt(pool, "%.*s%.*s%.*s",
                                (int) (at - text.data), text.data,
                                LUN_S(r[i].value),
                                (int) (text.data + text.len - at
                                       - r[i].sign.len),
                                at + r[i].sign.len);
        }
    }

    return text;
}


static const char **
make_argv(lun_pool *pool, const lun_program_spec *spec, const replacement *r,
    size_t n)
{
    size_t        i;
    lun_str       text;
    const char  **argv;

    argv = lun_pool_new_n(pool, const char *, spec->argv.count + 1);

    for (i = 0; i < spec->argv.count; i++) {
        text = *(lun_str *) lun_array_at(&spec->argv, i);
        argv[i] = lun_pool_strz(pool, i != 0 ? replace(pool, text, r, n)
                                             : text);
    }

    return argv;
}


static bool
same_name(const char *a, const char *b)
{
    size_t  n = strcspn(a, "=");

    return strncmp(a, b, n + 1) == 0;
}


/* Later ones count. */
static void
add_env(const char **env, size_t *n, const char *text)
{
    size_t  i;

    for (i = 0; i < *n && !same_name(env[i], text); i++) { }

    *n += i == *n;
    env[i] = text;
}


/*
 * PHP's own ways to end, and to be several, would be in ours.  Then where to
 * listen, by the names that platforms have for it.
 */
static const struct {
    const char  *name;
    lun_str      value;            /* %...%: as in an argument */
} usual_env[] = {
    { "PHP_FCGI_MAX_REQUESTS", LUN_STR_INIT("0") },
    { "PHP_FCGI_CHILDREN", LUN_STR_INIT("0") },
    { "PORT", LUN_STR_INIT("%PORT%") },
    { "HTTP_PLATFORM_PORT", LUN_STR_INIT("%PORT%") },
    { "ASPNETCORE_PORT", LUN_STR_INIT("%PORT%") },
    { "ASPNETCORE_URLS", LUN_STR_INIT("http://%ADDRESS%") },
    { "ASPNETCORE_TOKEN", LUN_STR_INIT("%TOKEN%") },
    { "ASPNETCORE_APPL_PATH", LUN_STR_INIT("/") }
};


static const char **
make_env(lun_pool *pool, const lun_program_spec *spec, const replacement *r,
    size_t k)
{
    char         **ours = lun_env_all();
    size_t         i, count = 0, n = 0;
    const char   **env;

    while (ours[count] != NULL) {
        count++;
    }

    env = lun_pool_new_n(pool, const char *, count + LUN_ARRAY_LEN(usual_env)
                         + spec->env.count + 1);

    for (i = 0; i < count; i++) {
        env[n++] = ours[i];
    }

    for (i = 0; i < LUN_ARRAY_LEN(usual_env); i++) {
        add_env(env, &n, lun_pool_strz(pool, lun_pool_fmt(pool, "%s=%.*s",
                    usual_env[i].name,
                    LUN_S(replace(pool, usual_env[i].value, r, k)))));
    }

    for (i = 0; i < spec->env.count; i++) {
        add_env(env, &n, lun_pool_strz(pool, replace(pool, *(lun_str *)
                    lun_array_at(&spec->env, i), r, k)));
    }

    return env;
}


static void
make_command(lun_pool *pool, const lun_program_spec *spec, const char *token,
    const lun_addr *addr, lun_proc_command *command)
{
    const replacement  r[] = {
        { LUN_STR("$address"), place_of(pool, addr) },
        { LUN_STR("%ADDRESS%"), addr->family == LUN_AF_UNIX
                                ? lun_pool_fmt(pool, "unix:%s", addr->path)
                                : place_of(pool, addr) },
        { LUN_STR("%PORT%"), port_of(pool, addr) },
        { LUN_STR("%HTTP_PLATFORM_PORT%"), port_of(pool, addr) },
        { LUN_STR("%ASPNETCORE_PORT%"), port_of(pool, addr) },
        { LUN_STR("%TOKEN%"), lun_str_z(token) }
    };

    *command = (lun_proc_command) {
        .argv = make_argv(pool, spec, r, LUN_ARRAY_LEN(r)),
        .env = make_env(pool, spec, r, LUN_ARRAY_LEN(r)),
        .dir = spec->dir.len != 0 ? lun_pool_strz(pool, spec->dir) : NULL,
        .user = spec->user.uid >= 0 ? &spec->user : NULL,
        .memory = spec->memory,
        .cpu = (unsigned) spec->cpu,
        .bound = true,
        .group = true
    };
}


/* --- its beginning ------------------------------------------------------- */

/* What it writes goes to a file; what it reads has ended. */
static lun_err
run_logged(lun_pool *pool, const lun_program_spec *spec,
    lun_proc_command *command, lun_proc *proc)
{
    lun_fd   ours, standard[3];
    lun_err  err;

    err = lun_privileged_open(lun_pool_strz(pool, spec->log),
                              LUN_FILE_APPEND | LUN_FILE_CREATE, 0644,
                              &spec->user, &standard[1]);

    if (err != 0) {
        return err;
    }

    ours = standard[0] = LUN_FD_NONE;
    err = lun_proc_pipe(&ours, &standard[0], false);

    if (err == 0) {
        standard[2] = standard[1];
        command->standard = standard;
        err = lun_proc_run(command, proc);
        command->standard = NULL;
    }

    lun_file_close(standard[1]);

    if (ours != LUN_FD_NONE) {
        lun_file_close(ours);
    }

    if (standard[0] != LUN_FD_NONE) {
        lun_file_close(standard[0]);
    }

    return err;
}


static lun_err
run_piped(const lun_proc_command *command, lun_proc *proc, lun_fd *output)
{
    lun_fd   fds[3];
    lun_err  err = lun_proc_run_piped(command, false, proc, fds);

    if (err == 0) {
        lun_file_close(fds[0]);
        output[0] = fds[1];
        output[1] = fds[2];
    }

    return err;
}


lun_err
lun_program_launch(const lun_program_spec *spec, const char *token,
    uint32_t slot, uint32_t *port, lun_proc *proc, lun_fd *output,
    lun_fd *lock)
{
    char              path[LUN_PROGRAM_PATH] = "";
    lun_err           err;
    lun_addr          addr;
    lun_pool         *pool;
    lun_proc_command  command;

    *lock = output[0] = output[1] = LUN_FD_NONE;
    err = spec->socket.len == 0 ? find_port(port)
                                : find_socket(spec, slot, port, lock);

    if (err != 0) {
        return err;
    }

    addr = lun_program_addr(spec->socket, slot, *port, path);
    pool = lun_pool_new_sized(4096);
    make_command(pool, spec, token, &addr, &command);
    err = spec->log.len != 0 ? run_logged(pool, spec, &command, proc)
                             : run_piped(&command, proc, output);
    lun_pool_free(pool);

    if (err != 0) {
        lun_program_unlock(path, lock);
    }

    return err;
}

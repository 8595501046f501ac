/*
 * program_launch.c -- a program of an upstream begins: which port or socket it
 * listens at, and with which arguments and environment.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/program_priv.h"

#include "base/check.h"
#include "base/fmt.h"
#include "os/file.h"
#include "os/lock_file.h"
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
lun_program_addr(const lun_programs *p, uint32_t slot, uint16_t port,
    char path[LUN_PROGRAM_PATH])
{
    if (p->socket.len == 0) {
        return port_addr(port);
    }

    *lun_fmt(path, path + LUN_PROGRAM_PATH - 1, "%.*s.%u", LUN_S(p->socket),
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
find_socket(const lun_programs *p, uint32_t slot, uint16_t *turn,
    lun_fd *lock)
{
    char      path[LUN_PROGRAM_PATH] = "";
    lun_addr  addr;

    for (*turn = 0; *turn < TURNS; (*turn)++) {
        addr = lun_program_addr(p, slot, *turn, path);

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
find_port(uint16_t *port)
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


/* A socket's path is told as it is. */
static lun_str
place_of(lun_pool *pool, const lun_addr *addr)
{
    return addr->family == LUN_AF_UNIX ? lun_str_z(addr->path)
           : lun_pool_fmt(pool, "127.0.0.1:%u", addr->port);
}


static const char **
make_argv(lun_pool *pool, const lun_programs *p, lun_str place)
{
    size_t        i;
    lun_str       text, sign = LUN_STR("$address");
    const char   *at, **argv;

    argv = lun_pool_new_n(pool, const char *, p->argv.count + 1);

    for (i = 0; i < p->argv.count; i++) {
        text = *(lun_str *) lun_array_at(&p->argv, i);
        at = i != 0 ? lun_str_find(text, sign) : NULL;

        if (at != NULL) {
            text = lun_pool_fmt(pool, "%.*s%.*s%.*s",
                                (int) (at - text.data), text.data,
                                LUN_S(place),
                                (int) (text.data + text.len - at - sign.len),
                                at + sign.len);
        }

        argv[i] = lun_pool_strz(pool, text);
    }

    return argv;
}


/* PHP's own ways to end, and to be several, would be in ours. */
static const char *const  usual_env[] = {
    "PHP_FCGI_MAX_REQUESTS=0", "PHP_FCGI_CHILDREN=0"
};


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


static const char **
make_env(lun_pool *pool, const lun_programs *p)
{
    char         **ours = lun_env_all();
    size_t         i, count = 0, n = 0;
    const char   **env;

    while (ours[count] != NULL) {
        count++;
    }

    env = lun_pool_new_n(pool, const char *,
                         count + LUN_ARRAY_LEN(usual_env) + p->env.count + 1);

    for (i = 0; i < count; i++) {
        env[n++] = ours[i];
    }

    for (i = 0; i < LUN_ARRAY_LEN(usual_env); i++) {
        add_env(env, &n, usual_env[i]);
    }

    for (i = 0; i < p->env.count; i++) {
        add_env(env, &n, lun_pool_strz(pool, *(lun_str *)
                                       lun_array_at(&p->env, i)));
    }

    return env;
}


lun_err
lun_program_launch(const lun_programs *p, uint32_t slot, uint16_t *port,
    lun_proc *proc, lun_fd *output, lun_fd *lock)
{
    char              path[LUN_PROGRAM_PATH] = "";
    lun_fd            fds[3];
    lun_err           err;
    lun_addr          addr;
    lun_pool         *pool;
    lun_proc_command  command = { .bound = true };

    *lock = LUN_FD_NONE;
    err = p->socket.len == 0 ? find_port(port)
                             : find_socket(p, slot, port, lock);

    if (err != 0) {
        return err;
    }

    addr = lun_program_addr(p, slot, *port, path);
    pool = lun_pool_new_sized(4096);
    command.argv = make_argv(pool, p, place_of(pool, &addr));
    command.env = make_env(pool, p);
    command.dir = p->dir.len != 0 ? lun_pool_strz(pool, p->dir) : NULL;
    err = lun_proc_run_piped(&command, true, proc, fds);
    lun_pool_free(pool);

    if (err == 0) {
        lun_file_close(fds[0]);
        *output = fds[1];

    } else {
        lun_program_unlock(path, lock);
    }

    return err;
}

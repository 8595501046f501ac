/*
 * upgrade.c -- the listeners go from one program to the next.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/upgrade.h"

#include "os/proc.h"


#define VARIABLE  "NGINX"

static lun_proc  next;             /* the program that is to follow us */
static int64_t   before;           /* the one that we follow, 0: none */


static bool
before_lives(void)
{
    return before != 0 && lun_proc_parent_pid() == before;
}


bool
lun_upgrade_shared(void)
{
    return next.pid != 0 || before_lives();
}


bool
lun_upgrade_inherited(void)
{
    return before != 0;
}


/* --- leaving --- */

static void
add_sockets(lun_array *fds, const lun_listener *l)
{
    unsigned  i;

    if (l->fd != LUN_FD_NONE) {
        *(lun_fd *) lun_array_push(fds) = l->fd;
    }

    for (i = 1; i < l->fd_count; i++) {
        *(lun_fd *) lun_array_push(fds) = l->fds[i];
    }
}


/* "6;7;" */
static const char *
name_all(const lun_array *fds, lun_pool *pool)
{
    enum { DIGITS = 21 };
    size_t  i;
    char   *text = lun_pool_alloc(pool, fds->count * DIGITS + 1), *p = text;

    for (i = 0; i < fds->count; i++) {
        p = lun_fmt(p, p + DIGITS, "%" PRIdPTR ";",
                    *(const lun_fd *) lun_array_at(fds, i));
    }

    *p = '\0';
    return text;
}


static lun_err
start(const lun_generation *gen, const lun_options *o, lun_pool *pool)
{
    size_t            i;
    lun_err           err;
    lun_array         fds;
    lun_proc_command  command = {
        .argv = (const char *const *) (uintptr_t) o->argv
    };

    lun_array_init(&fds, pool, sizeof(lun_fd), 16);

    for (i = 0; i < lun_listen_count(gen->listeners); i++) {
        add_sockets(&fds, lun_listen_at(gen->listeners, i));
    }

    command.fds = fds.items;
    command.fd_count = fds.count;

    lun_env_set(VARIABLE, name_all(&fds, pool));
    err = lun_proc_run(&command, &next);
    lun_env_set(VARIABLE, NULL);

    return err;
}


/*
 * The pid file is put aside first, since the new program writes one of that
 * name; should it not start, it is put back.
 */
lun_rc
lun_upgrade_start(const lun_generation *gen, const lun_options *o,
    lun_pidfile *pid)
{
    lun_err    err;
    lun_pool  *pool;

    if (lun_upgrade_shared()) {
        lun_log(LUN_LOG_NOTICE, &gen->log, 0, "the changing binary signal is "
                "ignored: you should shutdown or terminate before either old "
                "or new binary's process");
        return LUN_ERROR;
    }

    if (lun_pidfile_put_aside(pid) != LUN_OK) {
        return LUN_ERROR;
    }

    pool = lun_pool_new_sized(1024);
    err = start(gen, o, pool);
    lun_pool_free(pool);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "could not start \"%s\"",
                o->argv[0]);
        lun_pidfile_put_back(pid);
        return LUN_ERROR;
    }

    lun_log(LUN_LOG_NOTICE, &gen->log, 0, "start new binary process %" PRId64,
            next.pid);
    return LUN_OK;
}


bool
lun_upgrade_ended(int64_t child, lun_pidfile *pid)
{
    if (next.pid == 0 || child != next.pid) {
        return false;
    }

    lun_proc_forget(&next);
    lun_pidfile_put_back(pid);
    return true;
}


/* --- inheriting --- */

lun_listen_set *
lun_upgrade_listeners(lun_pool *pool)
{
    const char      *numbers = lun_env_get(VARIABLE);
    lun_listen_set  *set;

    if (numbers == NULL) {
        return NULL;
    }

    before = lun_proc_parent_pid();
    lun_log(LUN_LOG_NOTICE, NULL, 0, "using inherited sockets from \"%s\"",
            numbers);
    set = lun_listen_inherit(pool, lun_str_z(numbers), NULL);
    lun_env_set(VARIABLE, NULL);

    return set;
}

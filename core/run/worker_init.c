/*
 * worker_init.c -- environment, rights and limits of a process that serves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/worker_init.h"

#include "os/proc.h"
#include "run/main_conf.h"


/*
 * What stays unasked: the time zone, as in nginx, and what Windows itself
 * needs to find its own libraries.  (The last is Wine's: without it CryptoAPI,
 * which OpenSSL asks for random bytes, fails.)
 */
static const char *const  always[] = {
    "TZ", "SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT",
    "USERPROFILE", "APPDATA", "LOCALAPPDATA", "ProgramData", "WINEUSERNAME"
};


static lun_str
name_of(lun_str variable)
{
    const char  *eq = lun_str_chr(variable, '=');

    if (eq != NULL) {
        variable.len = (size_t) (eq - variable.data);
    }

    return variable;
}


static bool
is_listed(const lun_array *env, lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(always); i++) {
        if (lun_str_caseeq(name, lun_str_z(always[i]))) {
            return true;
        }
    }

    for (i = 0; env != NULL && i < env->count; i++) {
        if (lun_str_eq(name, name_of(*(lun_str *) lun_array_at(env, i)))) {
            return true;
        }
    }

    return false;
}


/* Names first: the list changes while it is emptied. */
static void
drop_others(const lun_array *env, lun_pool *pool)
{
    char         **vars = lun_env_all();
    size_t         i;
    lun_str        name;
    lun_array      names;

    lun_array_init(&names, pool, sizeof(const char *), 32);

    for ( /* void */ ; vars != NULL && *vars != NULL; vars++) {
        name = name_of(lun_str_z(*vars));

        /* Windows has "=C:=C:\dir": nobody's. */
        if (name.len != 0 && !is_listed(env, name)) {
            *(const char **) lun_array_push(&names) =
                lun_pool_strz(pool, name);
        }
    }

    for (i = 0; i < names.count; i++) {
        lun_env_set(*(const char **) lun_array_at(&names, i), NULL);
    }
}


void
lun_worker_init_env(const lun_generation *gen)
{
    size_t            i;
    lun_str           var, name;
    lun_pool         *pool = lun_pool_new_sized(4096);
    const lun_array  *env = gen->env;

    drop_others(env, pool);

    for (i = 0; env != NULL && i < env->count; i++) {
        var = *(lun_str *) lun_array_at(env, i);
        name = name_of(var);

        if (name.len < var.len) {
            var = lun_str_of(var.data + name.len + 1, var.len - name.len - 1);
            lun_env_set(lun_pool_strz(pool, name), lun_pool_strz(pool, var));
        }
    }

    lun_pool_free(pool);
}


static void
set_limits(const lun_generation *gen, const lun_main_conf *core)
{
    lun_err  err;

    err = core->priority != 0 ? lun_proc_set_priority(core->priority) : 0;

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "setpriority(%d) failed",
                core->priority);
    }

    err = core->rlimit_nofile != 0
          ? lun_proc_limit_files((uint64_t) core->rlimit_nofile) : 0;

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "setrlimit(RLIMIT_NOFILE, "
                "%" PRId64 ") failed", core->rlimit_nofile);
    }

    err = core->rlimit_core >= 0
          ? lun_proc_limit_core((uint64_t) core->rlimit_core) : 0;

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "setrlimit(RLIMIT_CORE, "
                "%" PRId64 ") failed", core->rlimit_core);
    }
}


/* The mask of a worker: the last one counts for all that follow. */
static uint64_t
mask_of(const lun_main_conf *core, unsigned number)
{
    size_t  n = core->affinity != NULL ? core->affinity->count : 0;

    if (n == 0) {
        return UINT64_MAX;
    }

    return *(uint64_t *) lun_array_at(core->affinity,
                                      lun_min((size_t) number, n - 1));
}


/* `auto`: workers take turns on the processors of the mask. */
static void
set_affinity(const lun_generation *gen, const lun_main_conf *core,
    unsigned number)
{
    int       cpus = lun_min(lun_proc_cpus(), 64);
    lun_err   err;
    unsigned  cpu, skip;
    uint64_t  mask;

    if (!core->affinity_auto && core->affinity == NULL) {
        return;
    }

    mask = core->affinity_auto ? mask_of(core, 0) : mask_of(core, number);

    if (cpus < 64) {
        mask &= (UINT64_C(1) << cpus) - 1;
    }

    if (mask == 0) {
        return;
    }

    skip = core->affinity_auto
           ? number % (unsigned) __builtin_popcountll(mask) : 0;

    while (skip-- != 0) {
        mask &= mask - 1;
    }

    cpu = (unsigned) __builtin_ctzll(mask);
    err = lun_proc_pin(cpu);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "sched_setaffinity() failed");
    }
}


/*
 * Limits are set as root, since raising them needs that; everything after is
 * done as the user, but for the agent, which stays root.
 */
lun_rc
lun_worker_init(const lun_generation *gen, unsigned number)
{
    bool                  agent = number == gen->workers;
    lun_err               err;
    const char           *dir;
    const lun_main_conf  *core = lun_main_conf_of(gen);

    set_limits(gen, core);

    err = agent ? 0 : lun_user_become(&core->user, gen->transparent);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, &gen->log, err, "setuid(%" PRId64 ") failed",
                core->user.uid);
        return LUN_ERROR;
    }

    if (!agent) {
        set_affinity(gen, core, number);
    }

    dir = core->working_directory.data;
    err = dir != NULL ? lun_proc_set_dir(dir) : 0;

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "chdir(\"%s\") failed", dir);
    }

    return LUN_OK;
}

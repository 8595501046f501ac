/*
 * run/generation.c -- the life of a generation.
 *
 * A generation is read as a whole before anything of it is opened, and opened
 * as a whole before anything of the old one is closed: a failure on the way
 * leaves the old one as it was.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/generation.h"

#include "base/check.h"
#include "config/problems.h"
#include "os/path.h"
#include "os/privileged.h"
#include "run/apart.h"
#include "run/leftovers.h"
#include "run/main_conf.h"
#include "run/startlog.h"
#include "run/upgrade.h"
#include "run/worker.h"
#include "session/engine.h"


enum { GEN_BLOCK = 16384, TEMP_BLOCK = 16384 };

static const lun_floors  *the_floors;


void
lun_generation_use(const lun_floors *floors)
{
    the_floors = floors;
}


const lun_floors *
lun_generation_floors(void)
{
    return the_floors;
}


size_t
lun_generation_active(void)
{
    size_t                      n = 0;
    const lun_protocol *const  *p;

    for (p = the_floors->protocols; p != NULL && *p != NULL; p++) {
        n += (*p)->active();
    }

    return n;
}


void
lun_generation_settle(uint32_t now, uint32_t oldest, bool mapped)
{
    if (the_floors->keeper != NULL) {
        the_floors->keeper->settle(now, oldest, mapped);
    }
}


bool
lun_generation_owns(int64_t pid)
{
    return the_floors->keeper != NULL && the_floors->keeper->owns(pid);
}


bool
lun_generation_end_kept(bool at_once)
{
    return the_floors->keeper == NULL || the_floors->keeper->end(at_once);
}


void
lun_generation_dump_kept(void)
{
    if (the_floors->keeper != NULL) {
        the_floors->keeper->dump();
    }
}


/* The last of all ends: whatever ended before may have had a word to say. */
static void
end_logs(void *data)
{
    lun_generation  *gen = data;

    lun_leftovers_tell(gen);

    if (lun_log_default() == &gen->log) {
        lun_log_set_default(NULL);
    }

    lun_log_files_close(&gen->logs);
    gen->mark = LUN_MARK_DEAD;
}


static void
declare_metrics(lun_generation *gen)
{
    const lun_metric *const  *m;

    gen->metrics = lun_metric_set_new(gen->pool, gen->zones);

    for (m = the_floors->metrics; m != NULL && *m != NULL; m++) {
        lun_metric_declare(gen->metrics, *m);
    }
}


/*
 * What others build on is made first, and so it ends last: the logs, then the
 * zones, then what modules have acquired.
 */
static lun_generation *
new_generation(const lun_options *o, uint32_t number)
{
    lun_pool        *pool = lun_pool_new_sized(GEN_BLOCK);
    lun_generation  *gen = lun_pool_new(pool, lun_generation);

    lun_pool_on_end(pool, end_logs, gen);
    gen->mark = LUN_MARK_GENERATION;
    gen->number = number;
    gen->load_time = lun_time_wall();
    gen->pool = pool;
    gen->logs.pool = pool;
    gen->loop = &lun_worker.loop;
    gen->testing = o->test || o->signal != LUN_SIGNAL_NONE;
    gen->deaf = o->deaf;
    gen->alone = o->alone;
    gen->log.level = LUN_LOG_EMERG;
    gen->prefix = o->prefix;
    lun_native_path_init(&gen->native_prefix, pool, gen->prefix, NULL);
    lun_native_path_keep(&gen->native_prefix);
    gen->conf_path = lun_options_path(o, o->conf, pool);
    gen->conf_prefix = lun_pool_fmt(pool, "%.*s",
        (int) (lun_path_name(gen->conf_path).data - gen->conf_path.data),
        gen->conf_path.data);

    gen->listeners = lun_listen_set_new(pool);
    gen->zones = lun_zone_set_new(pool);
    declare_metrics(gen);
    gen->duties = lun_duty_set_new(pool);

    lun_array_init(&gen->folders, pool, sizeof(const char *), 4);

    gen->schema = lun_schema_new(pool);
    lun_main_register(gen->schema);
    the_floors->add_parts(gen->schema);

    return gen;
}


static lun_rc
read_all(lun_conf *cf, const lun_options *o)
{
    lun_generation  *gen = cf->gen;

    gen->top = lun_block_new(cf, NULL, LUN_MAIN);

    if ((o->params.len != 0
         && lun_conf_read_text(cf, o->params, gen->top) != LUN_OK)
        || lun_conf_read_file(cf, gen->conf_path, gen->top) != LUN_OK
        || lun_block_inherit(cf, gen->top) != LUN_OK)
    {
        return LUN_ERROR;
    }

    gen->snapshot = (lun_conf_snapshot) {
        .files = cf->files.items,
        .file_count = cf->files.count,
        .globs = cf->globs.items,
        .glob_count = cf->globs.count,
    };

    return lun_main_finish(cf, lun_str_eq(o->error_log, LUN_STR("stderr"))
                           ? o->error_log
                           : lun_options_path(o, o->error_log, gen->pool));
}


static void
say_line(void *data, lun_str line)
{
    lun_startlog_say("%.*s", LUN_S(line));
}


lun_generation *
lun_generation_new(const lun_options *o, uint32_t number,
    const lun_conf_snapshot *snapshot, const lun_generation *old)
{
    lun_rc           rc;
    lun_log          log = *lun_log_default();
    lun_generation  *gen = new_generation(o, number);
    lun_conf         cf = {
        .gen = gen,
        .pool = gen->pool,
        .temp = lun_pool_new_sized(TEMP_BLOCK),
        .log = &log,
        .schema = gen->schema,
        .prefix = gen->prefix,
        .conf_prefix = gen->conf_prefix,
        .testing = gen->testing,
        .read_on = o->test || o->signal == LUN_SIGNAL_RELOAD,
        .snapshot = snapshot,
        .before = old != NULL ? &old->snapshot : NULL,
    };

    /* Whoever read the file itself has said what it warns of. */
    if (snapshot != NULL && !snapshot->partial) {
        log.level = lun_min(log.level, LUN_LOG_ERR);
    }

    rc = read_all(&cf, o);
    lun_problems_table(&cf, say_line, NULL);
    lun_pool_free(cf.temp);

    if (rc != LUN_OK) {
        lun_generation_free(gen);
        return NULL;
    }

    gen->logs.user = &lun_main_conf_of(gen)->user;
    return gen;
}


lun_rc
lun_generation_run_hooks(lun_generation *gen, const lun_array *hooks)
{
    size_t               i;
    const lun_gen_hook  *hook;

    for (i = 0; i < hooks->count; i++) {
        hook = lun_array_at(hooks, i);

        if (hook->run(gen, hook->data) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* Temporary files are the workers', who may be somebody else. */
static lun_rc
make_folders(const lun_generation *gen)
{
    size_t           i;
    lun_err          err;
    const char      *path;
    const lun_user  *user = &lun_main_conf_of(gen)->user;

    for (i = 0; i < gen->folders.count; i++) {
        path = *(const char **) lun_array_at(&gen->folders, i);
        err = lun_privileged_make_folder(path, 0700, user);

        if (err != 0) {
            lun_log(LUN_LOG_EMERG, NULL, err, "mkdir() \"%s\" failed", path);
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* The first generation takes over what another program may have left. */
static lun_rc
open_listeners(lun_generation *gen, lun_generation *old, const lun_log *log)
{
    lun_listen_set  *before;

    if (old != NULL) {
        return lun_listen_open(gen->listeners, old->listeners, gen->workers,
                               log);
    }

    before = lun_upgrade_listeners(gen->pool);

    if (lun_listen_open(gen->listeners, before, gen->workers, log) != LUN_OK) {
        return LUN_ERROR;
    }

    if (before != NULL) {
        lun_listen_leave_files(before);
        lun_listen_close_rest(before, gen->listeners);
    }

    return LUN_OK;
}


static lun_rc
look_at_zones(void *data)
{
    lun_generation  *gen = data;

    lun_metric_open(gen->metrics, gen->number, NULL);
    return lun_generation_run_hooks(gen, &gen->on_zones);
}


/*
 * What can fail is done in this order: logs, so that failures can be told;
 * folders; zones; and sockets last, since they are what the world sees.
 */
lun_rc
lun_generation_open(lun_generation *gen, lun_generation *old)
{
    const lun_log  *log = NULL;

    LUN_CHECK_MARK(gen, LUN_MARK_GENERATION);

    if (lun_log_files_open(&gen->logs) != LUN_OK
        || (!gen->testing && !gen->deaf && make_folders(gen) != LUN_OK)
        || lun_zone_open(gen->zones, old != NULL ? old->zones : NULL, log)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (old != NULL && lun_apart_is_other(gen)) {
        lun_metric_keep(gen->metrics);

    } else {
        lun_metric_open(gen->metrics, gen->number, log);
    }

    if (lun_generation_run_hooks(gen, &gen->on_init) != LUN_OK
        || lun_apart(gen, look_at_zones, gen) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (gen->deaf) {
        return LUN_OK;
    }

    return gen->testing ? lun_listen_try(gen->listeners, log)
                        : open_listeners(gen, old, log);
}


void
lun_generation_drop(lun_generation *gen, lun_generation *old)
{
    lun_listen_undo(gen->listeners, old->listeners);
    lun_generation_free(gen);
}


/* The latest first. */
void
lun_generation_free(lun_generation *gen)
{
    lun_generation  *before;

    for ( ; gen != NULL; gen = before) {
        LUN_CHECK_MARK(gen, LUN_MARK_GENERATION);

        before = gen->before;
        lun_pool_free(gen->pool);
    }
}

/*
 * watch.c -- lua_code_cache watch.
 *
 * Every file that a machine loads is noted with its stamp: size, time of
 * change, identity.  Hints from the system (os/watch.h) and a look once a
 * second tell that one may have changed; when that has been so for some
 * moments without another hint, a machine is built beside the one that
 * serves.  It is handed all the files that are known, compiled, so that no
 * request meets one that has been broken since; then init_by_lua runs in it.
 *
 * If all that succeeds it takes new requests.  The old one is told that its
 * timers end, and closes with the last context that it still serves.  If not,
 * the old one stays, and the next change is the next try.
 *
 * Each worker does this by itself.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/watch.h"

#include "modules/lua/conf/directives.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/api/timer.h"
#include "modules/lua/run/vm.h"
#include "net/loop.h"
#include "os/file.h"
#include "os/path.h"
#include "os/time.h"
#include "os/watch.h"

enum {
    QUIET  = 50,                   /* ms without another hint */
    PATIENCE = 1000,               /* ms, then hints no longer put it off */
    LOOK     = 1000,               /* ms between looks at the files */
    TICK     = 20                  /* ms: finest time of change, on any disk */
};

struct lun_lua_file {
    lun_lua_file       *next;
    lun_str             path;
    const char         *folder;
    lun_lua_file_kind   kind;
    lun_file_info       info;
    int64_t             seen;      /* when that was asked for, ms */
    bool                gone;
    bool                told;      /* the system says it has changed */
    bool                good;      /* has been compiled */
};

struct lun_lua_watch {
    lun_lua_main  *main;
    lun_lua_file  *files;
    lun_hash       by_path;
    lun_watch     *os;             /* NULL: looking must do */
    lun_timer      quiet;
    lun_timer      look;
    /* the first hint of those that are waited out */
    lun_msec       since;
    bool           started;
    bool           working;        /* init_worker_by_lua has had its turn */
    bool           again;          /* try even if nothing known has changed */
    unsigned       generation;
    double         changed_at;     /* seconds since the epoch; 0: never */
    char          *error;          /* why the last change was not taken */
};


static void
on_pool_end(void *data)
{
    lun_lua_watch  *w = data;

    lun_lua_watch_stop(w);
    lun_free(w->error);
}


lun_lua_watch *
lun_lua_watch_new(lun_lua_main *main)
{
    lun_pool       *pool = main->gen->pool;
    lun_lua_watch  *w = lun_pool_new(pool, lun_lua_watch);

    w->main = main;
    w->generation = 1;
    lun_hash_init(&w->by_path, pool, 0, false);
    lun_pool_on_end(pool, on_pool_end, w);
    return w;
}


/* --- files --- */

static void
watch_folder(lun_lua_watch *w, const lun_lua_file *f)
{
    lun_err  err;

    if (w->os == NULL) {
        return;
    }

    err = lun_watch_folder(w->os, f->folder);

    if (err != 0) {
        lun_log(LUN_LOG_INFO, &w->main->gen->log, err, "lua_code_cache watch: "
                "no hints from \"%s\"", f->folder);
    }
}


/*
 * The time is taken before the file is looked at: a change in between is newer
 * than what is remembered, and so is noticed.
 */
lun_lua_file *
lun_lua_watch_note(lun_lua_main *main, const char *path,
    lun_lua_file_kind kind)
{
    int64_t         now = lun_time_wall();
    lun_str         dir;
    lun_pool       *pool = main->gen->pool;
    lun_lua_file   *f;
    lun_file_info   info;
    lun_lua_watch  *w = main->watch;

    if (w == NULL) {
        return NULL;
    }

    f = lun_hash_get(&w->by_path, lun_str_z(path));

    if (f != NULL) {
        return f;
    }

    if (lun_file_stat(path, &info) != 0) {
        return NULL;
    }

    f = lun_pool_new(pool, lun_lua_file);
    f->path = lun_str_z(lun_pool_strz(pool, lun_str_z(path)));
    dir = lun_path_dir(f->path);
    f->folder = dir.len != 0 ? lun_pool_strz(pool, dir)
                             : lun_path_is_absolute(f->path, lun_path_native)
                               ? "/" : ".";
    f->kind = kind;
    f->info = info;
    f->seen = now;
    f->next = w->files;
    w->files = f;
    lun_hash_set(&w->by_path, f->path, f);
    watch_folder(w, f);
    return f;
}


void
lun_lua_watch_good(lun_lua_file *file)
{
    if (file != NULL) {
        file->good = true;
    }
}


static bool
is_same(const lun_file_info *a, const lun_file_info *b)
{
    return a->mtime == b->mtime && a->mtime_ns == b->mtime_ns
           && a->size == b->size && a->id == b->id && a->device == b->device;
}


/*
 * A file that was noted in the same tick as it was written may be written
 * again in that tick, and look the same: then a hint is taken at its word.
 */
static bool
may_be_younger(const lun_lua_file *f)
{
    int64_t  written = f->info.mtime * 1000 + f->info.mtime_ns / 1000000;

    return f->seen - written < TICK;
}


/* Whether it has changed since the last look; `take`: this look counts. */
static bool
has_changed(lun_lua_file *f, bool take)
{
    bool           gone, changed;
    int64_t        now = lun_time_wall();
    lun_file_info  info = f->info;

    gone = lun_file_stat(f->path.data, &info) != 0;
    changed = gone != f->gone || !is_same(&info, &f->info)
              || (f->told && !gone && may_be_younger(f));

    if (take) {
        f->info = info;
        f->seen = now;
        f->gone = gone;
        f->told = false;
    }

    return changed;
}


/* --- a new machine --- */

static void
set_error(lun_lua_watch *w, lun_str why)
{
    char  *text = lun_malloc(why.len + 1);

    memcpy(text, why.data, why.len);
    text[why.len] = '\0';
    lun_free(w->error);
    w->error = text;
}


/* On failure the message is on top of the machine's stack. */
static lun_rc
keep_file(lun_vm *vm, lun_lua_file *f)
{
    unsigned  status;

    if (f->kind == LUN_LUA_DATA || (f->gone && f->kind != LUN_LUA_SCRIPT)) {
        return LUN_OK;
    }

    status = lun_chunk_keep_file(vm, f->path, f->kind != LUN_LUA_MODULE);

    if (status == 0) {
        f->good = true;
        return LUN_OK;
    }

    /* What never could be compiled has nothing to lose. */
    if (!f->good) {
        lua_pop(vm->L, 1);
        return LUN_OK;
    }

    return LUN_ERROR;
}


static lun_rc
fill(lun_lua_watch *w, lun_vm *vm)
{
    lun_chunk     *init = w->main->top->block.init;
    lun_lua_file  *f;

    for (f = w->files; f != NULL; f = f->next) {
        if (keep_file(vm, f) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return init == NULL ? LUN_OK
           : lun_chunk_try_life(init, vm->home, LUN_LUA_INIT);
}


/* NULL: w->error says why. */
static lun_vm *
build(lun_lua_watch *w)
{
    lun_vm  *vm = lun_vm_new(w->main, &w->main->gen->log);

    if (vm == NULL) {
        set_error(w, LUN_STR("failed to create Lua VM"));
        return NULL;
    }

    if (fill(w, vm) != LUN_OK) {
        set_error(w, lun_co_error_text(vm->L));
        lun_vm_put(vm);
        return NULL;
    }

    return vm;
}


static void
replace(lun_lua_watch *w, lun_vm *vm)
{
    lun_vm  *old = w->main->vm;

    w->main->vm = vm;
    w->generation++;
    lun_free(w->error);
    w->error = NULL;
    old->retired = true;
    lun_lua_timers_retire(old);
    lun_vm_put(old);

    if (w->working) {
        lun_lua_run_init_worker(w->main);
    }
}


static void
renew(lun_lua_watch *w, lun_str path)
{
    lun_vm         *vm = build(w);
    const lun_log  *log = &w->main->gen->log;

    w->changed_at = (double) lun_clock.sec + (double) lun_clock.msec / 1000;

    if (vm == NULL) {
        lun_log(LUN_LOG_ERR, log, 0, "lua_code_cache watch: \"%.*s\" has "
                "changed, but the scripts in use stay: %s", LUN_S(path),
                w->error);
        return;
    }

    lun_log(LUN_LOG_NOTICE, log, 0, "lua_code_cache watch: \"%.*s\" has "
            "changed, all scripts are loaded anew", LUN_S(path));
    replace(w, vm);
}


/* --- noticing --- */

/* All that have changed count as seen; one of them is named in the log. */
static void
look_and_renew(lun_lua_watch *w)
{
    lun_lua_file  *f, *changed = NULL;

    for (f = w->files; f != NULL; f = f->next) {
        if (has_changed(f, true)) {
            changed = f;
            watch_folder(w, f);
        }
    }

    if (changed != NULL) {
        renew(w, changed->path);

    } else if (w->again) {
        renew(w, LUN_STR("a new file"));
    }

    w->again = false;
}


static void
on_quiet(lun_timer *timer)
{
    look_and_renew(lun_container_of(timer, lun_lua_watch, quiet));
}


static void
hint(lun_lua_watch *w)
{
    if (!lun_timer_runs(&w->quiet)) {
        w->since = lun_clock.mono;

    } else if (lun_clock.mono - w->since >= PATIENCE) {
        return;
    }

    lun_timer_start(w->main->gen->loop, &w->quiet, QUIET, on_quiet);
}


/*
 * Whatever the folder is called: a file of that name is looked at.  A new Lua
 * file may be what the last change failed for.
 */
static void
on_change(void *data, lun_str folder, lun_str name)
{
    bool            known = name.len == 0;
    lun_lua_file   *f;
    lun_lua_watch  *w = data;

    for (f = w->files; f != NULL; f = f->next) {
        if (name.len == 0 || lun_str_caseeq(lun_path_name(f->path), name)) {
            f->told = true;
            known = true;
        }
    }

    if (!known && w->error != NULL && lun_str_ends(name, LUN_STR(".lua"))) {
        w->again = true;
        known = true;
    }

    if (known) {
        hint(w);
    }
}


static void
on_look(lun_timer *timer)
{
    lun_lua_file   *f;
    lun_lua_watch  *w = lun_container_of(timer, lun_lua_watch, look);

    for (f = w->files; f != NULL; f = f->next) {
        if (has_changed(f, false)) {
            if (!lun_timer_runs(&w->quiet)) {
                hint(w);
            }
            break;
        }
    }

    lun_timer_start(w->main->gen->loop, &w->look, LOOK, on_look);
}


void
lun_lua_watch_start(lun_lua_watch *w)
{
    lun_err        err = 0;
    lun_lua_file  *f;

    if (w == NULL) {
        return;
    }

    w->started = true;
    w->os = lun_watch_new(w->main->gen->loop->port, on_change, w, &err);

    if (w->os == NULL) {
        lun_log(LUN_LOG_WARN, &w->main->gen->log, err, "lua_code_cache watch: "
                "no hints from the system, files are looked at once a second");
    }

    for (f = w->files; f != NULL; f = f->next) {
        watch_folder(w, f);
    }

    look_and_renew(w);
    w->working = true;
    w->quiet.idle = true;
    w->look.idle = true;
    lun_timer_start(w->main->gen->loop, &w->look, LOOK, on_look);
}


void
lun_lua_watch_stop(lun_lua_watch *w)
{
    if (w == NULL || !w->started) {
        return;
    }

    w->started = false;
    lun_timer_stop(&w->quiet);
    lun_timer_stop(&w->look);

    if (w->os != NULL) {
        lun_watch_free(w->os);
        w->os = NULL;
    }
}


unsigned
lun_lua_watch_status(const lun_lua_watch *w, const char **error,
    double *changed_at)
{
    *error = w != NULL ? w->error : NULL;
    *changed_at = w != NULL ? w->changed_at : 0;
    return w != NULL ? w->generation : 1;
}

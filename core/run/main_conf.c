/*
 * main_conf.c -- directives of the main level and of events { }.
 *
 * What an nginx.conf may say and this server has no use for (locks, event
 * methods) is read and passed over, so that the file works.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/main_conf.h"

#include "config/default_paths.h"
#include "config/hosts.h"
#include "config/log_conf.h"
#include "config/slots.h"
#include "net/duty.h"
#include "net/thread_pool.h"
#include "os/proc.h"
#include "session/levels.h"
#include "shm/workers.h"


static lun_conf_part  main_part;
static lun_conf_part  events_part;


static lun_rc
set_events(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_main_conf  *core = conf;

    if (lun_conf_read_block(cf, LUN_EVENTS, NULL, &core->events) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_block_conf(cf, core->events, &events_part);
    return LUN_OK;
}


static lun_rc
set_debug_connection(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_events_conf  *events = conf;

    return lun_conf_networks(cf, cf->args[1], "debug_connection",
                             &events->debug);
}


static lun_rc
set_workers(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_main_conf  *core = conf;

    if (lun_str_eq(cf->args[1], LUN_STR("auto"))) {
        core->workers = lun_proc_cpus();
        return LUN_OK;
    }

    if (lun_str_to_i64(cf->args[1], &core->workers) != LUN_OK
        || core->workers < 1 || core->workers > 1024)
    {
        return lun_conf_bad_value(cf);
    }

    return LUN_OK;
}


/*
 * Who is there is asked before whether it matters: a name that does not exist
 * is an error for root only, as in nginx.
 */
static lun_rc
set_user(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_err            err;
    const char        *name, *group;
    lun_main_conf     *core = conf;
    lun_user_verdict   verdict;

    name = lun_pool_strz(cf->pool, cf->args[1]);
    group = cf->argc > 2 ? lun_pool_strz(cf->pool, cf->args[2]) : name;
    verdict = lun_user_find(name, group, &core->user, &err);

    if (verdict == LUN_USER_UNSUPPORTED) {
        core->user.uid = -1;
        lun_conf_warn(cf, "\"user\" is not supported, ignored");
        return LUN_OK;
    }

    if (!lun_user_is_root()) {
        lun_conf_warn(cf, "the \"user\" directive makes sense only if the "
                      "master process runs with super-user privileges, "
                      "ignored");
        core->user.uid = -1;
        return LUN_OK;
    }

    switch (verdict) {

    case LUN_USER_UNKNOWN:
        return lun_conf_fail_err(cf, err, "getpwnam(\"%s\") failed", name);

    case LUN_USER_NO_GROUP:
        return lun_conf_fail_err(cf, err, "getgrnam(\"%s\") failed", group);

    default:
        return LUN_OK;
    }
}


static lun_rc
set_priority(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t         n;
    lun_main_conf  *core = conf;

    if (lun_str_to_i64(cf->args[1], &n) != LUN_OK || n < -20 || n > 20) {
        return lun_conf_fail(cf, "\"%.*s\" directive invalid number",
                             LUN_S(cf->args[0]));
    }

    core->priority = (int) n;
    return LUN_OK;
}


/* For what is read from here on: certificates, when all of it is read. */
static lun_rc
set_inheritable(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (lun_str_caseeq(cf->args[1], LUN_STR("off"))) {
        cf->before = NULL;

    } else if (!lun_str_caseeq(cf->args[1], LUN_STR("on"))) {
        return lun_conf_fail(cf, "invalid value \"%.*s\" in \"%.*s\" "
                             "directive, it must be \"on\" or \"off\"",
                             LUN_S(cf->args[1]), LUN_S(cf->args[0]));
    }

    return LUN_OK;
}


/* Digits are processors, the last one is processor 0.  *odd is what is none. */
static bool
parse_mask(lun_str text, uint64_t *mask, char *odd)
{
    size_t  i;

    *mask = 0;
    *odd = '\0';

    for (i = 0; i < text.len; i++) {
        if (text.data[i] != '0' && text.data[i] != '1') {
            *odd = text.data[i];
            return false;
        }

        *mask = *mask << 1 | (uint64_t) (text.data[i] == '1');
    }

    return text.len <= 64;
}


static lun_rc
set_affinity(lun_conf *cf, const lun_directive *d, void *conf)
{
    char            odd;
    size_t          i = 1;
    lun_main_conf  *core = conf;

    if (lun_str_eq(cf->args[1], LUN_STR("auto"))) {
        core->affinity_auto = true;
        i = 2;

        if (cf->argc > 3) {
            return lun_conf_fail(cf, "invalid number of arguments in "
                                 "\"worker_cpu_affinity\" directive");
        }
    }

    core->affinity = lun_array_new(cf->pool, sizeof(uint64_t), cf->argc);

    for ( /* void */ ; i < cf->argc; i++) {
        if (!parse_mask(cf->args[i], lun_array_push(core->affinity), &odd)) {
            return odd == '\0' ? lun_conf_fail(cf, "\"worker_cpu_affinity\" "
                                              "supports up to 64 CPUs only")
                   : lun_conf_fail(cf, "invalid character \"%c\" in "
                                   "\"worker_cpu_affinity\"", odd);
        }
    }

    return LUN_OK;
}


static lun_rc
set_rlimit_core(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (lun_str_eq(cf->args[1], LUN_STR("unlimited"))) {
        ((lun_main_conf *) conf)->rlimit_core = INT64_MAX;
        return LUN_OK;
    }

    return lun_set_off(cf, d, conf);
}


/* Lua, in the floors below, asks for it before there are workers. */
static lun_rc
set_env(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->gen->env == NULL) {
        cf->gen->env = lun_array_new(cf->pool, sizeof(lun_str), 4);
    }

    *(lun_str *) lun_array_push(cf->gen->env) = cf->args[1];

    return LUN_OK;
}


static lun_rc
set_error_log(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_conf_error_log(cf, &cf->gen->log);
}


/* What a module for nginx would bring, and is known here. */
typedef struct {
    const lun_conf  *cf;
    lun_str          part;
    lun_str          names;
} module_names;


static void
on_module_row(void *data, const lun_directive *d, const char *part)
{
    module_names  *m = data;

    if (lun_str_eq(lun_str_z(part), m->part)) {
        m->names = lun_pool_fmt(m->cf->temp, "%.*s%s%s", LUN_S(m->names),
                                m->names.len != 0 ? ", " : "", d->name);
    }
}


static void
on_module_name(void *data, lun_str name)
{
    module_names  *m = data;

    lun_schema_rows(m->cf->schema, name, on_module_row, data);
}


/* "modules/ngx_http_image_filter_module.so": image_filter */
static lun_str
part_of_module(lun_str path)
{
    size_t       i;
    const char  *p;

    static const lun_str  heads[] = {
        LUN_STR_INIT("ngx_"), LUN_STR_INIT("http_")
    };
    static const lun_str  tails[] = {
        LUN_STR_INIT(".so"), LUN_STR_INIT("_module")
    };

    for (p = path.data + path.len; p != path.data && p[-1] != '/'; p--) {
        /* the file's name */
    }

    path = lun_str_of(p, (size_t) (path.data + path.len - p));

    for (i = 0; i < LUN_ARRAY_LEN(heads); i++) {
        if (lun_str_starts(path, heads[i])) {
            path.data += heads[i].len;
            path.len -= heads[i].len;
        }
    }

    for (i = 0; i < LUN_ARRAY_LEN(tails); i++) {
        if (lun_str_ends(path, tails[i])) {
            path.len -= tails[i].len;
        }
    }

    return path;
}


static lun_rc
set_load_module(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str       tail = LUN_STR("_filter");
    module_names  m = { cf, part_of_module(cf->args[1]), LUN_STR("") };

    lun_schema_names(cf->schema, on_module_name, &m);

    if (m.names.len == 0 && lun_str_ends(m.part, tail)) {
        m.part.len -= tail.len;
        lun_schema_names(cf->schema, on_module_name, &m);
    }

    if (m.names.len == 0) {
        lun_conf_warn(cf, "\"load_module\" is ignored: all modules are built "
                      "in, and none is called \"%.*s\"", LUN_S(m.part));

    } else {
        lun_conf_warn(cf, "\"load_module\" is ignored: all modules are built "
                      "in; \"%.*s\" is, with %.*s", LUN_S(m.part),
                      LUN_S(m.names));
    }

    return LUN_OK;
}


static bool
is_thread_pool(const lun_generation *gen, lun_str name)
{
    size_t  i;

    for (i = 0; gen->thread_pools != NULL
         && i < gen->thread_pools->count; i++) {
        if (lun_str_eq((*(lun_thread_pool **) lun_array_at(gen->thread_pools,
            i))->name,
                       name))
        {
            return true;
        }
    }

    return false;
}


/* The number behind `word`, if the argument begins so; -1: it is none. */
static bool
take_number(lun_str arg, lun_str signal, int64_t *n)
{
    if (!lun_str_starts(arg, signal)) {
        return false;
    }

    arg.data += signal.len;
    arg.len -= signal.len;

    if (lun_str_to_i64(arg, n) != LUN_OK || *n < 0) {
        *n = -1;
    }

    return true;
}


/* thread_pool name threads=n [max_queue=n]; */
static lun_rc
set_thread_pool(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t            i;
    lun_thread_pool  *tp = lun_pool_new(cf->pool, lun_thread_pool);

    tp->name = cf->args[1];
    tp->max_queue = 65536;

    if (is_thread_pool(cf->gen, tp->name)) {
        return lun_conf_fail(cf, "duplicate thread pool \"%.*s\"",
                             LUN_S(tp->name));
    }

    for (i = 2; i < cf->argc; i++) {
        if (take_number(cf->args[i], LUN_STR("threads="), &tp->threads)
            && tp->threads < 1)
        {
            return lun_conf_fail(cf, "invalid threads value \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        if (take_number(cf->args[i], LUN_STR("max_queue="), &tp->max_queue)
            && tp->max_queue < 0)
        {
            return lun_conf_fail(cf, "invalid max_queue value \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }
    }

    if (tp->threads == 0) {
        return lun_conf_fail(cf, "\"thread_pool\" must have \"threads\" "
                             "parameter");
    }

    if (cf->gen->thread_pools == NULL) {
        cf->gen->thread_pools = lun_array_new(cf->pool,
                                              sizeof(lun_thread_pool *), 1);
    }

    *(lun_thread_pool **) lun_array_push(cf->gen->thread_pools) = tp;
    return LUN_OK;
}


static lun_rc
set_use(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t                    i;
    lun_events_conf          *events = conf;
    static const char *const  methods[] = {
        "epoll", "iocp", "select", "poll", "kqueue", "/dev/poll", "eventport",
        "rtsig"
    };

    events->use_poll = lun_str_eq(cf->args[1], LUN_STR("poll"));

    for (i = 0; i < LUN_ARRAY_LEN(methods); i++) {
        if (lun_str_eq(cf->args[1], lun_str_z(methods[i]))) {
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "invalid event type \"%.*s\"",
                         LUN_S(cf->args[1]));
}


static lun_rc
read_debug_points(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_str_eq(cf->args[1], LUN_STR("stop"))
           || lun_str_eq(cf->args[1], LUN_STR("abort"))
           ? LUN_OK : lun_conf_fail(cf, "invalid value \"%.*s\"",
                                    LUN_S(cf->args[1]));
}


static const lun_no_effect  no_points = { .read = read_debug_points };
static const lun_no_effect  no_engine = { NULL,
    "OpenSSL 3 has providers instead" };

#define IGNORED(name_, where_, none)                                          \
    { .name = name_, .where = where_, .args = 1,                              \
      .set = lun_set_ignored, .data = none, .help = "without effect here" }

static const lun_directive  main_directives[] = {
    { .name = "events", .where = LUN_MAIN, .block = true, .set = set_events,
      .help = "the block of what concerns connections" },
    { .name = "worker_processes", .where = LUN_MAIN, .args = 1,
      .set = set_workers, LUN_FIELD(lun_main_conf, workers),
      .fallback = "1",
      .values = "number | auto",
      .help = "how many workers there are" },
    { .name = "daemon", .where = LUN_MAIN, .args = 1, .set = lun_set_flag,
      LUN_FIELD(lun_main_conf, daemon), .fallback = "on",
      .help = "goes into the background" },
    { .name = "master_process", .where = LUN_MAIN, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_main_conf, master_process),
      .fallback = "on",
      .help = "workers beside a master" },
    { .name = "pid", .where = LUN_MAIN, .args = 1, .set = lun_set_path,
      LUN_FIELD(lun_main_conf, pid), .fallback = LUN_PID_PATH,
      .help = "the file with the number of the master" },
    { .name = "user", .where = LUN_MAIN, .args = 1, .args_max = 2,
      .set = set_user,
      .values = "user [group]",
      .help = "who workers run as" },
    { .name = "error_log", .where = LUN_MAIN, .args = 1, .args_max = 6,
      .repeats = true, .set = set_error_log,
      .values = "file [level] [json] [rotate=size] [rotate=time] [keep=number]",
      .help = "where errors are logged, and from which level on" },
    { .name = "env", .where = LUN_MAIN, .args = 1, .repeats = true,
      .set = set_env,
      .values = "variable[=value]",
      .help = "a variable of the environment that workers keep or get" },
    { .name = "worker_rlimit_nofile", .where = LUN_MAIN, .args = 1,
      .set = lun_set_num, LUN_FIELD(lun_main_conf, rlimit_nofile),
      .help = "how many files a worker may have open" },
    { .name = "worker_rlimit_core", .where = LUN_MAIN, .args = 1,
      .set = set_rlimit_core, LUN_FIELD(lun_main_conf, rlimit_core),
      .values = "size",
      .help = "how large a core file may be" },
    { .name = "worker_priority", .where = LUN_MAIN, .args = 1,
      .set = set_priority,
      .values = "number",
      .help = "the priority of workers" },
    { .name = "worker_cpu_affinity", .where = LUN_MAIN, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = set_affinity,
      .values = "auto [mask] | mask ...",
      .help = "processors that workers run on" },
    { .name = "worker_shutdown_timeout", .where = LUN_MAIN, .args = 1,
      .set = lun_set_msec, LUN_FIELD(lun_main_conf, shutdown_timeout),
      .help = "how long a worker that quits may still take" },
    { .name = "working_directory", .where = LUN_MAIN, .args = 1,
      .set = lun_set_path, LUN_FIELD(lun_main_conf, working_directory),
      .help = "the folder that workers are in" },
    { .name = "load_module", .where = LUN_MAIN, .args = 1, .repeats = true,
      .set = set_load_module,
      .values = "file",
      .help = "without effect: modules are inside" },
    { .name = "thread_pool", .where = LUN_MAIN, .args = 2, .args_max = 3,
      .repeats = true, .set = set_thread_pool,
      .values = "name threads=number [max_queue=number]",
      .help = "threads for work that waits" },
    IGNORED("timer_resolution", LUN_MAIN, &lun_ignored_msec),
    IGNORED("lock_file", LUN_MAIN, NULL),
    IGNORED("pcre_jit", LUN_MAIN, &lun_ignored_flag),
    IGNORED("debug_points", LUN_MAIN, &no_points),
    { .name = "ssl_engine", .where = LUN_MAIN, .args = 1,
      .set = lun_set_no_effect, .data = &no_engine,
      .help = "a device of OpenSSL's" },
    { .name = "ssl_object_cache_inheritable", .where = LUN_MAIN, .args = 1,
      .set = set_inheritable,
      .values = "on | off",
      .help = "a reload takes unchanged certificates over" },
    { 0 }
};

static lun_rc
set_connections(lun_conf *cf, const lun_directive *d, void *conf)
{
    int64_t  n;

    return lun_str_to_i64(cf->args[1], &n) == LUN_OK && n >= 0
           ? lun_set_num(cf, d, conf)
           : lun_conf_fail(cf, "invalid number \"%.*s\"",
                           LUN_S(cf->args[1]));
}


static const lun_directive  events_directives[] = {
    { .name = "worker_connections", .where = LUN_EVENTS, .args = 1,
      .set = set_connections, LUN_FIELD(lun_events_conf, worker_connections),
      .fallback = "512",
      .values = "number",
      .help = "connections that a worker may have" },
    { .name = "use", .where = LUN_EVENTS, .args = 1, .set = set_use,
      .values = "method",
      .help = "how events are waited for: poll, else the system's best" },
    { .name = "multi_accept", .where = LUN_EVENTS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_events_conf, multi_accept),
      .fallback = "off",
      .help = "takes all waiting connections at once" },
    { .name = "accept_mutex", .where = LUN_EVENTS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_events_conf, accept_mutex),
      .fallback = "off",
      .help = "workers take turns at accepting; without effect here" },
    { .name = "accept_mutex_delay", .where = LUN_EVENTS, .args = 1,
      .set = lun_set_msec, LUN_FIELD(lun_events_conf, accept_mutex_delay),
      .fallback = "500ms",
      .help = "how long a turn lasts; without effect here" },
    { .name = "debug_connection", .where = LUN_EVENTS, .args = 1,
      .repeats = true, .set = set_debug_connection,
      .values = "address | CIDR | unix:",
      .help = "addresses whose connections are logged at debug level" },
    IGNORED("worker_aio_requests", LUN_EVENTS, &lun_ignored_num),
    IGNORED("epoll_events", LUN_EVENTS, &lun_ignored_num),

    /* What nginx's own completion ports are told on Windows. */
    IGNORED("iocp_threads", LUN_EVENTS, &lun_ignored_num),
    IGNORED("post_acceptex", LUN_EVENTS, &lun_ignored_num),
    IGNORED("acceptex_read", LUN_EVENTS, &lun_ignored_flag),
    { 0 }
};

static lun_conf_part  main_part = {
    .name = "core",
    .directives = main_directives,
    .conf_size = sizeof(lun_main_conf),
};

static lun_conf_part  events_part = {
    .name = "events",
    .directives = events_directives,
    .conf_size = sizeof(lun_events_conf),
};


void
lun_main_register(lun_schema *schema)
{
    lun_schema_add(schema, &main_part);
    lun_schema_add(schema, &events_part);
}


const lun_main_conf *
lun_main_conf_of(const lun_generation *gen)
{
    return gen->top->confs[main_part.index];
}


const lun_events_conf *
lun_events_conf_of(const lun_generation *gen)
{
    return lun_main_conf_of(gen)->events->confs[events_part.index];
}


/*
 * As root without a `user`: nobody.  Where the system knows no such user its
 * workers would be root, unasked: as in nginx that is not a configuration.
 */
static lun_rc
default_user(const lun_conf *cf, lun_user *user)
{
    lun_err           err = 0;
    lun_user_verdict  verdict = LUN_USER_UNSUPPORTED;

    user->uid = -1;

    if (lun_user_is_root() && !cf->gen->deaf) {
        verdict = lun_user_default(user, &err);
    }

    if (verdict == LUN_USER_UNKNOWN || verdict == LUN_USER_NO_GROUP) {
        lun_log(LUN_LOG_EMERG, cf->log, err, "%s(\"nobody\") failed",
                verdict == LUN_USER_UNKNOWN ? "getpwnam" : "getgrnam");
        return LUN_ERROR;
    }

    return LUN_OK;
}


static bool
was_given(const lun_block *top, const char *name)
{
    const lun_directive  *d;

    for (d = main_directives; strcmp(d->name, name) != 0; d++) {
        /* it is there */
    }

    return lun_block_has(top, &main_part, d);
}


/* A reload has twice as many processes for a while, and more are leaving. */
static lun_rc
make_room(lun_conf *cf)
{
    unsigned     processes = cf->gen->workers * 2 + 8;
    const char  *why;

    if (lun_metric_want_zone(cf->gen->metrics, processes, &why) != LUN_OK
        || lun_workers_want(cf->gen->zones, processes, &why) != LUN_OK
        || lun_duty_want_zone(cf->gen->duties, cf->gen->zones, &why) != LUN_OK)
    {
        return lun_conf_fail_bare(cf, "%s", why);
    }

    return LUN_OK;
}


lun_rc
lun_main_finish(lun_conf *cf, lun_str default_error_log)
{
    lun_generation  *gen = cf->gen;
    lun_main_conf   *core = gen->top->confs[main_part.index];

    if (core->events == NULL) {
        return lun_conf_fail_bare(cf, "no \"events\" section in "
                                  "configuration");
    }

    if (!was_given(gen->top, "user")
        && default_user(cf, &core->user) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (!was_given(gen->top, "worker_rlimit_core")) {
        core->rlimit_core = -1;
    }

    /* A debugger's: whatever the file says. */
    if (gen->alone) {
        core->master_process = core->daemon = false;
    }

    gen->alone = !core->master_process;
    gen->asked_workers = (unsigned) core->workers;
    gen->workers = core->master_process ? (unsigned) core->workers : 1;

    if (gen->log.targets == NULL) {
        lun_error_log_add_file(&gen->logs, &gen->log, default_error_log,
                               LUN_LOG_ERR, false);
    }

    return make_room(cf);
}

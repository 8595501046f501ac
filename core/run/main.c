/*
 * main.c -- one program: a server, its tester, its remote control, a Lua
 * interpreter and a spec runner.
 *
 *   1. A Windows worker is known by its boot block and has no other life.
 *   2. `run`, `spec` and `init` are the Lua side's; a program called resty is
 *      `run`.
 *   3. `service` is for the system's service manager, `help` for people;
 *      `check` looks at what the machine gives; `cert` and `acme`
 *      are about certificates.
 *   4. Everything else is nginx's command line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdio.h>
#include <string.h>

#include "client/client_metrics.h"
#include "http/conf/http.h"
#include "net/conn_metrics.h"
#include "net/duty.h"
#include "net/tls/tls_metrics.h"
#include "os/file.h"
#include "modules/common/program/program_keeper.h"
#include "modules/lua/look/profile.h"
#include "modules/lua/look/watchdog.h"
#include "modules/lua/run/thread.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/tool/tool.h"
#include "modules/modules.h"
#include "run/generation.h"
#include "run/help/commands.h"
#include "run/help/help.h"
#include "run/tool_generation.h"
#include "run/main_conf.h"
#include "run/master.h"
#include "run/service.h"
#include "run/startlog.h"
#include "run/upgrade.h"
#include "run/version.h"
#include "run/signals.h"
#include "run/tools/acme.h"
#include "run/tools/cert.h"
#include "run/tools/check.h"
#include "run/tools/debug.h"
#include "run/tools/profile.h"
#include "run/worker.h"
#include "session/store_conf.h"
#include "session/upstream/upstream_metrics.h"
#include "stream/stream.h"


static void
add_parts(lun_schema *schema)
{
    lun_store_register(schema);
    lun_http_register(schema, &lun_http_lists);
    lun_stream_register(schema, lun_stream_list);
}


static const lun_protocol *const  protocols[] = {
    &lun_http, &lun_stream_protocol, NULL
};

static const lun_leftover  leftovers[] = {
    { "Lua coroutine", lun_vm_lost_coroutines },
    { "ngx.ctx table", lun_vm_lost_ctxs },
    { NULL, NULL }
};


static const lun_metric *const  metrics[] = {
    lun_conn_metrics, lun_duty_metrics, lun_tls_metrics, lun_client_metrics,
    lun_upstream_metrics, lun_lua_watchdog_metrics, lun_store_metrics,
    NULL
};

static const lun_keeper  keeper = {
    .settle = lun_program_settle,
    .owns = lun_program_owns,
    .dump = lun_program_dump,
    .end = lun_program_end_all
};

static const lun_floors  floors = {
    .add_parts = add_parts,
    .protocols = protocols,
    .leftovers = leftovers,
    .metrics = metrics,
    .dump = lun_co_dump,
    .profile = lun_lua_profile_toggle,
    .keeper = &keeper,
};


static bool
is_among(lun_module *const *list, const char *name)
{
    for ( ; *list != NULL; list++) {
        if (strcmp((*list)->name, name) == 0) {
            return true;
        }
    }

    return false;
}


/* "stream_map" is the module "map", in stream. */
static bool
has_module(const char *name)
{
    if (strncmp(name, "stream", 6) == 0) {
        return is_among(lun_stream_list, name)
               || (name[6] == '_' && is_among(lun_stream_list, name + 7));
    }

    return is_among(lun_http_lists.modules, name);
}


static bool
is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0;
}


static bool
is_help_option(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}


static void
say_version(bool build)
{
    if (build) {
        lun_version_say_build(has_module);

    } else {
        lun_version_say_tools();
    }
}


static const lun_lua_tool_generation  generation = {
    .begin = lun_tool_generation_begin,
    .end = lun_tool_generation_end,
    .say_version = say_version,
};


/* -T: each file once, as it is; no private keys. */
static void
dump(const lun_generation *gen)
{
    size_t                i;
    const lun_conf_file  *f;

    for (i = 0; i < gen->snapshot.file_count; i++) {
        f = &gen->snapshot.files[i];

        if (f->asset) {
            continue;
        }

        printf("# configuration file %.*s:\n", LUN_S(f->path));
        fwrite(f->text.data, 1, f->text.len, stdout);
        printf("\n");
    }

    fflush(stdout);
}


static int
test(lun_generation *gen, const lun_options *o, lun_str path)
{
    if (gen != NULL && !o->quiet) {
        lun_startlog_say("the configuration file %.*s syntax is ok",
                         LUN_S(path));
    }

    if (gen == NULL || lun_generation_open(gen, NULL) != LUN_OK) {
        lun_startlog_say("configuration file %.*s test failed", LUN_S(path));
        return 1;
    }

    if (!o->quiet) {
        lun_startlog_say("configuration file %.*s test is successful",
                         LUN_S(path));
    }

    if (o->dump) {
        dump(gen);
    }

    return 0;
}


/*
 * What a reload would fail of is told to who asks for it, here and with the
 * exit status; the server would tell its log alone.
 */
static int
send_signal(lun_generation *gen, const lun_options *o)
{
    if (gen == NULL
        || (o->signal == LUN_SIGNAL_RELOAD
            && lun_generation_open(gen, NULL) != LUN_OK))
    {
        return 1;
    }

    return lun_signals_send(gen, o->signal);
}


/* Everything that can fail does so before the terminal is let go. */
static int
serve(lun_generation *gen, const lun_options *o)
{
    lun_err               err;
    const lun_main_conf  *conf = lun_main_conf_of(gen);

    if (lun_log_files_open(&gen->logs) != LUN_OK) {
        goto failed;
    }

    lun_startlog_use(gen);

    if (lun_generation_open(gen, NULL) != LUN_OK) {
        goto failed;
    }

    err = conf->daemon && !lun_upgrade_inherited() ? lun_proc_daemon() : 0;

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "daemon() failed");
        goto failed;
    }

    return conf->master_process ? lun_master_run(gen, o)
                                : lun_worker_alone(gen, o);

failed:

    lun_log_set_default(NULL);
    lun_generation_free(gen);
    return 1;
}


static lun_str
start_log_path(const lun_options *o, lun_pool *pool)
{
    return lun_str_eq(o->error_log, LUN_STR("stderr"))
           ? o->error_log : lun_options_path(o, o->error_log, pool);
}


/* Somebody's first start. */
static void
say_where_to_begin(const char *conf)
{
    lun_file_info  info;

    if (lun_err_kind_of(lun_file_stat(conf, &info)) == LUN_ERR_NOT_FOUND) {
        lun_startlog_say("\"" LUN_PRODUCT " init\" writes a first"
                         " configuration; -p and -c say where another is");
    }
}


/*
 * Whatever is asked, the configuration is read: -t and -s report what is wrong
 * with it in the same words as a start.
 */
static int
run(const lun_options *o, lun_pool *pool)
{
    int              status;
    lun_err          err;
    lun_generation  *gen;

    lun_startlog_open(start_log_path(o, pool));

    err = lun_shm_init();

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "no room for shared memory");
        return 1;
    }

    gen = lun_generation_new(o, 1, NULL, NULL);

    if (gen != NULL && !gen->testing) {
        return serve(gen, o);
    }

    if (gen == NULL) {
        say_where_to_begin(lun_pool_strz(pool, lun_options_path(o, o->conf,
                                                                pool)));
    }

    status = o->test ? test(gen, o, lun_options_path(o, o->conf, pool))
                     : send_signal(gen, o);

    if (gen != NULL) {
        lun_generation_free(gen);
    }

    return status;
}


static int
nginx_main(int argc, char **argv)
{
    int           status;
    lun_pool     *pool = lun_pool_new_sized(1024);
    lun_options   o;

    status = lun_options_parse(&o, argc, argv, pool) == LUN_OK ? 0 : 1;

    if (status != 0) {
        goto done;
    }

    if (o.show_help) {
        lun_version_say();
        lun_commands_usage();

    } else if (o.show_build) {
        lun_version_say_build(has_module);

    } else if (o.show_version) {
        lun_version_say();
    }

    if (o.test || !(o.show_help || o.show_build || o.show_version)) {
        status = run(&o, pool);
    }

done:

    lun_pool_free(pool);
    return status;
}


/* `lunette debug`: a server of one process, which keeps the terminal. */
static int
start_alone(int argc, char **argv)
{
    int           status = 1;
    lun_pool     *pool = lun_pool_new_sized(1024);
    lun_options   o;

    if (lun_options_parse(&o, argc, argv, pool) == LUN_OK) {
        o.alone = true;
        status = run(&o, pool);
    }

    lun_pool_free(pool);
    return status;
}


/* This program under the name `resty` is `run`. */
static bool
is_resty(const char *program)
{
    const char  *name = program, *p;

    for (p = program; *p != '\0'; p++) {
        if (*p == '/' || *p == '\\') {
            name = p + 1;
        }
    }

    return strcmp(name, "resty") == 0 || strcmp(name, "resty.exe") == 0;
}


int
main(int argc, char **argv)
{
    void          *boot;
    uint32_t       number, count;
    const lun_fd  *fds;

    argv = ngx_argv = lun_proc_init(&argc, argv);
    lun_sock_init();
    lun_startlog_services();
    lun_generation_use(&floors);
    lun_build_arguments = lun_version_arguments(has_module);

    boot = lun_proc_boot(&number, &fds, &count);

    if (boot != NULL) {
        lun_worker_boot(boot, number, fds, count);
    }

    if (is_resty(argv[0])) {
        return lun_lua_tool_main("run", argc - 1, argv + 1, &generation);
    }

    /* Those that are Lua have more to say of themselves. */
    if (argc == 3 && is_help_option(argv[2]) && !lun_lua_tool_is(argv[1])
        && lun_commands_usage_of(argv[1]))
    {
        return 0;
    }

    if (argc > 1 && lun_lua_tool_is(argv[1])) {
        return lun_lua_tool_main(argv[1], argc - 2, argv + 2, &generation);
    }

    if (argc > 1 && is_help(argv[1])) {
        return lun_help_main(argc - 2, argv + 2);
    }

    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        lun_version_say();
        return 0;
    }

    if (argc > 1 && strcmp(argv[1], "service") == 0) {
        return lun_service_tool(argc - 2, argv + 2, nginx_main);
    }

    if (argc > 1 && strcmp(argv[1], "acme") == 0) {
        return lun_acme_tool(argc - 2, argv + 2);
    }

    if (argc > 1 && strcmp(argv[1], "cert") == 0) {
        return lun_cert_tool(argc - 2, argv + 2);
    }

    if (argc > 1 && strcmp(argv[1], "profile") == 0) {
        return lun_profile_tool(argc - 1, argv + 1);
    }

    if (argc > 1 && strcmp(argv[1], "debug") == 0) {
        return lun_debug_tool(argc - 1, argv + 1, start_alone);
    }

    if (argc > 1 && strcmp(argv[1], "check") == 0) {
        return lun_check_tool(argc - 1, argv + 1);
    }

    return nginx_main(argc, argv);
}

/*
 * service.c -- the verbs of `lunette service`.
 *
 *     lunette service install -p C:\lunette [-n name] [-c conf] [-e log]
 *     lunette service start | stop | reload | status | uninstall [-n name]
 *
 * What is installed is this program with `service run` and the same options,
 * made absolute.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/service.h"

#include <stdio.h>
#include <string.h>

#include "os/dir.h"
#include "os/file.h"
#include "os/path.h"
#include "os/service.h"
#include "run/options.h"


enum { WHY = LUN_LOG_LINE, MOST_ARGS = 16, NOT_RUNNING = 3 };

typedef struct {
    const char           *name;
    int                   argc;        /* a plain start's, from argv[0] on */
    char                 *argv[MOST_ARGS + 1];
    lun_options           options;
    lun_pool             *pool;
    lun_service_main_fn  *serve;
} call;

typedef struct {
    const char  *verb;
    int        (*run)(call *c);
} row;


static int
fail(const char *why)
{
    fprintf(stderr, LUN_PRODUCT ": %s\n", why);
    return 1;
}


/* --- the verbs --- */

/*
 * Relative to where the person stands now, which a service never does; without
 * the slash at its end.
 */
static const char *
absolute_prefix(call *c)
{
    char     here[4096];
    lun_str  path = c->options.prefix;

    if (!lun_path_is_absolute(path, lun_path_native)
        && lun_dir_current(here, sizeof(here)) == 0)
    {
        path = lun_path_full(c->pool, lun_str_z(here), path);
    }

    path.len -= path.data[path.len - 1] == '/'
                || path.data[path.len - 1] == '\\';

    return lun_pool_strz(c->pool, path);
}


/* What would keep it from starting is said now, while somebody looks. */
static void
warn_without_conf(call *c, const char *prefix)
{
    lun_str        path = c->options.conf;
    lun_file_info  info;

    if (!lun_path_is_absolute(path, lun_path_native)) {
        path = lun_pool_fmt(c->pool, "%s/%.*s", prefix, LUN_S(path));
    }

    if (lun_file_stat(lun_pool_strz(c->pool, path), &info) != 0) {
        fprintf(stderr, LUN_PRODUCT ": warning: there is no \"%.*s\" yet\n",
                LUN_S(path));
    }
}


/*
 * The prefix is written in full, and other paths count from it: the service
 * starts in the system's folder, with nobody's environment.
 */
static int
install(call *c)
{
    char              why[WHY], note[WHY];
    size_t            n = 0;
    const char       *args[16];
    lun_service_spec  spec;
    const char       *prefix = absolute_prefix(c);

    args[n++] = "service";
    args[n++] = "run";
    args[n++] = "-n";
    args[n++] = c->name;
    args[n++] = "-p";
    args[n++] = prefix;
    args[n++] = "-c";
    args[n++] = c->options.conf.data;
    args[n++] = "-e";
    args[n++] = c->options.error_log.data;

    if (c->options.params.len != 0) {
        args[n++] = "-g";
        args[n++] = c->options.params.data;
    }

    args[n] = NULL;

    spec.name = c->name;
    spec.prefix = prefix;
    spec.argv = args;

    if (lun_service_install(&spec, note, sizeof(note), why, sizeof(why))
        != LUN_OK)
    {
        return fail(why);
    }

    if (note[0] != '\0') {
        fprintf(stderr, LUN_PRODUCT ": warning: %s\n", note);
    }

    warn_without_conf(c, prefix);
    printf("service \"%s\" is installed for %s\n"
           "start it with: " LUN_PRODUCT " service start -n %s\n",
           c->name, prefix, c->name);
    return 0;
}


static int
uninstall(call *c)
{
    char  why[WHY];

    if (lun_service_uninstall(c->name, why, sizeof(why)) != LUN_OK) {
        return fail(why);
    }

    printf("service \"%s\" is uninstalled\n", c->name);
    return 0;
}


/*
 * Of a registered command line, what a plain start has: "PROGRAM service run
 * -n NAME -p PREFIX ..." without the words before -p.
 */
static int
plain(char **argv, int argc, const char **args)
{
    int  i, n = 0;

    args[n++] = argv[0];

    for (i = 1; i < argc && strcmp(argv[i], "-p") != 0; i++) { /* ours */ }

    while (i < argc && n < MOST_ARGS - 1) {
        args[n++] = argv[i++];
    }

    args[n] = NULL;
    return n;
}


/* A service that can't start has nobody to tell why: it is asked before. */
static bool
has_good_conf(call *c, char **argv, int argc)
{
    int          n;
    const char  *args[MOST_ARGS + 1];

    n = plain(argv, argc, args);
    args[n++] = "-tq";
    args[n] = NULL;

    return c->serve(n, (char **) args) == 0;
}


/* What this terminal cannot know: its account may do less than we. */
static int
fail_with_place(call *c, const char *why, char **argv, int argc)
{
    lun_options  o;
    const char  *args[MOST_ARGS + 1];

    argc = plain(argv, argc, args);

    if (lun_options_parse(&o, argc, (char **) args, c->pool) == LUN_OK) {
        fprintf(stderr, LUN_PRODUCT ": %s: see %.*s, and the event log "
                "(Application)\n", why,
                LUN_S(lun_options_path(&o, o.error_log, c->pool)));
    }

    return 1;
}


static int
start_with(call *c, char **argv, int argc)
{
    bool  ended;
    char  why[WHY];

    if (!has_good_conf(c, argv, argc)) {
        return fail("the service was not started");
    }

    if (lun_service_start(c->name, &ended, why, sizeof(why)) != LUN_OK) {
        return ended ? fail_with_place(c, why, argv, argc) : fail(why);
    }

    printf("service \"%s\" runs\n", c->name);
    return 0;
}


static int
start(call *c)
{
    int    argc, status;
    char   why[WHY];
    char **argv;

    argv = lun_service_argv(c->name, &argc, why, sizeof(why));

    if (argv == NULL) {
        return fail(why);
    }

    status = start_with(c, argv, argc);
    lun_free(argv);
    return status;
}


static int
stop(call *c)
{
    char  why[WHY];

    if (lun_service_stop(c->name, why, sizeof(why)) != LUN_OK) {
        return fail(why);
    }

    printf("service \"%s\" has stopped\n", c->name);
    return 0;
}


static int
reload(call *c)
{
    char  why[WHY];

    if (lun_service_reload(c->name, why, sizeof(why)) != LUN_OK) {
        return fail(why);
    }

    printf("service \"%s\" has reloaded\n", c->name);
    return 0;
}


static int
status(call *c)
{
    static const char *const  states[] = {
        [LUN_SERVICE_STOPPED]  = "is stopped",
        [LUN_SERVICE_STARTING] = "is starting",
        [LUN_SERVICE_RUNNING]  = "runs",
        [LUN_SERVICE_STOPPING] = "is stopping",
    };

    char              why[WHY];
    lun_service_info  info;

    if (lun_service_query(c->name, &info, why, sizeof(why)) != LUN_OK) {
        return fail(why);
    }

    printf("service \"%s\" %s", c->name, states[info.state]);

    if (info.pid != 0) {
        printf(" as process %" PRId64, info.pid);
    }

    if (info.account[0] != '\0') {
        printf(", account %s", info.account);
    }

    if (info.state == LUN_SERVICE_STOPPED && info.exit_code != 0
        && info.ever_ran)
    {
        printf(", its last run ended with %u", info.exit_code);
    }

    printf("\n");
    return info.state == LUN_SERVICE_RUNNING ? 0 : NOT_RUNNING;
}


static int
serve(void *data)
{
    call  *c = data;

    return c->serve(c->argc, c->argv);
}


static int
run(call *c)
{
    int   code = 1;
    char  why[WHY];

    if (lun_service_run(c->name, serve, c, &code, why, sizeof(why))
        != LUN_OK)
    {
        return fail(why);
    }

    return code;
}


/* --- the words --- */

static const row  rows[] = {
    { "install", install },
    { "uninstall", uninstall },
    { "start", start },
    { "stop", stop },
    { "reload", reload },
    { "status", status },
    { "run", run },
};


static int
usage(void)
{
    fputs("Usage: " LUN_PRODUCT " service install [-p prefix] [-n name] "
          "[-c filename] [-e filename] [-g directives]\n"
          "       " LUN_PRODUCT " service start | stop | reload | status | "
          "uninstall [-n name]\n", stderr);
    return 1;
}


/* -n is ours; everything else is for a plain start. */
static bool
take_words(call *c, int argc, char **argv)
{
    int  i;

    c->argv[c->argc++] = argv[-2];

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
            c->name = argv[++i];

        } else if (strncmp(argv[i], "-n", 2) == 0 && argv[i][2] != '\0') {
            c->name = argv[i] + 2;

        } else if (c->argc == MOST_ARGS || strcmp(argv[i], "-n") == 0) {
            return false;

        } else {
            c->argv[c->argc++] = argv[i];
        }
    }

    return true;
}


int
lun_service_tool(int argc, char **argv, lun_service_main_fn *serve_fn)
{
    int     code;
    call    c = { .name = lun_service_default_name, .serve = serve_fn };
    size_t  i;

    for (i = 0; argc > 0 && i < LUN_ARRAY_LEN(rows); i++) {
        if (strcmp(argv[0], rows[i].verb) == 0) {
            break;
        }
    }

    if (argc == 0 || i == LUN_ARRAY_LEN(rows) || !take_words(&c, argc, argv)) {
        return usage();
    }

    c.pool = lun_pool_new_sized(1024);
    code = lun_options_parse(&c.options, c.argc, c.argv, c.pool) == LUN_OK
           ? rows[i].run(&c) : 1;
    lun_pool_free(c.pool);

    return code;
}

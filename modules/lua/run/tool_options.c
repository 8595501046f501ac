/*
 * tool_options.c -- the command line of `lunette run`, which is resty's.
 *
 * Without -c FILE the options that name parts of a configuration become one:
 * each part is a text, put together when all is read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/tool_options.h"

#include <stdio.h>

#include "base/array.h"
#include "os/dir.h"
#include "os/path.h"

enum { CONNECTIONS = 64, MAX_CONNECTIONS = 1000000, PATH_SIZE = 4096 };

typedef struct {
    lun_tool_options  *o;
    lun_pool          *pool;
    lun_array          modules;    /* of const char * */
    lun_str            main;       /* for these blocks */
    lun_str            http;
    lun_str            servers;    /* of --ns */
    lun_str            level;
    size_t             connections;
    bool               ipv6;
} reading;

/* false: it was said what is wrong. */
typedef bool take_fn(reading *rd, const char *value);

static take_fn  take_conf, take_prefix, take_code, take_path, take_module,
                take_jit, take_main, take_main_file, take_http, take_http_file,
                take_dict, take_server, take_level, take_ipv6, take_help,
                take_version, take_build, take_nothing;

static const struct {
    const char  *name;             /* one letter, or what follows "--" */
    take_fn     *take;
    const char  *value;            /* as the help calls it; NULL: has none */
    const char  *help;
} options[] = {
    { "c", take_conf, "FILE|NUM",
      "a configuration; or how many connections there may be (64)" },
    { "e", take_code, "CODE", "run this first; may be repeated" },
    { "h", take_help, NULL, "this" },
    { "help", take_help, NULL, "the same" },
    { "I", take_path, "DIR", "look for Lua modules there, too" },
    { "j", take_jit, "off|v|dump", "how LuaJIT compiles" },
    { "l", take_module, "NAME", "require this before anything else" },
    { "p", take_prefix, "DIR", "the prefix" },
    { "v", take_version, NULL, "the version" },
    { "V", take_build, NULL, "the version and how it was built" },
    { "errlog-level", take_level, "LEVEL", "what is logged (warn)" },
    { "http-conf", take_http, "TEXT", "for the http block" },
    { "http-include", take_http_file, "FILE", "the same, from a file" },
    { "main-conf", take_main, "TEXT", "for the main block" },
    { "main-include", take_main_file, "FILE", "the same, from a file" },
    { "ns", take_server, "ADDRESS", "ask this name server" },
    { "resolve-ipv6", take_ipv6, NULL, "for addresses of IPv6, too" },
    { "shdict", take_dict, "\"NAME SIZE\"", "a shared dictionary" },
    /* Of programs that resty would start. */
    { "nginx", take_nothing, "FILE", NULL },
    { "rr-free", take_nothing, NULL, NULL },
    { "stap-free", take_nothing, NULL, NULL },
};


static bool
complain(const char *what, const char *value)
{
    fprintf(stderr, "lunette run: %s \"%s\"\n", what, value);
    return false;
}


static lun_str
text_of(const char *s)
{
    return lun_str_of(s, strlen(s));
}


/* --- single options --- */

static bool
is_number(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return false;
        }
    }

    return s.len != 0;
}


static bool
take_conf(reading *rd, const char *value)
{
    uint64_t  n;
    lun_str   s = text_of(value);

    if (!is_number(s)) {
        rd->o->conf = value;
        return true;
    }

    if (lun_str_to_u64(s, &n) != LUN_OK || n == 0 || n > MAX_CONNECTIONS) {
        return complain("invalid number of connections", value);
    }

    rd->connections = (size_t) n;
    return true;
}


static bool
take_prefix(reading *rd, const char *value)
{
    rd->o->prefix = value;
    return true;
}


static void
add_line(reading *rd, lun_str *to, const char *before, const char *value,
    const char *after)
{
    *to = lun_pool_fmt(rd->pool, "%.*s%s%s%s\n", LUN_S(*to), before, value,
                       after);
}


static bool
take_code(reading *rd, const char *value)
{
    lun_str  *code = &rd->o->code;

    *code = lun_pool_fmt(rd->pool, "%.*s%s%s", LUN_S(*code),
                         code->len != 0 ? "\n" : "", value);
    return true;
}


static bool
take_path(reading *rd, const char *value)
{
    rd->o->path = lun_pool_fmt(rd->pool, "%.*s%s/?.lua;%s/?/init.lua;",
                               LUN_S(rd->o->path), value, value);
    return true;
}


static bool
take_module(reading *rd, const char *value)
{
    *(const char **) lun_array_push(&rd->modules) = value;
    return true;
}


static bool
take_jit(reading *rd, const char *value)
{
    rd->o->jit = value;
    return true;
}


static bool
take_main(reading *rd, const char *value)
{
    add_line(rd, &rd->main, "", value, "");
    return true;
}


static bool
take_http(reading *rd, const char *value)
{
    add_line(rd, &rd->http, "", value, "");
    return true;
}


/* A name means a file of the current folder, not of the prefix. */
static bool
add_file(reading *rd, lun_str *to, const char *value)
{
    char     here[PATH_SIZE];
    lun_err  err = lun_dir_current(here, sizeof(here));

    if (err != 0) {
        return complain("no current folder for", value);
    }

    *to = lun_pool_fmt(rd->pool, "%.*sinclude \"%.*s\";\n", LUN_S(*to),
                       LUN_S(lun_path_full(rd->pool, text_of(here),
                                           text_of(value))));
    return true;
}


static bool
take_main_file(reading *rd, const char *value)
{
    return add_file(rd, &rd->main, value);
}


static bool
take_http_file(reading *rd, const char *value)
{
    return add_file(rd, &rd->http, value);
}


static bool
take_dict(reading *rd, const char *value)
{
    add_line(rd, &rd->http, "lua_shared_dict ", value, ";");
    return true;
}


static bool
take_server(reading *rd, const char *value)
{
    rd->servers = lun_pool_fmt(rd->pool, "%.*s %s", LUN_S(rd->servers), value);
    return true;
}


static bool
take_level(reading *rd, const char *value)
{
    rd->level = text_of(value);
    return true;
}


static bool
take_ipv6(reading *rd, const char *value)
{
    rd->ipv6 = true;
    return true;
}


static bool
take_help(reading *rd, const char *value)
{
    rd->o->show_help = true;
    return true;
}


static bool
take_version(reading *rd, const char *value)
{
    rd->o->show_version = true;
    return true;
}


static bool
take_build(reading *rd, const char *value)
{
    rd->o->show_build = true;
    return true;
}


static bool
take_nothing(reading *rd, const char *value)
{
    if (value != NULL) {
        fprintf(stderr, "lunette run: no other program is started: \"%s\" is "
                "ignored\n", value);
    }

    return true;
}


/* --- the whole --- */

static lun_str
configuration(const reading *rd)
{
    lun_str  resolver = LUN_STR("");

    if (rd->servers.len != 0) {
        resolver = lun_pool_fmt(rd->pool, "resolver%.*s%s;\n",
                                LUN_S(rd->servers),
                                rd->ipv6 ? "" : " ipv6=off");
    }

    return lun_pool_fmt(rd->pool,
                        "error_log stderr %.*s;\n%.*s"
                        "events { worker_connections %zu; }\n"
                        "http {\naccess_log off;\n%.*s%.*s}\n",
                        LUN_S(rd->level), LUN_S(rd->main), rd->connections,
                        LUN_S(resolver), LUN_S(rd->http));
}


/* "-e code", "-ecode", "--ns address", "--ns=address". */
static bool
take_option(reading *rd, int argc, char **argv, int *i)
{
    size_t       n, len;
    bool         is_long = argv[*i][1] == '-';
    const char  *name = argv[*i] + (is_long ? 2 : 1), *rest;

    for (n = 0; n < LUN_ARRAY_LEN(options); n++) {
        len = strlen(options[n].name);
        rest = name + len;

        if (is_long != (len > 1) || strncmp(name, options[n].name, len) != 0) {
            continue;
        }

        if (options[n].value == NULL && *rest == '\0') {
            return options[n].take(rd, NULL);
        }

        if (options[n].value == NULL || (is_long && *rest != '\0'
                                         && *rest != '='))
        {
            continue;
        }

        if (*rest != '\0') {
            return options[n].take(rd, rest + is_long);
        }

        if (*i + 1 == argc) {
            return complain("no value for", argv[*i]);
        }

        return options[n].take(rd, argv[++*i]);
    }

    return complain("unknown option", argv[*i]);
}


/* Options end at the script's name, or at "--". */
static lun_rc
read_all(reading *rd, int argc, char **argv)
{
    int                i;
    lun_tool_options  *o = rd->o;

    for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }

        if (!take_option(rd, argc, argv, &i)) {
            return LUN_ERROR;
        }
    }

    if (i < argc) {
        o->script = argv[i++];
    }

    o->argc = argc - i;
    o->argv = argv + i;
    return LUN_OK;
}


lun_rc
lun_tool_options_read(lun_tool_options *o, int argc, char **argv,
    lun_pool *pool)
{
    reading  rd = { .o = o, .pool = pool, .connections = CONNECTIONS,
                    .level = LUN_STR("warn") };

    memset(o, 0, sizeof(lun_tool_options));
    lun_array_init(&rd.modules, pool, sizeof(const char *), 1);

    if (read_all(&rd, argc, argv) != LUN_OK) {
        return LUN_ERROR;
    }

    if (o->conf != NULL && (rd.main.len != 0 || rd.http.len != 0
                            || rd.servers.len != 0))
    {
        (void) complain("parts of a configuration beside", o->conf);
        return LUN_ERROR;
    }

    *(const char **) lun_array_push(&rd.modules) = NULL;
    o->modules = rd.modules.items;
    o->text = configuration(&rd);
    return LUN_OK;
}


void
lun_tool_options_each(lun_tool_option_fn *each, void *data)
{
    size_t  i;
    char    name[32];

    for (i = 0; i < LUN_ARRAY_LEN(options); i++) {
        if (options[i].help != NULL) {
            (void) snprintf(name, sizeof(name), "%s%s",
                            options[i].name[1] == '\0' ? "-" : "--",
                            options[i].name);
            each(data, name, options[i].value, options[i].help);
        }
    }
}


static void
print_option(void *data, const char *name, const char *value,
    const char *help)
{
    char  left[64];

    snprintf(left, sizeof(left), "%s %s", name, value != NULL ? value : "");
    fprintf(stderr, "  %-22s %s\n", left, help);
}


void
lun_tool_options_help(void)
{
    fprintf(stderr, "usage: lunette run [options] [script [args]]\n"
            "A script of \"-\" is standard input.\n");
    lun_tool_options_each(print_option, NULL);
}

/*
 * tool_options.c -- the command line of `lunette run`, which is resty's.
 *
 * Without -c FILE the options that name parts of a configuration become one:
 * each part is a text, put together when all is read.  --gdb and its like make
 * a command of what is left without them.  What is wrong is said with resty's
 * words, and its codes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/tool/tool_options.h"

#include <stdio.h>

#include "os/dir.h"
#include "os/file.h"
#include "os/path.h"
#include "os/sock.h"
#include "modules/lua/tool/tool_runner.h"

enum { CONNECTIONS = 64, MAX_CONNECTIONS = 1000000, PATH_SIZE = 4096 };

/* How resty exits: 25 is what errno happens to be there. */
enum { MISUSED = 1, NO_FILE = 2, CONFLICT = 25, BAD_VALUE = 255 };

typedef struct {
    lun_tool_options  *o;
    lun_pool          *pool;
    const char        *name;       /* of the option that is read */
    lun_tool_runner    runner;
    bool               is_runner;  /* the option that was read is its */
    lun_str            main;       /* for these blocks */
    lun_str            http;
    lun_str            stream;
    lun_str            servers;    /* of --ns */
    lun_str            level;
    size_t             connections;
    bool               ipv6;
} reading;

/* false: it was said what is wrong. */
typedef bool take_fn(reading *rd, const char *value);

static take_fn  take_conf, take_prefix, take_code, take_path, take_module,
                take_jit, take_main, take_main_file, take_http, take_http_file,
                take_stream, take_dict, take_server, take_level, take_ipv6,
                take_runner, take_nginx, take_help, take_version,
                take_build, take_nothing, take_coverage;

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
    { "l", take_module, "NAME", "require this, in its turn among the -e" },
    { "p", take_prefix, "DIR", "the prefix" },
    { "v", take_version, NULL, "the version" },
    { "V", take_build, NULL, "the version and how it was built" },
    { "coverage", take_coverage, "FILE", "which lines of Lua have run, for"
      " `lunette coverage`" },
    { "errlog-level", take_level, "LEVEL", "what is logged (warn)" },
    { "gdb", take_runner, NULL, "run under gdb" },
    { "gdb-opts", take_runner, "OPTIONS", "and its own options" },
    { "http-conf", take_http, "TEXT", "for the http block" },
    { "http-include", take_http_file, "FILE", "the same, from a file" },
    { "main-conf", take_main, "TEXT", "for the main block" },
    { "main-include", take_main_file, "FILE", "the same, from a file" },
    { "no-stream", take_nothing, NULL, NULL },
    { "nginx", take_nginx, "FILE", NULL },
    { "ns", take_server, "ADDRESS", "ask this name server" },
    { "resolve-ipv6", take_ipv6, NULL, "for addresses of IPv6, too" },
    { "rr", take_runner, NULL, "record with Mozilla's rr" },
    { "rr-free", take_nothing, NULL, NULL },
    { "shdict", take_dict, "\"NAME SIZE\"", "a shared dictionary" },
    { "stap", take_runner, NULL, "run under SystemTap" },
    { "stap-free", take_nothing, NULL, NULL },
    { "stap-opts", take_runner, "OPTIONS", "and its own options" },
    { "stream-conf", take_stream, "TEXT", "for a stream block" },
    { "user-runner", take_runner, "COMMAND", "run under this" },
    { "valgrind", take_runner, NULL, "run under valgrind" },
    { "valgrind-opts", take_runner, "OPTIONS", "and its own options" },
};


static bool
complain(reading *rd, int status, lun_str what)
{
    fprintf(stderr, "%.*s\n", LUN_S(what));
    rd->o->status = status;
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
        return complain(rd, BAD_VALUE,
                        lun_pool_fmt(rd->pool, "ERROR: Invalid -c option value:"
                                     " %s\n  (expecting a number of"
                                     " connections)", value));
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


/* Directives; the last may lack its semicolon. */
static bool
add_text(reading *rd, lun_str *to, const char *value)
{
    size_t  len = strlen(value);

    while (len != 0 && strchr(" \t\r\n", value[len - 1]) != NULL) {
        len--;
    }

    *to = lun_pool_fmt(rd->pool, "%.*s%.*s%s\n", LUN_S(*to), (int) len, value,
                       len == 0 || strchr(";}", value[len - 1]) != NULL
                       ? "" : ";");
    return true;
}


/* All of it is one chunk. */
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
    char        *quoted, *p;
    const char  *c;

    quoted = p = lun_pool_alloc(rd->pool, 2 * strlen(value) + 1);

    for (c = value; *c != '\0'; c++) {
        if (strchr("\"\\\n", *c) != NULL) {
            *p++ = '\\';
        }

        *p++ = *c;
    }

    *p = '\0';
    return take_code(rd, lun_pool_strz(rd->pool, lun_pool_fmt(rd->pool,
                     "require \"%s\"", quoted)));
}


/* A module of LuaJIT's may be told more: "dump=+rs". */
static bool
take_jit(reading *rd, const char *value)
{
    size_t   len = strcspn(value, "=");
    lun_str  name = lun_str_of(value, len);

    if (!lun_str_eq(name, LUN_STR("v")) && !lun_str_eq(name, LUN_STR("dump"))
        && strcmp(value, "off") != 0 && strcmp(value, "on") != 0)
    {
        return complain(rd, BAD_VALUE,
                        lun_pool_fmt(rd->pool, "ERROR: Invalid -j option value:"
                                     " %s\n  (expecting dump, off, or v)",
                                     value));
    }

    rd->o->jit = value;
    return true;
}


static bool
take_main(reading *rd, const char *value)
{
    return add_text(rd, &rd->main, value);
}


static bool
take_http(reading *rd, const char *value)
{
    return add_text(rd, &rd->http, value);
}


static bool
take_stream(reading *rd, const char *value)
{
    return add_text(rd, &rd->stream, value);
}


static bool
is_file(const char *path)
{
    lun_file_info  info;

    return lun_file_stat(path, &info) == 0 && !info.is_dir;
}


/* `value` as a path, from the folder that we are in. */
static bool
path_here(const reading *rd, const char *value, lun_str *path)
{
    char  here[PATH_SIZE];

    if (lun_dir_current(here, sizeof(here)) != 0) {
        return false;
    }

    *path = lun_path_full(rd->pool, text_of(here), text_of(value));
    return true;
}


/* A name means a file of the current folder, not of the prefix. */
static bool
add_file(reading *rd, lun_str *to, const char *block, const char *value)
{
    lun_str  path;

    if (!is_file(value) || !path_here(rd, value, &path)) {
        return complain(rd, NO_FILE,
                        lun_pool_fmt(rd->pool, "ERROR: could not find %s"
                                     " include file '%s'", block, value));
    }

    *to = lun_pool_fmt(rd->pool, "%.*sinclude \"%.*s\";\n", LUN_S(*to),
                       LUN_S(path));
    return true;
}


static bool
take_main_file(reading *rd, const char *value)
{
    return add_file(rd, &rd->main, "main", value);
}


static bool
take_http_file(reading *rd, const char *value)
{
    return add_file(rd, &rd->http, "http", value);
}


static bool
take_coverage(reading *rd, const char *value)
{
    lun_str  path;

    if (!path_here(rd, value, &path)) {
        return complain(rd, NO_FILE, LUN_STR("ERROR: no current folder"));
    }

    rd->http = lun_pool_fmt(rd->pool, "%.*slua_coverage \"%.*s\";\n",
                            LUN_S(rd->http), LUN_S(path));
    return true;
}


static bool
is_name_and_size(const char *p)
{
    size_t  name = strspn(p, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), n;

    p += name;
    n = strspn(p, " \t");
    p += n;

    if (name == 0 || n == 0) {
        return false;
    }

    n = strspn(p, "0123456789");
    p += n;
    p += *p != '\0' && strchr("kKmM", *p) != NULL;
    return n != 0 && *p == '\0';
}


static bool
take_dict(reading *rd, const char *value)
{
    if (!is_name_and_size(value)) {
        return complain(rd, BAD_VALUE,
                        lun_pool_fmt(rd->pool, "ERROR: invalid --shdict option"
                                     " value: %s\n  (expecting NAME SIZE)",
                                     value));
    }

    rd->http = lun_pool_fmt(rd->pool, "%.*slua_shared_dict %s;\n",
                            LUN_S(rd->http), value);
    return true;
}


static bool
take_server(reading *rd, const char *value)
{
    lun_addr  addr;

    if (lun_addr_parse(text_of(value), &addr) != LUN_OK) {
        return complain(rd, BAD_VALUE,
                        lun_pool_fmt(rd->pool, "ERROR: Invalid --ns option"
                                     " value: %s\n  (expecting an IP address)",
                                     value));
    }

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
    return true;
}


/* The program that resty would start: that is us. */
static bool
take_nginx(reading *rd, const char *value)
{
    if (!is_file(value)) {
        return complain(rd, NO_FILE,
                        lun_pool_fmt(rd->pool, "ERROR: failed to run command"
                                     " \"%s\": No such file or directory",
                                     value));
    }

    return true;
}


static bool
take_runner(reading *rd, const char *value)
{
    rd->is_runner = true;
    lun_tool_runner_take(&rd->runner, rd->name, value);
    return true;
}


/* --- the whole --- */

static bool
mentions(lun_str text, const char *word)
{
    size_t  i, len = strlen(word);

    for (i = 0; i + len <= text.len; i++) {
        if (memcmp(text.data + i, word, len) == 0) {
            return true;
        }
    }

    return false;
}


/* Those of --ns, or the system's, unless the http block has its own. */
static lun_str
resolver_of(const reading *rd)
{
    if (rd->servers.len == 0 && (rd->ipv6 || mentions(rd->http, "resolver")
                                 || mentions(rd->http, "include")))
    {
        return LUN_STR("");
    }

    return lun_pool_fmt(rd->pool, "resolver%.*s%s;\n",
                        LUN_S(rd->servers.len != 0 ? rd->servers
                                                   : LUN_STR(" local=on")),
                        rd->ipv6 ? "" : " ipv6=off");
}


static lun_str
configuration(const reading *rd)
{
    lun_str  resolver = resolver_of(rd);

    return lun_pool_fmt(rd->pool,
                        "error_log stderr %.*s;\n%.*s"
                        "events { worker_connections %zu; }\n"
                        "http {\naccess_log off;\n%.*s%.*s}\n"
                        "%s%.*s%s",
                        LUN_S(rd->level), LUN_S(rd->main), rd->connections,
                        LUN_S(resolver), LUN_S(rd->http),
                        rd->stream.len != 0 ? "stream {\n" : "",
                        LUN_S(rd->stream), rd->stream.len != 0 ? "}\n" : "");
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

        rd->name = options[n].name;

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
            return complain(rd, BAD_VALUE,
                            lun_pool_fmt(rd->pool, "option %s takes an"
                                         " argument but found none.",
                                         argv[*i]));
        }

        return options[n].take(rd, argv[++*i]);
    }

    return complain(rd, MISUSED,
                    lun_pool_fmt(rd->pool, "unknown argument: `%s`", argv[*i]));
}


/*
 * Behind code the first word is a script if there is such a file, and behind
 * "--" there is no script.
 */
static bool
take_script(reading *rd, bool ended, const char *word)
{
    lun_tool_options  *o = rd->o;

    if (o->code.len != 0 && (ended || !is_file(word))) {
        return false;
    }

    o->script = word;
    return true;
}


/* Options end at the script's name, or at "--". */
static lun_rc
read_all(reading *rd, int argc, char **argv)
{
    int                i, k;
    bool               ended = false;
    lun_tool_options  *o = rd->o;

    for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            break;
        }

        k = i;
        rd->is_runner = false;

        if (!take_option(rd, argc, argv, &i)) {
            return LUN_ERROR;
        }

        for ( ; !rd->is_runner && k <= i; k++) {
            lun_tool_runner_keep(&rd->runner, argv[k]);
        }
    }

    for (k = i; k < argc; k++) {
        lun_tool_runner_keep(&rd->runner, argv[k]);
    }

    i += ended;

    if (i < argc && take_script(rd, ended, argv[i])) {
        i++;
    }

    o->argc = argc - i;
    o->argv = argv + i;
    return LUN_OK;
}


static bool
find_runner(reading *rd)
{
    const char  *one, *other;

    if (lun_tool_runner_conflict(&rd->runner, &one, &other)) {
        return complain(rd, CONFLICT,
                        lun_pool_fmt(rd->pool, "ERROR: options --%s and --%s"
                                     " cannot be specified at the same time.",
                                     one, other));
    }

    rd->o->runner = lun_tool_runner_command(&rd->runner);
    return true;
}


/* What is run, unless something is said instead. */
static bool
has_work(reading *rd)
{
    lun_tool_options  *o = rd->o;

    if (o->show_help || o->show_version || o->show_build) {
        return true;
    }

    if (o->script == NULL && o->code.len == 0) {
        return complain(rd, NO_FILE,
                        LUN_STR("Neither Lua input file nor -e \"\" option"
                                " specified."));
    }

    if (o->script != NULL && strcmp(o->script, "-") != 0
        && !is_file(o->script))
    {
        return complain(rd, NO_FILE,
                        lun_pool_fmt(rd->pool, "Lua input file %s not found.",
                                     o->script));
    }

    return true;
}


lun_rc
lun_tool_options_read(lun_tool_options *o, int argc, char **argv,
    lun_pool *pool)
{
    reading  rd = { .o = o, .pool = pool, .connections = CONNECTIONS,
                    .level = LUN_STR("warn") };

    memset(o, 0, sizeof(lun_tool_options));
    lun_tool_runner_init(&rd.runner, pool);

    if (read_all(&rd, argc, argv) != LUN_OK || !find_runner(&rd)
        || !has_work(&rd))
    {
        return LUN_ERROR;
    }

    if (o->conf != NULL && (rd.main.len != 0 || rd.http.len != 0
                            || rd.stream.len != 0 || rd.servers.len != 0))
    {
        (void) complain(&rd, MISUSED,
                        lun_pool_fmt(pool, "ERROR: parts of a configuration"
                                     " beside \"%s\"", o->conf));
        return LUN_ERROR;
    }

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
    printf("    %-22s %s\n", left, help);
}


void
lun_tool_options_help(void)
{
    printf("resty [options] [lua-file [args]]\n"
           "lunette run [options] [lua-file [args]]\n\n"
           "A file of \"-\" is standard input.\n\nOptions:\n");
    lun_tool_options_each(print_option, NULL);
}

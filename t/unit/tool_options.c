/*
 * tool_options.c -- what the command line of `lunette run` means.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/run/tool_options.c"
#include "tap.h"

static lun_pool          *pool;
static lun_tool_options   o;


/* Words are separated by '|'. */
static lun_rc
parse(const char *line)
{
    int          argc = 0;
    char        *copy = (char *) (uintptr_t) lun_pool_strz(
        pool, lun_str_of(line, strlen(line)));
    static char *argv[32];
    char        *word;

    for (word = strtok(copy, "|"); word != NULL; word = strtok(NULL, "|")) {
        argv[argc++] = word;
    }

    return lun_tool_options_read(&o, argc, argv, pool);
}


static bool
has(const char *part)
{
    char  *text = lun_pool_alloc(pool, o.text.len + 1);

    memcpy(text, o.text.data, o.text.len);
    text[o.text.len] = '\0';
    return strstr(text, part) != NULL;
}


static void
test_script(void)
{
    ok(parse("-e|a|-eb|x.lua|-c|d") == LUN_OK, "options, script, arguments");
    ok(lun_str_eq(o.code, LUN_STR("a\nb")), "code is gathered");
    ok(strcmp(o.script, "x.lua") == 0 && o.argc == 2
       && strcmp(o.argv[0], "-c") == 0, "what follows the script is its own");

    ok(parse("--|-e") == LUN_OK && strcmp(o.script, "-e") == 0,
       "-- ends the options");
    ok(parse("-|a") == LUN_OK && strcmp(o.script, "-") == 0 && o.argc == 1,
       "a dash is standard input");
    ok(parse("") == LUN_OK && o.script == NULL && o.code.len == 0,
       "nothing is nothing");
    ok(parse("-I|a|-Ib") == LUN_OK
       && lun_str_eq(o.path, LUN_STR("a/?.lua;a/?/init.lua;"
                                     "b/?.lua;b/?/init.lua;")),
       "-I is put in order");
    ok(parse("-l|a|-lb|-j|off") == LUN_OK && strcmp(o.modules[1], "b") == 0
       && o.modules[2] == NULL && strcmp(o.jit, "off") == 0, "-l and -j");
}


static void
test_configuration(void)
{
    ok(parse("-e|x") == LUN_OK && has("worker_connections 64;")
       && has("error_log stderr warn;") && !has("resolver"), "the smallest");
    ok(parse("-c|100|--errlog-level=info") == LUN_OK && o.conf == NULL
       && has("worker_connections 100;") && has("error_log stderr info;"),
       "-c with a number, a value behind a sign");
    ok(parse("--shdict|a 1m|--shdict=b 2m") == LUN_OK
       && has("lua_shared_dict a 1m;") && has("lua_shared_dict b 2m;"),
       "dictionaries");
    ok(parse("--ns|1.1.1.1|--ns|::1") == LUN_OK
       && has("resolver 1.1.1.1 ::1 ipv6=off;"), "name servers");
    ok(parse("--ns|1.1.1.1|--resolve-ipv6") == LUN_OK
       && has("resolver 1.1.1.1;"), "and for IPv6");
    ok(parse("--main-conf|env X;|--http-conf|if_modified_since off;") == LUN_OK
       && has("env X;\n") && has("if_modified_since off;\n"), "texts");
    ok(parse("--http-include|a.conf") == LUN_OK && has("/a.conf\";")
       && !has("include \"a.conf"), "a file is of the current folder");
    ok(parse("-p|/x|-c|a.conf") == LUN_OK && strcmp(o.conf, "a.conf") == 0
       && strcmp(o.prefix, "/x") == 0, "a configuration of one's own");
    ok(parse("-v") == LUN_OK && o.show_version, "-v");
    ok(parse("-V") == LUN_OK && o.show_build, "-V");
    ok(parse("-h") == LUN_OK && o.show_help, "-h");
    ok(parse("--nginx|x") == LUN_OK && parse("--rr-free") == LUN_OK,
       "options of programs that are not started");
}


static void
test_errors(void)
{
    ok(parse("--none") == LUN_ERROR, "an unknown option");
    ok(parse("-x") == LUN_ERROR, "an unknown letter");
    ok(parse("-vx") == LUN_ERROR, "a letter with a value it has not");
    ok(parse("--nsx=1") == LUN_ERROR, "a name that is longer");
    ok(parse("-e") == LUN_ERROR, "no code");
    ok(parse("--ns") == LUN_ERROR, "no value");
    ok(parse("-c|0") == LUN_ERROR, "no connections");
    ok(parse("-c|99999999999999999999") == LUN_ERROR, "too many");
    ok(parse("-c|a.conf|--shdict|a 1m") == LUN_ERROR, "a part beside a file");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);

    test_script();
    test_configuration();
    test_errors();

    lun_pool_free(pool);
    return done_testing();
}

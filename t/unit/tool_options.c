/*
 * tool_options.c -- what the command line of `lunette run` means.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/tool/tool_options.c"
#include "tap.h"

/* A file that is there. */
#define THIS  "build/tool_options.file"

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
    ok(parse("-e|a|-eb|" THIS "|-c|d") == LUN_OK, "options, script, arguments");
    ok(lun_str_eq(o.code, LUN_STR("a\nb")), "code is gathered");
    ok(strcmp(o.script, THIS) == 0 && o.argc == 2
       && strcmp(o.argv[0], "-c") == 0, "what follows the script is its own");

    ok(parse("-e|a|no.such.file|-c") == LUN_OK && o.script == NULL
       && o.argc == 2, "behind code what is no file is an argument");
    ok(parse("-e|a|--|" THIS) == LUN_OK && o.script == NULL && o.argc == 1,
       "and all behind --");
    ok(parse("--|" THIS "|-e") == LUN_OK && strcmp(o.script, THIS) == 0
       && o.argc == 1, "-- ends the options");
    ok(parse("-|a") == LUN_OK && strcmp(o.script, "-") == 0 && o.argc == 1,
       "a dash is standard input");
    ok(parse("-I|a|-Ib|-") == LUN_OK
       && lun_str_eq(o.path, LUN_STR("a/?.lua;a/?/init.lua;"
                                     "b/?.lua;b/?/init.lua;")),
       "-I is put in order");
    ok(parse("-l|a|-e|x|-lb\"\\|-j|off") == LUN_OK
       && lun_str_eq(o.code, LUN_STR("require \"a\"\nx\n"
                                     "require \"b\\\"\\\\\""))
       && strcmp(o.jit, "off") == 0, "-l in its turn, and -j");
}


static void
test_configuration(void)
{
    ok(parse("-e|x") == LUN_OK && has("worker_connections 64;")
       && has("error_log stderr warn;")
       && has("resolver local=on ipv6=off;")
       && !has("stream"), "the smallest");
    ok(parse("-e|x|-c|100|--errlog-level=info") == LUN_OK && o.conf == NULL
       && has("worker_connections 100;") && has("error_log stderr info;"),
       "-c with a number, a value behind a sign");
    ok(parse("-e|x|--shdict|a 1m|--shdict=b_2   20000") == LUN_OK
       && has("lua_shared_dict a 1m;") && has("lua_shared_dict b_2   20000;"),
       "dictionaries");
    ok(parse("-e|x|--ns|1.1.1.1|--ns|[::1]") == LUN_OK
       && has("resolver 1.1.1.1 [::1] ipv6=off;"), "name servers");
    ok(parse("-e|x|--ns|1.1.1.1|--resolve-ipv6") == LUN_OK
       && has("resolver 1.1.1.1;"), "and for IPv6");
    ok(parse("-e|x|--resolve-ipv6") == LUN_OK && !has("resolver"),
       "the system's, for IPv6, too");
    ok(parse("-e|x|--http-conf|resolver 1.1.1.1;") == LUN_OK
       && !has("local=on"), "one of its own");
    ok(parse("-e|x|--main-conf|env X; |--http-conf|if_modified_since off")
       == LUN_OK && has("env X;\n") && has("if_modified_since off;\n"),
       "texts, whose last semicolon may lack");
    ok(parse("-e|x|--stream-conf|preread_timeout 1s;|--no-stream") == LUN_OK
       && has("stream {\npreread_timeout 1s;\n}"), "a stream block");
    ok(parse("-e|x|--http-include|" THIS) == LUN_OK && has("/" THIS "\";")
       && !has("include \"" THIS), "a file is of the current folder");
    ok(parse("-e|x|-p|/x|-c|a.conf") == LUN_OK && strcmp(o.conf, "a.conf") == 0
       && strcmp(o.prefix, "/x") == 0, "a configuration of one's own");
    ok(parse("-v") == LUN_OK && o.show_version, "-v");
    ok(parse("-V") == LUN_OK && o.show_build, "-V");
    ok(parse("-h") == LUN_OK && o.show_help, "-h");
    ok(parse("-e|x|--nginx|" THIS "|--rr-free") == LUN_OK && o.runner == NULL,
       "options of programs that are not started");
}


/* The words of the command but our program's, separated by '|'. */
static const char *
command(void)
{
    size_t   i;
    lun_str  text = LUN_STR("");

    for (i = 0; o.runner[i] != NULL; i++) {
        text = lun_pool_fmt(pool, "%.*s|%s", LUN_S(text),
                            strstr(o.runner[i], "tool_options") == NULL
                            ? o.runner[i] : "us");
    }

    return lun_pool_strz(pool, text);
}


static void
test_runners(void)
{
    ok(parse("-e|x|--gdb|--gdb-opts|-q  \"a b\"'c'|--ns|1.1.1.1|--|--gdb")
       == LUN_OK, "gdb");
    is_str(command(), "|gdb|-q|a bc|--args|us|run|-e|x|--ns|1.1.1.1|--|--gdb",
           "has its options, and what is not about it is ours");
    ok(parse("--rr|-e|x") == LUN_OK, "rr");
    is_str(command(), "|rr|record|us|run|-e|x", "has a word of its own");
    ok(parse("--user-runner=strace -f|-e|x") == LUN_OK, "any other");
    is_str(command(), "|strace|-f|us|run|-e|x", "is taken apart");
    ok(parse("--stap|-e|it's") == LUN_OK
       && strcmp(o.runner[1], "-c") == 0 && o.runner[3] == NULL
       && strstr(o.runner[2], "' 'run' '-e' 'it'\\''s'") != NULL,
       "stap gets one word");
    ok(parse("--valgrind-opts|x|-e|x") == LUN_OK && o.runner == NULL,
       "options alone start nothing");
}


static void
fails(const char *line, int status, const char *what)
{
    ok(parse(line) == LUN_ERROR && o.status == status, "%s", what);
}


static void
test_errors(void)
{
    fails("", 2, "nothing to run");
    fails("no.such.file", 2, "a file that is not there");
    fails("--|-e", 2, "one behind --");
    fails("--none", 1, "an unknown option");
    fails("-x", 1, "an unknown letter");
    fails("-vx", 1, "a letter with a value it has not");
    fails("--nsx=1", 1, "a name that is longer");
    fails("-e", 255, "no code");
    fails("--ns", 255, "no value");
    fails("--ns|localhost", 255, "a name server by its name");
    fails("-c|0", 255, "no connections");
    fails("-c|99999999999999999999", 255, "too many");
    fails("-j|x", 255, "no mode of LuaJIT's");
    fails("--shdict|dogs", 255, "a dictionary without a size");
    fails("--shdict| dogs 1m", 255, "one that begins with a blank");
    fails("--shdict|do-gs 1m", 255, "one whose name is none");
    fails("--shdict|dogs 1g", 255, "one that is too large");
    fails("--shdict|dogs 1mx", 255, "one with something behind it");
    fails("--http-include|no.such.file", 2, "no file for http");
    fails("--main-include|no.such.file", 2, "no file for main");
    fails("--nginx|no.such.file|-e|x", 2, "no program");
    fails("--valgrind|--gdb|-e|x", 25, "two that run us");
    fails("-e|x|-c|a.conf|--shdict|a 1m", 1, "a part beside a file");
}


int
main(void)
{
    FILE  *file = fopen(THIS, "w");

    if (file != NULL) {
        fclose(file);
    }

    pool = lun_pool_new_sized(4096);

    test_script();
    test_configuration();
    test_runners();
    test_errors();

    lun_pool_free(pool);
    remove(THIS);
    return done_testing();
}

/*
 * problems.c -- a configuration with many mistakes: each is told, and reading
 * goes on behind it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/problems.c"

#include "config/slots.h"
#include "session/levels.h"
#include "conf_help.h"


static void
is_text(const char *text, const char *what, const char *name)
{
    if (!ok(strcmp(text, what) == 0, "%s", name)) {
        printf("#  got: %s\n# want: %s\n", text, what);
    }
}


static lun_rc
on_block(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_block  *b;

    if (cf->argc > 1 && lun_str_eq(cf->args[1], LUN_STR("bad"))) {
        return lun_conf_fail(cf, "a bad block");
    }

    return lun_conf_read_block(cf, (uint32_t) (uintptr_t) d->data, NULL, &b);
}


static lun_rc
on_raw(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_str_find(cf->raw, LUN_STR("wrong")) == NULL
           ? LUN_OK : lun_conf_fail(cf, "wrong Lua");
}


typedef struct {
    bool     flag;
    int64_t  num;
} test_conf;

static const lun_no_effect  useless = { .why = "nothing needs it" };

static const lun_directive  directives[] = {
    { .name = "http", .where = LUN_MAIN, .block = true, .set = on_block,
      .data = (void *) LUN_HTTP },
    { .name = "server", .where = LUN_HTTP, .block = true, .args = LUN_ARGS_ANY,
      .repeats = true, .set = on_block, .data = (void *) LUN_SERVER },
    { .name = "proxy_pass", .where = LUN_SERVER, .args = 1,
      .set = lun_set_num, LUN_FIELD(test_conf, num) },
    { .name = "proxy_buffering", .where = LUN_SERVER, .args = 1,
      .set = lun_set_flag, LUN_FIELD(test_conf, flag) },
    { .name = "init_by_lua_block", .where = LUN_HTTP, .block = true,
      .raw = true, .set = on_raw },
    { .name = "useless", .where = LUN_HTTP, .args = 1,
      .set = lun_set_no_effect, .data = &useless },
    { 0 }
};

static lun_conf_part  part = {
    .name = "test",
    .directives = directives,
    .conf_size = sizeof(test_conf),
};


static lun_rc
read_text(reading *rd, const char *text)
{
    begin(rd);
    lun_schema_add((lun_schema *) rd->cf.schema, &part);
    rd->cf.read_on = true;

    return read_main(rd, text);
}


static void
count_lines(void *data, lun_str line)
{
    size_t  n = strlen(data);

    snprintf((char *) data + n, 1024 - n, "%.*s|", LUN_S(line));
}


/* All that is said of a text, in its order. */
static void
says(const char *text, const char *what, const char *name)
{
    lun_rc   rc;
    reading  rd;

    rc = read_text(&rd, text);
    ok(rc == (what[0] != '\0' ? LUN_ERROR : LUN_OK), "%s: the result", name);
    is_text(said, what, name);
    finish_reading(&rd);
}


static void
test_going_on(void)
{
    says("http { server { proxy_pass 1; } }", "", "a good one");
    says("http { server { proxy_pass x; proxy_buffering maybe; } }",
         "\"proxy_pass\" directive invalid number in /p/conf/main:1"
         "invalid value \"maybe\" in \"proxy_buffering\" directive, it must "
         "be \"on\" or \"off\" in /p/conf/main:1", "two values");
    says("http {\n server {\n proxy_pass 1;\n proxy_pass 2;\n }\n"
         "server { proxy_pass; }\n}\n",
         "\"proxy_pass\" directive is duplicate in /p/conf/main:4"
         "invalid number of arguments in \"proxy_pass\" directive in "
         "/p/conf/main:6", "a duplicate, and too few arguments");
    says("http { server bad { proxy_pass x; } server { proxy_pass y; } }",
         "a bad block in /p/conf/main:1"
         "\"proxy_pass\" directive invalid number in /p/conf/main:1",
         "a block that is refused is passed over");
    says("proxy_pass 1; http { http { proxy_pass 2; } server { proxy_pass z; "
         "} }",
         "\"proxy_pass\" directive is not allowed here in /p/conf/main:1"
         "\"http\" directive is not allowed here in /p/conf/main:1"
         "\"proxy_pass\" directive invalid number in /p/conf/main:1",
         "wrong places, with all that is in them");
    says("http { init_by_lua_block { wrong } } server { }",
         "wrong Lua in /p/conf/main:1"
         "\"server\" directive is not allowed here in /p/conf/main:1",
         "a block of Lua");
    says("http { server { proxy_pass x; } ",
         "\"proxy_pass\" directive invalid number in /p/conf/main:1"
         "unexpected end of file, expecting \"}\" in /p/conf/main:1",
         "nothing is read behind a lost brace");
}


static void
test_unknown(void)
{
    says("http { server { proxy_pas 1; } }",
         "unknown directive \"proxy_pas\" in /p/conf/main:1"
         "did you mean \"proxy_pass\"? in /p/conf/main:1", "a letter");
    says("http { server { porxy_pass 1; } }",
         "unknown directive \"porxy_pass\" in /p/conf/main:1"
         "did you mean \"proxy_pass\"? in /p/conf/main:1", "a swap");
    says("http { ssl on; }",
         "unknown directive \"ssl\" in /p/conf/main:1"
         "\"ssl\" is no directive any more, use \"listen ... ssl\" in "
         "/p/conf/main:1", "gone");
    says("http { xyzzy; }",
         "unknown directive \"xyzzy\" in /p/conf/main:1", "none is near");
    says("http { foo { a; b { c; } d_by_lua_block { \"}\" } } bar; }",
         "unknown directive \"foo\" in /p/conf/main:1"
         "unknown directive \"bar\" in /p/conf/main:1",
         "an unknown block is passed over, Lua and all");
    says("x_by_lua_block { \"}\" } y;",
         "unknown directive \"x_by_lua_block\" in /p/conf/main:1"
         "unknown directive \"y\" in /p/conf/main:1", "an unknown Lua block");
    says("foo { a;",
         "unknown directive \"foo\" in /p/conf/main:1"
         "unexpected end of file, expecting \"}\" in /p/conf/main:1",
         "an unknown block without an end");
}


static void
test_table(void)
{
    char     lines[1024] = "";
    reading  rd;

    (void) read_text(&rd, "foo;\nhttp {\n quux 1;\n foo 2;\n}\n");
    ok(lun_problems_count(&rd.cf) == 3, "three problems");

    lun_problems_table(&rd.cf, count_lines, lines);
    is_text(lines, "not supported, of this configuration:|"
              "  foo     2 x, first in /p/conf/main:1|"
              "  quux    1 x, first in /p/conf/main:3|", "the table");
    finish_reading(&rd);

    lines[0] = '\0';
    (void) read_text(&rd, "http { }");
    lun_problems_table(&rd.cf, count_lines, lines);
    is_text(lines, "", "no table for a good one");
    finish_reading(&rd);
}


static void
test_no_effect(void)
{
    reading  rd;

    ok(read_text(&rd, "http {\n useless on;\n}") == LUN_OK, "it is taken");
    is_text(said, "\"useless\" directive has no effect: nothing needs it in "
             "/p/conf/main:2", "with a warning");
    finish_reading(&rd);
}


static void
test_first_problem_ends_it(void)
{
    reading  rd;

    begin(&rd);
    lun_schema_add((lun_schema *) rd.cf.schema, &part);
    ok(read_main(&rd, "a; b;") == LUN_ERROR, "without read_on");
    is_text(said, "unknown directive \"a\" in /p/conf/main:1",
            "the first alone");
    finish_reading(&rd);
}


int
main(void)
{
    test_going_on();
    test_unknown();
    test_table();
    test_no_effect();
    test_first_problem_ends_it();
    return done_testing();
}

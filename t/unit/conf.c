/*
 * conf.c -- reading configurations: places, arity, includes, and what is said
 * of the ones that are wrong.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/read.c"

#include "session/levels.h"
#include "conf_help.h"


static char  trace[4096];          /* what the setters were called with */


static lun_rc
on_words(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t  i, n;

    for (i = 0; i < cf->argc; i++) {
        n = strlen(trace);
        snprintf(trace + n, sizeof(trace) - n, i != 0 ? " %.*s" : "%.*s",
                 LUN_S(cf->args[i]));
    }

    n = strlen(trace);
    snprintf(trace + n, sizeof(trace) - n, "@%u;", cf->line);

    return LUN_OK;
}


/* Says its words before and after its body: they must be the same. */
static lun_rc
on_block(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc      rc;
    lun_block  *b;

    on_words(cf, d, conf);

    rc = lun_conf_read_block(cf, (uint32_t) (uintptr_t) d->data, NULL, &b);

    if (rc == LUN_OK) {
        on_words(cf, d, conf);
        ok(b->parent == cf->block, "a block has its parent");
    }

    return rc;
}


static lun_rc
on_line(lun_conf *cf, void *data)
{
    return on_words(cf, NULL, data);
}


static lun_rc
on_lines(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_conf_read_lines(cf, on_line, conf, true);
}


static lun_rc
on_lua(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t  n = strlen(trace);

    snprintf(trace + n, sizeof(trace) - n, "<%.*s>@%u;", LUN_S(cf->raw),
             cf->raw_line);

    return LUN_OK;
}


static lun_rc
on_bad(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_conf_bad_value(cf);
}


/* Its complaint comes after its body. */
static lun_rc
on_sulky(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_block  *b;

    if (lun_conf_read_block(cf, LUN_UPSTREAM, NULL, &b) != LUN_OK) {
        return LUN_ERROR;
    }

    return lun_conf_fail(cf, "no servers in \"%.*s\"", LUN_S(cf->args[1]));
}


#define PLACE(where)  (const void *) (uintptr_t) (where)

static const lun_directive  directives[] = {
    { .name = "one", .where = LUN_MAIN | LUN_HTTP_LEVELS, .args = 1,
      .repeats = true, .set = on_words },
    { .name = "once", .where = LUN_MAIN, .args = 1, .set = on_words },
    { .name = "two_four", .where = LUN_MAIN, .args = 2, .args_max = 4,
      .repeats = true, .set = on_words },
    { .name = "some", .where = LUN_MAIN, .args = 1, .args_max = LUN_ARGS_ANY,
      .repeats = true, .set = on_words },
    { .name = "any", .where = LUN_MAIN, .args = LUN_ARGS_ANY, .repeats = true,
      .set = on_words },
    { .name = "none", .where = LUN_MAIN, .set = on_words },
    { .name = "bad", .where = LUN_MAIN, .args = 1, .set = on_bad },
    { .name = "http", .where = LUN_MAIN, .block = true, .set = on_block,
      .data = PLACE(LUN_HTTP) },
    { .name = "server", .where = LUN_HTTP, .block = true, .repeats = true,
      .set = on_block, .data = PLACE(LUN_SERVER) },
    { .name = "location", .where = LUN_SERVER | LUN_LOCATION, .args = 1,
      .args_max = 2, .block = true, .repeats = true, .set = on_block,
      .data = PLACE(LUN_LOCATION) },
    { .name = "map", .where = LUN_HTTP, .args = 2, .block = true,
      .repeats = true, .set = on_lines },
    { .name = "lua", .where = LUN_MAIN, .block = true, .raw = true,
      .repeats = true, .set = on_lua },
    { 0 }
};

static const lun_directive  upstream_directives[] = {
    { .name = "upstream", .where = LUN_HTTP, .args = 1, .block = true,
      .repeats = true, .set = on_sulky },
    { .name = "server", .where = LUN_UPSTREAM, .args = 1, .repeats = true,
      .set = on_words },
    { 0 }
};

static lun_conf_part  part = { .name = "t", .directives = directives };
static lun_conf_part  upstream = {
    .name = "upstream",
    .directives = upstream_directives
};


static void
begin_with_parts(reading *rd)
{
    begin(rd);
    trace[0] = '\0';
    lun_schema_add((lun_schema *) rd->cf.schema, &part);
    lun_schema_add((lun_schema *) rd->cf.schema, &upstream);
}


static const struct {
    const char  *text;
    const char  *trace;
} good[] = {
    { "", "" },
    { "one a;", "one a@1;" },
    { "one a;one b;", "one a@1;one b@1;" },
    { "\n one\n a;", "one a@2;" },
    { "two_four 1 2; two_four 1 2 3 4; none;",
      "two_four 1 2@1;two_four 1 2 3 4@1;none@1;" },
    { "some 1; some 1 2 3 4 5 6 7 8 9; any; any 1;",
      "some 1@1;some 1 2 3 4 5 6 7 8 9@1;any@1;any 1@1;" },
    { "http { server { location / { one 1; } } }",
      "http@1;server@1;location /@1;one 1@1;location /@1;server@1;http@1;" },
    { "http {\n server {\n }\n one 1;\n}\n",
      "http@1;server@2;server@2;one 1@4;http@1;" },
    { "http { server { location a { location b { } } location ~ c { } } }",
      "http@1;server@1;location a@1;location b@1;location b@1;location a@1;"
      "location ~ c@1;location ~ c@1;server@1;http@1;" },
    { "http { map $a $b { a b; \"c d\" '';\n e; }} one 2;",
      "http@1;a b@1;c d @1;e@2;http@1;one 2@2;" },
    { "lua { a = { '}' } }\nlua {\n}", "< a = { '}' } >@1;<\n>@2;" },
};


static void
test_good(void)
{
    size_t   i;
    lun_rc   rc;
    reading  rd;

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        begin_with_parts(&rd);

        rc = read_main(&rd, good[i].text);
        is_int(rc, LUN_OK, "a good text, case %d", (int) i);

        is_str(trace, good[i].trace, "its directives");
        is_str(said, "", "nothing was said");
        finish_reading(&rd);
    }
}


static const struct {
    const char  *text;
    const char  *said;
} wrong[] = {
    { "huh 1;", "unknown directive \"huh\" in /p/conf/main:1" },
    { "\nhuh {", "unknown directive \"huh\" in /p/conf/main:2" },
    { "server { }",
      "\"server\" directive is not allowed here in /p/conf/main:1" },
    { "http { none; }",
      "\"none\" directive is not allowed here in /p/conf/main:1" },
    { "one;", "invalid number of arguments in \"one\" directive "
      "in /p/conf/main:1" },
    { "one a\nb;", "invalid number of arguments in \"one\" directive "
      "in /p/conf/main:2" },
    { "two_four 1;", "invalid number of arguments in \"two_four\" directive "
      "in /p/conf/main:1" },
    { "two_four 1 2 3 4 5;", "invalid number of arguments in \"two_four\" "
      "directive in /p/conf/main:1" },
    { "some;", "invalid number of arguments in \"some\" directive "
      "in /p/conf/main:1" },
    { "none 1;", "invalid number of arguments in \"none\" directive "
      "in /p/conf/main:1" },
    { "one a {", "directive \"one\" is not terminated by \";\" "
      "in /p/conf/main:1" },
    { "http;", "directive \"http\" has no opening \"{\" in /p/conf/main:1" },
    { "http { } http { }",
      "\"http\" directive is duplicate in /p/conf/main:1" },
    { "once 1;\nonce 2;", "\"once\" directive is duplicate "
      "in /p/conf/main:2" },
    { "}", "unexpected \"}\" in /p/conf/main:1" },
    { "one a }", "unexpected \"}\" in /p/conf/main:1" },
    { "http { one a }", "unexpected \"}\" in /p/conf/main:1" },
    { ";", "unexpected \";\" in /p/conf/main:1" },
    { "one a;;", "unexpected \";\" in /p/conf/main:1" },
    { "\n{", "unexpected \"{\" in /p/conf/main:2" },
    { "one a", "unexpected end of file, expecting \";\" or \"}\" "
      "in /p/conf/main:1" },
    { "one 'a;\n", "unexpected end of file, expecting \";\" or \"}\" "
      "in /p/conf/main:2" },
    { "one 'a", "unexpected end of file, expecting \";\" or \"}\" "
      "in /p/conf/main:1" },
    { "http {\n\n", "unexpected end of file, expecting \"}\" "
      "in /p/conf/main:3" },
    { "one 'a'b;", "unexpected \"b\" in /p/conf/main:1" },
    { "http { map a b { a { } } }", "unexpected \"{\" in /p/conf/main:1" },
    { "http { map a b { a b;", "unexpected end of file, expecting \"}\" "
      "in /p/conf/main:1" },
    { "bad soon;", "\"bad\" directive invalid value in /p/conf/main:1" },
    { "http { upstream u {\n server a;\n } }",
      "no servers in \"u\" in /p/conf/main:3" },
    { "http { upstream u { one 1; } }",
      "\"one\" directive is not allowed here in /p/conf/main:1" },
    { "lua {\n [[ }", "Lua code block missing the closing long bracket "
      "\"]]\", the inlined Lua code may be too long in /p/conf/main:2" },
    { "lua ;", "directive \"lua\" has no opening \"{\" in /p/conf/main:1" },
    { "include gone;", "open() \"/p/conf/gone\" failed (2: No such file or "
      "directory) in /p/conf/main:1" },
    { "include;", "invalid number of arguments in \"include\" directive "
      "in /p/conf/main:1" },
    { "include a {", "directive \"include\" is not terminated by \";\" "
      "in /p/conf/main:1" },
    { "\ninclude main;",
      "blocks and includes are nested too deep in /p/conf/main:2" },
};


static void
test_wrong(void)
{
    size_t   i;
    lun_rc   rc;
    reading  rd;

    for (i = 0; i < LUN_ARRAY_LEN(wrong); i++) {
        begin_with_parts(&rd);

        rc = read_main(&rd, wrong[i].text);
        is_int(rc, LUN_ERROR, "a wrong text, case %d", (int) i);

        if (lun_err_of_kind(LUN_ERR_NOT_FOUND) == 2) {
            is_str(said, wrong[i].said, "is refused in nginx's words");
        } else {
            skip("numbers of errors are another system's");
        }

        finish_reading(&rd);
    }
}


static void
test_deep(void)
{
    char     text[4096];
    size_t   i, n;
    reading  rd;

    begin_with_parts(&rd);
    n = (size_t) snprintf(text, sizeof(text), "http { server {");

    for (i = 0; i < 200; i++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "location a {");
    }

    is_int(read_main(&rd, text), LUN_ERROR, "200 nested locations are refused");
    is_str(said, "blocks and includes are nested too deep in /p/conf/main:1",
           "for being nested");

    finish_reading(&rd);
}


static void
test_include(void)
{
    reading         rd;
    lun_str         matches[] = { LUN_STR_INIT("/p/conf/d/a"),
                                  LUN_STR_INIT("/p/conf/d/b") };
    lun_conf_file  *f;

    begin_with_parts(&rd);
    add_file(&rd, "/p/conf/d/a", "one a;\none aa;\n");
    add_file(&rd, "/p/conf/d/b", "include d/c;");
    add_file(&rd, "/p/conf/d/c", "one c;");
    add_file(&rd, "/q/e", "huh;");
    rd.globs[0] = (lun_conf_glob) {
        .pattern = LUN_STR("/p/conf/d/*"), .paths = matches, .count = 2
    };
    rd.snapshot.glob_count = 1;

    is_int(read_main(&rd, "one 1;\ninclude d/*;\none 2;include none[x];\n"
                     "http {\n include d/a; one 3; }\ninclude /q/e;\n"),
           LUN_ERROR, "includes, the last of a file that is wrong");
    is_str(trace, "one 1@1;one a@1;one aa@2;one c@1;one 2@3;"
           "http@4;one a@1;one aa@2;one 3@5;http@4;",
           "the words come in their order, at their lines");
    is_str(said, "unknown directive \"huh\" in /q/e:1",
           "the file that is wrong is named");

    is_int((int64_t) rd.cf.files.count, 5, "each file was read once");
    f = lun_array_at(&rd.cf.files, 0);
    is_mem(f->path.data, f->path.len, "/p/conf/main", 12, "the main one first");
    is_int((int64_t) rd.cf.globs.count, 2, "both patterns are remembered");

    finish_reading(&rd);
}


static void
test_include_lines(void)
{
    reading  rd;

    begin_with_parts(&rd);
    add_file(&rd, "/p/conf/x", "c d; include e f;\n");

    is_int(read_main(&rd, "http { map $a $b { a b;\n include x; g h; } }"),
           LUN_OK, "lines from another file");
    is_str(trace, "http@1;a b@1;c d@1;include e f@1;g h@2;http@1;",
           "come in their place; an include of two words is a line");

    finish_reading(&rd);
}


static lun_rc
read_asset(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str  text;

    if (lun_conf_asset(cf, LUN_STR("test-conf.asset"), &text) != 0) {
        return LUN_ERROR;
    }

    said[0] = '\0';
    strncat(said, text.data, text.len);
    return LUN_OK;
}


static const lun_directive  asset_directives[] = {
    { .name = "asset", .where = LUN_MAIN, .set = read_asset },
    { 0 }
};

static lun_conf_part  asset_part = {
    .name = "asset", .directives = asset_directives
};


/* A file of that text, which was changed at that time; 0: now. */
static void
put_asset(const char *path, const char *text, int64_t mtime)
{
    lun_fd  fd;

    (void) lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE
                               | LUN_FILE_TRUNC, 0600, &fd);
    (void) lun_file_write(fd, text, strlen(text), 0);

    if (mtime != 0) {
        (void) lun_file_set_mtime(fd, mtime);
    }

    lun_file_close(fd);
}


/* What is read of the asset, by a reading that comes after another. */
static void
read_after(const reading *old, reading *rd, bool inherits)
{
    lun_conf_snapshot  before = { 0 };

    begin(rd);
    lun_schema_add((lun_schema *) rd->cf.schema, &asset_part);
    rd->snapshot.partial = true;

    if (old != NULL && inherits) {
        before.files = old->cf.files.items;
        before.file_count = old->cf.files.count;
        rd->cf.before = &before;
    }

    (void) read_main(rd, "asset;");
}


static void
test_before(void)
{
    reading  first, second;

    enum { THEN = 1700000000 };

    put_asset("test-conf.asset", "one", THEN);
    read_after(NULL, &first, true);
    is_str(said, "one", "an asset is read");

    put_asset("test-conf.asset", "two", THEN);
    read_after(&first, &second, true);
    is_str(said, "one", "one that has not changed is not read again");
    finish_reading(&second);

    read_after(&first, &second, false);
    is_str(said, "two", "but by who takes nothing over");
    finish_reading(&second);

    put_asset("test-conf.asset", "three", THEN + 1);
    read_after(&first, &second, true);
    is_str(said, "three", "one that has changed is");
    finish_reading(&first);

    put_asset("test-conf.asset", "four", THEN + 1);
    read_after(&second, &first, true);
    is_str(said, "three", "what was taken over is handed on");
    finish_reading(&second);
    finish_reading(&first);

    (void) lun_file_delete("test-conf.asset");
}


static void
test_text(void)
{
    reading  rd;

    begin_with_parts(&rd);
    add_file(&rd, "/p/conf/main", "once 3;");
    rd.top = lun_block_new(&rd.cf, NULL, LUN_MAIN);

    is_int(lun_conf_read_text(&rd.cf, LUN_STR("once 1; one 2;"), rd.top),
           LUN_OK, "directives of the command line");
    is_str(trace, "once 1@0;one 2@0;", "are directives");
    is_int(lun_conf_read_file(&rd.cf, LUN_STR("/p/conf/main"), rd.top),
           LUN_ERROR, "and count as given when the file says them again");
    is_str(said, "\"once\" directive is duplicate in /p/conf/main:1",
           "at the file's line");
    finish_reading(&rd);

    begin_with_parts(&rd);
    rd.top = lun_block_new(&rd.cf, NULL, LUN_MAIN);
    lun_conf_read_text(&rd.cf, LUN_STR("one 1"), rd.top);
    is_str(said, "unexpected end of parameter, expecting \";\" "
           "in command line", "-g without a semicolon");
    finish_reading(&rd);

    begin_with_parts(&rd);
    rd.top = lun_block_new(&rd.cf, NULL, LUN_MAIN);
    lun_conf_read_text(&rd.cf, LUN_STR("http { }"), rd.top);
    is_str(said, "block directives are not supported in -g option "
           "in command line", "-g with a block");
    finish_reading(&rd);
}


static void
test_paths(void)
{
    lun_str  s;
    reading  rd;

    begin(&rd);

    s = lun_conf_path(&rd.cf, LUN_STR("a/b"), false);
    is_str(s.data, "/p/a/b", "a path is relative to the prefix");
    s = lun_conf_path(&rd.cf, LUN_STR("a/b"), true);
    is_str(s.data, "/p/conf/a/b", "or to the configuration's folder");
    s = lun_conf_path(&rd.cf, LUN_STR("/a/b"), true);
    is_str(s.data, "/a/b", "or absolute");

    finish_reading(&rd);
}


int
main(void)
{
    test_good();
    test_wrong();
    test_deep();
    test_include();
    test_before();
    test_include_lines();
    test_text();
    test_paths();

    return done_testing();
}

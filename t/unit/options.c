/*
 * options.c -- the command line.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/options.c"

#include "tap.h"


enum { MAX_ARGS = 8 };

static lun_pool  *pool;


static lun_rc
parse(lun_options *o, const char *line)
{
    int          argc = 1;
    char        *copy, *argv[MAX_ARGS + 1] = { NULL };

    copy = (char *) (uintptr_t) lun_pool_strz(pool, lun_str_z(line));
    argv[0] = copy;

    for (copy = strtok(copy, " "); copy != NULL; copy = strtok(NULL, " ")) {
        argv[argc++] = copy;
    }

    return lun_options_parse(o, argc, argv, pool);
}


static void
test_flags(void)
{
    lun_options  o;

    is_int(parse(&o, "-t -q"), LUN_OK, "letters of their own");
    ok(o.test && o.quiet && !o.dump, "are what they say");
    is_int(parse(&o, "-Tq"), LUN_OK, "joined letters");
    ok(o.test && o.dump && o.quiet, "are all of them, -T tests as well");
    parse(&o, "-?");
    ok(o.show_help && !o.show_version, "-? is for help");
    parse(&o, "-V");
    ok(o.show_build && !o.show_version, "-V is not -v");
}


static void
test_values(void)
{
    lun_options  o;

    parse(&o, "-p /x -c a/b.conf -e stderr -g daemon;");
    is_str(o.prefix.data, "/x/", "a prefix gets its slash");
    is_str(o.conf.data, "a/b.conf", "-c");
    is_str(o.error_log.data, "stderr", "-e");
    is_str(o.params.data, "daemon;", "-g");
    is_str(lun_options_path(&o, o.conf, pool).data, "/x/a/b.conf",
           "the configuration is relative to the prefix");

    parse(&o, "-p/x/ -tc/y");
    is_str(o.prefix.data, "/x/", "a value may follow its letter");
    is_str(o.conf.data, "/y", "also behind joined letters");
    is_str(lun_options_path(&o, o.conf, pool).data, "/y",
           "an absolute path stays");

    parse(&o, "");
    is_str(o.conf.data, "conf/nginx.conf", "the default configuration");
    is_str(o.error_log.data, "logs/error.log", "the default error log");
    ok(ends_with_slash(o.prefix), "the default prefix ends with a slash");

    if (lun_path_native == LUN_PATH_WINDOWS) {
        ok(!lun_str_eq(o.prefix, LUN_STR(LUN_PREFIX)), "where the program is");

    } else {
        is_str(o.prefix.data, LUN_PREFIX, "the one that was built in");
    }
}


static void
test_signals(void)
{
    lun_options  o;

    is_int(parse(&o, "-s reload"), LUN_OK, "a word");
    is_int(o.signal, LUN_SIGNAL_RELOAD, "is what it says");
    parse(&o, "-squit");
    is_int(o.signal, LUN_SIGNAL_QUIT, "also behind its letter");
    parse(&o, "-t");
    is_int(o.signal, LUN_SIGNAL_NONE, "none by default");
}


static void
test_wrong(void)
{
    size_t                    i;
    lun_options               o;
    static const char *const  lines[] = {
        "-s restart", "-s", "-p", "-x", "x", "-tx", "-c", "--help",
        "restart", "-q reload", "start stop"
    };

    for (i = 0; i < LUN_ARRAY_LEN(lines); i++) {
        is_int(parse(&o, lines[i]), LUN_ERROR, "refused: %s", lines[i]);
    }
}


/* What people type; it has to be the first word. */
static void
test_words(void)
{
    lun_options  o;

    is_int(parse(&o, "reload -p /site"), LUN_OK, "reload");
    is_int(o.signal, LUN_SIGNAL_RELOAD, "is -s reload");
    is_int(lun_str_eq(o.prefix, LUN_STR("/site/")), 1, "of that server");
    is_int(parse(&o, "stop"), LUN_OK, "stop");
    is_int(o.signal, LUN_SIGNAL_STOP, "is -s stop");
    is_int(parse(&o, "start -c a.conf"), LUN_OK, "start");
    is_int(o.signal, LUN_SIGNAL_NONE, "is no signal");
    is_int(lun_str_eq(o.conf, LUN_STR("a.conf")), 1, "with its options");
}


int
main(void)
{
    pool = lun_pool_new_sized(1024);

    test_flags();
    test_values();
    test_signals();
    test_words();
    test_wrong();

    lun_pool_free(pool);
    return done_testing();
}

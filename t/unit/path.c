/*
 * path.c -- the table of tricks: what a path from outside may not be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/path.c"

#include "tap.h"


#define CASE(text, verdict)  { LUN_STR_INIT(text), LUN_PATH_ ## verdict }

static const struct {
    lun_str           text;
    lun_path_verdict  verdict;
} windows[] = {
    CASE("", FINE),
    CASE("/", FINE),
    CASE("/index.html", FINE),
    CASE("/a/b/c", FINE),
    CASE("\\a\\b", FINE),
    CASE("/a//b", FINE),
    CASE("/.git/config", FINE),
    CASE("/a b/c.d.e", FINE),
    CASE("/ leading", FINE),
    CASE("/\xc3\xa9t\xc3\xa9", FINE),
    CASE("/\xf0\x9f\x8c\x99", FINE),

    CASE("/a\0b", NUL),
    CASE("/a\x01", NUL),
    CASE("/a\x1f" "b/c", NUL),
    CASE("/a\x7f", NUL),
    CASE("/a\nb", NUL),

    CASE("/a<b", CHAR),
    CASE("/a>b", CHAR),
    CASE("/a\"b", CHAR),
    CASE("/a|b", CHAR),
    CASE("/a?", CHAR),
    CASE("/*.txt", CHAR),
    CASE("/?\?/c", CHAR),

    CASE("/f.php::$DATA", COLON),
    CASE("/f:s", COLON),
    CASE("/d:$I30:$INDEX_ALLOCATION/f", COLON),
    CASE("c:/windows", COLON),
    CASE("/c:x", COLON),
    CASE("/NUL:", COLON),

    CASE("/secret.php.", DOT_SPACE),
    CASE("/secret.php ", DOT_SPACE),
    CASE("/dir./f", DOT_SPACE),
    CASE("/dir /f", DOT_SPACE),
    CASE("/dir.\\f", DOT_SPACE),
    CASE("/...", DOT_SPACE),
    CASE("/..", DOT_SPACE),
    CASE("/./a", DOT_SPACE),
    CASE("/a/../b", DOT_SPACE),
    CASE("/a\\..\\b", DOT_SPACE),
    CASE("/.. /a", DOT_SPACE),
    CASE("/. ./a", DOT_SPACE),
    CASE("/ ", DOT_SPACE),

    CASE("/con", DEVICE),
    CASE("/CON.txt", DEVICE),
    CASE("/a/Nul/b", DEVICE),
    CASE("/nul.tar.gz", DEVICE),
    CASE("/nul .txt", DEVICE),
    CASE("/aux.html", DEVICE),
    CASE("/prn", DEVICE),
    CASE("/clock$", DEVICE),
    CASE("/CONIN$", DEVICE),
    CASE("/conout$.log", DEVICE),
    CASE("/com1", DEVICE),
    CASE("/COM0", DEVICE),
    CASE("/lpt9.txt", DEVICE),
    CASE("/com\xc2\xb9", DEVICE),
    CASE("/LPT\xc2\xb3.x", DEVICE),
    CASE("con", DEVICE),
    CASE("\\nul", DEVICE),

    CASE("/console", FINE),
    CASE("/xcon", FINE),
    CASE("/com", FINE),
    CASE("/com10", FINE),
    CASE("/coma", FINE),
    CASE("/lpt", FINE),
    CASE("/null", FINE),
    CASE("/x.con", FINE),
    CASE("/com\xc2\xb4", FINE),
    CASE("/clock", FINE),

    CASE("/\x80", UTF8),
    CASE("/\xc0\xaf", UTF8),
    CASE("/\xc1\xbf", UTF8),
    CASE("/\xe0\x80\xaf", UTF8),
    CASE("/\xe0\x9f\xbf", UTF8),
    CASE("/\xed\xa0\x80", UTF8),
    CASE("/\xf0\x8f\xbf\xbf", UTF8),
    CASE("/\xf4\x90\x80\x80", UTF8),
    CASE("/\xf5\x80\x80\x80", UTF8),
    CASE("/\xc3", UTF8),
    CASE("/\xe2\x82", UTF8),
    CASE("/\xf0\x9f\x8c", UTF8),
    CASE("/\xc3/", UTF8),
    CASE("/\xff", UTF8),
    CASE("/\xed\x9f\xbf", FINE),
    CASE("/\xf4\x8f\xbf\xbf", FINE),

    CASE("//server/share", UNC),
    CASE("\\\\server\\share", UNC),
    CASE("/\\server", UNC),
    CASE("\\\\?\\c:\\x", UNC),
    CASE("//./nul", UNC),

    CASE("/progra~1", TILDE),
    CASE("/~user/index.html", TILDE),
    CASE("/foo~1.txt", TILDE),
    CASE("/a~1/nul", DEVICE),
    CASE("/a~1/b.", DOT_SPACE)
};

static const struct {
    lun_str           text;
    lun_path_verdict  verdict;
} posix[] = {
    CASE("/a/../con:\\.", FINE),
    CASE("//server/\xff\x01", FINE),
    CASE("", FINE),
    CASE("/a\0b", NUL)
};

static const struct {
    lun_str  text;
    bool     posix;
    bool     windows;
} absolutes[] = {
    { LUN_STR_INIT("/x"),           true,  true },
    { LUN_STR_INIT("/"),            true,  true },
    { LUN_STR_INIT("x"),            false, false },
    { LUN_STR_INIT(""),             false, false },
    { LUN_STR_INIT("C:/x"),         false, true },
    { LUN_STR_INIT("c:\\x"),        false, true },
    { LUN_STR_INIT("c:x"),          false, false },
    { LUN_STR_INIT("c:"),           false, false },
    { LUN_STR_INIT("1:/x"),         false, false },
    { LUN_STR_INIT("\\x"),          false, true },
    { LUN_STR_INIT("\\\\server\\x"), false, true }
};


static lun_str
edge(lun_str s)
{
    return lun_str_of(tap_edge(s.data, s.len), s.len);
}


static void
verdicts(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(windows); i++) {
        is_int(lun_path_judge(edge(windows[i].text), LUN_PATH_WINDOWS),
               windows[i].verdict, "windows %d: %s", (int) i,
               lun_path_verdict_text(windows[i].verdict));
    }

    for (i = 0; i < LUN_ARRAY_LEN(posix); i++) {
        is_int(lun_path_judge(edge(posix[i].text), LUN_PATH_POSIX),
               posix[i].verdict, "posix %d: %s", (int) i,
               lun_path_verdict_text(posix[i].verdict));
    }
}


static void
absolute(void)
{
    size_t   i;
    lun_str  s;

    for (i = 0; i < LUN_ARRAY_LEN(absolutes); i++) {
        s = edge(absolutes[i].text);
        is_int(lun_path_is_absolute(s, LUN_PATH_POSIX), absolutes[i].posix,
               "posix: is \"%s\" absolute", absolutes[i].text.data);
        is_int(lun_path_is_absolute(s, LUN_PATH_WINDOWS),
               absolutes[i].windows, "windows: is \"%s\" absolute",
               absolutes[i].text.data);
    }
}


static const char *
full(lun_pool *pool, const char *base, const char *path)
{
    lun_str  s;

    s = lun_path_full(pool, lun_str_z(base), lun_str_z(path));
    return s.len == strlen(s.data) ? s.data : "(wrong length)";
}


static const char *
copy(lun_pool *pool, lun_str s)
{
    return lun_pool_strz(pool, s);
}


static void
parts(void)
{
    lun_pool  *pool = lun_pool_new_sized(1024);

    is_str(full(pool, "/srv", "a"), "/srv/a", "a relative path");
    is_str(full(pool, "/srv/", "a/b"), "/srv/a/b", "one slash in between");
    is_str(full(pool, "/srv", "/a"), "/a", "an absolute path");
    is_str(full(pool, "/srv", ""), "/srv/", "no path");

    is_str(copy(pool, lun_path_dir(LUN_STR("/a/b"))), "/a", "the folder");
    is_str(copy(pool, lun_path_name(LUN_STR("/a/b"))), "b", "the name");
    is_str(copy(pool, lun_path_dir(LUN_STR("b"))), "", "no folder");
    is_str(copy(pool, lun_path_name(LUN_STR("b"))), "b", "only a name");
    is_str(copy(pool, lun_path_dir(LUN_STR("/b"))), "", "in the root");
    is_str(copy(pool, lun_path_name(LUN_STR("/a/"))), "", "no name");

    lun_pool_free(pool);
}


int
main(void)
{
    verdicts();
    absolute();
    parts();

    return done_testing();
}

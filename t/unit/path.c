/*
 * path.c -- the table of tricks: what a path from outside may not be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/path.c"

#include "tap.h"


/* The text, and what posix and Windows say of it. */
#define CASE(text, posix_, windows_)                                          \
    { LUN_STR_INIT(text), LUN_PATH_ ## posix_, LUN_PATH_ ## windows_ }

static const struct {
    lun_str           text;
    lun_path_verdict  posix;
    lun_path_verdict  windows;
} cases[] = {
    CASE("", FINE, FINE),
    CASE("/", FINE, FINE),
    CASE("/index.html", FINE, FINE),
    CASE("/a/b/c", FINE, FINE),
    CASE("\\a\\b", FINE, FINE),
    CASE("/a//b", FINE, FINE),
    CASE("/.git/config", FINE, FINE),
    CASE("/a b/c.d.e", FINE, FINE),
    CASE("/ leading", FINE, FINE),
    CASE("/\xc3\xa9t\xc3\xa9", FINE, FINE),
    CASE("/\xf0\x9f\x8c\x99", FINE, FINE),
    CASE("/console", FINE, FINE),
    CASE("/xcon", FINE, FINE),
    CASE("/com", FINE, FINE),
    CASE("/com10", FINE, FINE),
    CASE("/coma", FINE, FINE),
    CASE("/lpt", FINE, FINE),
    CASE("/null", FINE, FINE),
    CASE("/x.con", FINE, FINE),
    CASE("/com\xc2\xb4", FINE, FINE),
    CASE("/clock", FINE, FINE),
    CASE("/\xed\x9f\xbf", FINE, FINE),
    CASE("/\xf4\x8f\xbf\xbf", FINE, FINE),
    CASE("/a.b.c", FINE, FINE),
    CASE("/a..b", FINE, FINE),
    CASE("/..a", FINE, FINE),
    CASE("/.a", FINE, FINE),
    CASE("/...a/b", FINE, FINE),
    CASE("/a/b/", FINE, FINE),
    CASE("/a/b//", FINE, FINE),
    CASE("/a\xc2\xa0", FINE, FINE),
    CASE("/a\xe3\x80\x82", FINE, FINE),
    CASE("/%2e%2e/", FINE, FINE),
    CASE("/x%00", FINE, FINE),
    CASE("/nulx", FINE, FINE),
    CASE("/nul-.txt", FINE, FINE),
    CASE("/con-", FINE, FINE),
    CASE("/prn1", FINE, FINE),
    CASE("/aux1.txt", FINE, FINE),
    CASE("/com1x", FINE, FINE),
    CASE("/com\xc2\xb9" "1", FINE, FINE),
    CASE("/lpt10", FINE, FINE),
    CASE("/comx", FINE, FINE),
    CASE("/lpt1a.txt", FINE, FINE),
    CASE("/conin", FINE, FINE),
    CASE("/conout", FINE, FINE),
    CASE("/conin$x", FINE, FINE),
    CASE("/$", FINE, FINE),
    CASE("/a/$RECYCLE.BIN/x", FINE, FINE),
    CASE("/web.config", FINE, FINE),
    CASE("/\xc3\xa9", FINE, FINE),
    CASE("/e\xcc\x81", FINE, FINE),
    CASE("/\xe4\xb8\xad\xe6\x96\x87.html", FINE, FINE),
    CASE("/\xef\xbf\xbf", FINE, FINE),
    CASE("/\xef\xbb\xbf", FINE, FINE),
    CASE("/\xee\x80\x80", FINE, FINE),
    CASE("/x//server/share", FINE, FINE),
    CASE("/x\\\\server", FINE, FINE),
    CASE("a", FINE, FINE),
    CASE("a/b.txt", FINE, FINE),

    CASE("/a\0b", NUL, NUL),
    CASE("/a\x01", FINE, NUL),
    CASE("/a\x1f" "b/c", FINE, NUL),
    CASE("/a\x7f", FINE, NUL),
    CASE("/a\nb", FINE, NUL),
    CASE("/a\tb", FINE, NUL),
    CASE("/a\rb", FINE, NUL),
    CASE("/\x1b[0m", FINE, NUL),
    CASE("/\x7f", FINE, NUL),
    CASE("/a\0", NUL, NUL),
    CASE("\0", NUL, NUL),

    CASE("/a<b", FINE, CHAR),
    CASE("/a>b", FINE, CHAR),
    CASE("/a\"b", FINE, CHAR),
    CASE("/a|b", FINE, CHAR),
    CASE("/a?", FINE, CHAR),
    CASE("/*.txt", FINE, CHAR),
    CASE("/?\?/c", FINE, CHAR),
    CASE("/?\?/C:/x", FINE, CHAR),
    CASE("/?", FINE, CHAR),
    CASE("/x/*", FINE, CHAR),
    CASE("/x/<", FINE, CHAR),
    CASE("/x/>", FINE, CHAR),
    CASE("/x|y", FINE, CHAR),
    CASE("/x?y=z", FINE, CHAR),
    CASE("\\?\?\\c:\\x", FINE, CHAR),
    CASE("/a~1/*", FINE, CHAR),

    CASE("/f.php::$DATA", FINE, COLON),
    CASE("/f:s", FINE, COLON),
    CASE("/d:$I30:$INDEX_ALLOCATION/f", FINE, COLON),
    CASE("c:/windows", FINE, COLON),
    CASE("/c:x", FINE, COLON),
    CASE("/NUL:", FINE, COLON),
    CASE("/f::$DATA", FINE, COLON),
    CASE("/f.asp::$data", FINE, COLON),
    CASE("/dir::$INDEX_ALLOCATION/f", FINE, COLON),
    CASE("/:", FINE, COLON),
    CASE("/a:/b", FINE, COLON),
    CASE("/a:b:c", FINE, COLON),
    CASE("C:", FINE, COLON),
    CASE("C:x", FINE, COLON),
    CASE("/C:/windows/win.ini", FINE, COLON),
    CASE("/x/c:\\y", FINE, COLON),
    CASE("/nul:", FINE, COLON),
    CASE("/a~1/b:c", FINE, COLON),

    CASE("/secret.php.", FINE, DOT_SPACE),
    CASE("/secret.php ", FINE, DOT_SPACE),
    CASE("/dir./f", FINE, DOT_SPACE),
    CASE("/dir /f", FINE, DOT_SPACE),
    CASE("/dir.\\f", FINE, DOT_SPACE),
    CASE("/...", FINE, DOT_SPACE),
    CASE("/..", FINE, DOT_SPACE),
    CASE("/./a", FINE, DOT_SPACE),
    CASE("/a/../b", FINE, DOT_SPACE),
    CASE("/a\\..\\b", FINE, DOT_SPACE),
    CASE("/.. /a", FINE, DOT_SPACE),
    CASE("/. ./a", FINE, DOT_SPACE),
    CASE("/ ", FINE, DOT_SPACE),
    CASE("/a~1/b.", FINE, DOT_SPACE),
    CASE("/a/../con:\\.", FINE, DOT_SPACE),
    CASE("/a /b c", FINE, DOT_SPACE),
    CASE("/a. /b", FINE, DOT_SPACE),
    CASE("/a ..", FINE, DOT_SPACE),
    CASE("/a/. /b", FINE, DOT_SPACE),
    CASE("/a/.. /b", FINE, DOT_SPACE),
    CASE("/a/... /b", FINE, DOT_SPACE),
    CASE("/a/.... ", FINE, DOT_SPACE),
    CASE("/a/..", FINE, DOT_SPACE),
    CASE("/a/.", FINE, DOT_SPACE),
    CASE("/.", FINE, DOT_SPACE),
    CASE("/a\\..\\..\\..\\windows\\win.ini", FINE, DOT_SPACE),
    CASE("/..\\x", FINE, DOT_SPACE),
    CASE("..\\x", FINE, DOT_SPACE),
    CASE("../x", FINE, DOT_SPACE),
    CASE("x/..", FINE, DOT_SPACE),
    CASE("/index.html\\..\\secret.php", FINE, DOT_SPACE),
    CASE("/none/../x", FINE, DOT_SPACE),
    CASE("/secret.php. .", FINE, DOT_SPACE),
    CASE("/secret.php...", FINE, DOT_SPACE),
    CASE("/secret.php. /", FINE, DOT_SPACE),
    CASE("/directory./", FINE, DOT_SPACE),
    CASE("/directory../", FINE, DOT_SPACE),
    CASE("/directory.../", FINE, DOT_SPACE),
    CASE("/directory /", FINE, DOT_SPACE),
    CASE("/directory.\\file", FINE, DOT_SPACE),
    CASE("/a~1 ", FINE, DOT_SPACE),

    CASE("/con", FINE, DEVICE),
    CASE("/CON.txt", FINE, DEVICE),
    CASE("/a/Nul/b", FINE, DEVICE),
    CASE("/nul.tar.gz", FINE, DEVICE),
    CASE("/nul .txt", FINE, DEVICE),
    CASE("/aux.html", FINE, DEVICE),
    CASE("/prn", FINE, DEVICE),
    CASE("/clock$", FINE, DEVICE),
    CASE("/CONIN$", FINE, DEVICE),
    CASE("/conout$.log", FINE, DEVICE),
    CASE("/com1", FINE, DEVICE),
    CASE("/COM0", FINE, DEVICE),
    CASE("/lpt9.txt", FINE, DEVICE),
    CASE("/com\xc2\xb9", FINE, DEVICE),
    CASE("/LPT\xc2\xb3.x", FINE, DEVICE),
    CASE("con", FINE, DEVICE),
    CASE("\\nul", FINE, DEVICE),
    CASE("/a~1/nul", FINE, DEVICE),
    CASE("/NUL", FINE, DEVICE),
    CASE("/nul.txt", FINE, DEVICE),
    CASE("/nul.txt.html", FINE, DEVICE),
    CASE("/nul/", FINE, DEVICE),
    CASE("/nul/x", FINE, DEVICE),
    CASE("/x/nul/y", FINE, DEVICE),
    CASE("/x\\nul", FINE, DEVICE),
    CASE("/nul ", FINE, DEVICE),
    CASE("/nul.", FINE, DEVICE),
    CASE("/nul .x", FINE, DEVICE),
    CASE("/nul  .x", FINE, DEVICE),
    CASE("/con ", FINE, DEVICE),
    CASE("/Con.Css", FINE, DEVICE),
    CASE("/PRN.html", FINE, DEVICE),
    CASE("/aux", FINE, DEVICE),
    CASE("/AUX.c", FINE, DEVICE),
    CASE("/clock$.x", FINE, DEVICE),
    CASE("/CLOCK$ ", FINE, DEVICE),
    CASE("/conin$", FINE, DEVICE),
    CASE("/CONOUT$/x", FINE, DEVICE),
    CASE("/com9", FINE, DEVICE),
    CASE("/COM5.log", FINE, DEVICE),
    CASE("/com1 .log", FINE, DEVICE),
    CASE("/lpt1", FINE, DEVICE),
    CASE("/LPT0", FINE, DEVICE),
    CASE("/lpt2.tar.gz", FINE, DEVICE),
    CASE("/com\xc2\xb2", FINE, DEVICE),
    CASE("/com\xc2\xb3.txt", FINE, DEVICE),
    CASE("/lpt\xc2\xb9 .txt", FINE, DEVICE),
    CASE("/LPT\xc2\xb2/x", FINE, DEVICE),
    CASE("com1", FINE, DEVICE),
    CASE("aux/x", FINE, DEVICE),
    CASE("/nul.~1", FINE, DEVICE),

    CASE("/\x80", FINE, UTF8),
    CASE("/\xc0\xaf", FINE, UTF8),
    CASE("/\xc1\xbf", FINE, UTF8),
    CASE("/\xe0\x80\xaf", FINE, UTF8),
    CASE("/\xe0\x9f\xbf", FINE, UTF8),
    CASE("/\xed\xa0\x80", FINE, UTF8),
    CASE("/\xf0\x8f\xbf\xbf", FINE, UTF8),
    CASE("/\xf4\x90\x80\x80", FINE, UTF8),
    CASE("/\xf5\x80\x80\x80", FINE, UTF8),
    CASE("/\xc3", FINE, UTF8),
    CASE("/\xe2\x82", FINE, UTF8),
    CASE("/\xf0\x9f\x8c", FINE, UTF8),
    CASE("/\xc3/", FINE, UTF8),
    CASE("/\xff", FINE, UTF8),
    CASE("/com\xb9", FINE, UTF8),
    CASE("/\xc3\xe9", FINE, UTF8),
    CASE("/\xc0\x80", FINE, UTF8),
    CASE("/\xc0\xae\xc0\xae/x", FINE, UTF8),
    CASE("/\xe0\x80\xae", FINE, UTF8),
    CASE("/\xf0\x80\x80\xae", FINE, UTF8),
    CASE("/\xf8\x88\x80\x80\x80", FINE, UTF8),
    CASE("/\xed\xbf\xbf", FINE, UTF8),
    CASE("/\xed\xa0\xbd\xed\xb8\x80", FINE, UTF8),
    CASE("/\xf4\x90\x80\x80x", FINE, UTF8),
    CASE("/\xe2\x28\xa1", FINE, UTF8),
    CASE("/\xe2\x82\x28", FINE, UTF8),
    CASE("/\xf0\x28\x8c\xbc", FINE, UTF8),
    CASE("/\xf0\x90\x28\xbc", FINE, UTF8),
    CASE("/\xf0\x90\x8c\x28", FINE, UTF8),
    CASE("/a\x80" "b", FINE, UTF8),
    CASE("/\xfe", FINE, UTF8),
    CASE("/a~1/\xff", FINE, UTF8),

    CASE("//server/share", FINE, UNC),
    CASE("\\\\server\\share", FINE, UNC),
    CASE("/\\server", FINE, UNC),
    CASE("\\\\?\\c:\\x", FINE, UNC),
    CASE("//./nul", FINE, UNC),
    CASE("//server/\xff\x01", FINE, UNC),
    CASE("\\\\", FINE, UNC),
    CASE("//", FINE, UNC),
    CASE("/\\", FINE, UNC),
    CASE("\\/", FINE, UNC),
    CASE("//?/c:/x", FINE, UNC),
    CASE("\\\\.\\pipe\\x", FINE, UNC),
    CASE("\\\\?\\UNC\\server\\share", FINE, UNC),

    CASE("/progra~1", FINE, TILDE),
    CASE("/~user/index.html", FINE, TILDE),
    CASE("/foo~1.txt", FINE, TILDE),
    CASE("/nul~1", FINE, TILDE),
    CASE("~", FINE, TILDE),
    CASE("/a~b", FINE, TILDE),
    CASE("/LONGNA~1.HTM", FINE, TILDE),
    CASE("/LONGDI~1/some-long-file-name.html", FINE, TILDE),
    CASE("/_GIT~IBP/config", FINE, TILDE),
    CASE("/x\\PROGRA~2\\y", FINE, TILDE),
    CASE("/a/b~", FINE, TILDE)
};

/* Where a doubtful component begins; -1: there is none. */
static const struct {
    lun_str  text;
    size_t   from;
    int      plain;
    int      strict;
} doubts[] = {
    { LUN_STR_INIT("/index.html"),                0, -1, -1 },
    { LUN_STR_INIT("/index.htm"),                 0, -1,  1 },
    { LUN_STR_INIT("/a/long-name.html"),          0, -1,  1 },
    { LUN_STR_INIT("/long-name/a.b"),             0, -1, 11 },
    { LUN_STR_INIT("/long-name/a.b.c"),           0, -1, -1 },
    { LUN_STR_INIT("/.git/configuration"),        0, -1, -1 },
    { LUN_STR_INIT("/12345678.123"),              0, -1,  1 },
    { LUN_STR_INIT("/123456789.123"),             0, -1, -1 },
    { LUN_STR_INIT("/12345678.1234"),             0, -1, -1 },
    { LUN_STR_INIT("/12345678."),                 0, -1,  1 },
    { LUN_STR_INIT("/\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 0, -1, 1 },
    { LUN_STR_INIT("/a~1"),                       0,  1,  1 },
    { LUN_STR_INIT("/a-long-name~1.html"),        0,  1,  1 },
    { LUN_STR_INIT("/x/~user/y"),                 0,  3,  1 },
    { LUN_STR_INIT("\\x-long-name\\~u\\y"),       0, 13, 13 },
    { LUN_STR_INIT("C:/PROGRA~1/a-long-name"),   11, -1, -1 },
    { LUN_STR_INIT("C:/PROGRA~1/a-long-n~1"),    11, 12, 12 },
    { LUN_STR_INIT("C:/web//a-long-name"),        6, -1, -1 },
    { LUN_STR_INIT(""),                           0, -1, -1 },
    { LUN_STR_INIT("/"),                          0, -1, -1 }
};

/* What is built from variables, with its configured beginning. */
static const struct {
    lun_str           text;
    size_t            from;
    lun_path_verdict  windows;
} built[] = {
    { LUN_STR_INIT("C:/web/a"),          0, LUN_PATH_FINE },
    { LUN_STR_INIT("c:\\web\\a"),        0, LUN_PATH_FINE },
    { LUN_STR_INIT("C:web"),             0, LUN_PATH_COLON },
    { LUN_STR_INIT("C:"),                0, LUN_PATH_COLON },
    { LUN_STR_INIT("CC:/web"),           0, LUN_PATH_COLON },
    { LUN_STR_INIT("C:/web/D:/x"),       0, LUN_PATH_COLON },
    { LUN_STR_INIT("C:/web/D:/x"),       6, LUN_PATH_COLON },
    { LUN_STR_INIT("C://server/x"),      0, LUN_PATH_UNC },
    { LUN_STR_INIT("//server/share/a"),  0, LUN_PATH_UNC },
    { LUN_STR_INIT("//server/share/a"), 14, LUN_PATH_FINE },
    { LUN_STR_INIT("//server/share/a:"), 14, LUN_PATH_COLON },
    { LUN_STR_INIT("//server/share/a"),  1, LUN_PATH_UNC },
    { LUN_STR_INIT("/web/nul"),          4, LUN_PATH_DEVICE },
    { LUN_STR_INIT("/a"),                9, LUN_PATH_FINE },
    { LUN_STR_INIT("/a~1/b"),            0, LUN_PATH_TILDE }
};

/* A normalised uri by Windows rules; NULL: refused.  Posix: as it is. */
static const struct {
    const char  *text;
    const char  *windows;
} uris[] = {
    { "/", "/" },
    { "/directory/", "/directory/" },
    { "/directory./", "/directory/" },
    { "/directory./file", "/directory/file" },
    { "/a./b./c.", "/a/b/c" },
    { "/directory../", "/directory../" },
    { "/directory.../", "/directory.../" },
    { "/directory../file", "/directory../file" },
    { "/directory /", "/directory /" },
    { "/directory. /", "/directory. /" },
    { "/directory ./", "/directory /" },
    { "/.../", "/.../" },
    { "/..a./b", "/..a/b" },
    { "/.a./b", "/.a/b" },
    { "//a.//b", "//a//b" },
    { "/file.", "/file" },
    { "/file..", "/file" },
    { "/file . .", "/file" },
    { "/file ", "/file" },
    { "/file.txt. ", "/file.txt" },
    { "/dir/...", "/dir/" },
    { "/dir/ ", "/dir/" },
    { "/dir./ .", "/dir/" },
    { "/...", "/" },
    { "/ ", "/" },
    { "/a. /b. ", "/a. /b" },
    { "/f::$DATA", NULL },
    { "/f:$x", NULL },
    { "/d::$index_allocation/f", NULL },
    { "/d:$i30:$index_allocation./f", NULL },
    { "/d.::$index_allocation/f", NULL },
    { "/:$", NULL },
    { "/f.:$", NULL },
    { "/f:", "/f:" },
    { "/f:s", "/f:s" },
    { "/f$:", "/f$:" },
    { "/c:/x./y", "/c:/x/y" },
    { "/nul.", "/nul" },
    { "/progra~1./x", "/progra~1/x" },
    { "/a.b.c/d", "/a.b.c/d" },
    { "/\xe2\x80\xa6./x", "/\xe2\x80\xa6/x" },
    { "/a\x01. ", "/a\x01" },
    { "", "" }
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
    size_t   i;
    lun_str  text;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        text = edge(cases[i].text);
        is_int(lun_path_check(text, LUN_PATH_WINDOWS), cases[i].windows,
               "windows %d: %s", (int) i,
               lun_path_verdict_text(cases[i].windows));
        is_int(lun_path_check(text, LUN_PATH_POSIX), cases[i].posix,
               "posix %d: %s", (int) i,
               lun_path_verdict_text(cases[i].posix));
    }
}


static int
doubt(lun_str text, size_t from, bool strict, lun_path_rules rules)
{
    size_t  at = lun_path_check_from(text, from, strict, rules);

    return at == text.len ? -1 : (int) at;
}


static void
doubtful(void)
{
    size_t   i, from;
    lun_str  text;

    for (i = 0; i < LUN_ARRAY_LEN(doubts); i++) {
        text = edge(doubts[i].text);
        from = doubts[i].from;

        is_int(doubt(text, from, false, LUN_PATH_WINDOWS), doubts[i].plain,
               "where \"%s\" may be a short name", doubts[i].text.data);
        is_int(doubt(text, from, true, LUN_PATH_WINDOWS), doubts[i].strict,
               "where \"%s\" may be one without '~'", doubts[i].text.data);
        is_int(doubt(text, from, true, LUN_PATH_POSIX), -1,
               "posix has none");
    }
}


static void
from_variables(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(built); i++) {
        is_int(lun_path_check_part(edge(built[i].text), built[i].from,
                                   LUN_PATH_WINDOWS),
               built[i].windows, "\"%s\" behind byte %d", built[i].text.data,
               (int) built[i].from);
    }
}


static const struct {
    const char  *text;
    size_t       from;
    bool         posix, windows;
} climbing[] = {
    { "", 0, false, false },
    { "/a/b", 0, false, false },
    { "..", 0, true, true },
    { "../a", 0, true, true },
    { "./../a", 0, true, true },
    { "a/../b", 0, false, false },
    { "a/..", 0, false, false },
    { "a/../..", 0, true, true },
    { "a/../../a", 0, true, true },
    { "a//../../b", 0, true, true },
    { "a/b/../../c/..", 0, false, false },
    { "..a", 0, false, false },
    { "a..", 0, false, false },
    { "...", 0, false, false },
    { "/srv/up/../x", 8, true, true },
    { "/srv/up../x", 5, false, false },
    { "/srv/../x", 4, true, true },
    { "/srv/../x", 0, false, false },
    { "/srv/x", 60, false, false },
    { "a\\..\\..\\b", 0, false, true },
    { "..\\b", 0, false, true },
};


static void
climbs(void)
{
    size_t   i;
    lun_str  text;

    for (i = 0; i < LUN_ARRAY_LEN(climbing); i++) {
        text = edge(lun_str_z(climbing[i].text));
        ok(lun_path_climbs(text, climbing[i].from, LUN_PATH_POSIX)
           == climbing[i].posix, "posix: \"%s\" behind %d", climbing[i].text,
           (int) climbing[i].from);
        ok(lun_path_climbs(text, climbing[i].from, LUN_PATH_WINDOWS)
           == climbing[i].windows, "windows: \"%s\" behind %d",
           climbing[i].text, (int) climbing[i].from);
    }
}


static void
check_uri(lun_pool *pool, const char *text, const char *want)
{
    size_t   len = strlen(text);
    lun_str  uri = edge(lun_str_of(text, len)), before = uri;

    is_int(lun_path_of_uri(pool, &uri, LUN_PATH_POSIX), LUN_OK, "posix");
    ok(uri.data == before.data && uri.len == len, "leaves \"%s\"", text);

    if (lun_path_of_uri(pool, &uri, LUN_PATH_WINDOWS) != LUN_OK) {
        ok(want == NULL, "windows refuses \"%s\"", text);
        return;
    }

    is_mem(uri.data, uri.len, want != NULL ? want : "(refused)",
           want != NULL ? strlen(want) : 9, "windows: \"%s\"", text);
    is_mem(before.data, before.len, text, len, "without a change in place");

    before = uri;
    ok(lun_path_of_uri(pool, &uri, LUN_PATH_WINDOWS) == LUN_OK
       && lun_str_eq(uri, before), "and nothing changes twice");
}


static void
of_uri(void)
{
    size_t     i;
    lun_str    s = LUN_STR("/a\\b\\");
    lun_pool  *pool = lun_pool_new_sized(1024);

    for (i = 0; i < LUN_ARRAY_LEN(uris); i++) {
        check_uri(pool, uris[i].text, uris[i].windows);
    }

    is_str(lun_pool_strz(pool, lun_path_slashed(pool, s, LUN_PATH_WINDOWS)),
           "/a/b/", "the slashes of Windows");
    ok(lun_path_slashed(pool, s, LUN_PATH_POSIX).data == s.data, "of posix");

    lun_pool_free(pool);
}


static void
utf8(void)
{
    size_t            i;
    lun_path_verdict  v;

    ok(!lun_path_is_utf8(LUN_STR("plain")), "ASCII alone");
    ok(lun_path_is_utf8(LUN_STR("\xc3\xa9:*")), "and more");

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        v = cases[i].windows;
        ok(v != LUN_PATH_UTF8 || !lun_path_is_utf8(edge(cases[i].text)),
           "%d is none", (int) i);
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
    doubtful();
    from_variables();
    climbs();
    of_uri();
    utf8();
    absolute();
    parts();

    return done_testing();
}

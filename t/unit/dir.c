/*
 * dir.c -- folders and patterns.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"

#include "os/glob.h"
#include "os/path.h"
#include "os/proc.h"
#include "tap.h"


static char  home[200];
static char  seen[2000];


static const char *
at(const char *name)
{
    static char      paths[4][300];
    static unsigned  n;

    char  *path = paths[n++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", home, name);
    return path;
}


static void
put(const char *name)
{
    lun_fd  fd;

    if (lun_file_open(at(name), LUN_FILE_WRITE | LUN_FILE_CREATE, 0644, &fd)) {
        ok(0, "cannot make %s", name);
        return;
    }

    lun_file_close(fd);
}


/* Writes "name " or "name/ " to `seen`. */
static bool
see(void *data, const char *name, bool is_dir)
{
    size_t  n = strlen(seen);
    int    *left = data;

    if (strncmp(name, home, strlen(home)) == 0) {
        name += strlen(home) + 1;
    }

    snprintf(seen + n, sizeof(seen) - n, "%s%s ", name, is_dir ? "/" : "");
    return --*left > 0;
}


static const char *
glob(const char *pattern)
{
    int      left = 100;
    lun_err  err;

    seen[0] = '\0';
    err = lun_dir_glob(at(pattern), see, &left);

    return err ? "(error)" : seen;
}


static void
lists(void)
{
    int  left;

    seen[0] = '\0';
    left = 100;
    is_int(lun_dir_list(at("sub"), see, &left), 0, "lists a folder");
    is_str(seen, "x.conf ", "without its dots");

    seen[0] = '\0';
    left = 1;
    is_int(lun_dir_list(home, see, &left), 0, "lists until it is told");
    is_int(left, 0, "to stop");

    is_int(lun_err_kind_of(lun_dir_list(at("none"), see, &left)),
           LUN_ERR_NOT_FOUND, "a folder that is not there");
}


static void
makes_and_removes(void)
{
    is_int(lun_dir_make(at("new"), 0755), 0, "makes one");
    is_int(lun_err_kind_of(lun_dir_make(at("new"), 0755)), LUN_ERR_EXISTS,
           "not twice");
    is_int(lun_err_kind_of(lun_dir_make(at("no/new"), 0755)),
           LUN_ERR_NOT_FOUND, "not without its parent");
    is_int(lun_dir_make_all(at("new/a/b//c/"), 0755), 0, "makes all");
    is_int(lun_dir_make_all(at("new/a/b/c"), 0755), 0, "again");
    ok(lun_dir_make_all(at("a.conf/x"), 0755) != 0, "not below a file");
    is_int(lun_err_kind_of(lun_dir_delete(at("new/a"))), LUN_ERR_EXISTS,
           "removes none that is not empty");
    is_int(lun_dir_delete(at("new/a/b/c")), 0, "removes one");
    is_int(lun_err_kind_of(lun_dir_delete(at("new/a/b/c"))),
           LUN_ERR_NOT_FOUND, "once");
    put("new/a/file");
    is_int(lun_dir_remove_tree(at("new")), 0, "removes a tree");
    is_int(lun_err_kind_of(lun_dir_delete(at("new"))), LUN_ERR_NOT_FOUND,
           "and nothing of it is left");
    is_int(lun_err_kind_of(lun_dir_remove_tree(at("new"))),
           LUN_ERR_NOT_FOUND, "once");
}


static void
where_we_are(void)
{
    char           path[1000];
    lun_str        s;
    lun_file_info  info;

    is_int(lun_dir_current(path, sizeof(path)), 0, "the current folder");
    s = lun_str_z(path);
    ok(lun_path_is_absolute(s, lun_path_native), "is absolute: %s", path);
    ok(strchr(path, '\\') == NULL, "has slashes");
    ok(!lun_str_ends(s, LUN_STR("/")), "and none at its end");

    is_int(lun_dir_program(path, sizeof(path)), 0, "the program's folder");
    s = lun_str_z(path);
    ok(lun_path_is_absolute(s, lun_path_native), "is absolute: %s", path);
    ok(strchr(path, '\\') == NULL, "has slashes");
    ok(!lun_str_ends(s, LUN_STR("/")), "and none at its end");
    is_int(lun_file_stat(path, &info), 0, "exists");
    ok(info.is_dir, "as a folder");
}


static void
patterns(void)
{
    put("z.txt");

    is_str(glob("*.conf"), "a.conf b.conf ", "a star, in order");
    is_str(glob("?.txt"), "z.txt ", "a question mark");
    is_str(glob("[a-m].*"), "a.conf b.conf ", "a set");
    is_str(glob("[!a-m].*"), "z.txt ", "the other set");
    is_str(glob("*"), "a.conf b.conf d1/ d2/ sub/ z.txt ", "all");
    is_str(glob("d?/*.conf"), "d1/x.conf d2/y.conf ", "in each folder");
    is_str(glob("*/x.conf"), "d1/x.conf sub/x.conf ", "a plain name last");
    is_str(glob("a.conf"), "a.conf ", "no pattern at all");
    is_str(glob("none"), "", "nothing");
    is_str(glob("none/*.conf"), "", "no such folder");
    is_str(glob("a.conf/*"), "", "not a folder");
    is_str(glob("*.conf/*"), "", "nor these");
    is_str(glob(".*"), ".hidden ", "a dot that is written out");
}


static const struct {
    const char  *pattern;
    const char  *name;
    bool         fits;
    bool         caseless;
} matches[] = {
    { "", "", true, true },
    { "", "a", false, false },
    { "*", "", true, true },
    { "*", "abc", true, true },
    { "*", ".abc", false, false },
    { ".*", ".abc", true, true },
    { "?abc", ".abc", false, false },
    { "a*c", "abbbc", true, true },
    { "a*c", "abbb", false, false },
    { "*a*b*", "xxaxxbxx", true, true },
    { "*ab", "aab", true, true },
    { "*.conf", "a.conf.bak", false, false },
    { "**", "x", true, true },
    { "?", "\xc3\xa4", true, true },
    { "??", "\xc3\xa4", false, false },
    { "ABC", "abc", false, true },
    { "[a-c]x", "bx", true, true },
    { "[a-c]x", "dx", false, false },
    { "[A-C]", "b", false, true },
    { "[^a-c]", "d", true, true },
    { "[]a]", "]", true, true },
    { "[a-]", "-", true, true },
    { "[abc", "[abc", true, true },
    { "[", "[", true, true },
    { "\\*", "*", true, true },
    { "\\*", "a", false, false },
    { "a\\", "a\\", true, true },
    { "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, false }
};


static void
matcher(void)
{
    size_t   i;
    lun_str  p, n;

    for (i = 0; i < LUN_ARRAY_LEN(matches); i++) {
        p = lun_str_z(matches[i].pattern);
        n = lun_str_z(matches[i].name);
        p.data = tap_edge(p.data, p.len);
        n.data = tap_edge(n.data, n.len);

        is_int(lun_glob_match(p, n, false), matches[i].fits, "%s against %s",
               matches[i].pattern, matches[i].name);
        is_int(lun_glob_match(p, n, true), matches[i].caseless,
               "without case");
    }

    ok(lun_glob_is_pattern(LUN_STR("a*")), "a star makes a pattern");
    ok(!lun_glob_is_pattern(LUN_STR("a.b")), "a dot does not");
}


int
main(void)
{
    snprintf(home, sizeof(home), "build/test-dir-%lld",
             (long long) lun_proc_pid());

    if (!is_int(lun_dir_make_all(at("sub"), 0755), 0, "a scratch folder")) {
        return done_testing();
    }

    lun_dir_make(at("d1"), 0755);
    lun_dir_make(at("d2"), 0755);
    put("a.conf");
    put("b.conf");
    put(".hidden");
    put("sub/x.conf");
    put("d1/x.conf");
    put("d2/y.conf");
    put("d2/.conf");

    lists();
    makes_and_removes();
    where_we_are();
    patterns();
    matcher();

    return done_testing();
}

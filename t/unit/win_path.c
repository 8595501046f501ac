/*
 * win_path.c -- configured folders as the system takes them, and paths put
 * behind them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/path.c"

#include <stdio.h>

#include "os/dir.h"
#include "tap.h"


static lun_pool  *pool;


static lun_native_path
native(const char *text, const lun_native_path *under)
{
    lun_native_path  n;

    lun_native_path_init(&n, pool, lun_str_z(text), under);
    is_mem(n.text.data, n.text.len, text, strlen(text),
           "\"%s\" stays what people see", text);
    return n;
}


static void
is_wide(const lun_native_path *n, const wchar_t *want, const char *name)
{
    is_mem(n->wide, n->len * sizeof(wchar_t), want,
           wcslen(want) * sizeof(wchar_t), "%s", name);
}


/* What the system itself makes of it, and "\\?\" before that. */
static void
is_full(const lun_native_path *n, const wchar_t *path, const char *name)
{
    wchar_t  want[400] = L"\\\\?\\";

    GetFullPathNameW(path, 390, want + 4, NULL);
    is_wide(n, want, name);
}


static void
folders_are_made_absolute(void)
{
    lun_native_path  n;

    n = native("C:/site/html", NULL);
    is_wide(&n, L"\\\\?\\C:\\site\\html", "a folder on a drive");
    n = native("C:\\site\\html\\", NULL);
    is_wide(&n, L"\\\\?\\C:\\site\\html", "one with the other slashes");
    n = native("C:/site/./html/../x", NULL);
    is_wide(&n, L"\\\\?\\C:\\site\\x", "one with folders up in it");
    n = native("C:", NULL);
    is_wide(&n, L"\\\\?\\C:", "root C:/;");
    is_int((int64_t) n.root, 6, "whose drive stays");
    n = native("//server/share/web", NULL);
    is_wide(&n, L"\\\\?\\UNC\\server\\share\\web", "another machine's");
    is_int((int64_t) n.root, 20, "whose share stays");

    n = native("/windows", NULL);
    is_full(&n, L"/windows", "one without a drive");
    ok(n.len > 6 && n.wide[5] == ':', "gets one");
    n = native("", NULL);
    is_int((int64_t) n.len, 6, "root /; is a drive");
    n = native("site/html", NULL);
    is_full(&n, L"site/html", "a relative one");
    n = native("./", NULL);
    is_full(&n, L".", "the current one");
    n = native("..", NULL);
    is_full(&n, L"..", "the one above");
    n = native("nul", NULL);
    ok(n.len > 6 && memcmp(n.wide + n.len - 4, L"\\nul", 8) == 0,
       "a device's name is a folder's like any");
}


/* The rules are pure, so the system may say whether they are its own. */
static void
the_system_agrees(void)
{
    static const wchar_t *const  paths[] = {
        L"C:/a/./b", L"C:/a/../b", L"C:/../../b", L"C:/a/..", L"C:/a/.",
        L"C:/a./b", L"C:/a/b. .", L"C:/a//b", L"C:/a/b/", L"C:/", L"C:/.a/..b"
    };

    size_t           i, root;
    wchar_t          want[64];
    uint16_t         got[64];
    size_t           n;

    for (i = 0; i < LUN_ARRAY_LEN(paths); i++) {
        GetFullPathNameW(paths[i], 60, want, NULL);
        n = lun_native_path_verbatim(got, &root, (const uint16_t *) paths[i],
                                     wcslen(paths[i]));
        is_mem(got + 4, (n - 4) * 2, want, wcslen(want) * 2, "%ls", paths[i]);
    }
}


static void
what_has_no_such_form(void)
{
    lun_native_path  n;

    n = native("//?/C:/site", NULL);
    ok(n.wide == NULL, "it has a form of the system's");
    n = native("//server", NULL);
    ok(n.wide == NULL, "a machine is no folder");
    n = native("C:/\xc3", NULL);
    ok(n.wide == NULL, "it is no UTF-8");
}


static void
folders_under_another(void)
{
    lun_native_path  n, drive = native("C:/site/", NULL),
                     here = native("site/", NULL);

    n = native("C:/site/html", &drive);
    is_wide(&n, L"\\\\?\\C:\\site\\html", "a folder under a prefix");
    n = native("C:/site/../html.", &drive);
    is_wide(&n, L"\\\\?\\C:\\html", "one that leads up from there");
    n = native("C:/sites/html", &drive);
    is_wide(&n, L"\\\\?\\C:\\sites\\html", "one beside it");
    n = native("site/html", &here);
    is_full(&n, L"site/html", "all of it relative");
    n = native("site/\xc3", &here);
    ok(n.wide == NULL, "it is no UTF-8");
}


static void
paths_are_put_behind_them(void)
{
    char             path[600] = "/site/";
    lun_wide_path    w;
    lun_native_path  n = native("/site", NULL);

    is_int(lun_wide_path_under(&w, &n, "/site/a/b.html", 0), 0, "a path");
    is_mem(w.text, n.len * 2, n.wide, n.len * 2, "begins as the folder does");
    ok(wcscmp(w.text + n.len, L"\\a\\b.html") == 0, "and goes on");
    lun_wide_end(&w);

    memset(path + 6, 'x', sizeof(path) - 7);
    is_int(lun_wide_path_under(&w, &n, path, 2), 0, "a long one");
    is_int((int64_t) wcslen(w.text), (int64_t) (n.len + strlen(path) - 5),
           "is as long as it is");
    lun_wide_end(&w);

    is_int(lun_wide_path_under(&w, &n, "/sites/a", 0), 0, "one beside it");
    ok(wcscmp(w.text, L"/sites/a") == 0, "stays as it is");
    lun_wide_end(&w);

    is_int(lun_wide_path_under(&w, NULL, "/site/a", 0), 0, "no folder");
    ok(wcscmp(w.text, L"/site/a") == 0, "changes nothing");
    lun_wide_end(&w);

    is_int(lun_wide_path_under(&w, &n, "/site/\xc3", 0), ERROR_INVALID_NAME,
           "no UTF-8, no path");
}


static void
is_plain(const char *path, bool plain)
{
    lun_wide_path  w;

    is_int(lun_wide_path_under(&w, NULL, path, 0), 0, "\"%s\"", path);
    is_int(wcsncmp(w.text, L"\\\\?\\", 4) != 0, plain, "%s",
           plain ? "stays as it is" : "is put behind the prefix");
    lun_wide_end(&w);
}


/* What nobody has given a folder for. */
static void
a_prefix_is_kept(void)
{
    lun_native_path  prefix = native("/site/", NULL),
                     none = native("//?/C:/x", NULL),
                     other = native("C:/other/", NULL);

    is_plain("/site/html/a", true);
    lun_native_path_keep(&none);
    is_plain("//?/C:/x/a", true);
    lun_native_path_keep(&prefix);
    is_plain("/site/html/a", false);
    is_plain("/site/html/a~1.txt", false);
    is_plain("/site/", false);
    is_plain("/sites/html/a", true);
    is_plain("/site/logs/nul", true);
    is_plain("/site/logs/com1.txt", true);
    is_plain("/site/a.txt:stream", true);
    is_plain("/site/a.", true);
    is_plain("/site/../a", true);
    is_plain("/site//a", false);
    is_plain("/site///a", true);
    is_plain("nul", true);

    lun_native_path_keep(&other);
    is_plain("C:/other/a", true);
    is_plain("/site/html/a", false);
}


static bool
on_name(void *data, const char *name, bool is_dir)
{
    int  *seen = data;

    *seen += strcmp(name, "file") == 0 && !is_dir;
    return true;
}


/* One file, by a relative folder, one on a drive and one without. */
static void
files_are_found(const char *folder)
{
    char             path[700];
    int              seen = 0;
    lun_fd           fd;
    lun_file_info    info;
    lun_native_path  n = native(folder, NULL);

    ok(n.wide != NULL, "it has a native form");
    snprintf(path, sizeof(path), "%s/win_path/file", folder);

    if (is_int(lun_file_open_under(&n, path, LUN_FILE_READ, 0, &fd), 0,
               "%s opens", path))
    {
        lun_file_close(fd);
    }

    is_int(lun_file_stat_under(&n, path, &info), 0, "is looked at");
    ok(info.is_file, "a file");
    strcat(path, "/");
    is_int(lun_file_stat_under(&n, path, &info),
           lun_file_stat(path, &info), "a file and a slash: as ever");

    snprintf(path, sizeof(path), "%s/win_path/", folder);
    is_int(lun_file_stat_under(&n, path, &info), 0, "its folder");
    ok(info.is_dir, "is one, with a slash");
    is_int(lun_dir_list_under(&n, path, on_name, &seen), 0, "is listed");
    is_int(seen, 1, "and has the file in it");
    snprintf(path, sizeof(path), "%s/win_path/none/../file", folder);
    is_int(lun_file_stat_under(&n, path, &info), 0, "folders up are text");
    snprintf(path, sizeof(path), "%s/win_path/none", folder);
    is_int(lun_err_kind_of(lun_file_stat_under(&n, path, &info)),
           LUN_ERR_NOT_FOUND, "what is not there is not");
}


static void
files_are_found_by_any(void)
{
    char    here[600];
    lun_fd  fd;

    (void) lun_dir_make("win_path", 0700);

    if (lun_dir_current(here, sizeof(here)) != 0
        || lun_file_open("win_path/file", LUN_FILE_WRITE | LUN_FILE_CREATE, 0,
                         &fd) != 0)
    {
        abort();
    }

    lun_file_close(fd);
    files_are_found(".");
    files_are_found(here);
    files_are_found(here + 2);     /* "/x/y", of this drive */
    (void) lun_file_delete("win_path/file");
    (void) lun_dir_delete("win_path");
}


int
main(void)
{
    pool = lun_pool_new_sized(1024);

    folders_are_made_absolute();
    the_system_agrees();
    what_has_no_such_form();
    folders_under_another();
    paths_are_put_behind_them();
    files_are_found_by_any();
    a_prefix_is_kept();
    lun_pool_free(pool);

    return done_testing();
}

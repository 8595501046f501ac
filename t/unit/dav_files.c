/*
 * dav_files.c -- a folder that cannot be removed keeps what is in it: it may
 * be a link to one elsewhere.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dir.h"

#include "base/str.h"
#include "os/proc.h"
#include "tap.h"


/* "away" is a link whose removal the system refuses. */
static bool
is_away(const char *path)
{
    return lun_str_ends(lun_str_z(path), LUN_STR("/away"));
}


static lun_err
delete_file(const char *path)
{
    return is_away(path) ? lun_err_of_kind(LUN_ERR_ACCESS)
                         : lun_file_delete(path);
}


static lun_err
delete_folder(const char *path)
{
    return is_away(path) ? lun_err_of_kind(LUN_ERR_ACCESS)
                         : lun_dir_delete(path);
}


#define lun_file_delete  delete_file
#define lun_dir_delete   delete_folder
#include "../../modules/http/dav/dav_files.c"
#undef lun_file_delete
#undef lun_dir_delete


static char  home[200];


static const char *
at(const char *name)
{
    static char      paths[2][300];
    static unsigned  n;

    char  *path = paths[n++ % 2];

    snprintf(path, sizeof(paths[0]), "%s%s", home, name);
    return path;
}


static void
put(const char *name)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open(at(name), LUN_FILE_WRITE | LUN_FILE_CREATE, 0644, &fd);

    if (is_int(err, 0, "made %s", name)) {
        lun_file_close(fd);
    }
}


static bool
is_there(const char *name)
{
    lun_file_info  info;

    return lun_file_stat(at(name), &info) == 0;
}


int
main(void)
{
    lun_log  log = { 0 };

    snprintf(home, sizeof(home), "build/test-dav-%lld",
             (long long) lun_proc_pid());

    is_int(lun_dir_make_all(at("/away"), 0755), 0, "a link, as it seems");
    put("/away/kept");
    ok(lun_dav_delete_tree(&log, lun_str_z(home)) != 0, "it stays, and so");
    ok(is_there("/away/kept"), "does what is in it");

    (void) lun_file_delete(at("/away/kept"));
    (void) lun_dir_delete(at("/away"));

    is_int(lun_dir_make_all(at("/a/b"), 0755), 0, "folders");
    is_int(lun_dir_make_all(at("/none"), 0755), 0, "an empty one");
    put("/a/b/c");
    is_int(lun_dav_delete_tree(&log, lun_str_z(home)), 0, "a tree is removed");
    ok(!is_there(""), "with all that is in it");

    return done_testing();
}

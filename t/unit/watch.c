/*
 * watch.c -- changes in folders.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/watch.h"

#include "os/dir.h"
#include "os/proc.h"
#include "os/time.h"
#include "tap.h"


enum { LIMIT = 10000 };

static lun_port  *port;
static char       home[100], other[120];
static char       want[40];        /* the name that is waited for */
static unsigned   heard;           /* how often it was told */
static bool       right_folder;
static unsigned   others;          /* of d.lua, which nobody watches */


static void
on_change(void *data, lun_str folder, lun_str name)
{
    others += lun_str_eq(name, LUN_STR("d.lua"));

    if (lun_str_eq(name, lun_str_z(want))) {
        heard++;
        right_folder = lun_str_eq(folder, lun_str_z(home));
    }
}


static const char *
at(const char *folder, const char *name)
{
    static char      paths[4][200];
    static unsigned  n;

    char  *path = paths[n++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}


static void
put(const char *path, const char *text)
{
    lun_fd  fd;

    if (lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC,
                      0644, &fd) != 0)
    {
        ok(0, "cannot write %s", path);
        return;
    }

    lun_file_write(fd, text, strlen(text), 0);
    lun_file_close(fd);
}


/* What is told before is forgotten. */
static void
drain(void)
{
    lun_port_wait(port, 50, NULL);
    lun_port_wait(port, 0, NULL);
    heard = 0;
    right_folder = false;
}


static bool
hears(const char *name)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    snprintf(want, sizeof(want), "%s", name);

    while (heard == 0 && lun_time_monotonic() < end) {
        lun_port_wait(port, 100, NULL);
    }

    return heard > 0;
}


static void
changes_are_told(lun_watch *w)
{
    put(at(home, "a.lua"), "1");
    is_int(lun_watch_folder(w, home), 0, "a folder is watched");
    is_int(lun_watch_folder(w, home), 0, "... and once more");

    snprintf(want, sizeof(want), "a.lua");
    put(at(home, "a.lua"), "22");
    ok(hears("a.lua"), "a written file");
    ok(right_folder, "... in the folder as it was given");

    drain();
    snprintf(want, sizeof(want), "b.lua");
    put(at(home, "b.lua"), "");
    ok(hears("b.lua"), "a new one");

    drain();
    put(at(other, "c.lua"), "333");
    snprintf(want, sizeof(want), "a.lua");
    lun_file_rename(at(other, "c.lua"), at(home, "a.lua"));
    ok(hears("a.lua"), "one that another was renamed to");

    drain();
    snprintf(want, sizeof(want), "b.lua");
    lun_file_delete(at(home, "b.lua"));
    ok(hears("b.lua"), "one that was removed");
}


static void
nothing_is_told(lun_watch *w)
{
    ok(lun_watch_folder(w, at(home, "none")) != 0, "no such folder");

    drain();
    put(at(other, "d.lua"), "1");
    snprintf(want, sizeof(want), "e.lua");
    put(at(home, "e.lua"), "1");
    hears("e.lua");
    lun_port_wait(port, 50, NULL);
    is_int(others, 0, "of another folder nothing is told");

    lun_watch_free(w);
    heard = 0;
    snprintf(want, sizeof(want), "a.lua");
    put(at(home, "a.lua"), "4444");
    lun_port_wait(port, 50, NULL);
    lun_port_wait(port, 50, NULL);
    is_int(heard, 0, "nor when nobody watches");
}


int
main(void)
{
    lun_err     err = 0;
    lun_watch  *w;

    snprintf(home, sizeof(home), "build/test-watch-%u",
             (unsigned) lun_proc_pid());
    snprintf(other, sizeof(other), "%s/sub", home);
    lun_dir_make_all(other, 0755);
    port = lun_port_new(&err);
    w = port != NULL ? lun_watch_new(port, on_change, NULL, &err) : NULL;

    if (!ok(w != NULL, "a watch")) {
        return 1;
    }

    changes_are_told(w);
    nothing_is_told(w);
    lun_port_free(port);

    return done_testing();
}

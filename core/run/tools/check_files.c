/*
 * check_files.c -- see check_files.h: files and folders, changes in them, and
 * what of the network holds without a server.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/check_files.h"

#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "os/clock.h"
#include "os/dir.h"
#include "os/dns.h"
#include "os/time.h"
#include "os/watch.h"


enum { OPENS = 200, WAITS = 20, TOLD_WITHIN = 3000, SERVERS = 8 };


const char *
lun_check_in(const char *folder, const char *name)
{
    static char  paths[2][LUN_CHECK_PATH];
    static int   turn;

    char  *path = paths[turn ^= 1];

    *lun_fmt(path, path + LUN_CHECK_PATH - 1, "%s/%s", folder, name) = '\0';
    return path;
}


lun_err
lun_check_put(const char *path, const char *text)
{
    lun_fd   fd;
    lun_err  err = lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE
                                 | LUN_FILE_TRUNC, 0644, &fd);

    if (err == 0) {
        err = lun_file_write(fd, text, strlen(text), 0);
        lun_file_close(fd);
    }

    return err;
}


void
lun_check_err(lun_machine_finding *f, lun_machine_verdict verdict,
    const char *advice, const char *what, lun_err err)
{
    char     room[128];
    lun_str  text = lun_err_text(err, room, sizeof(room));

    lun_machine_say(f, verdict, advice, "%s: %d: %.*s", what, err,
                    LUN_S(text));
}


/* --- files --------------------------------------------------------------- */

/* A new file, and open; if not, it is said. */
static lun_rc
open_new(const char *folder, const char *name, lun_fd *fd,
    lun_machine_finding *f)
{
    lun_err  err = lun_check_put(lun_check_in(folder, name), "old");

    if (err == 0) {
        err = lun_file_open(lun_check_in(folder, name), LUN_FILE_READ, 0, fd);
    }

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_BAD, NULL, "a file", err);
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* A deploy by rename, while the old file is being served. */
static void
look_replace(const char *folder, lun_machine_finding *f)
{
    lun_fd   fd;
    lun_err  err;

    if (open_new(folder, "page", &fd, f) != LUN_OK) {
        return;
    }

    (void) lun_check_put(lun_check_in(folder, "page.new"), "new");
    err = lun_file_rename(lun_check_in(folder, "page.new"),
                          lun_check_in(folder, "page"));
    lun_file_close(fd);

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "delete the old file first, or try"
                      " again when nobody reads it", "not while it is open",
                      err);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "while it is open");
    }
}


static void
look_delete(const char *folder, lun_machine_finding *f)
{
    lun_fd   fd;
    lun_err  err;

    if (open_new(folder, "gone", &fd, f) != LUN_OK) {
        return;
    }

    err = lun_file_delete(lun_check_in(folder, "gone"));

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, NULL, "not while it is open", err);

    } else if (lun_check_put(lun_check_in(folder, "gone"), "new") != 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "rename logs instead of deleting"
                        " them", "the name is free once all have closed it");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "while it is open; its name is free at once");
    }

    lun_file_close(fd);
}


static void
look_names(const char *folder, lun_machine_finding *f)
{
    const char  *path = lun_check_in(folder, "Zo\xc3\xab \xe4\xb8\xad");
    lun_err      err = lun_check_put(path, "x");

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "names of files have to be ASCII"
                      " here", "beyond ASCII", err);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "UTF-8");
    }
}


static void
look_deep(const char *folder, lun_machine_finding *f)
{
    int      i;
    char     path[LUN_CHECK_PATH] = "", *p, *end = path + LUN_CHECK_PATH - 1;
    lun_err  err;

    p = lun_fmt(path, end, "%s", folder);

    for (i = 0; i < 8; i++) {
        p = lun_fmt(p, end, "/%040d", i);
    }

    *p = '\0';
    err = lun_dir_make_all(path, 0755);

    if (err == 0) {
        err = lun_check_put(lun_check_in(path, "file"), "x");
    }

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, NULL, "longer than 300 bytes", err);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%zu bytes",
                        (size_t) (p - path) + 5);
    }
}


/* What looks at every file that is opened shows in the time of an open. */
static void
look_opens(const char *folder, lun_machine_finding *f)
{
    int       i;
    lun_fd    fd;
    uint64_t  took, start;

    (void) lun_check_put(lun_check_in(folder, "often"), "x");
    start = lun_time_monotonic_us();

    for (i = 0; i < OPENS; i++) {
        if (lun_file_open(lun_check_in(folder, "often"), LUN_FILE_READ, 0, &fd)
            != 0)
        {
            lun_machine_say(f, LUN_MACHINE_BAD, NULL, "an open failed");
            return;
        }

        lun_file_close(fd);
    }

    took = lun_time_monotonic_us() - start;
    lun_machine_say(f,
        took / OPENS > 500 ? LUN_MACHINE_NOTE : LUN_MACHINE_GOOD,
        took / OPENS > 500 ? "a scanner may look at each: take the server's"
                             " folders out of it" : NULL,
        "%.1f microseconds", (double) took / OPENS);
}


static lun_err
add_line(const char *path, const char *text)
{
    lun_fd   fd;
    lun_err  err = lun_file_open(path, LUN_FILE_APPEND | LUN_FILE_CREATE, 0644,
                                 &fd);

    if (err == 0) {
        err = lun_file_write(fd, text, strlen(text), -1);
        lun_file_close(fd);
    }

    return err;
}


/* As rotate= does: two processes write, the name goes, and comes anew. */
static void
look_log(const char *folder, lun_machine_finding *f)
{
    lun_fd         fd;
    lun_err        err;
    lun_file_info  info = { 0 };

    err = lun_file_open(lun_check_in(folder, "log"),
                        LUN_FILE_APPEND | LUN_FILE_CREATE, 0644, &fd);

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_BAD, NULL, "a log", err);
        return;
    }

    err = add_line(lun_check_in(folder, "log"), "another\n");

    if (err == 0) {
        err = lun_file_rename(lun_check_in(folder, "log"),
                              lun_check_in(folder, "log.1"));
    }

    if (err == 0) {
        err = add_line(lun_check_in(folder, "log"), "new\n");
    }

    if (err == 0) {
        err = lun_file_write(fd, "old\n", 4, -1);
    }

    lun_file_close(fd);

    if (err == 0) {
        err = lun_file_stat(lun_check_in(folder, "log.1"), &info);
    }

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "rotate= and reopen want that",
                          "not while it is open", err);

    } else if (info.size != 12) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "give each server a log of its"
                        " own", "lines of two writers are lost");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL,
                        "while others write, and each line stays");
    }
}


/* --- what happens later -------------------------------------------------- */

static void
on_change(void *data, lun_str folder, lun_str name)
{
    *(bool *) data = true;
}


/* lua_code_cache watch lives on this; it looks at files as well, but later. */
static void
look_changes(const char *folder, lun_machine_finding *f)
{
    bool        told = false;
    lun_err     err;
    uint64_t    start, took = 0;
    lun_port   *port = lun_port_new(&err);
    lun_watch  *watch = NULL;

    if (port != NULL) {
        watch = lun_watch_new(port, on_change, &told, &err);
    }

    if (watch != NULL) {
        err = lun_watch_folder(watch, folder);
        (void) lun_check_put(lun_check_in(folder, "a.lua"), "x");
        start = lun_time_monotonic_us();

        while (err == 0 && !told && took < TOLD_WITHIN) {
            lun_port_wait(port, 10, NULL);
            took = (lun_time_monotonic_us() - start) / 1000;
        }

        lun_watch_free(watch);
    }

    if (port != NULL) {
        lun_port_free(port);
    }

    if (watch == NULL || err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "lua_code_cache watch looks at"
                          " files instead", "not told", err);

    } else if (!told) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "lua_code_cache watch looks at"
                        " files instead", "not told within %d s",
                        TOLD_WITHIN / 1000);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "told within %d ms",
                        (int) took + 1);
    }
}


/* A timer is as good as a wait of the port's. */
static void
look_timers(const char *folder, lun_machine_finding *f)
{
    int        i;
    lun_err    err;
    uint64_t   took, start;
    lun_port  *port = lun_port_new(&err);

    if (port == NULL) {
        lun_check_err(f, LUN_MACHINE_BAD, NULL, "no port", err);
        return;
    }

    start = lun_time_monotonic_us();

    for (i = 0; i < WAITS; i++) {
        lun_port_wait(port, 1, NULL);
    }

    took = (lun_time_monotonic_us() - start) / WAITS;
    lun_port_free(port);
    lun_machine_say(f, took > 25000 ? LUN_MACHINE_NOTE : LUN_MACHINE_GOOD,
                    took > 25000 ? "timers and limits are as coarse as that"
                                 : NULL,
                    "1 ms takes %.1f ms", (double) took / 1000);
}


static void
look_name_servers(const char *folder, lun_machine_finding *f)
{
    char      text[LUN_ADDR_TEXT];
    lun_str   name;
    size_t    count = 0, hosts = 0;
    lun_err   err;
    lun_addr  addrs[SERVERS];

    err = lun_dns_servers(addrs, SERVERS, &count);

    if (err != 0 || count == 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE, "names are looked up by a"
                        " resolver that the configuration names",
                        "the system names no server");
        return;
    }

    name = lun_addr_format(&addrs[0], false, text, sizeof(text));
    (void) lun_dns_hosts(LUN_STR("localhost"), addrs, SERVERS, &hosts);
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%zu, the first is %.*s%s",
                    count, LUN_S(name),
                    hosts != 0 ? "; the hosts file knows localhost" : "");
}


const lun_machine_row  lun_check_file_rows[] = {
    { "replacing a file", look_replace },
    { "deleting a file", look_delete },
    { "renaming a log", look_log },
    { "names", look_names },
    { "deep folders", look_deep },
    { "opening a file", look_opens },
    { "changed files", look_changes },
    { "timers", look_timers },
    { "name servers", look_name_servers },
    { NULL, NULL }
};

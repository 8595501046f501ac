/*
 * links.c -- which links are followed on the way to a file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/posix/links.c"

#include <stdio.h>
#include <stdlib.h>

#include "os/dir.h"
#include "tap.h"


enum { OWNER = 1234 };

static char  folder[PATH_MAX];


static const char *
path_of(const char *name)
{
    static char  path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}


static void
make_link(const char *target, const char *name, bool of_another)
{
    if (symlink(target, path_of(name)) == -1
        || (of_another && lchown(path_of(name), OWNER, OWNER) == -1))
    {
        abort();
    }
}


/* What opening says, with links followed up to the folder of the test. */
static int
opened(const char *name, lun_links links, unsigned flags)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_links_open(NULL, path_of(name), strlen(folder), links, flags,
                         0644, &fd);

    if (err == 0) {
        lun_file_close(fd);
    }

    ok((err == 0) == (fd != LUN_FD_NONE), "a handle or an error");
    return err;
}


static const struct {
    const char  *name;
    int          refuse;
    int          owner;
} cases[] = {
    { "file",            0,       0 },
    { "dir/file",        0,       0 },
    { "dir//file",       0,       0 },
    { "dir/../dir/file", 0,       0 },
    { "dir",             0,       0 },
    { "dir/",            0,       0 },
    { "none",            ENOENT,  ENOENT },
    { "none/x",          ENOENT,  ENOENT },
    { "file/x",          ENOTDIR, ENOTDIR },
    { "link",            ELOOP,   0 },
    { "dir/up",          ELOOP,   0 },
    { "to",              ELOOP,   0 },
    { "to/",             ENOTDIR, 0 },
    { "to/file",         ENOTDIR, 0 },
    { "dangling",        ELOOP,   ENOENT },
    { "loop",            ELOOP,   ELOOP }
};

/* Links of another owner, which only root can make. */
static const struct {
    const char  *name;
    int          owner;
} others[] = {
    { "their-link",   ELOOP },
    { "their-to",     ELOOP },
    { "their-to/",    ELOOP },
    { "their-to/file", ELOOP }
};


static void
ways(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        is_int(opened(cases[i].name, LUN_LINKS_REFUSE, LUN_FILE_READ),
               cases[i].refuse, "no links: %s", cases[i].name);
        is_int(opened(cases[i].name, LUN_LINKS_OWNER, LUN_FILE_READ),
               cases[i].owner, "links of the owner: %s", cases[i].name);
    }

    for (i = 0; i < LUN_ARRAY_LEN(others) && geteuid() == 0; i++) {
        is_int(opened(others[i].name, LUN_LINKS_OWNER, LUN_FILE_READ),
               others[i].owner, "of another: %s", others[i].name);
    }
}


static void
beginnings(void)
{
    char     here[PATH_MAX], longest[PATH_MAX + 1];
    lun_fd   fd;
    size_t   from = strlen(path_of("to"));

    is_int(lun_links_open(NULL, path_of("to/file"), from, LUN_LINKS_REFUSE,
                          LUN_FILE_READ, 0, &fd), 0, "a link before `from`");
    lun_file_close(fd);

    is_int(lun_links_open(NULL, path_of("to/up"), from, LUN_LINKS_REFUSE,
                          LUN_FILE_READ, 0, &fd), ELOOP, "and one behind it");

    if (getcwd(here, sizeof(here)) == NULL || chdir(folder) == -1) {
        abort();
    }

    is_int(lun_links_open(NULL, "dir/file", 0, LUN_LINKS_REFUSE, LUN_FILE_READ,
                          0, &fd), 0, "from where we are");
    lun_file_close(fd);
    is_int(lun_links_open(NULL, "to/file", 0, LUN_LINKS_REFUSE, LUN_FILE_READ,
                          0, &fd), ENOTDIR, "no link from there");
    (void) !chdir(here);

    memset(longest, 'a', PATH_MAX);
    longest[PATH_MAX] = '\0';
    is_int(lun_links_open(NULL, longest, 0, LUN_LINKS_REFUSE, LUN_FILE_READ, 0,
                          &fd), ENAMETOOLONG, "a path of any length");
}


static void
creating(void)
{
    unsigned  how = LUN_FILE_WRITE | LUN_FILE_APPEND | LUN_FILE_CREATE;

    is_int(opened("new", LUN_LINKS_OWNER, how), 0, "a file is made");
    is_int(opened("new", LUN_LINKS_REFUSE, how), 0, "and found");
    is_int(opened("link", LUN_LINKS_OWNER, how), ELOOP,
           "nothing is made through a link");
}


int
main(void)
{
    static const char *const  made[] = {
        "dir/file", "dir/up", "dir", "file", "link", "to", "dangling", "loop",
        "their-link", "their-to", "new"
    };

    size_t  i;
    FILE   *f;

    if (getcwd(folder, sizeof(folder) - 64) == NULL) {
        abort();
    }

    snprintf(folder + strlen(folder), 64, "/build/links.test.%d", getpid());

    if (lun_dir_make_all(path_of("dir"), 0755) != 0
        || (f = fopen(path_of("dir/file"), "w")) == NULL || fclose(f) != 0
        || (f = fopen(path_of("file"), "w")) == NULL || fclose(f) != 0)
    {
        abort();
    }

    make_link("file", "link", false);
    make_link("../file", "dir/up", false);
    make_link("dir", "to", false);
    make_link("nowhere", "dangling", false);
    make_link("loop", "loop", false);
    make_link("file", "their-link", geteuid() == 0);
    make_link("dir", "their-to", geteuid() == 0);

    ways();
    beginnings();
    creating();

    for (i = 0; i < LUN_ARRAY_LEN(made); i++) {
        if (unlink(path_of(made[i])) == -1) {
            (void) rmdir(path_of(made[i]));
        }
    }

    (void) rmdir(folder);
    return done_testing();
}

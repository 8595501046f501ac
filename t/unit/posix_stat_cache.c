/*
 * posix_stat_cache.c -- folders that are kept open: none of what happens on the
 * way to one may go unseen.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/posix/stat_cache.c"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tap.h"

#define A  "a-folder-with-a-name-of-some-length"
#define B  "another-one-just-as-long-as-the-first"
#define C  "and-the-last-one-where-the-file-is"

static char  home[200];


/* In the folder of this test; good for four calls. */
__attribute__((format(printf, 1, 2))) static const char *
at(const char *fmt, ...)
{
    size_t           n;
    va_list          args;
    static char      paths[4][1000];
    static unsigned  next;

    char  *path = paths[next++ % 4];

    n = (size_t) snprintf(path, sizeof(paths[0]), "%s/", home);
    va_start(args, fmt);
    vsnprintf(path + n, sizeof(paths[0]) - n, fmt, args);
    va_end(args);
    return path;
}


static void
must(bool done, const char *what)
{
    if (!done) {
        perror(what);
        exit(1);
    }
}


static void
write_file(const char *path, size_t size)
{
    FILE  *f = fopen(path, "w");

    must(f != NULL, path);
    while (size-- > 0) {
        fputc('x', f);
    }
    fclose(f);
}


/* home/TOP/A/B/C/file of so many bytes. */
static void
make_tree(const char *top, size_t size)
{
    must(mkdir(at("%s", top), 0755) == 0, top);
    must(mkdir(at("%s/" A, top), 0755) == 0, A);
    must(mkdir(at("%s/" A "/" B, top), 0755) == 0, B);
    must(mkdir(at("%s/" A "/" B "/" C, top), 0755) == 0, C);
    write_file(at("%s/" A "/" B "/" C "/file", top), size);
}


/* The file's size; -1: there is none. */
static int64_t
size_under(const char *top)
{
    lun_file_info  info;

    if (lun_stat_cache_get(NULL, at("%s/" A "/" B "/" C "/file", top), &info)
        != 0)
    {
        return -1;
    }

    return info.size;
}


static const folder *
folder_of(const char *top)
{
    const char  *path = at("%s/" A "/" B "/" C, top);

    return place(path, strlen(path));
}


/*
 * Whether the folder under `top` is kept open after so many questions: enough
 * of them to take the place of another one.
 */
static bool
kept_under(const char *top)
{
    int            i;
    const folder  *f;

    for (i = 0; i < 4 * STAT_CACHE; i++) {
        (void) size_under(top);
    }

    f = folder_of(top);
    return f != NULL && f->fd != -1;
}


static void
files(void)
{
    const char  *file;

    make_tree("t", 1);
    ok(kept_under("t"), "a folder far down is kept open");
    ok(size_under("t") == 1, "its file is found");

    file = at("t/" A "/" B "/" C "/file");
    write_file(file, 2);
    ok(size_under("t") == 2, "a file that was changed is seen");

    write_file(at("new"), 3);
    must(rename(at("new"), file) == 0, "rename");
    ok(size_under("t") == 3, "and one that was replaced");

    must(unlink(at("t/" A "/" B "/" C "/file")) == 0, "unlink");
    ok(size_under("t") == -1, "and one that was removed");
    write_file(at("t/" A "/" B "/" C "/file"), 4);
    ok(size_under("t") == 4, "and one that is there again");
}


static void
ancestors(void)
{
    ok(kept_under("t"), "kept again");
    must(rename(at("t"), at("old")) == 0, "rename");
    ok(size_under("t") == -1, "a folder above was renamed");

    make_tree("t", 5);
    ok(size_under("t") == 5, "another one has its name");
    ok(kept_under("t"), "kept again");

    must(rename(at("t/" A "/" B), at("t/" A "/away")) == 0, "rename");
    must(rename(at("old/" A "/" B), at("t/" A "/" B)) == 0, "rename");
    ok(size_under("t") == 4, "one in the middle was exchanged");
    ok(kept_under("t"), "kept again");

    must(unlink(at("t/" A "/" B "/" C "/file")) == 0, "unlink");
    must(rmdir(at("t/" A "/" B "/" C)) == 0, "rmdir");
    must(mkdir(at("t/" A "/" B "/" C), 0755) == 0, "mkdir");
    write_file(at("t/" A "/" B "/" C "/file"), 6);
    ok(size_under("t") == 6, "the folder itself was removed and made anew");
}


static void
links(void)
{
    must(symlink("t", at("now")) == 0, "symlink");
    make_tree("next", 7);
    ok(kept_under("now"), "kept, behind a link");
    ok(size_under("now") == 6, "and found");

    must(symlink("next", at("link")) == 0, "symlink");
    must(rename(at("link"), at("now")) == 0, "rename");
    ok(size_under("now") == 7, "the link was replaced by another");
    ok(kept_under("now"), "kept again");

    must(unlink(at("now")) == 0, "unlink");
    ok(size_under("now") == -1, "it was removed");
    must(symlink(at("t"), at("now")) == 0, "symlink");
    ok(size_under("now") == 6, "and made anew");
    ok(kept_under("now"), "kept again, behind a link with a whole path");

    must(rename(at("now"), at("then")) == 0, "rename");
    ok(size_under("now") == -1, "it was renamed");
    must(symlink("../gone/t", at("now")) == 0, "symlink");
    lun_stat_cache_clear();
    ok(!kept_under("now"), "dots in a link: not kept");
}


static void
rights(void)
{
    lun_stat_cache_clear();
    ok(kept_under("t"), "kept again");
    must(chmod(at("t/" A), 0700) == 0, "chmod");
    ok(size_under("t") == 6 && lun_stat_cache_count() == 0,
       "whoever changes the rights of a folder makes us look again");
}


static void
changes_meanwhile(void)
{
    int  fd;

    ok(kept_under("t"), "kept again");

    /* What has happened when one folder is learnt concerns the others. */
    must(rename(at("next/" A), at("next/x")) == 0, "rename");
    ok(quiet(), "a folder that nobody has asked for is not watched");
    must(rename(at("t/" A), at("t/x")) == 0, "rename");
    ok(!quiet(), "one that is kept is");
    fd = open_watched(at("t/x/" B "/" C));
    ok(fd != -1 && quiet(), "another can be kept all the same");
    ok(lun_stat_cache_count() == 0, "but not what was kept before");
    (void) close(fd);
}


static void
remote(void)
{
    ok(!is_local("/proc"), "other file systems are not trusted");
    ok(is_local(home), "this one is");
}


static int
drop(const char *path, const struct stat *st, int kind, struct FTW *at_)
{
    return remove(path);
}


int
main(void)
{
    must(mkdir("build", 0755) == 0 || errno == EEXIST, "build");
    must(getcwd(home, sizeof(home) - 40) != NULL, "getcwd");
    snprintf(home + strlen(home), 40, "/build/test-stat-cache-%d",
             (int) getpid());
    must(mkdir(home, 0755) == 0, home);

    if (!is_local(home)) {
        printf("1..0 # SKIP not on a file system that is watched\n");
        (void) rmdir(home);
        return 0;
    }

    files();
    ancestors();
    links();
    rights();
    changes_meanwhile();
    remote();

    lun_stat_cache_clear();
    (void) nftw(home, drop, 16, FTW_DEPTH | FTW_PHYS);
    return done_testing();
}

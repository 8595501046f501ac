/*
 * file.c -- files: open, read, write, rename under an open handle, identity.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file.h"

#include "os/dir.h"
#include "os/file_replace.h"
#include "os/proc.h"
#include "os/time.h"
#include "tap.h"


enum { NEW = LUN_FILE_READ | LUN_FILE_WRITE | LUN_FILE_CREATE
             | LUN_FILE_TRUNC };

static char  home[200];


/* A path in the scratch folder; four of them live at a time. */
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
put(const char *name, const char *text)
{
    lun_fd  fd;

    if (lun_file_open(at(name), NEW, 0644, &fd) != 0
        || lun_file_write(fd, text, strlen(text), 0) != 0)
    {
        ok(0, "cannot write %s", name);
    }

    lun_file_close(fd);
}


static void
is_content(const char *name, const char *want)
{
    char    *data;
    size_t   size;

    if (is_int(lun_file_slurp(at(name), &data, &size), 0, "read %s", name)) {
        is_mem(data, size, want, strlen(want), "its content");
        is_int(data[size], 0, "and a zero byte");
        free(data);
    }
}


static void
reads_and_writes_at_an_offset(void)
{
    char    buf[16];
    lun_fd  fd;
    size_t  done;

    is_int(lun_file_open(at("a"), NEW, 0644, &fd), 0, "a new file");
    is_int(lun_file_write(fd, "hello world", 11, 0), 0, "is written");
    is_int(lun_file_write(fd, "W", 1, 6), 0, "and changed");

    is_int(lun_file_read(fd, buf, 5, 6, &done), 0, "reads at an offset");
    is_mem(buf, done, "World", 5, "what is there");
    is_int(lun_file_read(fd, buf, sizeof(buf), 6, &done), 0, "reads on");
    is_int((int64_t) done, 5, "less, at the end");
    is_int(lun_file_read(fd, buf, sizeof(buf), 100, &done), 0, "reads past");
    is_int((int64_t) done, 0, "nothing, behind the end");

    lun_file_close(fd);
    is_content("a", "hello World");
}


static void
appends(void)
{
    lun_fd          a, b;
    const unsigned  how = LUN_FILE_APPEND | LUN_FILE_CREATE;

    is_int(lun_file_open(at("log"), how, 0644, &a), 0, "a log");
    is_int(lun_file_open(at("log"), how, 0644, &b), 0, "twice");
    is_int(lun_file_write(a, "1\n", 2, -1), 0, "the first writes");
    is_int(lun_file_write(b, "2\n", 2, -1), 0, "the second");
    is_int(lun_file_write(a, "3\n", 2, 0), 0, "whatever the offset");

    lun_file_close(a);
    lun_file_close(b);
    is_content("log", "1\n2\n3\n");
}


static void
creates_as_told(void)
{
    lun_fd  fd;

    is_int(lun_err_kind_of(lun_file_open(at("none"), LUN_FILE_READ, 0, &fd)),
           LUN_ERR_NOT_FOUND, "a file that is not there");
    is_int(lun_err_kind_of(lun_file_open(at("no/dir"), LUN_FILE_READ, 0,
                                         &fd)),
           LUN_ERR_NOT_FOUND, "nor its folder");

    put("excl", "x");
    is_int(lun_err_kind_of(lun_file_open(at("excl"), NEW | LUN_FILE_EXCL,
                                         0644, &fd)),
           LUN_ERR_EXISTS, "EXCL does not take an old one");
    is_content("excl", "x");

    is_int(lun_file_open(at("excl"), LUN_FILE_WRITE | LUN_FILE_TRUNC, 0, &fd),
           0, "TRUNC empties it");
    lun_file_close(fd);
    is_content("excl", "");
}


static void
an_open_file_can_be_renamed_and_removed(void)
{
    char    buf[8];
    lun_fd  fd;
    size_t  done;

    put("old", "old");
    put("new", "new");

    is_int(lun_file_open(at("old"), LUN_FILE_READ, 0, &fd), 0, "open");
    is_int(lun_file_rename(at("new"), at("old")), 0, "replaced by another");
    is_content("old", "new");
    is_int(lun_file_read(fd, buf, sizeof(buf), 0, &done), 0, "still read");
    is_mem(buf, done, "old", 3, "as it was");
    lun_file_close(fd);

    is_int(lun_file_open(at("old"), LUN_FILE_READ, 0, &fd), 0, "open again");
    is_int(lun_file_delete(at("old")), 0, "removed");
    is_int(lun_file_read(fd, buf, sizeof(buf), 0, &done), 0, "still there");
    is_mem(buf, done, "new", 3, "for who has it open");
    lun_file_close(fd);

    is_int(lun_err_kind_of(lun_file_delete(at("old"))), LUN_ERR_NOT_FOUND,
           "and then gone");
}


static void
tells_what_a_file_is(void)
{
    lun_fd         fd;
    lun_file_info  by_path, by_fd, other;

    put("info", "12345");
    lun_time_sleep(20);            /* where identity is a time of creation */
    put("other", "12345");

    is_int(lun_file_stat(at("info"), &by_path), 0, "stat");
    is_int(by_path.size, 5, "the size");
    ok(by_path.is_file && !by_path.is_dir, "a file");
    ok(by_path.mtime > 1600000000, "changed in this century");

    is_int(lun_file_open(at("info"), LUN_FILE_READ, 0, &fd), 0, "open");
    is_int(lun_file_info_of(fd, &by_fd), 0, "of the handle");
    lun_file_close(fd);
    is_int(by_fd.size, 5, "the size");
    ok(by_fd.is_file && !by_fd.is_dir, "a file as well");
    is_int(by_fd.mtime, by_path.mtime, "the same time");
    is_int((int64_t) by_fd.id, (int64_t) by_path.id, "the same identity");

    is_int(lun_file_stat(at("other"), &other), 0, "another file");
    ok(other.id != by_path.id || other.device != by_path.device,
       "is another");

    is_int(lun_file_stat(home, &other), 0, "a folder");
    ok(other.is_dir && !other.is_file, "is one");

    is_int(lun_file_open(home, LUN_FILE_READ | LUN_FILE_DIR, 0, &fd), 0,
           "can be opened to be looked at");
    is_int(lun_file_info_of(fd, &other), 0, "by its handle");
    ok(other.is_dir && !other.is_file, "a folder still");
    lun_file_close(fd);

    is_int(lun_err_kind_of(lun_file_stat(at("none"), &other)),
           LUN_ERR_NOT_FOUND, "what is not there");
}


static void
takes_a_date(void)
{
    lun_fd         fd;
    lun_file_info  info;

    put("dated", "x");

    is_int(lun_file_open(at("dated"), LUN_FILE_WRITE, 0, &fd), 0, "open");
    is_int(lun_file_set_mtime(fd, 885000000), 0, "a time of 1998");
    lun_file_close(fd);

    is_int(lun_file_stat(at("dated"), &info), 0, "stat");
    is_int(info.mtime, 885000000, "the same, to the second");
    is_int(info.size, 1, "nothing else changed");
}


static void
names_are_utf8(void)
{
    put("\xc3\xa4\xe2\x82\xac", "umlaut");
    is_content("\xc3\xa4\xe2\x82\xac", "umlaut");
}


static void
long_paths(void)
{
    int     i;
    char    path[2000];
    lun_fd  fd;
    size_t  n;

    n = (size_t) snprintf(path, sizeof(path), "%s", home);

    for (i = 0; i < 30; i++) {
        n += (size_t) snprintf(path + n, sizeof(path) - n,
                               "/a-folder-with-a-long-name-%d", i);
    }

    is_int(lun_dir_make_all(path, 0755), 0, "a path of %d bytes", (int) n);
    snprintf(path + n, sizeof(path) - n, "/f");
    is_int(lun_file_open(path, NEW, 0644, &fd), 0, "with a file in it");
    lun_file_close(fd);
    is_int(lun_file_delete(path), 0, "which goes");

    for (i = 30; i > 0; i--) {
        *strrchr(path, '/') = '\0';
        if (lun_dir_delete(path) != 0) {
            ok(0, "cannot remove %s", path);
        }
    }
}


static void
temporary_files(void)
{
    int            i;
    char           path[300], first[300];
    lun_fd         fd, fd2;
    size_t         len;
    lun_file_info  info;

    const int  none[3] = { 0, 0, 0 }, levels[3] = { 1, 2, 0 };

    is_int(lun_file_temp(home, none, false, first, sizeof(first), &fd), 0,
           "a temporary file");
    is_int(lun_file_temp(home, none, false, path, sizeof(path), &fd2), 0,
           "another");
    ok(strcmp(first, path) != 0, "of another name");
    is_int((int64_t) strlen(first), (int64_t) strlen(home) + 11,
           "of ten digits");
    is_int(lun_file_write(fd, "x", 1, 0), 0, "it can be written");
    lun_file_close(fd);
    lun_file_close(fd2);
    is_int(lun_file_delete(first), 0, "and stays");
    is_int(lun_file_delete(path), 0, "until it goes");

    for (i = 0; i < 3; i++) {
        is_int(lun_file_temp(at("temp"), levels, true, path, sizeof(path),
                             &fd),
               0, "one in folders");
        len = strlen(path);
        ok(len > 15 && path[len - 1] == path[len - 15]
           && path[len - 2] == path[len - 12]
           && path[len - 3] == path[len - 13],
           "named by its last digits: %s", path + strlen(home));
        is_int(lun_file_write(fd, "x", 1, 0), 0, "can be written");
        lun_file_close(fd);
        is_int(lun_err_kind_of(lun_file_stat(path, &info)),
               LUN_ERR_NOT_FOUND, "and is gone when closed");
    }
}


static void
is_written_anew(void)
{
    lun_file_info  info;

    put("kept", "the old one, which is longer");
    put("kept.new", "left by one that died");
    is_int(lun_file_replace(at("kept"), at("kept.new"), LUN_STR("new"), 0,
                            0644), 0, "written anew");
    is_content("kept", "new");
    is_int(lun_err_kind_of(lun_file_stat(at("kept.new"), &info)),
           LUN_ERR_NOT_FOUND, "and nothing is beside it");

    is_int(lun_err_kind_of(lun_file_replace(at("kept"), at("none/kept.new"),
                                            LUN_STR("other"), 0, 0644)),
           LUN_ERR_NOT_FOUND, "where nothing can be written");
    is_content("kept", "new");
}


int
main(void)
{
    snprintf(home, sizeof(home), "build/test-file-%lld-%lld",
             (long long) lun_proc_pid(), (long long) lun_time_wall());

    if (!is_int(lun_dir_make_all(home, 0755), 0, "a scratch folder")) {
        return done_testing();
    }

    reads_and_writes_at_an_offset();
    appends();
    creates_as_told();
    an_open_file_can_be_renamed_and_removed();
    tells_what_a_file_is();
    takes_a_date();
    names_are_utf8();
    long_paths();
    temporary_files();
    is_written_anew();

    return done_testing();
}

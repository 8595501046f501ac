/*
 * privileged.c -- what root opens, makes and gives away where others may
 * write.  Only root can see it: nobody else has files of two owners.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/posix/privileged.c"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tap.h"


enum {
    USER  = 1234,
    GROUP = 1235,
    LOG   = LUN_FILE_WRITE | LUN_FILE_APPEND | LUN_FILE_CREATE,
    PID   = LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC
};

static char            folder[PATH_MAX];
static const lun_user  user = { .uid = USER, .gid = GROUP, .name = "user" };


static const char *
path_of(const char *name)
{
    static int   i;
    static char  path[4][PATH_MAX + 64];

    i = (i + 1) % 4;
    snprintf(path[i], sizeof(path[i]), "%s/%s", folder, name);
    return path[i];
}


/* A folder, a link or a file as somebody has made it. */
static void
make(const char *name, const char *target, unsigned mode, uid_t owner)
{
    int          fd;
    const char  *path = path_of(name);

    if (S_ISDIR(mode)) {
        fd = mkdir(path, 0755);

    } else if (S_ISLNK(mode)) {
        fd = symlink(target, path);

    } else {
        fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
        fd = fd == -1 ? fd : close(fd);
    }

    if (fd == -1 || lchown(path, owner, owner) == -1
        || (!S_ISLNK(mode) && chmod(path, mode & 07777) == -1))
    {
        perror(path);
        abort();
    }
}


static struct stat
state_of(const char *name)
{
    struct stat  st = { .st_uid = (uid_t) -1 };

    (void) lstat(path_of(name), &st);
    return st;
}


static void
owned_by(const char *name, uid_t owner, const char *why)
{
    is_int((int) state_of(name).st_uid, (int) owner, "%s: %s", name, why);
}


static int
opens(const char *name, unsigned flags)
{
    lun_fd   fd;
    lun_err  err = lun_privileged_open(path_of(name), flags, 0644, &user, &fd);

    ok((err == 0) == (fd != LUN_FD_NONE), "a handle or an error");

    if (err == 0) {
        lun_file_close(fd);
    }

    return err;
}


/* Folders of root, of the user, of a group, of all; /tmp's kind. */
static void
build(void)
{
    strcpy(folder, "/tmp/privileged-XXXXXX");

    if (mkdtemp(folder) == NULL || chmod(folder, 0755) == -1) {
        abort();
    }

    make("root", NULL, S_IFDIR | 0755, 0);
    make("user", NULL, S_IFDIR | 0755, USER);
    make("user/below", NULL, S_IFDIR | 0755, 0);
    make("group", NULL, S_IFDIR | 0775, 0);
    make("sticky", NULL, S_IFDIR | 01777, 0);
    make("setgid", NULL, S_IFDIR | 02755, 0);
    make("shadow", NULL, S_IFREG | 0600, 0);
    make("secret", NULL, S_IFDIR | 0700, 0);
}


static void
makes_logs(void)
{
    static const char *const  names[] = {
        "root/log", "user/log", "user/below/log", "group/log", "sticky/log"
    };
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        is_int(opens(names[i], LOG), 0, "%s is made", names[i]);
        owned_by(names[i], USER, "what it has made is given");
        is_int((int) state_of(names[i]).st_gid, GROUP, "to the group, too");
        is_int(opens(names[i], LOG), 0, "%s is opened again", names[i]);
    }

    is_int(opens("setgid/log", LOG), 0, "in a folder that says the group");
    owned_by("setgid/log", USER, "given");
    is_int((int) state_of("setgid/log").st_gid, 0, "and the group left");
    is_int(opens("none/log", LOG), ENOENT, "no folder");
    is_int(opens("shadow/log", LOG), ENOTDIR, "a file on the way");
    is_int(opens("root/log", LOG | LUN_FILE_EXCL), EEXIST, "made once");
    is_int(opens("root/none", LUN_FILE_READ), ENOENT, "only opened");
}


static void
gives_what_was_there(void)
{
    make("root/old", NULL, S_IFREG | 0640, 0);
    make("user/old", NULL, S_IFREG | 0640, 0);
    make("group/old", NULL, S_IFREG | 0640, 0);
    make("sticky/old", NULL, S_IFREG | 0640, 0);
    make("sticky/theirs", NULL, S_IFREG | 0640, 999);

    is_int(opens("root/old", LOG), 0, "root's file in root's folder");
    owned_by("root/old", USER, "only root can have put it there");
    is_int(opens("user/old", LOG), 0, "root's file in the user's folder");
    owned_by("user/old", 0, "stays root's");
    is_int(opens("group/old", LOG), 0, "in one that a group may write");
    owned_by("group/old", 0, "stays root's");
    is_int(opens("sticky/old", LOG), 0, "root's in a sticky folder");
    owned_by("sticky/old", USER, "is given");
    is_int(opens("sticky/theirs", LOG), 0, "somebody's in a sticky folder");
    owned_by("sticky/theirs", 999, "is not");

    make("root/twice", NULL, S_IFREG | 0600, 0);
    ok(link(path_of("root/twice"), path_of("group/twice")) == 0, "two names");
    is_int(opens("root/twice", LOG), 0, "a file with two names");
    owned_by("root/twice", 0, "is not given");

    is_int(lun_privileged_open("/dev/null", LOG, 0644, &user, &(lun_fd) { 0 }),
           0, "a device is opened");
    is_int((int) state_of("../../dev/null").st_uid, 0, "and nobody's");
}


/* CVE-2016-1247: the user links to what is root's. */
static void
follows_no_links_of_others(void)
{
    static const char *const  bad[] = {
        "user/link", "user/dangling", "user/dir/x", "user/below/up",
        "group/link", "sticky/link", "user/hard", "user/fifo", "root/theirs",
        "user/log/x"
    };
    size_t  i;

    make("user/link", "../shadow", S_IFLNK, USER);
    make("user/dangling", "../made-by-root", S_IFLNK, USER);
    make("user/dir", "../secret", S_IFLNK, USER);
    make("user/below/up", "../../shadow", S_IFLNK, 0);
    make("group/link", "../shadow", S_IFLNK, 0);
    make("sticky/link", "../shadow", S_IFLNK, USER);
    make("root/theirs", "../shadow", S_IFLNK, USER);
    ok(link(path_of("shadow"), path_of("user/hard")) == 0
       && mkfifo(path_of("user/fifo"), 0666) == 0, "a second name, a pipe");

    for (i = 0; i < LUN_ARRAY_LEN(bad) - 1; i++) {
        is_int(opens(bad[i], LOG), ELOOP, "%s", bad[i]);
        is_int(opens(bad[i], PID), ELOOP, "%s, to be cut", bad[i]);
    }

    is_int(opens(bad[i], LOG), ENOTDIR, "a file on the way");
    owned_by("shadow", 0, "nothing was given");
    owned_by("made-by-root", (uid_t) -1, "nothing made");
    owned_by("secret/x", (uid_t) -1, "nowhere");
}


static void
follows_links_of_root(void)
{
    char         text[64];
    lun_fd       fd;
    struct stat  st;

    make("root/to", "log", S_IFLNK, 0);
    make("root/dangling", "new", S_IFLNK, 0);
    make("root/again", "again", S_IFLNK, 0);
    make("root/dir", "../secret/", S_IFLNK, 0);
    make("root/far", "/", S_IFLNK, 0);
    make("sticky/ours", "../root/log", S_IFLNK, 0);

    is_int(opens("root/to", LOG), 0, "a link of root's");
    is_int(opens("root/dangling", LOG), 0, "one to nothing");
    owned_by("root/new", USER, "which is made");
    is_int(opens("root/dir/log", LOG), 0, "a folder's");
    owned_by("secret/log", USER, "behind it");
    is_int(opens("root/again", LOG), ELOOP, "in a circle");
    is_int(opens("root/far/dev/../dev/./null", LOG), 0, "an absolute one");
    is_int(opens("sticky/ours", LOG), 0, "root's own in a sticky folder");

    /* As /dev/stdout is one. */
    is_int(lun_privileged_open(path_of("shadow"), LUN_FILE_WRITE, 0, NULL,
                               &fd), 0, "a file that is open");
    snprintf(text, sizeof(text), "/proc/self/fd/%d", (int) fd);
    make("root/out", text, S_IFLNK, 0);
    is_int(opens("root/out", LOG), 0, "is opened by its number");
    ok(fstat((int) fd, &st) == 0 && st.st_uid == 0, "and stays whose it is");
    lun_file_close(fd);
}


static void
cuts_and_appends(void)
{
    lun_fd  fd;

    is_int(lun_privileged_open(path_of("user/cut"), LOG, 0600, NULL, &fd), 0,
           "nobody is named");
    is_int(lun_file_write(fd, "12345", 5, -1), 0, "written");
    lun_file_close(fd);
    owned_by("user/cut", 0, "it stays ours");

    is_int(opens("user/cut", LOG), 0, "opened to append");
    is_int((int) state_of("user/cut").st_size, 5, "and left");
    is_int(opens("user/cut", PID), 0, "opened to be written anew");
    is_int((int) state_of("user/cut").st_size, 0, "and empty");

    is_int(lun_privileged_open(path_of("user/cut"), LOG, 0600, &user, &fd), 0,
           "once more");
    ok((fcntl((int) fd, F_GETFL) & (O_APPEND | O_NONBLOCK)) == O_APPEND,
       "it appends, and waits as files do");
    lun_file_close(fd);
}


static int
makes(const char *name)
{
    return lun_privileged_make_folder(path_of(name), 0700, &user);
}


static void
makes_folders(void)
{
    make("root/folder", NULL, S_IFDIR | 0700, 0);
    make("root/other", NULL, S_IFDIR | 0700, 999);
    make("user/folder", NULL, S_IFDIR | 0700, 0);
    make("user/link2", "../secret", S_IFLNK, USER);
    make("root/link2", "folder", S_IFLNK, 0);

    is_int(makes("root/a/b/c"), 0, "with all on the way");
    owned_by("root/a/b/c", USER, "the user's");
    owned_by("root/a/b", 0, "the way is not");
    is_int((int) (state_of("root/a/b").st_mode & 0777), 0755,
           "but he can go it");
    is_int((int) (state_of("root/a/b/c").st_mode & 0777), 0700, "its mode");
    is_int(makes("root/a/b/c/"), 0, "again");
    is_int(makes("root/link2"), 0, "root's link to one that is there");
    owned_by("root/folder", USER, "is given");
    is_int(makes("root/other"), 0, "somebody's in root's folder");
    owned_by("root/other", USER, "is given");
    is_int(makes("user/new"), 0, "in the user's folder");
    owned_by("user/new", USER, "is made");
    is_int(makes("user/folder"), EACCES, "root's own there is not given");
    owned_by("user/folder", 0, "stays");
    is_int(makes("user/link2"), ELOOP, "nor what a link of his leads to");
    is_int(makes("user/link2/x"), ELOOP, "nor anything below it");
    owned_by("secret", 0, "stays");
    is_int(makes("sticky"), 0, "where all may write");
    owned_by("sticky", 0, "nobody needs it");
    is_int(makes("shadow"), ENOTDIR, "a file");
}


static void
renames_and_deletes(void)
{
    make("user/there", "../root", S_IFLNK, USER);
    make("root/keep", NULL, S_IFREG | 0600, 0);

    is_int(lun_privileged_rename(path_of("user/there/keep"),
                                 path_of("user/there/gone")), ELOOP,
           "not behind a link");
    is_int(lun_privileged_delete(path_of("user/there/keep")), ELOOP, "nor");
    owned_by("root/keep", 0, "it is still there");
    is_int(lun_privileged_rename(path_of("user/there"),
                                 path_of("user/aside")), 0, "the link itself");
    ok(S_ISLNK(state_of("user/aside").st_mode), "has a new name");
    is_int(lun_privileged_delete(path_of("user/aside")), 0, "and can go");
    owned_by("user/aside", (uid_t) -1, "it has");
    is_int(lun_privileged_delete(path_of("user/aside")), ENOENT, "once");
}


/* A pid file of root's names anybody, one of a user the user's processes. */
static void
names_processes(void)
{
    pid_t   theirs = fork();
    lun_fd  fd;

    if (theirs == 0) {
        (void) !setuid(USER);
        pause();
        _exit(0);
    }

    make("user/pid", NULL, S_IFREG | 0644, 0);
    is_int(lun_file_open(path_of("user/pid"), LUN_FILE_READ, 0, &fd), 0,
           "a pid file");
    ok(lun_privileged_may_name(fd, getpid()), "root's file, root's process");
    ok(lun_privileged_may_name(fd, theirs), "root's file, anybody's");
    ok(fchown((int) fd, USER, USER) == 0, "the user's file");
    ok(!lun_privileged_may_name(fd, getpid()), "root's process");

    while (!lun_privileged_may_name(fd, theirs)) {
        usleep(1000);              /* until it is theirs */
    }

    ok(1, "their own");
    kill(theirs, SIGKILL);
    waitpid(theirs, NULL, 0);
    ok(!lun_privileged_may_name(fd, theirs), "one that is gone");
    lun_file_close(fd);
}


int
main(void)
{
    if (geteuid() != 0) {
        ok(1, "# SKIP only root can give files away");
        return done_testing();
    }

    (void) umask(022);
    (void) alarm(30);              /* a pipe that is waited for fails */
    build();
    makes_logs();
    gives_what_was_there();
    follows_no_links_of_others();
    follows_links_of_root();
    cuts_and_appends();
    makes_folders();
    renames_and_deletes();
    names_processes();
    is_int(lun_dir_remove_tree(folder), 0, "all is gone");

    return done_testing();
}

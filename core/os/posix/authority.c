/*
 * authority.c -- authorities that are trusted, as distributions keep them: a
 * folder of files, and a program that makes of these what libraries read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/authority.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.h"


extern char  **environ;

static const struct {
    const char  *folder, *end;
    const char  *program;
    const char  *argument;         /* or NULL */
} places[] = {
    { "/usr/local/share/ca-certificates", ".crt",
      "/usr/sbin/update-ca-certificates", NULL },
    { "/etc/pki/ca-trust/source/anchors", ".pem",
      "/usr/bin/update-ca-trust", NULL },
    { "/etc/ca-certificates/trust-source/anchors", ".crt",
      "/usr/bin/trust", "extract-compat" },
};


static lun_err
run(const char *program, const char *argument)
{
    int    err, status;
    pid_t  pid;
    char  *argv[] = { (char *) (uintptr_t) program,
                      (char *) (uintptr_t) argument, NULL };

    err = posix_spawn(&pid, program, NULL, NULL, argv, environ);

    if (err != 0) {
        return err;
    }

    while (waitpid(pid, &status, 0) == -1) {
        if (errno != EINTR) {
            return errno;
        }
    }

    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EIO;
}


/*
 * Distributions differ in folder and program; the first that is there is the
 * one that this system has.
 */
lun_err
lun_authority_install(const char *name, const void *der, size_t der_len,
    const char *pem, size_t pem_len, const char **where)
{
    char     path[PATH_MAX];
    size_t   i;
    lun_fd   fd;
    lun_err  err;

    *where = NULL;

    for (i = 0; i < LUN_ARRAY_LEN(places); i++) {
        if (access(places[i].program, X_OK) == 0) {
            break;
        }
    }

    if (i == LUN_ARRAY_LEN(places)) {
        return ENOENT;
    }

    *where = places[i].folder;
    (void) snprintf(path, sizeof(path), "%s/%s%s", places[i].folder, name,
                    places[i].end);
    (void) mkdir(places[i].folder, 0755);

    err = lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE
                        | LUN_FILE_TRUNC, 0644, &fd);

    if (err != 0) {
        return err;
    }

    err = lun_file_write(fd, pem, pem_len, 0);
    lun_file_close(fd);

    return err != 0 ? err : run(places[i].program, places[i].argument);
}

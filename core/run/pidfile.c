/*
 * pidfile.c -- written when the listeners are open, removed at the end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/pidfile.h"

#include "os/privileged.h"
#include "os/proc.h"
#include "run/main_conf.h"


#define OLD  ".oldbin"


/*
 * By lun_privileged_open(): the folder may be another user's, and a link there
 * must not make root write anywhere else.
 */
lun_rc
lun_pidfile_write(lun_pidfile *p, const lun_generation *gen)
{
    char     text[32], *end;
    lun_fd   fd;
    lun_err  err;
    lun_str  path = lun_main_conf_of(gen)->pid;

    *p = (lun_pidfile) { 0 };
    err = lun_privileged_open(path.data,
                              LUN_FILE_WRITE | LUN_FILE_CREATE
                              | LUN_FILE_TRUNC, 0644, NULL, &fd);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "open() \"%.*s\" failed",
                LUN_S(path));
        return LUN_ERROR;
    }

    end = lun_fmt(text, text + sizeof(text), "%" PRId64 "\n", lun_proc_pid());
    err = lun_file_write(fd, text, (size_t) (end - text), 0);
    lun_file_close(fd);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "write() to \"%.*s\" failed",
                LUN_S(path));
        return LUN_ERROR;
    }

    p->path = lun_malloc(path.len + 1);
    memcpy(p->path, path.data, path.len);
    p->path[path.len] = '\0';

    return LUN_OK;
}


void
lun_pidfile_move(lun_pidfile *p, const lun_generation *gen)
{
    lun_pidfile  old = *p;

    if (p->aside != NULL
        || lun_str_eq(lun_str_z(p->path), lun_main_conf_of(gen)->pid))
    {
        return;
    }

    if (lun_pidfile_write(p, gen) == LUN_OK) {
        lun_pidfile_remove(&old);

    } else {
        *p = old;
    }
}


static lun_rc
rename_file(const char *from, const char *to)
{
    lun_err  err = lun_privileged_rename(from, to);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, NULL, err, "rename() \"%s\" to \"%s\" failed",
                from, to);
    }

    return err == 0 ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_pidfile_put_aside(lun_pidfile *p)
{
    size_t  len = strlen(p->path);

    p->aside = lun_malloc(len + sizeof(OLD));
    memcpy(p->aside, p->path, len);
    memcpy(p->aside + len, OLD, sizeof(OLD));

    if (rename_file(p->path, p->aside) == LUN_OK) {
        return LUN_OK;
    }

    lun_free(p->aside);
    p->aside = NULL;
    return LUN_ERROR;
}


void
lun_pidfile_put_back(lun_pidfile *p)
{
    if (rename_file(p->aside, p->path) == LUN_OK) {
        lun_free(p->aside);
        p->aside = NULL;
    }
}


void
lun_pidfile_remove(lun_pidfile *p)
{
    lun_err      err;
    const char  *path = p->aside != NULL ? p->aside : p->path;

    if (path == NULL) {
        return;
    }

    err = lun_privileged_delete(path);

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, NULL, err, "unlink() \"%s\" failed", path);
    }

    lun_free(p->aside);
    lun_free(p->path);
    *p = (lun_pidfile) { 0 };
}

/*
 * file_aside.c -- files that are written beside the one whose place they take.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/file/file_aside.h"

#include "os/dir.h"
#include "os/random.h"


enum { TRIES = 10 };               /* names of a temporary file */


/* --- the directive ------------------------------------------------------- */

/* "user:rw group:rw all:r" as the digits of a mode. */
lun_rc
lun_set_access(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t                  i, j;
    int64_t                 access = 0, rights;
    bool                    user = false;
    lun_str                 word;
    int64_t                *field;
    static const struct {
        lun_str  name;
        int      shift;
    } who[] = {
        { LUN_STR_INIT("user:"), 6 },
        { LUN_STR_INIT("group:"), 3 },
        { LUN_STR_INIT("all:"), 0 }
    };

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        for (j = 0; j < LUN_ARRAY_LEN(who); j++) {
            if (lun_str_starts(word, who[j].name)) {
                break;
            }
        }

        if (j == LUN_ARRAY_LEN(who)) {
            return lun_conf_fail(cf, "invalid value \"%.*s\"", LUN_S(word));
        }

        word.data += who[j].name.len;
        word.len -= who[j].name.len;
        user |= j == 0;

        if (lun_str_eq(word, LUN_STR("rw"))) {
            rights = 6;

        } else if (lun_str_eq(word, LUN_STR("r"))) {
            rights = 4;

        } else {
            return lun_conf_fail(cf, "invalid value \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        access |= rights << who[j].shift;
    }

    field = (int64_t *) (void *) ((char *) data + d->field);
    *field = user ? access : access | 0600;
    return LUN_OK;
}


/* --- files --------------------------------------------------------------- */

unsigned
lun_folder_access(unsigned access)
{
    return access | (access & 0444) >> 2;
}


lun_err
lun_folders_make(lun_pool *pool, lun_str path, unsigned access)
{
    size_t  len = path.len;

    while (len > 1 && path.data[len - 1] != '/') {
        len--;
    }

    return lun_dir_make_all(lun_pool_strz(pool, lun_str_of(path.data, len - 1)),
                            lun_folder_access(access));
}


lun_err
lun_file_aside(lun_pool *pool, lun_str path, unsigned access, lun_fd *fd,
    lun_str *temp)
{
    int       i;
    lun_err   err = 0;
    uint32_t  n;

    for (i = 0; i < TRIES; i++) {
        lun_random_bytes(&n, sizeof(n));
        *temp = lun_pool_fmt(pool, "%.*s.%08x.tmp%c", LUN_S(path), n, '\0');
        temp->len--;

        err = lun_file_open(temp->data, LUN_FILE_WRITE | LUN_FILE_CREATE
                            | LUN_FILE_EXCL, access, fd);

        if (err == 0 || lun_err_kind_of(err) != LUN_ERR_EXISTS) {
            break;
        }
    }

    return err;
}


lun_err
lun_file_aside_below(lun_pool *pool, lun_str path, unsigned access, lun_fd *fd,
    lun_str *temp)
{
    lun_err  err = lun_file_aside(pool, path, access, fd, temp);

    if (lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        err = lun_folders_make(pool, path, access);
        err = err != 0 ? err : lun_file_aside(pool, path, access, fd, temp);
    }

    return err;
}

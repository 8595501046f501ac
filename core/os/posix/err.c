/*
 * err.c -- errno: its kinds and its texts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>


/* A number may have one kind; the first number of a kind stands for it. */
static const struct {
    int           number;
    lun_err_kind  kind;
} kinds[] = {
    { 0,             LUN_ERR_NONE },
    { EIO,           LUN_ERR_OTHER },
    { EAGAIN,        LUN_ERR_AGAIN },
    { EINPROGRESS,   LUN_ERR_AGAIN },
    { EALREADY,      LUN_ERR_AGAIN },
    { ECANCELED,     LUN_ERR_CANCELLED },
    { ETIMEDOUT,     LUN_ERR_TIMEOUT },
    { ENOENT,        LUN_ERR_NOT_FOUND },
    { ENOTDIR,       LUN_ERR_NOT_DIR },
    { EISDIR,        LUN_ERR_IS_DIR },
    { EEXIST,        LUN_ERR_EXISTS },
    { ENOTEMPTY,     LUN_ERR_EXISTS },
    { EACCES,        LUN_ERR_ACCESS },
    { EPERM,         LUN_ERR_ACCESS },
    { EROFS,         LUN_ERR_ACCESS },
    { ENAMETOOLONG,  LUN_ERR_BAD_NAME },
    { ELOOP,         LUN_ERR_LINK },
    { EBUSY,         LUN_ERR_BUSY },
    { ETXTBSY,       LUN_ERR_BUSY },
    { ENOSPC,        LUN_ERR_NO_SPACE },
    { EDQUOT,        LUN_ERR_NO_SPACE },
    { EFBIG,         LUN_ERR_NO_SPACE },
    { EMFILE,        LUN_ERR_TOO_MANY_FILES },
    { ENFILE,        LUN_ERR_TOO_MANY_FILES },
    { ENOMEM,        LUN_ERR_NO_MEMORY },
    { ENOBUFS,       LUN_ERR_NO_MEMORY },
    { EADDRINUSE,    LUN_ERR_ADDR_IN_USE },
    { EADDRNOTAVAIL, LUN_ERR_ADDR_NOT_AVAILABLE },
    { ECONNREFUSED,  LUN_ERR_REFUSED },
    { ECONNRESET,    LUN_ERR_RESET },
    { ECONNABORTED,  LUN_ERR_RESET },
    { EPIPE,         LUN_ERR_RESET },
    { ENOTCONN,      LUN_ERR_RESET },
    { ENETUNREACH,   LUN_ERR_UNREACHABLE },
    { EHOSTUNREACH,  LUN_ERR_UNREACHABLE },
    { ENETDOWN,      LUN_ERR_UNREACHABLE },
    { EHOSTDOWN,     LUN_ERR_UNREACHABLE },
    { EOPNOTSUPP,    LUN_ERR_NOT_SUPPORTED },
    { EAFNOSUPPORT,  LUN_ERR_NOT_SUPPORTED },
    { EPROTONOSUPPORT, LUN_ERR_NOT_SUPPORTED },
    { ENOSYS,        LUN_ERR_NOT_SUPPORTED }
};


lun_err_kind
lun_err_kind_of(lun_err err)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(kinds); i++) {
        if (kinds[i].number == err) {
            return kinds[i].kind;
        }
    }

    return LUN_ERR_OTHER;
}


lun_err
lun_err_of_kind(lun_err_kind kind)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(kinds); i++) {
        if (kinds[i].kind == kind) {
            return kinds[i].number;
        }
    }

    return EIO;
}


lun_str
lun_err_text(lun_err err, char *room, size_t size)
{
    int          n;
    const char  *text;

    text = strerrordesc_np(err);       /* static, and never translated */

    if (text) {
        return lun_str_z(text);
    }

    n = snprintf(room, size, "Unknown error %d", err);
    n = lun_min(n, (int) size - 1);

    return lun_str_of(room, n > 0 ? (size_t) n : 0);
}


const char *
lun_err_sock_text(lun_err err)
{
    size_t   len;
    lun_str  text;

    static _Thread_local char  words[96];

    if (lun_err_kind_of(err) == LUN_ERR_TIMEOUT) {
        return "timeout";
    }

    text = lun_err_text(err, words, sizeof(words));
    len = lun_min(text.len, sizeof(words) - 1);
    lun_mem_lower(words, text.data, len);
    words[len] = '\0';

    return words;
}

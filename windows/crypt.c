/*
 * crypt.c -- there is no crypt() on Windows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/crypt.h"


lun_err
lun_crypt(const char *word, const char *setting, char room[LUN_CRYPT_ROOM])
{
    room[0] = '\0';
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}

/*
 * crypt.c -- the C library's crypt().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/crypt.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"


lun_err
lun_crypt(const char *word, const char *setting, char room[LUN_CRYPT_ROOM])
{
    char               *made;
    struct crypt_data  *data = lun_calloc(sizeof(*data));
    lun_err             err = lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);

    made = crypt_r(word, setting, data);

    /* "*0" and its like are nobody's. */
    if (made != NULL && made[0] != '*' && strlen(made) < LUN_CRYPT_ROOM) {
        strcpy(room, made);
        err = 0;
    }

    memset(data, 0, sizeof(*data));
    lun_free(data);

    return err;
}

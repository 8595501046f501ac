/*
 * certstore.c -- there is none that all programs of a Linux share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/certstore.h"


lun_err
lun_certstore_each(bool machine, const char *store, lun_certstore_fn *take,
    void *data)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


void *
lun_certstore_open_key(const lun_certstore_entry *e, lun_err *err)
{
    *err = lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
    return NULL;
}


void
lun_certstore_close_key(void *key)
{
}


lun_err
lun_certstore_sign(void *key, const lun_signing *how, lun_str digest,
    uint8_t *out, size_t room, size_t *size)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}

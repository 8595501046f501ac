/*
 * direct.c -- a handle is past the cache from its beginning or never, and for
 * TransmitFile it may not be.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/direct.h"


bool
lun_direct_is_there(void)
{
    return false;
}


lun_err
lun_direct_set(lun_fd fd)
{
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


void
lun_direct_read_ahead(lun_fd fd)
{
    /* The system sees by itself that a file is read in order. */
}

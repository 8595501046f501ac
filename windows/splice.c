/*
 * splice.c -- bytes from one socket to another, by the system alone: Windows
 * knows no such thing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/splice.h"

#include "base/check.h"


bool
lun_port_splices(void)
{
    return false;
}


lun_err
lun_port_splice(lun_stream *from, lun_stream *to, size_t most, size_t *taken,
    size_t *rest, lun_err *lost)
{
    *taken = 0;
    *rest = 0;
    *lost = 0;
    return lun_err_of_kind(LUN_ERR_NOT_SUPPORTED);
}


void
lun_port_splice_rest(char *to, size_t size)
{
    LUN_NEVER("nothing was left");
}


bool
lun_port_has_more(lun_stream *from)
{
    return true;
}


void
lun_port_splice_end(void)
{
}

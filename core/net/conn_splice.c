/*
 * conn_splice.c -- bytes from one connection to another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_splice.h"

#include "base/check.h"
#include "net/conn_io.h"
#include "os/splice.h"


bool
lun_conn_splices(const lun_conn *from, const lun_conn *to)
{
    return lun_conn_is_plain(from) && lun_conn_is_plain(to) && !from->datagram
           && !to->datagram && lun_port_splices();
}


lun_err
lun_conn_splice(lun_conn *from, lun_conn *to, size_t most, size_t *taken,
    size_t *rest)
{
    lun_err  err, lost;

    LUN_CHECK(!from->closed && !from->reading && !to->closed && !to->writing);
    LUN_CHECK(lun_conn_is_plain(from) && lun_conn_is_plain(to));

    err = lun_port_splice(&from->stream, &to->stream, most, taken, rest,
                          &lost);
    from->received += (int64_t) *taken;
    (void) lun_conn_sent_now(to, lost, *taken - *rest);

    return err;
}

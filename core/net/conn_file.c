/*
 * conn_file.c -- parts of files that go out at once.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/conn_file.h"

#include "base/check.h"
#include "net/conn_io.h"


bool
lun_conn_tries_files(const lun_conn *c)
{
    return lun_conn_is_plain(c) && lun_port_tries_files();
}


lun_err
lun_conn_try_file(lun_conn *c, lun_fd file, int64_t at, size_t size,
    size_t *sent)
{
    lun_err  err;

    LUN_CHECK(!c->closed && !c->writing && lun_conn_is_plain(c));

    err = lun_port_try_file(&c->stream, file, at, size, sent);

    return lun_conn_sent_now(c, err, *sent);
}

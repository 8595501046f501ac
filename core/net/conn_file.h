/*
 * conn_file.h -- parts of files that go out at once, for who frames them: the
 * system sends them out of its own memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_FILE_H
#define LUN_CONN_FILE_H

#include "net/conn.h"

/* Whether there is such a thing on this connection. */
bool lun_conn_tries_files(const lun_conn *c);

/*
 * Sends what the socket takes: *sent bytes, as lun_port_try_file().  An error
 * other than LUN_ERR_AGAIN is c->err, and c is gone.
 */
lun_err lun_conn_try_file(lun_conn *c, lun_fd file, int64_t at, size_t size,
    size_t *sent);

#endif

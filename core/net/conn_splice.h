/*
 * conn_splice.h -- bytes from one connection to another, of which this program
 * sees only how many they were.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONN_SPLICE_H
#define LUN_CONN_SPLICE_H

#include "net/conn.h"

/* Both are plain, and the system can. */
bool lun_conn_splices(const lun_conn *from, const lun_conn *to);

/*
 * As lun_port_splice(); an error of `from` is not in from->err yet, one of `to`
 * is to->err, and `to` is gone.  lun_port_splice_rest() has the rest.
 */
lun_err lun_conn_splice(lun_conn *from, lun_conn *to, size_t most,
    size_t *taken, size_t *rest);

#endif

/*
 * quic_path.h -- addresses as ngtcp2 has them (of types that no system has:
 * see windows/deps/ngtcp2.sh), and its clock.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_PATH_H
#define LUN_QUIC_PATH_H

#include <ngtcp2/ngtcp2.h>

#include "format/addr.h"
#include "os/time.h"

/* A path between two addresses of one family; it points into *to. */
void lun_quic_path_set(ngtcp2_path_storage *to, const lun_addr *local,
    const lun_addr *remote);

/* An address of a path. */
void lun_quic_path_addr(const ngtcp2_addr *from, lun_addr *to);

/* Nanoseconds of a clock that never goes back. */
static inline ngtcp2_tstamp
lun_quic_now(void)
{
    return lun_time_monotonic_us() * 1000;
}

#endif

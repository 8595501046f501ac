/*
 * idna.h -- names of hosts that are not in ASCII, as DNS and certificates have
 * them: "bücher.example" is "xn--bcher-kva.example" (RFC 3492, 5890).
 *
 * Letters are taken as they are written: lower case, composed.  What would
 * have to be mapped to that first is no name here (a capital beyond ASCII is
 * not looked for: who writes one gets another name than he meant, and an
 * authority that does not know it).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_IDNA_H
#define LUN_IDNA_H

#include "base/pool.h"

/* Whether there is anything but ASCII in it. */
bool lun_idna_is_needed(lun_str host);

/*
 * The name in ASCII, in the pool, or `host` itself if it is that already; stars
 * and dots stay.  False: it is no UTF-8, or a label has more than 63 bytes.
 */
bool lun_idna_to_ascii(lun_pool *pool, lun_str host, lun_str *ascii);

#endif

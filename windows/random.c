/*
 * random.c -- the system's generator.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/random.h"

#include "windows/win.h"

#include <bcrypt.h>

#include "base/check.h"


void
lun_random_bytes(void *buf, size_t size)
{
    ULONG   n;
    UCHAR  *p;

    p = buf;

    while (size > 0) {
        n = (ULONG) lun_min(size, (size_t) 1 << 20);
        LUN_CHECK(BCryptGenRandom(NULL, p, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG)
                  >= 0);
        p += n;
        size -= n;
    }
}

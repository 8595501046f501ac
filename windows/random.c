/*
 * random.c -- the system's preferred generator.
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
    LUN_CHECK(size <= UINT32_MAX);
    LUN_CHECK(BCryptGenRandom(NULL, buf, (ULONG) size,
                              BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0);
}

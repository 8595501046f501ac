/*
 * random.c -- getrandom(): no file to open, none to be without.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/check.h"


void
lun_random_bytes(void *buf, size_t size)
{
    char     *p = buf;
    ssize_t   n;

    while (size > 0) {
        n = getrandom(p, size, 0);

        if (n == -1) {
            LUN_CHECK(errno == EINTR);
            continue;
        }

        p += n;
        size -= (size_t) n;
    }
}

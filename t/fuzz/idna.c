/*
 * idna.c -- any bytes as the name of a host.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/idna.h"

#include <stdlib.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char      *copy = malloc(size + 1);
    lun_str    ascii;
    lun_pool  *pool = lun_pool_new_sized(1024);

    /* In memory of its own, so that ASan sees its end. */
    memcpy(copy, data, size);

    if (lun_idna_to_ascii(pool, lun_str_of(copy, size), &ascii)) {
        LUN_CHECK(!lun_idna_is_needed(ascii));
    }

    lun_pool_free(pool);
    free(copy);
    return 0;
}

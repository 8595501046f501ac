/*
 * store_record.c -- any bytes as a record of a store: what is one can be
 * written again, and is the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "store/store_record.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char                number[LUN_STORE_NUMBER], *copy, *again;
    size_t              key = size != 0 ? data[0] % 4 : 0, n;
    lun_shdict_change   c;

    if (size < key + 1) {
        return 0;
    }

    n = size - 1 - key;
    copy = malloc(n + 1);
    memcpy(copy, data + 1 + key, n);
    copy = realloc(copy, lun_max(n, (size_t) 1));

    if (lun_store_record_read(lun_str_of((const char *) data + 1, key),
                              lun_str_of(copy, n), &c, number))
    {
        LUN_CHECK(lun_store_record_size(&c) == n);
        again = malloc(n);
        LUN_CHECK(lun_store_record_put(again, &c) == again + n);
        LUN_CHECK(memcmp(again, copy, n) == 0);
        free(again);
    }

    free(copy);
    return 0;
}

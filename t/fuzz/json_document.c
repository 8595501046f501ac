/*
 * json_document.c -- any bytes as a document, looked into at places that are
 * a path out of the same bytes, and at some that are always asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/json_document.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* In memory of its own, so that ASan sees its end. */
static lun_str
copy_of(const uint8_t *data, size_t size)
{
    char  *copy = malloc(size + (size == 0));

    memcpy(copy, data, size);
    return lun_str_of(copy, size);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t           cut, i, number;
    lun_str          path, text, *values;
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_json_places  places = { .count = 0 };

    cut = size != 0 ? lun_min((size_t) data[0] % 32 + 1, size) : 0;
    path = copy_of(data + (cut != 0), cut - (cut != 0));
    text = copy_of(data + cut, size - cut);

    LUN_CHECK(lun_json_places_add(&places, pool, LUN_STR("a[0].b"), &number)
              == LUN_OK);
    (void) lun_json_places_add(&places, pool, path, &number);
    values = lun_pool_new_n(pool, lun_str, places.count + 1);

    if (lun_json_document_read(&places, pool, text, 32, values)) {
        LUN_CHECK(values[0].data != NULL);

        for (i = 0; i <= places.count; i++) {
            LUN_CHECK(values[i].len <= text.len);
        }
    }

    free((char *) path.data);
    free((char *) text.data);
    lun_pool_free(pool);
    return 0;
}

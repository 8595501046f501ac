/*
 * json_object.c -- any bytes as an object: it is one if, and only if, it is a
 * document that is one; and each member's text can be looked into.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/json_object.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "format/json_document.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool              is_object;
    char             *copy = malloc(size + (size == 0));
    size_t            i;
    lun_str           text, value;
    lun_pool         *pool = lun_pool_new_sized(4096);
    lun_array        *list = lun_array_new(pool, sizeof(lun_json_member), 4);
    lun_json_member  *m;
    lun_json_places   none = { .count = 0 };

    memcpy(copy, data, size);
    text = lun_str_of(copy, size);
    is_object = lun_json_object_read(pool, text, list, NULL);
    m = list->items;

    if (is_object) {
        LUN_CHECK(lun_json_document_read(&none, pool, text,
                                         LUN_JSON_DEPTH_MOST, &value));

        for (i = 0; i < list->count; i++) {
            LUN_CHECK(m[i].text.data != NULL
                      && (m[i].kind == LUN_JSON_STRING || m[i].text.len != 0));
            LUN_CHECK(m[i].kind == LUN_JSON_STRING
                      || lun_json_document_read(&none, pool, m[i].text,
                                                LUN_JSON_DEPTH_MOST, &value));
        }
    }

    lun_pool_free(pool);
    free(copy);
    return 0;
}

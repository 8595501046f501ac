/*
 * keyval_state.c -- any bytes as the state of a keyval zone, or the body of a
 * change: what is taken can be written, and is read again as the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/keyval/keyval.h"

#include <stdlib.h>
#include <string.h>


enum { PAGE_SIZE = 4096, ZONE = 256 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
open_zone(lun_zone *zone)
{
    size_t  size = ZONE + lun_shdict_keyval_kind.beside(ZONE);
    char   *raw = aligned_alloc(PAGE_SIZE, lun_align(size, PAGE_SIZE));

    memset(raw, 0, size);
    *zone = (lun_zone) { .kind = &lun_shdict_keyval_kind, .size = ZONE };
    zone->shm.addr = raw;
    zone->shm.size = size;
    LUN_CHECK(zone->kind->init(zone, NULL) == LUN_OK);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char             *copy = malloc(size + (size == 0));
    lun_str           text, again;
    lun_zone          zone, other;
    unsigned          line = 0;
    lun_pool         *pool = lun_pool_new_sized(4096);
    lun_keyval_zone   z = { .zone = &zone }, back = { .zone = &other };

    memcpy(copy, data, size);
    open_zone(&zone);
    open_zone(&other);
    z.type = back.type = (lun_keyval_type) (size % 3);

    if (lun_keyval_read(&z, pool, lun_str_of(copy, size), &line) == NULL) {
        text = lun_keyval_json(&z, pool, false);
        LUN_CHECK(lun_keyval_read(&back, pool, text, &line) == NULL);
        again = lun_keyval_json(&back, pool, false);

        /* What is not UTF-8 was made so. */
        LUN_CHECK(again.len <= text.len);
    }

    free(zone.shm.addr);
    free(other.shm.addr);
    lun_pool_free(pool);
    free(copy);
    return 0;
}

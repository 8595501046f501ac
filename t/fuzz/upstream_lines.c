/*
 * upstream_lines.c -- any bytes as servers of a state file: what is taken can
 * be written, and is read again as the same.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char          *copy = malloc(size + (size == 0));
    unsigned       line = 0;
    lun_str        text, again;
    lun_pool      *pool = lun_pool_new_sized(4096);
    lun_array     *to = lun_array_new(pool, sizeof(lun_upstream_server_conf),
                                      4);
    lun_array     *back = lun_array_new(pool,
                                        sizeof(lun_upstream_server_conf), 4);
    lun_upstream   upstream = { .protocol = LUN_STR("http"),
                                .method = &lun_round_robin };

    memcpy(copy, data, size);

    if (lun_upstream_lines_read(pool, &upstream, lun_str_of(copy, size), to,
                                &line) == NULL)
    {
        text = lun_upstream_lines_write(pool, to->items, to->count);
        LUN_CHECK(lun_upstream_lines_read(pool, &upstream, text, back, &line)
                  == NULL);
        LUN_CHECK(back->count == to->count);
        again = lun_upstream_lines_write(pool, back->items, back->count);
        LUN_CHECK(lun_str_eq(text, again));

    } else {
        LUN_CHECK(line != 0);
    }

    lun_pool_free(pool);
    free(copy);
    return 0;
}

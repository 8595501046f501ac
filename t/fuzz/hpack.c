/*
 * hpack.c -- any bytes as a block of fields: what is read takes no more memory
 * than was said, and means the same when it is written and read again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/hpack.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fields of the table are not in the block. */
enum { LONGEST_OF_TABLE = 64 };


static void
write_again(lun_pool *pool, lun_str name, lun_str value)
{
    char        *block = malloc(lun_hpack_bound(name, value));
    char        *last = lun_hpack_put(block, name, value);
    lun_str      name_again, value_again;
    const char  *pos = block;

    LUN_CHECK((size_t) (last - block) <= lun_hpack_bound(name, value));
    LUN_CHECK(lun_hpack_next(pool, &pos, last, &name_again, &value_again)
              == LUN_HPACK_FIELD);
    LUN_CHECK(pos == last && lun_str_eq(name_again, name)
              && lun_str_eq(value_again, value));
    free(block);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char               *copy = malloc(size != 0 ? size : 1);
    size_t              used;
    lun_str             name, value;
    lun_pool           *pool = lun_pool_new_sized(1024);
    const char         *pos = copy, *end = copy + size, *before = pos;
    lun_hpack_verdict   v;

    memcpy(copy, data, size);

    while ((v = lun_hpack_next(pool, &pos, end, &name, &value))
           == LUN_HPACK_FIELD)
    {
        used = (size_t) (pos - before);
        LUN_CHECK(pos > before && pos <= end);
        LUN_CHECK(name.len + value.len <= 2 * used + LONGEST_OF_TABLE);
        write_again(pool, name, value);
        before = pos;
    }

    LUN_CHECK(v == LUN_HPACK_BAD || pos == end);
    lun_pool_free(pool);
    free(copy);
    return 0;
}

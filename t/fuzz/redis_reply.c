/*
 * redis_reply.c -- any bytes as the replies of a Redis server: in one piece
 * and cut at every byte they end at the same place.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/redis_reply.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* How many bytes are used, fed `step` at a time. */
static size_t
read_all(const uint8_t *data, size_t size, size_t step, int64_t count,
    lun_redis_verdict *rc)
{
    char             *copy;
    size_t            n, used = 0;
    const char       *pos;
    lun_redis_reply   p;

    lun_redis_reply_init(&p, count);
    *rc = LUN_REDIS_MORE;

    while (used < size && *rc == LUN_REDIS_MORE) {
        n = lun_min(step, size - used);
        copy = malloc(n);
        memcpy(copy, data + used, n);
        pos = copy;
        *rc = lun_redis_reply_next(&p, &pos, copy + n);
        LUN_CHECK(pos >= copy && pos <= copy + n);
        LUN_CHECK(*rc != LUN_REDIS_MORE || pos == copy + n);
        used += (size_t) (pos - copy);
        free(copy);
    }

    return used;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t             whole;
    int64_t            count;
    lun_redis_verdict  one, other;

    if (size == 0) {
        return 0;
    }

    count = data[0] % 4 + 1;
    whole = read_all(data + 1, size - 1, size, count, &one);
    LUN_CHECK(read_all(data + 1, size - 1, 1, count, &other) == whole);
    LUN_CHECK(one == other);
    LUN_CHECK(lun_redis_count_commands(lun_str_of((const char *) data, size))
              <= (int64_t) size);

    return 0;
}

/*
 * cache_file.c -- heads of cached answers from a disk that anybody may have
 * written to: read without a step beyond their end, and what is whole comes
 * out the same when it is packed again.
 *
 * A checksum would keep all but the first step from being tried, so it is made
 * right where the first byte of the input says so.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/cache/cache_file.c"

#include "base/check.h"
#include "base/pool.h"


int  LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
make_right(char *bytes, size_t len)
{
    fixed  f;

    if (len < sizeof(f)) {
        return;
    }

    memcpy(&f, bytes, sizeof(f));
    f.magic = magic;
    f.version = VERSION;
    f.crc = 0;
    f.size = (uint32_t) lun_min((uint64_t) sizeof(f) + f.key_len + f.vary_len
                                + f.etag_len + f.status_line_len
                                + f.lines_len, (uint64_t) UINT32_MAX);
    memcpy(bytes, &f, sizeof(f));

    if (f.size <= len) {
        f.crc = lun_crc32(lun_str_of(bytes, f.size));
        memcpy(bytes, &f, sizeof(f));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char            *bytes, *again;
    size_t           n;
    lun_str          name, value, lines;
    lun_cache_head   h;

    if (size == 0) {
        return 0;
    }

    /* Of its own length: a step beyond is seen. */
    bytes = lun_malloc(size);
    memcpy(bytes, data + 1, size - 1);

    if (data[0] & 1) {
        make_right(bytes, size - 1);
    }

    if (lun_cache_head_read(lun_str_of(bytes, size - 1), &h, &n)
        == LUN_CACHE_WHOLE)
    {
        LUN_CHECK(n <= size - 1 && n == lun_cache_head_size(&h));
        lines = h.lines;

        while (lun_cache_next_line(&lines, &name, &value)) {
            LUN_CHECK(name.len != 0 && value.data + value.len
                      <= bytes + size - 1);
        }

        LUN_CHECK(lines.len == 0);
        again = lun_malloc(n);
        lun_cache_head_pack(&h, again);
        LUN_CHECK(lun_cache_head_read(lun_str_of(again, n), &h, &n)
                  == LUN_CACHE_WHOLE);
        lun_free(again);
    }

    lun_free(bytes);
    return 0;
}

/*
 * fmt.c -- bounds of the formatter, and its fast paths.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/fmt.c"

#include "tap.h"


static void
bounds(void)
{
    char  b[16], *p;

    memset(b, '#', sizeof(b));
    p = lun_fmt(b, b + 5, "%s", "hello");
    is_int(p - b, 5, "exact fit uses the last byte");
    ok(memcmp(b, "hello#", 6) == 0, "no zero byte behind the end");

    memset(b, '#', sizeof(b));
    p = lun_fmt(b, b + 4, "%s", "hello");
    ok(p == b + 4 && memcmp(b, "hell#", 5) == 0, "too long is cut at the end");

    p = lun_fmt(b + 4, b + 4, "%d", 1);
    ok(p == b + 4 && b[4] == '#', "no room, nothing written");

    p = lun_fmt(b, b + sizeof(b), "%zu %" PRIu64, (size_t) 7, UINT64_MAX / 10);
    ok(p == b + sizeof(b) && memcmp(b, "7 18446744073709", 16) == 0,
       "size_t and 64 bits");
}


static void
long_text(void)
{
    char  source[2000], b[1500], *p;

    memset(source, 'x', sizeof(source));
    source[sizeof(source) - 1] = '\0';

    p = lun_fmt(b, b + sizeof(b), "%s", source);
    ok(p == b + sizeof(b) && b[sizeof(b) - 1] == 'x', "a long text is cut");
}


static void
numbers(void)
{
    size_t  i;
    char    b[40], want[40];
    static const uint64_t  list[] = {
        0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 12345, 4294967295u,
        4294967296u, UINT64_C(9999999999999999999), UINT64_MAX
    };

    for (i = 0; i < LUN_ARRAY_LEN(list); i++) {
        *lun_fmt_u64(b, list[i]) = '\0';
        snprintf(want, sizeof(want), "%" PRIu64, list[i]);
        is_str(b, want, "decimal");

        *lun_fmt_hex(b, list[i]) = '\0';
        snprintf(want, sizeof(want), "%" PRIx64, list[i]);
        is_str(b, want, "hex");

        *lun_fmt_pad(b, list[i], 5) = '\0';
        snprintf(want, sizeof(want), "%05" PRIu64, list[i]);
        is_str(b, want, "padded");
    }
}


static void
addresses(void)
{
    int      i, n, good = 0;
    char     b[LUN_FMT_IPV4 + 1], want[20];
    uint8_t  ip[4];

    for (i = 0; i < 4; i++) {
        for (n = 0; n < 256; n++) {
            memset(ip, 255 - n, sizeof(ip));
            ip[i] = (uint8_t) n;
            *lun_fmt_ipv4(b, ip) = '\0';
            snprintf(want, sizeof(want), "%d.%d.%d.%d", ip[0], ip[1], ip[2],
                     ip[3]);
            good += strcmp(b, want) == 0;
        }
    }

    is_int(good, 4 * 256, "addresses in dots");
}


int
main(void)
{
    addresses();
    bounds();
    long_text();
    numbers();
    return done_testing();
}

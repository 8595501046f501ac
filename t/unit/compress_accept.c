/*
 * compress_accept.c -- who takes gzip, by the words of Accept-Encoding.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/compress/compress_accept.c"

#include "tap.h"


static const struct {
    const char  *value;
    bool         taken;
} values[] = {
    { "gzip", true }, { "GZip", true }, { " gzip ", true },
    { "br, gzip", true }, { "br,gzip", true }, { "gzip, br", true },
    { "gzip;q=1", true }, { "gzip ; q=0.1", true }, { "gzip;Q=0.9", true },
    { "gzip;q=0.01", true }, { "gzip;q=0.001", true },
    { "br;q=0, gzip", true }, { "gzip;level=0", true }, { "gzip;", true },
    { "gzip;q=0", false }, { "gzip;q=0.0", false }, { "gzip;q=0.000", false },
    { "gzip;q=", false }, { "gzip; q=0, br", false },
    { "", false }, { ",", false }, { "br", false }, { "gzipped", false },
    { "gzi", false }, { "x-gzip", false }, { "identity;gzip", false },
};


int
main(void)
{
    size_t   i, len;

    for (i = 0; i < LUN_ARRAY_LEN(values); i++) {
        len = strlen(values[i].value);
        is_int(accepts(lun_str_of(tap_edge(values[i].value, len), len),
                       LUN_STR("gzip")),
               values[i].taken, "\"%s\"", values[i].value);
    }

    return done_testing();
}

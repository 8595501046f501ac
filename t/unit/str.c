/*
 * str.c -- comparing, finding, numbers with units, hashes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/str.c"

#include "tap.h"


static lun_str
edge(const char *z)
{
    return lun_str_of(tap_edge(z, strlen(z)), strlen(z));
}


static void
comparing(void)
{
    int      a, b, bad = 0;
    char     x[9] = "abcdefgh", y[9];
    lun_str  rest;

    for (a = 0; a < 256; a++) {
        x[3] = (char) a;
        lun_mem_lower(y, x, 8);
        bad += y[3] != lun_lower((char) a) || y[0] != 'a' || y[7] != 'h';
    }
    is_int(bad, 0, "eight at a time folds as one at a time");

    for (a = bad = 0; a < 256; a++) {
        for (b = 0; b < 256; b++) {
            memcpy(y, x, 8);
            x[3] = (char) a;
            y[3] = (char) b;
            bad += (lun_mem_casecmp(x, y, 8) == 0)
                   != (lun_lower((char) a) == lun_lower((char) b));
        }
    }
    is_int(bad, 0, "casecmp knows letters from their neighbours");

    ok(lun_str_caseeq(edge("Content-Length"), edge("content-LENGTH")), "=");
    ok(!lun_str_caseeq(edge("Content-Length"), edge("content-LENGTI")), "!=");
    ok(!lun_str_caseeq(edge("x"), edge("xy")), "lengths differ");
    ok(lun_str_eq(LUN_STR_NULL, LUN_STR("")), "null is empty");
    ok(lun_str_starts(edge("abc"), edge("ab")), "starts");
    ok(!lun_str_starts(edge("a"), edge("ab")), "too short to start");
    ok(lun_str_casestarts(edge("BaSic x"), edge("basic ")), "casestarts");
    ok(lun_str_caseafter(edge("BaSic x"), edge("basic "), &rest)
       && lun_str_eq(rest, LUN_STR("x")), "what is behind a prefix");
    ok(!lun_str_after(edge("BaSic x"), edge("basic "), &rest)
       && lun_str_eq(rest, LUN_STR("x")), "... is left where there is none");
    ok(lun_str_ends(edge("a.lua"), edge(".lua")), "ends");
    ok(!lun_str_ends(edge("lua"), edge(".lua")), "does not end");
    ok(lun_str_cmp(edge("ab"), edge("abc")) < 0, "shorter first");
    ok(lun_str_cmp(edge("b"), edge("abc")) > 0, "bytes before length");
    ok(lun_str_cmp(edge("\xff"), edge("a")) > 0, "bytes are unsigned");
    ok(lun_str_cmp(edge("q"), edge("q")) == 0, "equal");
    ok(lun_mem_casecmp("a_", "aB", 2) < 0, "order is that of lower case");
}


static void
finding(void)
{
    lun_str  s = edge("aab aaab");
    lun_str  t;

    ok(lun_str_find(s, edge("aaab")) == s.data + 4, "find at the end");
    ok(lun_str_find(s, edge("aab")) == s.data, "find at the start");
    ok(lun_str_find(s, edge("aaaa")) == NULL, "not found");
    ok(lun_str_find(s, edge("aab aaabb")) == NULL, "longer than the text");
    ok(lun_str_find(s, LUN_STR("")) == s.data, "the empty needle");
    ok(lun_str_casefind(s, edge("AAAB")) == s.data + 4, "casefind");
    ok(lun_str_casefind(s, edge("AAAA")) == NULL, "casefind, not found");
    ok(lun_str_chr(s, ' ') == s.data + 3, "chr");
    ok(lun_str_chr(LUN_STR_NULL, ' ') == NULL, "chr of nothing");

    t = lun_str_trim(edge(" \t x y\t "));
    is_mem(t.data, t.len, "x y", 3, "trim");
    is_int(lun_str_trim(edge(" \t ")).len, 0, "trim all");
}


static void
whole_numbers(void)
{
    int64_t   i = 5;
    uint64_t  u = 5;
    size_t    k;
    static const char *const  bad[] = {
        "", "-", "-1", "+1", " 1", "1 ", "1a", "18446744073709551616",
        "184467440737095516150"
    };

    for (k = 0; k < LUN_ARRAY_LEN(bad); k++) {
        is_int(lun_str_to_u64(edge(bad[k]), &u), LUN_ERROR, "u64 %s", bad[k]);
    }
    is_int((int64_t) u, 5, "an error leaves the number alone");

    ok(lun_str_to_u64(edge("18446744073709551615"), &u) == LUN_OK
       && u == UINT64_MAX, "u64 max");
    ok(lun_str_to_i64(edge("9223372036854775807"), &i) == LUN_OK
       && i == INT64_MAX, "i64 max");
    ok(lun_str_to_i64(edge("-9223372036854775808"), &i) == LUN_OK
       && i == INT64_MIN, "i64 min");
    is_int(lun_str_to_i64(edge("9223372036854775808"), &i), LUN_ERROR, "over");
    is_int(lun_str_to_i64(edge("-9223372036854775809"), &i), LUN_ERROR,
           "under");
    is_int(lun_str_to_i64(edge("--1"), &i), LUN_ERROR, "two signs");
    ok(lun_str_hex_to_u64(edge("DeadBeef"), &u) == LUN_OK
       && u == 0xdeadbeef, "hex");
    ok(lun_str_hex_to_u64(edge("ffffffffffffffff"), &u) == LUN_OK
       && u == UINT64_MAX, "hex max");
    is_int(lun_str_hex_to_u64(edge("10000000000000000"), &u), LUN_ERROR,
           "hex over");
    is_int(lun_str_hex_to_u64(edge("g"), &u), LUN_ERROR, "not hex");
    is_int(lun_str_hex_to_u64(edge(""), &u), LUN_ERROR, "no hex");
}


static void
sizes(void)
{
    size_t    i;
    uint64_t  n;
    static const struct { const char *s; int64_t n; } rows[] = {
        { "0", 0 }, { "1024", 1024 }, { "1k", 1024 }, { "8K", 8192 },
        { "10m", 10485760 }, { "1M", 1048576 }, { "2g", INT64_C(2) << 30 },
        { "1G", 1 << 30 }, { "", -1 }, { "k", -1 }, { "1kk", -1 },
        { "1x", -1 }, { "-1", -1 }, { "1 k", -1 }, { "1.5m", -1 },
        { "9223372036854775807", INT64_MAX }, { "9223372036854775808", -1 },
        { "9007199254740992k", -1 }, { "8589934592g", -1 }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        n = 0;
        is_int(lun_str_to_size(edge(rows[i].s), &n) == LUN_OK ? (int64_t) n
               : -1, rows[i].n, "size \"%s\"", rows[i].s);
    }
}


static void
times(void)
{
    size_t    i;
    int64_t   sec;
    lun_msec  ms;
    static const struct { const char *s; int64_t ms; int64_t sec; } rows[] = {
        { "0", 0, 0 }, { "500", 500000, 500 }, { "60s", 60000, 60 },
        { "250ms", 250, -1 }, { "1h30m", 5400000, 5400 },
        { "1h 30m", 5400000, 5400 }, { "1h  30", 3630000, 3630 },
        { "1m30s500ms", 90500, -1 }, { "1d", 86400000, 86400 },
        { "2w", 1209600000, 1209600 }, { "1y", -1, 31536000 },
        { "2M", -1, 5184000 }, { "1y 2M 3d", -1, 36979200 },
        { "30m1h", -1, -1 }, { "1m1m", -1, -1 }, { "1s1m", -1, -1 },
        { "", -1, -1 }, { "s", 0, 0 }, { "h", 0, 0 }, { "1x", -1, -1 },
        { "1h ", 3600000, 3600 }, { "1 ", 1000, 1 }, { " 1", 1000, 1 },
        { "-1", -1, -1 }, { "1.5s", -1, -1 }, { "10S", -1, -1 },
        { "5 5s", -1, -1 }, { "5 5", 10000, 10 }, { "5s 5 5", -1, -1 },
        { "9223372036854775807", -1, -1 }, { "99999999999999999999", -1, -1 },
        { "9999999999y", -1, -1 }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        if (rows[i].s[0] == 's' || rows[i].s[0] == 'h') {
            is_int(lun_str_to_msec(edge(rows[i].s), &ms), LUN_ERROR,
                   "a unit without a number: %s", rows[i].s);
            continue;
        }

        is_int(lun_str_to_msec(edge(rows[i].s), &ms) == LUN_OK ? (int64_t) ms
               : -1, rows[i].ms, "msec \"%s\"", rows[i].s);
        is_int(lun_str_to_sec(edge(rows[i].s), &sec) == LUN_OK ? sec : -1,
               rows[i].sec, "sec \"%s\"", rows[i].s);
    }
}


static void
hashes(void)
{
    size_t    i, j, n;
    uint64_t  h[70];
    char      lower[70], upper[70];
    unsigned  buckets[256] = { 0 };
    int       bad = 0, most = 0;

    for (i = 0; i < sizeof(lower); i++) {
        lower[i] = (char) ('a' + i % 26);
        upper[i] = (char) ('A' + i % 26);
    }

    for (n = 0; n < sizeof(lower); n++) {
        lun_str  l = lun_str_of(tap_edge(lower, n), n);
        lun_str  u = lun_str_of(tap_edge(upper, n), n);

        h[n] = lun_str_hash(l);
        bad += lun_str_casehash(l) != lun_str_casehash(u);
        bad += lun_str_casehash(l) != lun_str_hash(l);
        bad += n != 0 && lun_str_hash(u) == lun_str_hash(l);

        for (j = 0; j < n; j++) {
            bad += h[j] == h[n];
        }
    }
    is_int(bad, 0, "all lengths differ, case only where it should");

    for (i = 0; i < 25600; i++) {
        char  key[24];

        n = (size_t) snprintf(key, sizeof(key), "key-%u", (unsigned) i);
        buckets[lun_str_hash(lun_str_of(key, n)) & 255]++;
    }

    for (i = 0; i < 256; i++) {
        most = lun_max(most, (int) buckets[i]);
    }
    ok(most < 160, "low bits spread evenly (100 on average, most %d)", most);
}


int
main(void)
{
    comparing();
    finding();
    whole_numbers();
    sizes();
    times();
    hashes();
    return done_testing();
}

/*
 * hpack.c -- header blocks, beside nghttp2's: what it writes is read, what is
 * written it reads; and what means nothing, up to the edge of a page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/upstream/h2/hpack.c"

#include <nghttp2/nghttp2.h>

#include "tap.h"


static const struct {
    const char  *name;
    lun_str      block;
    const char  *fields;               /* NULL: it is bad */
} cases[] = {
    { "nothing", LUN_STR_INIT(""), "" },
    { "a field of the table", LUN_STR_INIT("\x88"), ":status=200;" },
    { "the last one", LUN_STR_INIT("\xbd"), "www-authenticate=;" },
    { "one behind it", LUN_STR_INIT("\xbe"), NULL },
    { "none", LUN_STR_INIT("\x80"), NULL },
    { "a name of the table", LUN_STR_INIT("\x08\3" "404"), ":status=404;" },
    { "a name of its own", LUN_STR_INIT("\0\1a\1b"), "a=b;" },
    { "never to be kept", LUN_STR_INIT("\x10\1a\1b"), "a=b;" },
    { "to be kept", LUN_STR_INIT("\x40\1a\1b"), "a=b;" },
    { "and asked for again", LUN_STR_INIT("\x40\1a\1b\xbe"), NULL },
    { "a table of no size", LUN_STR_INIT("\x20\x20\x88"), ":status=200;" },
    { "a table of one", LUN_STR_INIT("\x21\x88"), NULL },
    { "no value", LUN_STR_INIT("\0\1a"), NULL },
    { "a value that is cut off", LUN_STR_INIT("\0\1a\2b"), NULL },
    { "a number that is cut off", LUN_STR_INIT("\xff\x80"), NULL },
    { "a number that is too large", LUN_STR_INIT("\xff\xff\xff\xff\xff\xf"),
      NULL },
    { "Huffman's code", LUN_STR_INIT("\0\x81\x1f\x81\x8f"), "a=b;" },
    { "filled up with a byte", LUN_STR_INIT("\0\1a\x81\xff"), "a=;" },
    { "with more than that", LUN_STR_INIT("\0\1a\x82\xff\xff"), NULL },
    { "with something else", LUN_STR_INIT("\0\1a\x81\x18"), NULL },
    { "with its end said", LUN_STR_INIT("\0\1a\x84\xff\xff\xff\xff"), NULL }
};


static void
read_case(size_t i, lun_pool *pool)
{
    size_t              n = cases[i].block.len;
    char                text[256] = "";
    lun_str             name, value;
    const char         *pos = tap_edge(cases[i].block.data, n);
    const char         *end = pos + n;
    lun_hpack_verdict   v;

    while ((v = lun_hpack_next(pool, &pos, end, &name, &value))
           == LUN_HPACK_FIELD)
    {
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "%.*s=%.*s;", LUN_S(name), LUN_S(value));
    }

    ok(cases[i].fields == NULL ? v == LUN_HPACK_BAD
       : v == LUN_HPACK_END && pos == end
         && strcmp(text, cases[i].fields) == 0, "%s: %s", cases[i].name, text);
}


/* Each byte among ones that make Huffman's code worth it. */
static bool
reads_byte(lun_pool *pool, int byte)
{
    char                 raw[40];
    lun_str              name, value;
    uint8_t              block[256];
    ssize_t              n;
    nghttp2_nv           nv = { (uint8_t *) (uintptr_t) "x",
                                (uint8_t *) raw, 1, sizeof(raw), 0 };
    const char          *pos = (char *) block, *end;
    nghttp2_hd_deflater *d;

    memset(raw, 'a', sizeof(raw));
    raw[20] = (char) byte;
    nghttp2_hd_deflate_new(&d, 0);
    n = nghttp2_hd_deflate_hd(d, block, sizeof(block), &nv, 1);
    nghttp2_hd_deflate_del(d);
    end = pos + n;

    return n > 0 && (size_t) n < sizeof(raw)
           && lun_hpack_next(pool, &pos, end, &name, &value) == LUN_HPACK_FIELD
           && lun_str_eq(value, lun_str_of(raw, sizeof(raw))) && pos == end;
}


static void
read_huffman(lun_pool *pool)
{
    int  byte, good = 0;

    for (byte = 0; byte < 256; byte++) {
        good += reads_byte(pool, byte);
    }

    ok(good == 256, "reads what nghttp2 writes of all bytes: %d", good);
}


static bool
nghttp2_reads(lun_str name, lun_str value)
{
    int                  flags = 0;
    bool                 same;
    char                *end, *block = malloc(lun_hpack_bound(name, value));
    nghttp2_nv           nv = { .namelen = 0 };
    nghttp2_hd_inflater *d;

    end = lun_hpack_put(block, name, value);
    nghttp2_hd_inflate_new(&d);
    same = (size_t) (end - block) <= lun_hpack_bound(name, value)
           && nghttp2_hd_inflate_hd2(d, &nv, &flags, (uint8_t *) block,
                                     (size_t) (end - block), 1) > 0
           && (flags & NGHTTP2_HD_INFLATE_EMIT)
           && lun_str_eq(lun_str_of((char *) nv.name, nv.namelen), name)
           && lun_str_eq(lun_str_of((char *) nv.value, nv.valuelen), value);
    nghttp2_hd_inflate_del(d);
    free(block);

    return same;
}


static void
write_fields(void)
{
    size_t   i;
    char     big[40000];
    lun_str  x = LUN_STR("x"), large = lun_str_of(big, sizeof(big));

    static const lun_str  pairs[][2] = {
        { LUN_STR_INIT(":method"), LUN_STR_INIT("GET") },
        { LUN_STR_INIT(":method"), LUN_STR_INIT("PUT") },
        { LUN_STR_INIT(":path"), LUN_STR_INIT("/") },
        { LUN_STR_INIT(":scheme"), LUN_STR_INIT("https") },
        { LUN_STR_INIT(":authority"), LUN_STR_INIT("a") },
        { LUN_STR_INIT("x-a"), LUN_STR_INIT("") },
        { LUN_STR_INIT("x-a"), LUN_STR_INIT("b") }
    };

    for (i = 0; i < LUN_ARRAY_LEN(pairs); i++) {
        ok(nghttp2_reads(pairs[i][0], pairs[i][1]), "nghttp2 reads %.*s: %.*s",
           LUN_S(pairs[i][0]), LUN_S(pairs[i][1]));
    }

    memset(big, 'y', sizeof(big));

    for (i = 126; i <= 128; i++) {
        ok(nghttp2_reads(x, lun_str_of(big, i)), "%zu bytes of a value", i);
    }

    ok(nghttp2_reads(x, large), "a large value");
    ok(nghttp2_reads(lun_str_of(big, 20000), x), "a large name");
}


int
main(void)
{
    size_t     i;
    lun_pool  *pool = lun_pool_new_sized(4096);

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        read_case(i, pool);
    }

    read_huffman(pool);
    write_fields();
    lun_pool_free(pool);
    return done_testing();
}

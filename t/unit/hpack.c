/*
 * hpack.c -- header blocks, beside nghttp2's: what it writes is read, what is
 * written it reads; and what means nothing, up to the edge of a page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/hpack.c"

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


/* --- with a table -------------------------------------------------------- */

enum { BLOCKS = 400, FIELDS = 12 };

static const char *const  names[] = {
    ":status", "server", "date", "content-type", "content-length", "etag",
    "set-cookie", "x-own", "x-other", "cache-control", "vary", "x-long"
};

static uint32_t  seed;


static unsigned
some(unsigned n)
{
    seed = seed * 1103515245u + 12345;
    return (seed >> 16) % n;
}


static lun_str
some_value(char *room)
{
    size_t  i, n = some(8) == 0 ? some(600) : some(40);

    for (i = 0; i < n; i++) {
        room[i] = (char) (some(20) == 0 ? some(256) : 'a' + some(3));
    }

    return lun_str_of(room, n);
}


/* What nghttp2 makes of a block, beside what was put into it. */
static bool
inflates(nghttp2_hd_inflater *in, const char *p, const char *end,
    const lun_hpack_field *f, size_t count)
{
    int         flags = 0;
    size_t      n = 0;
    ssize_t     used;
    nghttp2_nv  nv;

    for ( ;; ) {
        used = nghttp2_hd_inflate_hd2(in, &nv, &flags, (const uint8_t *) p,
                                      (size_t) (end - p), 1);

        if (used < 0) {
            return false;
        }

        p += used;

        if (flags & NGHTTP2_HD_INFLATE_EMIT) {
            if (n == count
                || !lun_str_eq(lun_str_of((char *) nv.name, nv.namelen),
                               f[n].name)
                || !lun_str_eq(lun_str_of((char *) nv.value, nv.valuelen),
                               f[n].value))
            {
                return false;
            }

            n++;
        }

        if (flags & NGHTTP2_HD_INFLATE_FINAL) {
            nghttp2_hd_inflate_end_headers(in);
            return n == count;
        }
    }
}


static void
writes_for_nghttp2(void)
{
    char                  values[FIELDS][600];
    char                  block[FIELDS * 700], *p;
    size_t                i, k, n, good = 0, size = 0, plain = 0;
    lun_hpack_field       f[FIELDS];
    lun_hpack_encoder     e = { .table.max = LUN_HPACK_SIZE };
    nghttp2_hd_inflater  *in;

    nghttp2_hd_inflate_new(&in);
    seed = 1;

    for (i = 0; i < BLOCKS; i++) {
        if (some(10) == 0) {
            for (k = some(2); k < 2; k++) {
                n = some(4) * 1000;
                nghttp2_hd_inflate_change_table_size(in, n);
                lun_hpack_encoder_resize(&e, n);
            }
        }

        p = lun_hpack_begin(&e, block);
        n = some(FIELDS + 1);

        for (k = 0; k < n; k++) {
            f[k].name = lun_str_z(names[some(LUN_ARRAY_LEN(names))]);
            f[k].value = k == 0 ? LUN_STR("200") : some_value(values[k]);
            p = lun_hpack_encode(&e, p, f[k].name, f[k].value);
            plain += f[k].name.len + f[k].value.len;
        }

        size += (size_t) (p - block);
        good += inflates(in, block, p, f, n);
    }

    is_int((int64_t) good, BLOCKS, "nghttp2 reads block after block");
    ok(size < plain * 3 / 4, "and less than was said: %zu of %zu", size,
       plain);
    nghttp2_hd_inflate_del(in);
    lun_hpack_encoder_fini(&e);
}


/* The second time all of an answer is in the table, but what is not kept. */
static void
names_what_was_said(void)
{
    int                i;
    char               block[256], *p = NULL;
    lun_hpack_encoder  e = { .table.max = LUN_HPACK_SIZE };

    for (i = 0; i < 2; i++) {
        p = lun_hpack_begin(&e, block);
        p = lun_hpack_encode(&e, p, LUN_STR(":status"), LUN_STR("200"));
        p = lun_hpack_encode(&e, p, LUN_STR("server"), LUN_STR("lunette"));
        p = lun_hpack_encode(&e, p, LUN_STR("x-own"), LUN_STR("a"));
    }

    is_mem(block, (size_t) (p - block), "\x88\xbf\xbe", 3, "three bytes");

    p = lun_hpack_encode(&e, block, LUN_STR("x-own"), LUN_STR("b"));
    p = lun_hpack_encode(&e, p, LUN_STR("content-length"), LUN_STR("0"));
    is_mem(block, (size_t) (p - block), "\x0f\x2f\1b\x0f\x0d\1" "0", 8,
           "another value of a user's field, and a length, are not kept");
    lun_hpack_encoder_fini(&e);
}


/* Bytes that it takes to say this now. */
static size_t
cost_of(lun_hpack_encoder *e, lun_str name, lun_str value)
{
    char  block[256];

    return (size_t) (lun_hpack_encode(e, block, name, value) - block);
}


static void
keeps_what_comes_again(void)
{
    lun_hpack_encoder  e = { .table.max = LUN_HPACK_SIZE };
    lun_str            tag = LUN_STR("\"6b0b4d60-1c4\"");
    lun_str            cookie = LUN_STR("id=6b0b4d60; Secure");

    is_int((int64_t) cost_of(&e, LUN_STR("etag"), tag), 14, "an ETag");
    is_int((int64_t) cost_of(&e, LUN_STR("etag"), LUN_STR("\"other\"")), 9,
           "the next file's is another");
    is_int((int64_t) e.table.count, 0, "nothing of this is kept");
    (void) cost_of(&e, LUN_STR("etag"), tag);
    is_int((int64_t) cost_of(&e, LUN_STR("etag"), tag), 1,
           "one that came twice is, and costs a byte from then on");

    (void) cost_of(&e, LUN_STR("x-id"), LUN_STR("one"));
    (void) cost_of(&e, LUN_STR("x-id"), LUN_STR("two"));
    is_int((int64_t) e.table.count, 2, "a user's name is kept once ...");
    (void) cost_of(&e, LUN_STR("x-id"), LUN_STR("two"));
    is_int((int64_t) cost_of(&e, LUN_STR("x-id"), LUN_STR("two")), 1,
           "... and with a value that came twice");

    (void) cost_of(&e, LUN_STR("set-cookie"), cookie);
    (void) cost_of(&e, LUN_STR("set-cookie"), cookie);
    ok(cost_of(&e, LUN_STR("set-cookie"), cookie) > 12,
       "a cookie is never kept");
    lun_hpack_encoder_fini(&e);
}


/* Names and values whose hashes are alike put nothing out of its place. */
static void
keeps_all_of_an_answer(void)
{
    unsigned           i, k, whole = 0;
    char               text[32];
    size_t             size;
    lun_hpack_encoder  e;

    for (i = 0; i < 64; i++) {
        e = (lun_hpack_encoder) { .table.max = LUN_HPACK_SIZE };
        (void) snprintf(text, sizeof(text), "Sat, %02u Nov 2026 22:01:49", i);

        for (k = 0, size = 0; k < 3; k++) {
            size = cost_of(&e, LUN_STR("server"), LUN_STR("lunette"))
                   + cost_of(&e, LUN_STR("date"), lun_str_z(text))
                   + cost_of(&e, LUN_STR("content-type"), LUN_STR("text/css"))
                   + cost_of(&e, LUN_STR("last-modified"), lun_str_z(text))
                   + cost_of(&e, LUN_STR("accept-ranges"), LUN_STR("bytes"));
        }

        whole += size == 5;
        lun_hpack_encoder_fini(&e);
    }

    ok(whole >= 60, "the third answer is five bytes in %u of 64 cases", whole);
}


/* As nghttp2 wrote it, in pieces of all sizes. */
static bool
decodes(lun_hpack_decoder *d, const uint8_t *block, size_t size,
    const nghttp2_nv *nv, size_t count, size_t step)
{
    char                room[16384];
    size_t              n = 0, have = 0, at = 0;
    lun_str             name, value;
    const char         *pos = room;
    lun_hpack_verdict   v = LUN_HPACK_END;

    d->inside = false;

    while (at < size) {
        memcpy(room + have, block + at, lun_min(step, size - at));
        have += lun_min(step, size - at);
        at += lun_min(step, size - at);
        pos = room;

        while ((v = lun_hpack_decode(d, &pos, room + have, &name, &value))
               == LUN_HPACK_FIELD)
        {
            if (n == count
                || !lun_str_eq(name, lun_str_of((char *) nv[n].name,
                                                nv[n].namelen))
                || !lun_str_eq(value, lun_str_of((char *) nv[n].value,
                                                 nv[n].valuelen)))
            {
                return false;
            }

            n++;
        }

        if (v != LUN_HPACK_END && v != LUN_HPACK_MORE) {
            return false;
        }

        have -= (size_t) (pos - room);
        memmove(room, pos, have);
    }

    return v == LUN_HPACK_END && n == count;
}


static void
reads_nghttp2(void)
{
    char                  values[FIELDS][600];
    size_t                i, k, n, good = 0;
    uint8_t               block[16384];
    ssize_t               size;
    lun_str               v;
    nghttp2_nv            nv[FIELDS];
    lun_hpack_decoder     d = { .table.max = LUN_HPACK_SIZE,
                                .limit = LUN_HPACK_SIZE, .most = 4096 };
    nghttp2_hd_deflater  *out;

    nghttp2_hd_deflate_new(&out, LUN_HPACK_SIZE);
    seed = 2;

    for (i = 0; i < BLOCKS; i++) {
        if (some(20) == 0) {
            nghttp2_hd_deflate_change_table_size(out, some(5) * 1024);
        }

        n = some(FIELDS + 1);

        for (k = 0; k < n; k++) {
            v = some_value(values[k]);
            nv[k] = (nghttp2_nv) {
                (uint8_t *) (uintptr_t) names[some(LUN_ARRAY_LEN(names))],
                (uint8_t *) (uintptr_t) v.data, 0, v.len, 0
            };
            nv[k].namelen = strlen((char *) nv[k].name);
        }

        size = nghttp2_hd_deflate_hd(out, block, sizeof(block), nv, n);
        good += size >= 0 && decodes(&d, block, (size_t) size, nv, n,
                                     i % 3 == 0 ? 1 : 1 + some(2000));
    }

    is_int((int64_t) good, BLOCKS, "reads block after block of nghttp2's");
    nghttp2_hd_deflate_del(out);
    lun_hpack_decoder_fini(&d);
}


static const struct {
    const char         *name;
    lun_str             block;
    lun_hpack_verdict   verdict;
} ends[] = {
    { "asked for again", LUN_STR_INIT("\x40\1a\1b\xbe"), LUN_HPACK_END },
    { "one too far", LUN_STR_INIT("\x40\1a\1b\xbf"), LUN_HPACK_BAD },
    { "a size within the limit", LUN_STR_INIT("\x3f\xe1\x1f\x88"),
      LUN_HPACK_END },
    { "a size above it", LUN_STR_INIT("\x3f\xe2\x1f\x88"), LUN_HPACK_BAD },
    { "a size behind a field", LUN_STR_INIT("\x88\x20"), LUN_HPACK_BAD },
    { "no room for what is kept", LUN_STR_INIT("\x20\x40\1a\1b\xbe"),
      LUN_HPACK_BAD },
    { "cut off in a number", LUN_STR_INIT("\xff\x80"), LUN_HPACK_MORE },
    { "cut off behind a name", LUN_STR_INIT("\0\1a"), LUN_HPACK_MORE },
    { "cut off in a value", LUN_STR_INIT("\0\1a\2b"), LUN_HPACK_MORE },
    { "a number without an end", LUN_STR_INIT("\xff\x80\x80\x80\x80\x80"),
      LUN_HPACK_BAD },
    { "a length above the most", LUN_STR_INIT("\0\1a\x7f\x80\x01"),
      LUN_HPACK_LARGE },
    { "a value above it, packed", LUN_STR_INIT("\0\1a\x85\0\0\0\0\0"),
      LUN_HPACK_LARGE },
    { "filled up with a byte", LUN_STR_INIT("\0\1a\x81\xff"),
      LUN_HPACK_BAD }
};


static void
ends_blocks(void)
{
    size_t              i, n;
    lun_str             name, value;
    const char         *pos, *end;
    lun_hpack_verdict   v;

    for (i = 0; i < LUN_ARRAY_LEN(ends); i++) {
        lun_hpack_decoder  d = { .table.max = LUN_HPACK_SIZE,
                                 .limit = LUN_HPACK_SIZE, .most = 7 };

        n = ends[i].block.len;
        pos = tap_edge(ends[i].block.data, n);
        end = pos + n;

        while ((v = lun_hpack_decode(&d, &pos, end, &name, &value))
               == LUN_HPACK_FIELD);

        ok(v == ends[i].verdict, "%s", ends[i].name);
        lun_hpack_decoder_fini(&d);
    }
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
    writes_for_nghttp2();
    names_what_was_said();
    keeps_what_comes_again();
    keeps_all_of_an_answer();
    reads_nghttp2();
    ends_blocks();
    lun_pool_free(pool);
    return done_testing();
}

/*
 * hpack.c -- header blocks of HTTP/2 without a dynamic table.
 *
 * Huffman's code is the RFC's, whose codes of one length follow each other:
 * the bits ahead, as a number, say by the first limit above them how long the
 * next code is, and by their distance from the first of that length which.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h2/hpack.h"

#include "base/check.h"
#include "base/fmt.h"


enum {
    INDEXED    = 0x80,             /* a field of the table */
    NEW_ENTRY  = 0x40,             /* a field for the (missing) dynamic one */
    TABLE_SIZE = 0x20,
    HUFFMAN    = 0x80,             /* in front of a string */
    INT_ROOM   = 6,                /* bytes of a number, at most */
    MOST       = 1 << 28
};

static const struct {
    lun_str  name;
    lun_str  value;
} fields[] = {
    { LUN_STR_INIT(":authority"), LUN_STR_INIT("") },
    { LUN_STR_INIT(":method"), LUN_STR_INIT("GET") },
    { LUN_STR_INIT(":method"), LUN_STR_INIT("POST") },
    { LUN_STR_INIT(":path"), LUN_STR_INIT("/") },
    { LUN_STR_INIT(":path"), LUN_STR_INIT("/index.html") },
    { LUN_STR_INIT(":scheme"), LUN_STR_INIT("http") },
    { LUN_STR_INIT(":scheme"), LUN_STR_INIT("https") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("200") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("204") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("206") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("304") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("400") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("404") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("500") },
    { LUN_STR_INIT("accept-charset"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept-encoding"), LUN_STR_INIT("gzip, deflate") },
    { LUN_STR_INIT("accept-language"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept-ranges"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept"), LUN_STR_INIT("") },
    { LUN_STR_INIT("access-control-allow-origin"), LUN_STR_INIT("") },
    { LUN_STR_INIT("age"), LUN_STR_INIT("") },
    { LUN_STR_INIT("allow"), LUN_STR_INIT("") },
    { LUN_STR_INIT("authorization"), LUN_STR_INIT("") },
    { LUN_STR_INIT("cache-control"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-disposition"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-encoding"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-language"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-length"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-location"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-type"), LUN_STR_INIT("") },
    { LUN_STR_INIT("cookie"), LUN_STR_INIT("") },
    { LUN_STR_INIT("date"), LUN_STR_INIT("") },
    { LUN_STR_INIT("etag"), LUN_STR_INIT("") },
    { LUN_STR_INIT("expect"), LUN_STR_INIT("") },
    { LUN_STR_INIT("expires"), LUN_STR_INIT("") },
    { LUN_STR_INIT("from"), LUN_STR_INIT("") },
    { LUN_STR_INIT("host"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-match"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-modified-since"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-none-match"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-unmodified-since"), LUN_STR_INIT("") },
    { LUN_STR_INIT("last-modified"), LUN_STR_INIT("") },
    { LUN_STR_INIT("link"), LUN_STR_INIT("") },
    { LUN_STR_INIT("location"), LUN_STR_INIT("") },
    { LUN_STR_INIT("max-forwards"), LUN_STR_INIT("") },
    { LUN_STR_INIT("proxy-authenticate"), LUN_STR_INIT("") },
    { LUN_STR_INIT("proxy-authorization"), LUN_STR_INIT("") },
    { LUN_STR_INIT("range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("referer"), LUN_STR_INIT("") },
    { LUN_STR_INIT("refresh"), LUN_STR_INIT("") },
    { LUN_STR_INIT("retry-after"), LUN_STR_INIT("") },
    { LUN_STR_INIT("server"), LUN_STR_INIT("") },
    { LUN_STR_INIT("set-cookie"), LUN_STR_INIT("") },
    { LUN_STR_INIT("strict-transport-security"), LUN_STR_INIT("") },
    { LUN_STR_INIT("transfer-encoding"), LUN_STR_INIT("") },
    { LUN_STR_INIT("user-agent"), LUN_STR_INIT("") },
    { LUN_STR_INIT("vary"), LUN_STR_INIT("") },
    { LUN_STR_INIT("via"), LUN_STR_INIT("") },
    { LUN_STR_INIT("www-authenticate"), LUN_STR_INIT("") }
};

/* Codes of `bits` bits, from `first` on: symbols[at] and those behind it. */
static const struct {
    uint64_t  limit;
    uint32_t  first;
    uint16_t  at;
    uint16_t  bits;
} lengths[] = {
    { 0x050000000, 0x00000000, 0, 5 },
    { 0x0b8000000, 0x00000014, 10, 6 },
    { 0x0f8000000, 0x0000005c, 36, 7 },
    { 0x0fe000000, 0x000000f8, 68, 8 },
    { 0x0ff400000, 0x000003f8, 74, 10 },
    { 0x0ffa00000, 0x000007fa, 79, 11 },
    { 0x0ffc00000, 0x00000ffa, 82, 12 },
    { 0x0fff00000, 0x00001ff8, 84, 13 },
    { 0x0fff80000, 0x00003ffc, 90, 14 },
    { 0x0fffe0000, 0x00007ffc, 92, 15 },
    { 0x0fffe6000, 0x0007fff0, 95, 19 },
    { 0x0fffee000, 0x000fffe6, 98, 20 },
    { 0x0ffff4800, 0x001fffdc, 106, 21 },
    { 0x0ffffb000, 0x003fffd2, 119, 22 },
    { 0x0ffffea00, 0x007fffd8, 145, 23 },
    { 0x0fffff600, 0x00ffffea, 174, 24 },
    { 0x0fffff800, 0x01ffffec, 186, 25 },
    { 0x0fffffbc0, 0x03ffffe0, 190, 26 },
    { 0x0fffffe20, 0x07ffffde, 205, 27 },
    { 0x0fffffff0, 0x0fffffe2, 224, 28 },
    { 0x100000000, 0x3ffffffc, 253, 30 }
};

/* The last code of all ends a string, which nobody may say. */
static const uint8_t  symbols[] = {
    48, 49, 50, 97, 99, 101, 105, 111, 115, 116, 32, 37, 45, 46, 47, 51, 52,
    53, 54, 55, 56, 57, 61, 65, 95, 98, 100, 102, 103, 104, 108, 109, 110,
    112, 114, 117, 58, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 89, 106, 107, 113, 118, 119, 120, 121,
    122, 38, 42, 44, 59, 88, 90, 33, 34, 40, 41, 63, 39, 43, 124, 35, 62, 0,
    36, 64, 91, 93, 126, 94, 125, 60, 96, 123, 92, 195, 208, 128, 130, 131,
    162, 184, 194, 224, 226, 153, 161, 167, 172, 176, 177, 179, 209, 216, 217,
    227, 229, 230, 129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169,
    170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198, 228, 232, 233, 1,
    135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158,
    165, 166, 168, 174, 175, 180, 182, 183, 188, 191, 197, 231, 239, 9, 142,
    144, 145, 148, 159, 171, 206, 215, 225, 236, 237, 199, 207, 234, 235, 192,
    193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255, 203,
    204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251,
    252, 253, 254, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20,
    21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220, 249, 10, 13, 22
};


/* --- numbers and strings ------------------------------------------------- */

/* What begins in the low `bits` bits of a byte.  ERROR: cut off, too large. */
static lun_rc
read_int(const uint8_t **pos, const uint8_t *end, unsigned bits, size_t *n)
{
    unsigned        shift;
    size_t          mask = ((size_t) 1 << bits) - 1;
    const uint8_t  *p = *pos;

    if (p == end) {
        return LUN_ERROR;
    }

    *n = *p++ & mask;

    if (*n == mask) {
        for (shift = 0; ; shift += 7) {
            if (p == end || shift > 21) {
                return LUN_ERROR;
            }

            *n += (size_t) (*p & 0x7f) << shift;

            if ((*p++ & 0x80) == 0) {
                break;
            }
        }
    }

    *pos = p;
    return *n <= MOST ? LUN_OK : LUN_ERROR;
}


/* Where the next code, the first of these 32 bits, stands among the lengths. */
static size_t
find_length(uint32_t ahead)
{
    size_t  i = 0;

    while (ahead >= lengths[i].limit) {
        i++;
    }

    return i;
}


/*
 * A string is filled up with ones.  There are servers that fill up a whole
 * byte where nothing is missing, and nginx takes that.
 */
static bool
is_filling(uint64_t bits, unsigned have)
{
    return have <= 8 && bits == ((uint64_t) 1 << have) - 1;
}


static lun_rc
unpack(lun_pool *pool, const uint8_t *p, size_t len, lun_str *s)
{
    char           *text = lun_pool_text(pool, len * 8 / 5 + 1), *out = text;
    size_t          i, at;
    uint64_t        bits = 0;          /* not used yet, */
    unsigned        have = 0;          /* ... so many of them */
    const uint8_t  *end = p + len;

    for ( ;; ) {
        for ( ; have <= 32 && p != end; have += 8) {
            bits = bits << 8 | *p++;
        }

        /* Where less than 32 are left, ones stand for what is missing. */
        i = find_length(have >= 32 ? (uint32_t) (bits >> (have - 32))
                        : (uint32_t) (bits << (32 - have))
                          | (uint32_t) (((uint64_t) 1 << (32 - have)) - 1));

        if (have < lengths[i].bits) {
            break;
        }

        have -= lengths[i].bits;
        at = lengths[i].at + (size_t) (bits >> have) - lengths[i].first;

        if (at >= LUN_ARRAY_LEN(symbols)) {
            return LUN_ERROR;
        }

        *out++ = (char) symbols[at];
        bits &= ((uint64_t) 1 << have) - 1;
    }

    *s = lun_str_of(text, (size_t) (out - text));
    return is_filling(bits, have) ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_string(lun_pool *pool, const uint8_t **pos, const uint8_t *end,
    lun_str *s)
{
    bool            packed = *pos != end && (**pos & HUFFMAN);
    size_t          n;
    const uint8_t  *p;

    if (read_int(pos, end, 7, &n) != LUN_OK || n > (size_t) (end - *pos)) {
        return LUN_ERROR;
    }

    p = *pos;
    *pos += n;

    if (packed) {
        return unpack(pool, p, n, s);
    }

    *s = lun_pool_str(pool, lun_str_of((const char *) p, n));
    return LUN_OK;
}


/* --- fields -------------------------------------------------------------- */

/* `bits` of its first byte say which name it has; 0: one of its own. */
static lun_rc
read_field(lun_pool *pool, const uint8_t **p, const uint8_t *end,
    unsigned bits, lun_str *name, lun_str *value)
{
    size_t  i;

    if (read_int(p, end, bits, &i) != LUN_OK || i > LUN_ARRAY_LEN(fields)) {
        return LUN_ERROR;
    }

    if (i != 0) {
        *name = fields[i - 1].name;

    } else if (read_string(pool, p, end, name) != LUN_OK) {
        return LUN_ERROR;
    }

    return read_string(pool, p, end, value);
}


lun_hpack_verdict
lun_hpack_next(lun_pool *pool, const char **pos, const char *end,
    lun_str *name, lun_str *value)
{
    size_t          i;
    lun_rc          rc;
    const uint8_t  *p = (const uint8_t *) *pos;
    const uint8_t  *last = (const uint8_t *) end;

    /* A table of no size is what there is. */
    while (p != last && (*p & 0xe0) == TABLE_SIZE) {
        if (read_int(&p, last, 5, &i) != LUN_OK || i != 0) {
            return LUN_HPACK_BAD;
        }
    }

    if (p == last) {
        *pos = end;
        return LUN_HPACK_END;
    }

    if (*p & INDEXED) {
        rc = read_int(&p, last, 7, &i);

        if (rc != LUN_OK || i == 0 || i > LUN_ARRAY_LEN(fields)) {
            return LUN_HPACK_BAD;
        }

        *name = fields[i - 1].name;
        *value = fields[i - 1].value;

    } else {
        rc = read_field(pool, &p, last, *p & NEW_ENTRY ? 6 : 4, name, value);
    }

    *pos = (const char *) p;
    return rc == LUN_OK ? LUN_HPACK_FIELD : LUN_HPACK_BAD;
}


/* --- written ------------------------------------------------------------- */

static char *
put_int(char *p, unsigned first, unsigned bits, size_t n)
{
    size_t  mask = ((size_t) 1 << bits) - 1;

    LUN_CHECK(n <= MOST);

    if (n < mask) {
        *p++ = (char) (first | n);
        return p;
    }

    *p++ = (char) (first | mask);

    for (n -= mask; n >= 0x80; n >>= 7) {
        *p++ = (char) (0x80 | (n & 0x7f));
    }

    *p++ = (char) n;
    return p;
}


static char *
put_string(char *p, lun_str s)
{
    return lun_copy_str(put_int(p, 0, 7, s.len), s);
}


/* Only those that each request has are worth looking for. */
enum { USUAL = 7 };

size_t
lun_hpack_bound(lun_str name, lun_str value)
{
    return name.len + value.len + 2 * INT_ROOM + 1;
}


char *
lun_hpack_put(char *p, lun_str name, lun_str value)
{
    size_t  i, at = 0;

    for (i = 1; name.len != 0 && name.data[0] == ':' && i <= USUAL; i++) {
        if (lun_str_eq(fields[i - 1].name, name)) {
            at = i;

            if (value.len != 0 && lun_str_eq(fields[i - 1].value, value)) {
                *p++ = (char) (INDEXED | i);
                return p;
            }
        }
    }

    /* Literal, and no entry of a table. */
    p = put_int(p, 0, 4, at);
    p = at == 0 ? put_string(p, name) : p;

    return put_string(p, value);
}

/*
 * huffman.c -- the code of HPACK and QPACK (RFC 7541, appendix B).
 *
 * Codes of one length follow each other: the bits ahead, as a number, say by
 * the first limit above them how long the next code is, and by their distance
 * from the first of that length which.  Most of a text has codes of a byte or
 * less, which a table finds at once; it is made from the others', and so is
 * the one for writing, when they are first asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/huffman.h"


enum { SHORT_BITS = 8 };                    /* bits of what is found at once */

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

static struct {
    bool      made;
    uint32_t  code[256];
    uint8_t   bits[256];
    uint8_t   symbol[1 << SHORT_BITS];     /* of what begins so ... */
    uint8_t   taken[1 << SHORT_BITS];      /* ... and its bits; 0: more */
} tables;


/* A short code is the head of all numbers that go on so. */
static void
note_code(unsigned symbol, uint32_t code, unsigned bits)
{
    unsigned  i, n;

    tables.code[symbol] = code;
    tables.bits[symbol] = (uint8_t) bits;

    if (bits > SHORT_BITS) {
        return;
    }

    n = 1u << (SHORT_BITS - bits);

    for (i = 0; i < n; i++) {
        tables.symbol[(code << (SHORT_BITS - bits)) + i] = (uint8_t) symbol;
        tables.taken[(code << (SHORT_BITS - bits)) + i] = (uint8_t) bits;
    }
}


static LUN_NOINLINE void
make_tables(void)
{
    size_t  i, k, next;

    for (i = 0; i < LUN_ARRAY_LEN(lengths); i++) {
        next = i + 1 < LUN_ARRAY_LEN(lengths) ? lengths[i + 1].at
                                              : LUN_ARRAY_LEN(symbols);

        for (k = lengths[i].at; k < next; k++) {
            note_code(symbols[k],
                      lengths[i].first + (uint32_t) (k - lengths[i].at),
                      lengths[i].bits);
        }
    }

    tables.made = true;
}


/* --- read ---------------------------------------------------------------- */

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


char *
lun_huffman_read(char *out, const uint8_t *p, size_t len, unsigned filling)
{
    size_t          i, at;
    uint32_t        ahead;
    uint64_t        bits = 0;          /* not used yet, */
    unsigned        have = 0;          /* ... so many of them */
    const uint8_t  *end = p + len;

    if (LUN_UNLIKELY(!tables.made)) {
        make_tables();
    }

    for ( ;; ) {
        for ( ; have <= 32 && p != end; have += 8) {
            bits = bits << 8 | *p++;
        }

        while (have >= SHORT_BITS) {
            at = (bits >> (have - SHORT_BITS)) & ((1u << SHORT_BITS) - 1);

            if (tables.taken[at] == 0) {
                break;
            }

            *out++ = (char) tables.symbol[at];
            have -= tables.taken[at];
        }

        bits &= ((uint64_t) 1 << have) - 1;

        if (have <= 32 && p != end) {
            continue;
        }

        /* Where less than 32 are left, ones stand for what is missing. */
        ahead = have >= 32 ? (uint32_t) (bits >> (have - 32))
                : (uint32_t) (bits << (32 - have))
                  | (uint32_t) (((uint64_t) 1 << (32 - have)) - 1);
        i = find_length(ahead);

        if (have < lengths[i].bits) {
            break;
        }

        have -= lengths[i].bits;
        at = lengths[i].at + (size_t) (bits >> have) - lengths[i].first;

        if (at >= LUN_ARRAY_LEN(symbols)) {
            return NULL;
        }

        *out++ = (char) symbols[at];
        bits &= ((uint64_t) 1 << have) - 1;
    }

    /* A string is filled up with ones. */
    return have <= filling && bits == ((uint64_t) 1 << have) - 1 ? out : NULL;
}


/* --- written ------------------------------------------------------------- */

size_t
lun_huffman_len(lun_str s)
{
    size_t  i, n = 0;

    if (LUN_UNLIKELY(!tables.made)) {
        make_tables();
    }

    for (i = 0; i < s.len; i++) {
        n += tables.bits[(unsigned char) s.data[i]];
    }

    return (n + 7) / 8;
}


char *
lun_huffman_put(char *p, lun_str s)
{
    size_t    i;
    uint64_t  bits = 0;
    unsigned  have = 0, byte;

    for (i = 0; i < s.len; i++) {
        byte = (unsigned char) s.data[i];
        bits = bits << tables.bits[byte] | tables.code[byte];

        for (have += tables.bits[byte]; have >= 8; have -= 8) {
            *p++ = (char) (bits >> (have - 8));
        }
    }

    if (have != 0) {
        *p++ = (char) (bits << (8 - have) | ((1u << (8 - have)) - 1));
    }

    return p;
}

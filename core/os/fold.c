/*
 * fold.c -- upper case, for comparing names as Windows does.
 *
 * Only pairs that are as long as each other in UTF-8, so that a folded text
 * can be cut where the text can.  About thirty letters of phonetic and old
 * alphabets have a partner of another length, and stay what they are.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/fold.h"


/* Of Unicode's simple mappings: from, to, every how many, what to add. */
static const struct {
    uint16_t  first;
    uint16_t  last;
    int16_t   step;
    int32_t   add;
} ranges[] = {
    { 0x00b5, 0x00b5, 1, 743 }, { 0x00e0, 0x00f6, 1, -32 },
    { 0x00f8, 0x00fe, 1, -32 }, { 0x00ff, 0x00ff, 1, 121 },
    { 0x0101, 0x012f, 2, -1 }, { 0x0133, 0x0137, 2, -1 },
    { 0x013a, 0x0148, 2, -1 }, { 0x014b, 0x0177, 2, -1 },
    { 0x017a, 0x017e, 2, -1 }, { 0x0180, 0x0180, 1, 195 },
    { 0x0183, 0x0185, 2, -1 }, { 0x0188, 0x0188, 1, -1 },
    { 0x018c, 0x018c, 1, -1 }, { 0x0192, 0x0192, 1, -1 },
    { 0x0195, 0x0195, 1, 97 }, { 0x0199, 0x0199, 1, -1 },
    { 0x019a, 0x019a, 1, 163 }, { 0x019e, 0x019e, 1, 130 },
    { 0x01a1, 0x01a5, 2, -1 }, { 0x01a8, 0x01a8, 1, -1 },
    { 0x01ad, 0x01ad, 1, -1 }, { 0x01b0, 0x01b0, 1, -1 },
    { 0x01b4, 0x01b6, 2, -1 }, { 0x01b9, 0x01b9, 1, -1 },
    { 0x01bd, 0x01bd, 1, -1 }, { 0x01bf, 0x01bf, 1, 56 },
    { 0x01c5, 0x01c5, 1, -1 }, { 0x01c6, 0x01c6, 1, -2 },
    { 0x01c8, 0x01c8, 1, -1 }, { 0x01c9, 0x01c9, 1, -2 },
    { 0x01cb, 0x01cb, 1, -1 }, { 0x01cc, 0x01cc, 1, -2 },
    { 0x01ce, 0x01dc, 2, -1 }, { 0x01dd, 0x01dd, 1, -79 },
    { 0x01df, 0x01ef, 2, -1 }, { 0x01f2, 0x01f2, 1, -1 },
    { 0x01f3, 0x01f3, 1, -2 }, { 0x01f5, 0x01f5, 1, -1 },
    { 0x01f9, 0x021f, 2, -1 }, { 0x0223, 0x0233, 2, -1 },
    { 0x023c, 0x023c, 1, -1 }, { 0x0242, 0x0242, 1, -1 },
    { 0x0247, 0x024f, 2, -1 }, { 0x0253, 0x0253, 1, -210 },
    { 0x0254, 0x0254, 1, -206 }, { 0x0256, 0x0257, 1, -205 },
    { 0x0259, 0x0259, 1, -202 }, { 0x025b, 0x025b, 1, -203 },
    { 0x0260, 0x0260, 1, -205 }, { 0x0263, 0x0263, 1, -207 },
    { 0x0268, 0x0268, 1, -209 }, { 0x0269, 0x0269, 1, -211 },
    { 0x026f, 0x026f, 1, -211 }, { 0x0272, 0x0272, 1, -213 },
    { 0x0275, 0x0275, 1, -214 }, { 0x0280, 0x0280, 1, -218 },
    { 0x0283, 0x0283, 1, -218 }, { 0x0288, 0x0288, 1, -218 },
    { 0x0289, 0x0289, 1, -69 }, { 0x028a, 0x028b, 1, -217 },
    { 0x028c, 0x028c, 1, -71 }, { 0x0292, 0x0292, 1, -219 },
    { 0x0345, 0x0345, 1, 84 }, { 0x0371, 0x0373, 2, -1 },
    { 0x0377, 0x0377, 1, -1 }, { 0x037b, 0x037d, 1, 130 },
    { 0x03ac, 0x03ac, 1, -38 }, { 0x03ad, 0x03af, 1, -37 },
    { 0x03b1, 0x03c1, 1, -32 }, { 0x03c2, 0x03c2, 1, -31 },
    { 0x03c3, 0x03cb, 1, -32 }, { 0x03cc, 0x03cc, 1, -64 },
    { 0x03cd, 0x03ce, 1, -63 }, { 0x03d0, 0x03d0, 1, -62 },
    { 0x03d1, 0x03d1, 1, -57 }, { 0x03d5, 0x03d5, 1, -47 },
    { 0x03d6, 0x03d6, 1, -54 }, { 0x03d7, 0x03d7, 1, -8 },
    { 0x03d9, 0x03ef, 2, -1 }, { 0x03f0, 0x03f0, 1, -86 },
    { 0x03f1, 0x03f1, 1, -80 }, { 0x03f2, 0x03f2, 1, 7 },
    { 0x03f3, 0x03f3, 1, -116 }, { 0x03f5, 0x03f5, 1, -96 },
    { 0x03f8, 0x03f8, 1, -1 }, { 0x03fb, 0x03fb, 1, -1 },
    { 0x0430, 0x044f, 1, -32 }, { 0x0450, 0x045f, 1, -80 },
    { 0x0461, 0x0481, 2, -1 }, { 0x048b, 0x04bf, 2, -1 },
    { 0x04c2, 0x04ce, 2, -1 }, { 0x04cf, 0x04cf, 1, -15 },
    { 0x04d1, 0x052f, 2, -1 }, { 0x0561, 0x0586, 1, -48 },
    { 0x10d0, 0x10fa, 1, 3008 }, { 0x10fd, 0x10ff, 1, 3008 },
    { 0x13f8, 0x13fd, 1, -8 }, { 0x1c88, 0x1c88, 1, 35266 },
    { 0x1d79, 0x1d79, 1, 35332 }, { 0x1d7d, 0x1d7d, 1, 3814 },
    { 0x1d8e, 0x1d8e, 1, 35384 }, { 0x1e01, 0x1e95, 2, -1 },
    { 0x1e9b, 0x1e9b, 1, -59 }, { 0x1ea1, 0x1eff, 2, -1 },
    { 0x1f00, 0x1f07, 1, 8 }, { 0x1f10, 0x1f15, 1, 8 },
    { 0x1f20, 0x1f27, 1, 8 }, { 0x1f30, 0x1f37, 1, 8 },
    { 0x1f40, 0x1f45, 1, 8 }, { 0x1f51, 0x1f57, 2, 8 },
    { 0x1f60, 0x1f67, 1, 8 }, { 0x1f70, 0x1f71, 1, 74 },
    { 0x1f72, 0x1f75, 1, 86 }, { 0x1f76, 0x1f77, 1, 100 },
    { 0x1f78, 0x1f79, 1, 128 }, { 0x1f7a, 0x1f7b, 1, 112 },
    { 0x1f7c, 0x1f7d, 1, 126 }, { 0x1f80, 0x1f87, 1, 8 },
    { 0x1f90, 0x1f97, 1, 8 }, { 0x1fa0, 0x1fa7, 1, 8 },
    { 0x1fb0, 0x1fb1, 1, 8 }, { 0x1fb3, 0x1fb3, 1, 9 },
    { 0x1fc3, 0x1fc3, 1, 9 }, { 0x1fd0, 0x1fd1, 1, 8 },
    { 0x1fe0, 0x1fe1, 1, 8 }, { 0x1fe5, 0x1fe5, 1, 7 },
    { 0x1ff3, 0x1ff3, 1, 9 }, { 0x214e, 0x214e, 1, -28 },
    { 0x2170, 0x217f, 1, -16 }, { 0x2184, 0x2184, 1, -1 },
    { 0x24d0, 0x24e9, 1, -26 }, { 0x2c30, 0x2c5f, 1, -48 },
    { 0x2c61, 0x2c61, 1, -1 }, { 0x2c68, 0x2c6c, 2, -1 },
    { 0x2c73, 0x2c73, 1, -1 }, { 0x2c76, 0x2c76, 1, -1 },
    { 0x2c81, 0x2ce3, 2, -1 }, { 0x2cec, 0x2cee, 2, -1 },
    { 0x2cf3, 0x2cf3, 1, -1 }, { 0x2d00, 0x2d25, 1, -7264 },
    { 0x2d27, 0x2d27, 1, -7264 }, { 0x2d2d, 0x2d2d, 1, -7264 },
    { 0xa641, 0xa66d, 2, -1 }, { 0xa681, 0xa69b, 2, -1 },
    { 0xa723, 0xa72f, 2, -1 }, { 0xa733, 0xa76f, 2, -1 },
    { 0xa77a, 0xa77c, 2, -1 }, { 0xa77f, 0xa787, 2, -1 },
    { 0xa78c, 0xa78c, 1, -1 }, { 0xa791, 0xa793, 2, -1 },
    { 0xa794, 0xa794, 1, 48 }, { 0xa797, 0xa7a9, 2, -1 },
    { 0xa7b5, 0xa7c3, 2, -1 }, { 0xa7c8, 0xa7ca, 2, -1 },
    { 0xa7d1, 0xa7d1, 1, -1 }, { 0xa7d7, 0xa7d9, 2, -1 },
    { 0xa7f6, 0xa7f6, 1, -1 }, { 0xab53, 0xab53, 1, -928 },
    { 0xab70, 0xabbf, 1, -38864 }, { 0xff41, 0xff5a, 1, -32 }
};


static uint32_t
upper(uint32_t c)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(ranges) && ranges[i].first <= c; i++) {
        if (c <= ranges[i].last
            && (c - ranges[i].first) % (uint32_t) ranges[i].step == 0)
        {
            return (uint32_t) ((int32_t) c + ranges[i].add);
        }
    }

    return c;
}


static bool
is_tail(char c)
{
    return ((unsigned char) c & 0xc0) == 0x80;
}


/* The letter at p of two or three bytes; what else there may be: one byte. */
static size_t
fold_one(char *p, size_t left)
{
    uint32_t       c;
    unsigned char  first = (unsigned char) p[0];

    if (first >= 0xc2 && first < 0xe0 && left >= 2 && is_tail(p[1])) {
        c = upper((first & 0x1fu) << 6 | (p[1] & 0x3fu));
        p[0] = (char) (0xc0 | c >> 6);
        p[1] = (char) (0x80 | (c & 0x3f));
        return 2;
    }

    if (first >= 0xe0 && first < 0xf0 && left >= 3 && is_tail(p[1])
        && is_tail(p[2]))
    {
        c = (first & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
        c = c < 0x800 ? c : upper(c);
        p[0] = (char) (0xe0 | c >> 12);
        p[1] = (char) (0x80 | (c >> 6 & 0x3f));
        p[2] = (char) (0x80 | (c & 0x3f));
        return 3;
    }

    return 1;
}


lun_str
lun_fold(lun_pool *pool, lun_str s)
{
    char    *text;
    size_t   i;

    for (i = 0; i < s.len && (unsigned char) s.data[i] < 0x80; i++) {
        /* most are ASCII */
    }

    if (i == s.len) {
        return s;
    }

    text = lun_pool_text(pool, s.len);
    memcpy(text, s.data, s.len);

    while (i < s.len) {
        i += fold_one(text + i, s.len - i);
    }

    return lun_str_of(text, s.len);
}

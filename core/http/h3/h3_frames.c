/*
 * h3_frames.c -- see h3_frames.h.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h3/h3_frames.h"

#include "base/check.h"


/* --- numbers ------------------------------------------------------------- */

bool
lun_varint_take(lun_varint *p, const char **pos, const char *end)
{
    const char  *at = *pos;

    if (p->left == 0) {
        if (at == end) {
            return false;
        }

        /* The two upper bits of the first byte say how many there are. */
        p->left = (uint8_t) ((1u << ((unsigned char) *at >> 6)) - 1);
        p->value = (unsigned char) *at++ & 0x3f;
    }

    for ( ; p->left != 0 && at != end; p->left--) {
        p->value = p->value << 8 | (unsigned char) *at++;
    }

    *pos = at;
    return p->left == 0;
}


size_t
lun_varint_size(uint64_t n)
{
    return n < 1u << 6 ? 1 : n < 1u << 14 ? 2 : n < 1u << 30 ? 4 : 8;
}


static char *
put(char *p, uint64_t n, size_t size)
{
    size_t   i;
    uint8_t  prefix = size == 1 ? 0 : size == 2 ? 0x40 : size == 4 ? 0x80
                                                                   : 0xc0;

    for (i = size; i-- != 0; ) {
        *p++ = (char) (n >> (8 * i) | (i == size - 1 ? prefix : 0));
    }

    return p;
}


char *
lun_varint_put(char *p, uint64_t n)
{
    LUN_CHECK(n <= LUN_VARINT_MAX);
    return put(p, n, lun_varint_size(n));
}


char *
lun_varint_put_wide(char *p, uint64_t n, size_t size)
{
    LUN_CHECK((size == 2 || size == 4) && lun_varint_size(n) <= size);
    return put(p, n, size);
}


/* --- frames -------------------------------------------------------------- */

enum { TYPE, LENGTH, CONTENT };


lun_h3_verdict
lun_h3_frames_next(lun_h3_frames *p, const char **pos, const char *end,
    lun_str *piece)
{
    size_t  n;

    switch (p->stage) {

    case TYPE:
        if (!lun_varint_take(&p->number, pos, end)) {
            return LUN_H3_MORE;
        }

        p->type = p->number.value;
        p->stage = LENGTH;
        /* fall through */

    case LENGTH:
        if (!lun_varint_take(&p->number, pos, end)) {
            return LUN_H3_MORE;
        }

        p->length = p->left = p->number.value;
        p->stage = CONTENT;
        return LUN_H3_BEGIN;

    default:
        break;
    }

    if (p->left == 0) {
        p->stage = TYPE;
        return LUN_H3_END;
    }

    if (*pos == end) {
        return LUN_H3_MORE;
    }

    n = (size_t) lun_min((uint64_t) (end - *pos), p->left);
    *piece = lun_str_of(*pos, n);
    *pos += n;
    p->left -= n;

    return LUN_H3_PIECE;
}


bool
lun_h3_is_of_h2(uint64_t type)
{
    return type == 0x02 || type == 0x06 || type == 0x08 || type == 0x09;
}


char *
lun_h3_put_head(char *p, uint64_t type, uint64_t length)
{
    p = lun_varint_put(p, type);
    return lun_varint_put(p, length);
}

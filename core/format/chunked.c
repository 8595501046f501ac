/*
 * chunked.c -- the chunked coding.
 *
 *     size [; extension] CR LF  data CR LF  ...  0 CR LF  [trailer CR LF] CR LF
 *
 * A byte at a time through the lines, a piece at a time through the data.
 * A line that another server could end elsewhere than we do is refused: that
 * is how requests are smuggled.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/chunked.h"


enum {
    FIRST_DIGIT,                   /* of a size: it must come */
    DIGITS,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER_START,                 /* a trailer, or the CR of the last line */
    TRAILER,
    TRAILER_LF,
    LAST_LF,
    DONE,
    BAD
};


static int
hex_value(char c)
{
    if (lun_is_digit(c)) {
        return c - '0';
    }

    c = lun_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


/* In an extension or a trailer. */
static bool
is_text(char c)
{
    return (unsigned char) c >= ' ' ? c != 0x7f : c == '\t';
}


/*
 * The size is checked before each digit, so that it can't wrap round into a
 * small one.
 */
static int
step_size(lun_chunked *c, char byte)
{
    int  digit = hex_value(byte);

    if (digit >= 0) {
        if (c->left > (uint64_t) INT64_MAX >> 4) {
            return BAD;
        }

        c->left = c->left << 4 | (unsigned) digit;
        return DIGITS;
    }

    if (c->state == FIRST_DIGIT) {
        return BAD;
    }

    switch (byte) {
    case '\r':
        return SIZE_LF;
    case ';':
    case ' ':
    case '\t':
        return EXTENSION;
    }

    return BAD;
}


/* The state that a byte leads to; every one but DATA. */
static int
step(lun_chunked *c, char byte)
{
    switch (c->state) {

    case FIRST_DIGIT:
    case DIGITS:
        return step_size(c, byte);

    case EXTENSION:
        if (byte == '\r') {
            return SIZE_LF;
        }
        return is_text(byte) ? EXTENSION : BAD;

    case SIZE_LF:
        c->line = 0;
        if (byte != '\n') {
            return BAD;
        }
        return c->left != 0 ? DATA : TRAILER_START;

    case DATA_CR:
        return byte == '\r' ? DATA_LF : BAD;

    case DATA_LF:
        c->line = 0;
        return byte == '\n' ? FIRST_DIGIT : BAD;

    case TRAILER_START:
        if (byte == '\r') {
            return LAST_LF;
        }
        return is_text(byte) ? TRAILER : BAD;

    case TRAILER:
        if (byte == '\r') {
            return TRAILER_LF;
        }
        return is_text(byte) ? TRAILER : BAD;

    case TRAILER_LF:
        return byte == '\n' ? TRAILER_START : BAD;

    case LAST_LF:
        return byte == '\n' ? DONE : BAD;
    }

    return BAD;
}


/*
 * Lines are bounded each, trailers as a whole: a sender of endless extensions
 * is stopped by the one, of endless fields by the other.
 */
lun_chunked_verdict
lun_chunked_next(lun_chunked *c, const char **pos, const char *end,
    lun_str *data)
{
    size_t  n;

    while (*pos < end && c->state < DONE) {
        if (c->keep && c->state == TRAILER_START) {
            return LUN_CHUNKED_TAIL;
        }

        if (c->state == DATA) {
            n = (size_t) lun_min(c->left, (uint64_t) (end - *pos));

            *data = lun_str_of(*pos, n);
            *pos += n;
            c->left -= n;

            if (c->left == 0) {
                c->state = DATA_CR;
            }

            return LUN_CHUNKED_DATA;
        }

        c->line++;
        c->state = step(c, **pos);
        (*pos)++;

        if (c->line > (c->state >= TRAILER_START ? LUN_CHUNKED_TRAILERS
                                                 : LUN_CHUNKED_LINE))
        {
            c->state = BAD;
        }
    }

    if (c->state == BAD) {
        return LUN_CHUNKED_BAD;
    }

    return c->state == DONE ? LUN_CHUNKED_DONE : LUN_CHUNKED_MORE;
}

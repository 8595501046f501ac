/*
 * h2_wire.c -- any bytes as the frames of an answer: in one piece and cut
 * at every byte they mean the same, and pieces lie within.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/h2_wire.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    lun_frames           p;
    lun_frames_verdict   rc;
    size_t               frames;
    size_t               units;
    size_t               bytes;
    uint64_t             sum;
} reading;


static void
add(reading *x, const char *data, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        x->sum = x->sum * 31 + (uint8_t) data[i];
    }
}


/* A piece in memory of its own, so that ASan sees its end. */
static void
feed(reading *x, const uint8_t *data, size_t size)
{
    char        *copy = malloc(size != 0 ? size : 1);
    lun_str      piece;
    const char  *pos = copy;

    memcpy(copy, data, size);

    do {
        x->rc = lun_frames_next(&x->p, &pos, copy + size, &piece);
        LUN_CHECK(pos >= copy && pos <= copy + size);
        x->frames += x->rc == LUN_FRAMES_END;

        if (x->rc == LUN_FRAMES_PIECE) {
            LUN_CHECK(piece.len != 0 && piece.data >= copy
                      && piece.data + piece.len == pos);
            x->bytes += piece.len;
            add(x, piece.data, piece.len);

        } else if (x->rc == LUN_FRAMES_UNIT) {
            x->units++;
            add(x, (const char *) x->p.unit, x->p.unit_len);
        }
    } while (x->rc != LUN_FRAMES_MORE && x->rc != LUN_FRAMES_BAD);

    LUN_CHECK(x->rc == LUN_FRAMES_BAD || pos == copy + size);
    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t   i;
    reading  whole = { .p.updates = true }, slow = whole;

    feed(&whole, data, size);

    for (i = 0; i < size && slow.rc != LUN_FRAMES_BAD; i++) {
        feed(&slow, data + i, 1);
    }

    LUN_CHECK(size == 0 || whole.rc == slow.rc);
    LUN_CHECK(whole.frames == slow.frames && whole.units == slow.units);
    LUN_CHECK(whole.bytes == slow.bytes && whole.sum == slow.sum);

    return 0;
}

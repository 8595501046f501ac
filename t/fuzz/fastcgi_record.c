/*
 * fastcgi_record.c -- any bytes as the records of an answer: in one piece and
 * cut at every byte they mean the same, and pieces lie within.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>

#include "base/check.h"
#include "format/fastcgi_record.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    lun_fastcgi_parser   p;
    lun_fastcgi_verdict  rc;
    size_t               bytes[256];       /* of content, by type */
    size_t               records;
    uint64_t             sum;
} reading;


/* A piece in memory of its own, so that ASan sees its end. */
static void
feed(reading *x, const uint8_t *data, size_t size)
{
    char        *copy = malloc(size != 0 ? size : 1);
    size_t       i;
    lun_str      piece;
    const char  *pos = copy;

    memcpy(copy, data, size);

    for ( ;; ) {
        x->rc = lun_fastcgi_next(&x->p, &pos, copy + size, &piece);
        LUN_CHECK(pos >= copy && pos <= copy + size);

        if (x->rc == LUN_FASTCGI_MORE || x->rc == LUN_FASTCGI_BAD) {
            break;
        }

        if (x->rc == LUN_FASTCGI_RECORD) {
            x->records++;
            continue;
        }

        LUN_CHECK(piece.len != 0 && piece.data >= copy
                  && piece.data + piece.len == pos);
        x->bytes[x->p.type] += piece.len;

        for (i = 0; i < piece.len; i++) {
            x->sum = x->sum * 31 + (uint8_t) piece.data[i];
        }
    }

    LUN_CHECK(x->rc == LUN_FASTCGI_BAD || pos == copy + size);
    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t   i;
    reading  whole = { .records = 0 }, slow = { .records = 0 };

    feed(&whole, data, size);

    for (i = 0; i < size && slow.rc != LUN_FASTCGI_BAD; i++) {
        feed(&slow, data + i, 1);
    }

    LUN_CHECK(size == 0 || whole.rc == slow.rc);
    LUN_CHECK(whole.records == slow.records && whole.sum == slow.sum);
    LUN_CHECK(memcmp(whole.bytes, slow.bytes, sizeof(whole.bytes)) == 0);

    return 0;
}

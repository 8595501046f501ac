/*
 * rds.c -- any bytes as the result of a database, in pieces of any size: rows
 * as JSON, in either form.
 *
 * What is taken whole is JSON as far as brackets and quotes go.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/rds/rds_json.c"

#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMPACT_BIT = 1, ROOT_BIT = 2, BIG_BIT = 4, PIECE_SHIFT = 3 };


/* All of what was said, in order. */
static lun_str
gather(lun_rds *s)
{
    char        *text, *p;
    size_t       len = 0;
    lun_buf     *b, *head = lun_filter_buf_take(&s->out);

    for (b = head; b != NULL; b = b->next) {
        len += lun_buf_size(b) > 0 ? (size_t) lun_buf_size(b) : 0;
    }

    p = text = lun_malloc(len + 1);

    for (b = head; b != NULL; b = b->next) {
        memcpy(p, b->pos, (size_t) (b->last - b->pos));
        p += b->last - b->pos;
    }

    return lun_str_of(text, len);
}


static void
check_json(lun_str text)
{
    int64_t  depth = 0;
    size_t   i;
    bool     quoted = false;

    for (i = 0; i < text.len; i++) {
        if (quoted) {
            LUN_CHECK((unsigned char) text.data[i] >= ' ');

            if (text.data[i] == '\\') {
                i++;

            } else {
                quoted = text.data[i] != '"';
            }

            continue;
        }

        quoted = text.data[i] == '"';
        depth += text.data[i] == '[' || text.data[i] == '{';
        depth -= text.data[i] == ']' || text.data[i] == '}';
        LUN_CHECK(depth >= 0);
    }

    LUN_CHECK(depth == 0 && !quoted);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool          good = true;
    lun_str       text, all;
    size_t        piece;
    lun_rds      *s;
    json_conf     conf = { .text_key = LUN_STR_INIT("errstr"),
                           .code_key = LUN_STR_INIT("errcode") };
    lun_request   r = { .pool = lun_pool_new_sized(4096), .unheld = 1 };

    if (size < 1) {
        lun_pool_free(r.pool);
        return 0;
    }

    conf.format = data[0] & COMPACT_BIT ? COMPACT : NORMAL;
    conf.root = data[0] & ROOT_BIT ? LUN_STR("r\"") : LUN_STR("");
    piece = data[0] & BIG_BIT ? size : (size_t) (data[0] >> PIECE_SHIFT) + 1;
    data++;
    size--;

    s = lun_pool_new(r.pool, lun_rds);
    s->writer = &writer;
    s->conf = &conf;
    lun_filter_buf_init(&s->out, &r, 256, 32);
    lun_rds_init(s);

    while (size != 0 && good) {
        text = lun_str_of((const char *) data, lun_min(piece, size));
        data += text.len;
        size -= text.len;
        good = lun_rds_take(s, &text) == LUN_OK;
    }

    if (good && lun_rds_is_whole(s)) {
        all = gather(s);
        check_json(all);
        lun_free((char *) (uintptr_t) all.data);
    }

    lun_pool_free(r.pool);
    return 0;
}

/*
 * hpack_table.c -- any bytes as header blocks of one connection, in pieces,
 * beside nghttp2: what we read it reads, the same; and what was read, written
 * with a table, means the same to nghttp2.
 *
 * Each block begins with two bytes: its length, and that of the pieces.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "base/check.h"
#include "format/hpack.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 300 };

typedef struct {
    lun_hpack_decoder     in;
    lun_hpack_encoder     out;
    nghttp2_hd_inflater  *beside;      /* reads what came */
    nghttp2_hd_inflater  *behind;      /* reads what we write */
} tables;

/* The next field of nghttp2's; moves *pos. */
static bool
inflate(nghttp2_hd_inflater *in, const char **pos, const char *end, bool last,
    nghttp2_nv *nv)
{
    int      flags = 0;
    ssize_t  used;

    do {
        used = nghttp2_hd_inflate_hd2(in, nv, &flags, (const uint8_t *) *pos,
                                      (size_t) (end - *pos), last);

        if (used < 0) {
            return false;
        }

        *pos += used;
    } while (!(flags & NGHTTP2_HD_INFLATE_EMIT)
             && (used != 0 || *pos != end)
             && !(flags & NGHTTP2_HD_INFLATE_FINAL));

    return (flags & NGHTTP2_HD_INFLATE_EMIT) != 0;
}


static bool
is_same(const nghttp2_nv *nv, lun_str name, lun_str value)
{
    return lun_str_eq(lun_str_of((char *) nv->name, nv->namelen), name)
           && lun_str_eq(lun_str_of((char *) nv->value, nv->valuelen), value);
}


static void
write_again(tables *t, lun_str name, lun_str value)
{
    char        *block = malloc(lun_hpack_bound(name, value)
                                + LUN_HPACK_BEGIN_ROOM);
    char        *p = lun_hpack_begin(&t->out, block);
    const char  *pos = block;
    nghttp2_nv   nv;

    p = lun_hpack_encode(&t->out, p, name, value);
    LUN_CHECK(inflate(t->behind, &pos, p, true, &nv));
    LUN_CHECK(is_same(&nv, name, value) && pos == p);
    nghttp2_hd_inflate_end_headers(t->behind);
    free(block);
}


/* false: the connection is over. */
static bool
read_block(tables *t, const char *block, size_t size, size_t step)
{
    char               *room = malloc(size != 0 ? size : 1);
    size_t              have = 0, at = 0, n;
    lun_str             name, value;
    nghttp2_nv          nv;
    const char         *pos = room, *beside = block, *end = block + size;
    lun_hpack_verdict   v = LUN_HPACK_END;

    t->in.inside = false;

    while (at < size) {
        n = lun_min(step, size - at);
        memcpy(room + have, block + at, n);
        have += n;
        at += n;
        pos = room;

        while ((v = lun_hpack_decode(&t->in, &pos, room + have, &name,
                                     &value)) == LUN_HPACK_FIELD)
        {
            LUN_CHECK(pos <= room + have && name.len <= MOST
                      && value.len <= MOST);
            LUN_CHECK(inflate(t->beside, &beside, end, true, &nv));
            LUN_CHECK(is_same(&nv, name, value));
            write_again(t, name, value);
        }

        if (v != LUN_HPACK_END && v != LUN_HPACK_MORE) {
            break;
        }

        have -= (size_t) (pos - room);
        memmove(room, pos, have);
    }

    if (v == LUN_HPACK_END) {
        LUN_CHECK(!inflate(t->beside, &beside, end, true, &nv));
        LUN_CHECK(beside == end);
        nghttp2_hd_inflate_end_headers(t->beside);
    }

    free(room);
    return v == LUN_HPACK_END;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          n, at = 0;
    tables          t = {
        .in = { .table.max = LUN_HPACK_SIZE, .limit = LUN_HPACK_SIZE,
                .most = MOST },
        .out.table.max = LUN_HPACK_SIZE
    };

    LUN_CHECK(nghttp2_hd_inflate_new(&t.beside) == 0
              && nghttp2_hd_inflate_new(&t.behind) == 0);

    while (size - at > 2) {
        n = lun_min((size_t) data[at], size - at - 2);

        if (!read_block(&t, (const char *) data + at + 2, n,
                        (size_t) data[at + 1] + 1))
        {
            break;
        }

        at += n + 2;
    }

    nghttp2_hd_inflate_del(t.beside);
    nghttp2_hd_inflate_del(t.behind);
    lun_hpack_decoder_fini(&t.in);
    lun_hpack_encoder_fini(&t.out);
    return 0;
}

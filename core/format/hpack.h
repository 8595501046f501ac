/*
 * hpack.h -- header blocks of HTTP/2 (RFC 7541), read and written.  Pure.
 *
 * With a dynamic table a block means what it means on its connection, in the
 * order of its blocks.  Without one (lun_hpack_next() and _put()) it means the
 * same wherever it stands, and nothing is kept from one to the next.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_HPACK_H
#define LUN_FORMAT_HPACK_H

#include "base/pool.h"
#include "format/hpack_table.h"

typedef enum {
    LUN_HPACK_FIELD,               /* *name and *value are one */
    LUN_HPACK_END,                 /* the bytes are used up */
    LUN_HPACK_MORE,                /* they end inside of a field, at *pos */
    LUN_HPACK_LARGE,               /* a name or a value is longer than `most` */
    LUN_HPACK_BAD                  /* it means nothing */
} lun_hpack_verdict;

/* --- with a table -------------------------------------------------------- */

/* All zero, but for `table.max`, `limit` and `most`. */
typedef struct {
    lun_hpack_table   table;
    size_t            limit;       /* of the table, as the other side knows */
    size_t            most;        /* bytes of a name, and of a value */
    bool              inside;      /* a field of this block was there: the
                                      caller clears it before the next one */
    char             *scratch;     /* what was packed */
    size_t            scratch_room;
} lun_hpack_decoder;

void lun_hpack_decoder_fini(lun_hpack_decoder *d);

/*
 * The next field of a block whose bytes come in pieces; moves *pos.  The texts
 * are valid until the next call, and as long as these bytes.  After MORE what
 * is left goes in front of the next piece; after BAD and LARGE there is no
 * sense in what follows on the connection.
 */
lun_hpack_verdict lun_hpack_decode(lun_hpack_decoder *d, const char **pos,
    const char *end, lun_str *name, lun_str *value);

enum { LUN_HPACK_SLOTS = 64 };     /* a power of two */

/* All zero, but for `table.max`. */
typedef struct {
    lun_hpack_table  table;
    size_t           lowest;       /* that it had since the last block */
    bool             resized;      /* which the other side does not know yet */
    uint32_t         names[LUN_HPACK_SLOTS];   /* latest entries, by name ... */
    uint32_t         fields[LUN_HPACK_SLOTS];  /* ... and by all of it, two
                                                  places for each hash */
    uint16_t         seen[LUN_HPACK_SLOTS];    /* hashes of what was written
                                                  and not kept */
} lun_hpack_encoder;

void lun_hpack_encoder_fini(lun_hpack_encoder *e);

/* The other side has a table of that size: LUN_HPACK_SIZE of it are used. */
void lun_hpack_encoder_resize(lun_hpack_encoder *e, size_t max);

/* In front of a block's first field; returns the end. */
enum { LUN_HPACK_BEGIN_ROOM = 12 };
char *lun_hpack_begin(lun_hpack_encoder *e, char *p);

/*
 * Writes a field at p, where lun_hpack_bound() bytes have room; returns the
 * end.  What is worth it enters the table: fields that are mostly the same, and
 * others when they come a second time.
 */
char *lun_hpack_encode(lun_hpack_encoder *e, char *p, lun_str name,
    lun_str value);

/* --- without one --------------------------------------------------------- */

/*
 * The next field of a whole block; moves *pos.  The texts live as long as the
 * pool, which gets at most twice as many bytes as the block has.  The other
 * side was told that the table has no size.
 */
lun_hpack_verdict lun_hpack_next(lun_pool *pool, const char **pos,
    const char *end, lun_str *name, lun_str *value);

/* Writes a field at p, where there is room for its bound; returns the end. */
size_t lun_hpack_bound(lun_str name, lun_str value);
char *lun_hpack_put(char *p, lun_str name, lun_str value);

#endif

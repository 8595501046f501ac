/*
 * hpack.h -- header blocks of HTTP/2 (RFC 7541) without a dynamic table: the
 * other side is told that it has none, and gets none.  So a block means the
 * same wherever it stands, and nothing is kept from one to the next.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_HPACK_H
#define LUN_HTTP_HPACK_H

#include "base/pool.h"

typedef enum {
    LUN_HPACK_FIELD,               /* *name and *value are one */
    LUN_HPACK_END,                 /* the block is used up */
    LUN_HPACK_BAD                  /* it means nothing, or needs a table */
} lun_hpack_verdict;

/*
 * The next field of a whole block; moves *pos.  The texts live as long as the
 * pool, which gets at most twice as many bytes as the block has.
 */
lun_hpack_verdict lun_hpack_next(lun_pool *pool, const char **pos,
    const char *end, lun_str *name, lun_str *value);

/* Writes a field at p, where there is room for its bound; returns the end. */
size_t lun_hpack_bound(lun_str name, lun_str value);
char *lun_hpack_put(char *p, lun_str name, lun_str value);

#endif

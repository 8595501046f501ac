/*
 * json_document.h -- a text in JSON, and values at some places in it.
 *
 * Places are a tree: `a.b` and `a.c[1]` share what leads to them, so that a
 * document is read once for all of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_JSON_DOCUMENT_H
#define LUN_JSON_DOCUMENT_H

#include "base/pool.h"

/* "No more than this deep", where a caller has no limit of its own. */
enum { LUN_JSON_DEPTH_MOST = 256 };

typedef struct lun_json_place  lun_json_place;

struct lun_json_place {
    bool             in_array;     /* has an index, not a name */
    uint64_t         index;
    lun_str          name;
    size_t           number;       /* of its value */
    lun_json_place  *inner;        /* the first of those in it; NULL: none */
    lun_json_place  *next;         /* beside it */
};

/* All zero: the document as a whole, and no places in it. */
typedef struct {
    lun_json_place   root;
    size_t           count;        /* of places, without the root */
} lun_json_places;

/*
 * Adds a path, as `a.b`, `a[0]`, `[0]` or `a["b.c"].d`; *number is that of its
 * value.  Memory is the pool's, and the path's text has to stay.  Returns
 * LUN_ERROR for a path that is none.
 */
lun_rc lun_json_places_add(lun_json_places *places, lun_pool *pool,
    lun_str path, size_t *number);

/*
 * Reads a document: values[n] is the value at place n, as long as the text and
 * the pool; data is NULL where there is none.  A string's is what it says, any
 * other's is its own text.  Of members that have one name the last counts.
 * The caller's array has places->count + 1 values.
 *
 * Returns false, and values are undefined, unless the whole text is one
 * document (RFC 8259) with at most `depth` (up to LUN_JSON_DEPTH_MOST) objects
 * and arrays in each other.
 */
bool lun_json_document_read(const lun_json_places *places, lun_pool *pool,
    lun_str text, unsigned depth, lun_str *values);

#endif

/*
 * pool.h -- arenas: many small allocations, one end.
 *
 * There are three kinds of life: generation, connection, request.  Small
 * memory never fails (the process logs and dies); sizes that a client chooses
 * use the _try forms.  Built with LUN_POOL_DEBUG each allocation is a malloc
 * of its own, so that ASan sees overruns.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_POOL_H
#define LUN_POOL_H

#include "base/str.h"

typedef struct lun_pool  lun_pool;
typedef void lun_end_fn(void *data);

/*
 * Makes a pool whose first block has `size` bytes (at least 256; a small pool
 * is one malloc).  Further blocks are as large.
 */
lun_pool *lun_pool_new_sized(size_t size);

/* Runs the ends in reverse order, then frees everything. */
void lun_pool_free(lun_pool *pool);

/* Runs the ends, keeps the first block: as new, without a malloc. */
void lun_pool_reset(lun_pool *pool);

/* Aligned to 16.  Never NULL.  Large ones are mallocs of their own. */
void *lun_pool_alloc(lun_pool *pool, size_t size);
void *lun_pool_zalloc(lun_pool *pool, size_t size);

/* Not aligned: for text. */
char *lun_pool_text(lun_pool *pool, size_t size);

/* NULL when the system has no memory. */
void *lun_pool_alloc_try(lun_pool *pool, size_t size);

/* Zeroed, typed. */
#define lun_pool_new(pool, type)                                              \
    ((type *) lun_pool_zalloc((pool), sizeof(type)))
#define lun_pool_new_n(pool, type, n)                                         \
    ((type *) lun_pool_zalloc((pool), (n) * sizeof(type)))

/* A copy in the pool; the second form ends with a zero byte as well. */
lun_str lun_pool_str(lun_pool *pool, lun_str s);
const char *lun_pool_strz(lun_pool *pool, lun_str s);

/* printf into the pool; ends with a zero byte that len does not count. */
lun_str lun_pool_fmt(lun_pool *pool, const char *fmt, ...) LUN_PRINTF(2, 3);
/* The same of texts alone, one behind the other, and much cheaper. */
lun_str lun_pool_join(lun_pool *pool, const lun_str *parts, size_t n);

/*
 * Calls end(data) when the pool ends, the last registered first.  Register in
 * the line after the acquisition.
 */
void lun_pool_on_end(lun_pool *pool, lun_end_fn *end, void *data);

/* Bytes taken from the system. */
size_t lun_pool_size(const lun_pool *pool);

/*
 * Of all pools of this process, what they have taken.  Pools are one thread's:
 * nobody else makes any.
 */
typedef struct {
    size_t  pools;
    size_t  bytes;
} lun_pool_tally;

/* Only pools that are made from now on count. */
void lun_pool_tally_begin(void);
lun_pool_tally lun_pool_tally_now(void);

/* malloc and free that die with a message instead of returning NULL. */
void *lun_malloc(size_t size);
void *lun_calloc(size_t size);
void *lun_realloc(void *p, size_t size);
void lun_free(void *p);

#endif

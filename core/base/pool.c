/*
 * pool.c -- arenas.
 *
 *     first block:   | lun_pool | objects -->   free   <-- text |
 *
 * A block is filled from both ends: objects, always aligned, from the left,
 * and text, which needs no alignment, from the right; neither pays for the
 * other.  What does not fit goes to a new block, or, if it is more than half
 * a block, to a malloc of its own, so that the current block stays in use.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fmt.h"


enum { ALIGN = 16, MIN_SIZE = 256 };

/* Stands before the bytes of a further block or of a large allocation. */
typedef union chunk  chunk;
union chunk {
    chunk  *next;
    char    align[ALIGN];
};

typedef struct pool_end  pool_end;
struct pool_end {
    pool_end    *next;
    lun_end_fn  *end;
    void        *data;
};

struct lun_pool {
    uint32_t   mark;
    uint32_t   era;                /* when it was made, see `tally` */
    char      *pos;                /* free: pos .. end */
    char      *end;
    size_t     block;
    chunk     *chunks;             /* all that came after the first block */
    pool_end  *ends;               /* the last registered first */
    size_t     taken;              /* beside the first block */
};

#define POOL_HEAD          lun_align(sizeof(lun_pool), ALIGN)

/* Of this era: others were there before anybody began to count. */
static uint32_t        era;
static lun_pool_tally  tally;


static inline void
count_bytes(const lun_pool *pool, size_t more, size_t less)
{
    if (pool->era == era) {
        tally.bytes += more - less;
    }
}


void *
lun_malloc(size_t size)
{
    void  *p = malloc(size != 0 ? size : 1);

    if (p == NULL) {
        LUN_NEVER("no memory");
    }

    return p;
}


void *
lun_calloc(size_t size)
{
    void  *p = calloc(1, size != 0 ? size : 1);

    if (p == NULL) {
        LUN_NEVER("no memory");
    }

    return p;
}


void *
lun_realloc(void *p, size_t size)
{
    p = realloc(p, size != 0 ? size : 1);

    if (p == NULL) {
        LUN_NEVER("no memory");
    }

    return p;
}


void
lun_free(void *p)
{
    free(p);
}


static void
use_first_block(lun_pool *pool)
{
    pool->pos = (char *) pool + POOL_HEAD;
    pool->end = pool->pos + pool->block;
}


lun_pool *
lun_pool_new_sized(size_t size)
{
    lun_pool  *pool;

    size = lun_align(lun_max(size, (size_t) MIN_SIZE), ALIGN);
    pool = lun_malloc(POOL_HEAD + size);

    *pool = (lun_pool) { .mark = LUN_MARK_POOL, .block = size, .era = era };
    use_first_block(pool);
    tally.pools++;
    count_bytes(pool, POOL_HEAD + size, 0);

    return pool;
}


/* An end may register another one: the list is asked anew each time. */
static void
run_ends(lun_pool *pool)
{
    pool_end  *e;

    while (pool->ends != NULL) {
        e = pool->ends;
        pool->ends = e->next;
        e->end(e->data);
    }
}


static void
free_chunks(lun_pool *pool)
{
    chunk  *c, *next;

    for (c = pool->chunks; c != NULL; c = next) {
        next = c->next;
        free(c);
    }

    count_bytes(pool, 0, pool->taken);
    pool->chunks = NULL;
    pool->taken = 0;
}


void
lun_pool_free(lun_pool *pool)
{
    LUN_CHECK_MARK(pool, LUN_MARK_POOL);

    run_ends(pool);
    free_chunks(pool);
    count_bytes(pool, 0, POOL_HEAD + pool->block);
    tally.pools -= pool->era == era;

    pool->mark = LUN_MARK_DEAD;
    free(pool);
}


void
lun_pool_reset(lun_pool *pool)
{
    LUN_CHECK_MARK(pool, LUN_MARK_POOL);

    run_ends(pool);
    free_chunks(pool);
    use_first_block(pool);
}


static char *
take_chunk(lun_pool *pool, size_t size)
{
    chunk  *c;

    if (size > SIZE_MAX / 2) {
        return NULL;
    }

    c = malloc(sizeof(chunk) + size);
    if (c == NULL) {
        return NULL;
    }

    c->next = pool->chunks;
    pool->chunks = c;
    pool->taken += sizeof(chunk) + size;
    count_bytes(pool, sizeof(chunk) + size, 0);

    return (char *) (c + 1);
}


/* A new current block, for something of that size; false: that gets none. */
static bool
begin_block(lun_pool *pool, size_t size)
{
#ifdef LUN_POOL_DEBUG
    return false;
#else
    char  *p = size <= pool->block / 2 ? take_chunk(pool, pool->block) : NULL;

    if (p == NULL) {
        return false;
    }

    pool->pos = p;
    pool->end = p + pool->block;
    return true;
#endif
}


static inline bool
fits(const lun_pool *pool, size_t size)
{
#ifdef LUN_POOL_DEBUG
    return false;
#else
    return size <= (size_t) (pool->end - pool->pos);
#endif
}


/*
 * Where the block is full, or the build wants everything apart: an object, or
 * text.  NULL: the system has no memory.
 */
static LUN_NOINLINE void *
take_object_slow(lun_pool *pool, size_t size)
{
    void  *p;

    if (!begin_block(pool, size)) {
        return take_chunk(pool, size);
    }

    p = pool->pos;
    pool->pos += lun_align(size, ALIGN);
    return p;
}


static LUN_NOINLINE char *
take_text_slow(lun_pool *pool, size_t size)
{
    char  *p;

    if (begin_block(pool, size)) {
        pool->end -= size;
        return pool->end;
    }

    p = take_chunk(pool, size);

    if (p == NULL) {
        LUN_NEVER("no memory");
    }

    return p;
}


/* What every allocation of an object goes through. */
static inline void *
take_object(lun_pool *pool, size_t size)
{
    void    *p;
    size_t   rounded;

    LUN_CHECK_MARK(pool, LUN_MARK_POOL);

    rounded = lun_align(size, ALIGN);

    if (LUN_UNLIKELY(rounded < size || !fits(pool, rounded))) {
        return take_object_slow(pool, size);
    }

    p = pool->pos;
    pool->pos += rounded;
    return p;
}


static inline void *
take_or_die(lun_pool *pool, size_t size)
{
    void  *p = take_object(pool, size);

    if (LUN_UNLIKELY(p == NULL)) {
        LUN_NEVER("no memory");
    }

    return p;
}


void *
lun_pool_alloc_try(lun_pool *pool, size_t size)
{
    return take_object(pool, size);
}


void *
lun_pool_alloc(lun_pool *pool, size_t size)
{
    return take_or_die(pool, size);
}


void *
lun_pool_zalloc(lun_pool *pool, size_t size)
{
    return memset(take_or_die(pool, size), 0, size);
}


char *
lun_pool_text(lun_pool *pool, size_t size)
{
    LUN_CHECK_MARK(pool, LUN_MARK_POOL);

    if (LUN_UNLIKELY(!fits(pool, size))) {
        return take_text_slow(pool, size);
    }

    pool->end -= size;
    return pool->end;
}


lun_str
lun_pool_str(lun_pool *pool, lun_str s)
{
    char  *p;

    if (s.len == 0) {
        return LUN_STR("");
    }

    p = lun_pool_text(pool, s.len);
    memcpy(p, s.data, s.len);

    return lun_str_of(p, s.len);
}


const char *
lun_pool_strz(lun_pool *pool, lun_str s)
{
    char  *p = lun_pool_text(pool, s.len + 1);

    *lun_copy_str(p, s) = '\0';
    return p;
}


lun_str
lun_pool_join(lun_pool *pool, const lun_str *parts, size_t n)
{
    char    *p, *text;
    size_t   i, size = 0;

    for (i = 0; i < n; i++) {
        size += parts[i].len;
    }

    p = text = lun_pool_text(pool, size + 1);

    for (i = 0; i < n; i++) {
        p = lun_copy_str(p, parts[i]);
    }

    *p = '\0';
    return lun_str_of(text, size);
}


/*
 * Most texts are short: formatted once and copied, instead of once for their
 * length and again.
 */
lun_str
lun_pool_fmt(lun_pool *pool, const char *fmt, ...)
{
    int       n;
    char     *p;
    va_list   args;
    char      small[256];

    va_start(args, fmt);
    n = vsnprintf(small, sizeof(small), fmt, args);
    va_end(args);

    LUN_CHECK(n >= 0);
    p = lun_pool_text(pool, (size_t) n + 1);

    if ((size_t) n < sizeof(small)) {
        memcpy(p, small, (size_t) n + 1);

    } else {
        va_start(args, fmt);
        vsnprintf(p, (size_t) n + 1, fmt, args);
        va_end(args);
    }

    return lun_str_of(p, (size_t) n);
}


void
lun_pool_on_end(lun_pool *pool, lun_end_fn *end, void *data)
{
    pool_end  *e = lun_pool_alloc(pool, sizeof(pool_end));

    e->end = end;
    e->data = data;
    e->next = pool->ends;
    pool->ends = e;
}


size_t
lun_pool_size(const lun_pool *pool)
{
    return POOL_HEAD + pool->block + pool->taken;
}


void
lun_pool_tally_begin(void)
{
    era++;
    tally = (lun_pool_tally) { 0 };
}


lun_pool_tally
lun_pool_tally_now(void)
{
    return tally;
}

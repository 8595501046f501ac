/*
 * schema_priv.h -- what the reader and the tree of blocks share: directives
 * looked up by name, and the fields behind them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SCHEMA_PRIV_H
#define LUN_SCHEMA_PRIV_H

#include "config/conf.h"

enum { LUN_PART_DIRECTIVES = 128 };

/* One bit for each directive of a part. */
typedef struct {
    uint64_t  words[LUN_PART_DIRECTIVES / 64];
} lun_given;

/* A directive of a part; `next` has the same name. */
typedef struct lun_schema_entry  lun_schema_entry;
struct lun_schema_entry {
    const lun_directive  *directive;
    lun_conf_part        *part;
    size_t                bit;
    size_t                field;       /* index in the part's fields, or -1 */
    lun_schema_entry     *next;
};

/* A field of a conf, with all directives that set it. */
typedef struct {
    size_t                offset;
    size_t                size;
    lun_given             by;
    const lun_directive  *fallback;    /* the one that has a default */
} lun_schema_field;

typedef struct {
    lun_conf_part     *part;
    uint32_t           where;          /* of all its directives */
    lun_schema_field  *fields;
    size_t             field_count;
} lun_schema_part;

typedef struct {
    uint32_t           level;          /* of its block */
    uint32_t           levels;         /* that one, and those inside */
} lun_schema_protocol;

struct lun_schema {
    lun_pool   *pool;
    lun_hash    names;                 /* of lun_schema_entry */
    lun_array   parts;                 /* of lun_schema_part */
    lun_array   protocols;             /* of lun_schema_protocol */
};

#define LUN_NO_FIELD  SIZE_MAX

/* The first of that name, or NULL. */
const lun_schema_entry *lun_schema_find(const lun_schema *s, lun_str name);

static inline const lun_schema_part *
lun_schema_part_at(const lun_schema *s, size_t i)
{
    return lun_array_at(&s->parts, i);
}

/* The levels of the protocol whose block is `where`; 0: of none. */
uint32_t lun_schema_levels(const lun_schema *s, uint32_t where);

/* Whether a part has its settings in blocks of protocols only. */
bool lun_schema_in_protocols(const lun_schema *s, const lun_schema_part *sp);

/* Whether a directive that sets the same field was given in this block. */
bool lun_block_is_set(const lun_conf *cf, const lun_block *b,
    const lun_schema_entry *e);

/* Remembers that it was given; makes the block's conf. */
void *lun_block_mark(lun_conf *cf, lun_block *b, const lun_schema_entry *e);

static inline void
lun_given_add(lun_given *g, size_t bit)
{
    g->words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline bool
lun_given_has(const lun_given *g, size_t bit)
{
    return (g->words[bit / 64] >> bit % 64 & 1) != 0;
}

static inline bool
lun_given_any(const lun_given *a, const lun_given *b)
{
    return ((a->words[0] & b->words[0]) | (a->words[1] & b->words[1])) != 0;
}

#endif

/*
 * hpack_table.h -- the fields that a block of HPACK names by number (RFC 7541,
 * 2.3): those of the RFC, and those that a connection has had lately.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_HPACK_TABLE_H
#define LUN_FORMAT_HPACK_TABLE_H

#include "base/str.h"

enum {
    LUN_HPACK_STATIC = 61,             /* fields 1 ... 61 are the RFC's */
    LUN_HPACK_OVERHEAD = 32,           /* of an entry, beside its bytes */
    LUN_HPACK_SIZE = 4096              /* of a table, before anything is said;
                                          larger ones are not made */
};

typedef struct {
    lun_str  name;
    lun_str  value;
} lun_hpack_field;

/* [0] is field 1. */
extern const lun_hpack_field  lun_hpack_fields[LUN_HPACK_STATIC];

/* The first that has that name; 0: none has. */
unsigned lun_hpack_static(lun_str name);

/*
 * All zero, but for `max`: an empty table.  Memory comes with the first entry,
 * and is 2 x max bytes and 12 for each 32 of them at most.
 */
typedef struct {
    char      *text;                   /* of all entries, the oldest first */
    size_t     room;
    size_t     from, to;               /* of the text that is in use */
    struct lun_hpack_entry *ring;
    size_t     ring_size;              /* a power of two */
    size_t     count;
    uint32_t   inserted;               /* so far: the newest entry's number */
    size_t     size;                   /* as the RFC counts */
    size_t     max;
} lun_hpack_table;

struct lun_hpack_entry {
    uint32_t  at;
    uint32_t  name_len;
    uint32_t  value_len;
};

void lun_hpack_table_fini(lun_hpack_table *t);

/* Entries that have no room any more go. */
void lun_hpack_table_resize(lun_hpack_table *t, size_t max);

/* The entry of that number is still there. */
static inline bool
lun_hpack_table_has(const lun_hpack_table *t, uint32_t number)
{
    return t->inserted - number < t->count;
}

/* Entry `number`, which is there: views, until the next one is added. */
lun_hpack_field lun_hpack_table_get(const lun_hpack_table *t, uint32_t number);

/*
 * A new entry; `name` may be a view into the table.  One that is larger than
 * the table leaves it empty (RFC 7541, 4.4); false then.
 */
bool lun_hpack_table_add(lun_hpack_table *t, lun_str name, lun_str value);

#endif

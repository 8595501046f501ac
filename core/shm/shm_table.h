/*
 * shm_table.h -- small records by key, in a zone that all workers share.
 *
 * For what is counted of clients: a key has two numbers, or several records of
 * two numbers each.  One lock per zone, held for a lookup; who is killed under
 * it hangs nobody, and costs at most the record that he was making.
 *
 * Every block is 64 bytes, so nothing is ever too scattered to be used; a key
 * of more than 24 bytes takes further ones.  The chains of the index are the
 * truth: each link is one store, made when what it leads to is complete.  The
 * list of free blocks and the order of use are derived from them, and made
 * anew by the next who takes the lock.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHM_TABLE_H
#define LUN_SHM_TABLE_H

#include "shm/zone.h"

typedef struct lun_shm_table  lun_shm_table;

enum { LUN_SHM_TABLE_KEY = 65535 };    /* bytes of a key, at most */

typedef struct {
    uint32_t  own[6];                  /* the room's */
    uint64_t  stamp;                   /* the caller's: when, or whose */
    uint64_t  value;                   /* the caller's; one store each */
    char      key[24];
} lun_shm_record;

/* A zone's init: it needs no other. */
lun_zone_init_fn  lun_shm_table_init;
lun_zone_room_fn  lun_shm_table_room;

/* For a zone's mend: the lock of a worker that died. */
void lun_shm_table_seize(lun_shm_table *l, int64_t pid);

/* In an opened zone. */
lun_shm_table *lun_shm_table_of(const lun_zone *zone);

/*
 * What the keys of this zone are, by the first who says so: other words give
 * LUN_ERROR, and the old ones in *before.
 */
lun_rc lun_shm_table_bind(lun_shm_table *l, lun_str what, lun_str *before);

/* All below is for who holds the lock. */
void lun_shm_table_lock(lun_shm_table *l);
void lun_shm_table_unlock(lun_shm_table *l);

/* The key's first record, or the one behind `after`; NULL: no more. */
lun_shm_record *lun_shm_table_find(lun_shm_table *l, lun_str key,
    const lun_shm_record *after);

/* A new record, the latest used; NULL: no room, or the key is too long. */
lun_shm_record *lun_shm_table_add(lun_shm_table *l, lun_str key, uint64_t stamp,
    uint64_t value);
void lun_shm_table_remove(lun_shm_table *l, lun_shm_record *e);

/* Its key, cut behind `size` bytes, is put into `room`: how many those are. */
size_t lun_shm_table_key(lun_shm_table *l, const lun_shm_record *e, char *room,
    size_t size);

/* It becomes the latest used. */
void lun_shm_table_touch(lun_shm_table *l, lun_shm_record *e);

/* By last use: the first, and the one behind; NULL: there is none. */
lun_shm_record *lun_shm_table_oldest(lun_shm_table *l);
lun_shm_record *lun_shm_table_newer(lun_shm_table *l,
    const lun_shm_record *e);

#endif

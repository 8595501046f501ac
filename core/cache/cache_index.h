/*
 * cache_index.h -- what is in a cache: its index, in a zone that all workers
 * share.
 *
 * An entry is known by the MD5 of its key, which is its file's name as well.
 * Of the file the index has a version, which is another one whenever the file
 * is, so that a worker which holds its contents in memory need not look at the
 * disk.  What the file says (until when it is valid, by what it varies) stands
 * in the file alone.
 *
 * One request at a time may update an entry: it gets a ticket.  Workers that
 * wait for it leave a bit, and are woken when it ends.
 *
 * Shards with a lock each; every call takes one for a moment.  A worker that
 * is killed under it costs the entry that it was changing, if any: its file is
 * then an unknown one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CACHE_INDEX_H
#define LUN_CACHE_INDEX_H

#include "shm/zone.h"

typedef struct lun_cache_index  lun_cache_index;

enum {
    LUN_CACHE_KEY       = 16,
    LUN_CACHE_ZONE_MIN  = 32 * 1024
};

typedef struct {
    unsigned char  bytes[LUN_CACHE_KEY];
} lun_cache_key;

extern const lun_zone_kind  lun_cache_index_kind;

/* A copy of an entry. */
typedef struct {
    lun_cache_key  key;
    uint64_t       version;        /* of its file; 0: there is none */
    int64_t        size;           /* of its file on the disk, bytes */
    uint32_t       uses;
    uint32_t       used;           /* last; seconds since the epoch */
    int64_t        good_until;     /* its file may be sent, seconds; 0: that
                                      is in the file */
    uint16_t       error;          /* a status that stands for it; 0: none */
    bool           checked;        /* its file is whole: this server has
                                      written or read all of it */
} lun_cache_entry;

lun_cache_index *lun_cache_index_of(const lun_zone *zone);

/*
 * What the cache is (its path, its levels): the first who says so is right.
 * NULL: that is it, or nobody had said anything; otherwise what was said.
 */
const char *lun_cache_index_bind(lun_cache_index *x, lun_str what);

/*
 * A request looks for a key, which becomes the latest used; `count`: it is a
 * use of it.  LUN_OK: it was known, LUN_AGAIN: it is now.  An error that is
 * over (`now`: seconds) is not told any more.  *gone is an entry that
 * had to go in its place (gone->version != 0: with a file, the caller's to
 * delete), else all zero.
 */
lun_rc lun_cache_index_use(lun_cache_index *x, const lun_cache_key *key,
    int64_t now, bool count, lun_cache_entry *e, lun_cache_entry *gone);

/* The same without any trace; false: it is not known. */
bool lun_cache_index_get(lun_cache_index *x, const lun_cache_key *key,
    lun_cache_entry *e);

/*
 * A request wants to update an entry, until `until` (lun_clock.mono; 0: as
 * long as it lives).  Its ticket, or 0: another does, and the waiter's bit (0:
 * none) will be in what that one's end returns.  An entry that is not known
 * any more gives a ticket that is of no use.
 */
uint32_t lun_cache_index_begin(lun_cache_index *x, const lun_cache_key *key,
    lun_msec now, lun_msec until, uint64_t waiter);

/* Whether somebody is at it; `waiter` as above. */
bool lun_cache_index_busy(lun_cache_index *x, const lun_cache_key *key,
    lun_msec now, uint64_t waiter);

/*
 * The ends of an update; each returns the workers that wait, as bits.  Stored:
 * the file is in its place, the entry has a new version (whoever's ticket);
 * good_until is that of a lun_cache_entry.
 * An error: that status stands for it until then (seconds).
 */
uint64_t lun_cache_index_stored(lun_cache_index *x, const lun_cache_key *key,
    uint32_t ticket, int64_t now, int64_t size, int64_t good_until);
uint64_t lun_cache_index_failed(lun_cache_index *x, const lun_cache_key *key,
    uint32_t ticket, uint16_t error, int64_t until);

/* From the disk: it has a file.  False: it was known, or there is no room. */
bool lun_cache_index_add(lun_cache_index *x, const lun_cache_entry *e);

/* Its file is not there, or is no good; another version is another matter. */
void lun_cache_index_no_file(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version);

/* All of that version's file has been read, and was right. */
void lun_cache_index_set_checked(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version);

/*
 * It is not known any more; only if it is that version (0: without a file), and
 * nobody updates it.  LUN_CACHE_ANY: all the same.  False: it stays, or was not
 * known.
 */
#define LUN_CACHE_ANY  UINT64_MAX

bool lun_cache_index_remove(lun_cache_index *x, const lun_cache_key *key,
    uint64_t version);

/* The one that was used longest ago; false: it is empty. */
bool lun_cache_index_oldest(lun_cache_index *x, lun_cache_entry *e);

/* All that have a file, shard by shard; no call to the index from `each`. */
typedef void lun_cache_each_fn(void *data, const lun_cache_entry *e);
void lun_cache_index_each(lun_cache_index *x, lun_cache_each_fn *each,
    void *data);

/* Bytes of files, number of entries, and of those that there is room for. */
uint64_t lun_cache_index_bytes(const lun_cache_index *x);
uint64_t lun_cache_index_count(const lun_cache_index *x);
uint64_t lun_cache_index_room(const lun_cache_index *x);

/*
 * Keys that begin with a text are purged, up to a time (ms): a few marks,
 * which everybody looks at until all files have been.  A long text is cut, and
 * where there are too many of them all keys are meant.
 */
enum { LUN_CACHE_MARKS = 8, LUN_CACHE_MARK_TEXT = 240 };

typedef struct {
    _Atomic int64_t  before;       /* what was stored then or earlier; 0: no
                                      mark */
    uint32_t         len;
    char             text[LUN_CACHE_MARK_TEXT];
} lun_cache_mark;

void lun_cache_index_mark(lun_cache_index *x, lun_str text, int64_t before);
bool lun_cache_index_is_purged(const lun_cache_index *x, lun_str key,
    int64_t date);
/* All LUN_CACHE_MARKS of them. */
const lun_cache_mark *lun_cache_index_marks(const lun_cache_index *x);
/* Those of that time or earlier are of no use any more. */
void lun_cache_index_unmark(lun_cache_index *x, int64_t before);

/*
 * Something is purged; and whether anything was since a moment: what was asked
 * for before that is not to be kept.
 */
uint64_t lun_cache_index_moment(const lun_cache_index *x);
void lun_cache_index_purge(lun_cache_index *x);
bool lun_cache_index_purged_since(const lun_cache_index *x, uint64_t moment);

/* Not everything that is on the disk is known yet: at first. */
bool lun_cache_index_cold(const lun_cache_index *x);
void lun_cache_index_warm(lun_cache_index *x);

#endif

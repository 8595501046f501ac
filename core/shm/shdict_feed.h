/*
 * shdict_feed.h -- a dictionary that others have, too: what changes here, for
 * who tells them; what has changed there, for who has heard of it.
 *
 * Each entry of a synced dictionary has a stamp, which only rises: the time of
 * its last set, and the number of the node that did that.  Of two sets of a
 * key the one with the later stamp is the last, on whichever node somebody
 * looks.  A deleted key leaves an entry without a value for a while, so that an
 * older set that arrives late is known to be older.  A counter keeps the stamp
 * of the set that it began with: what is added to it goes to the others as a
 * difference, and counts wherever that same set does.
 *
 * The feed is a ring in the dictionary's zone.  Whoever changes an entry writes
 * the change into it, under the lock of the entry's shard: changes of a key
 * stand there in their order.  Nobody waits for who reads: in a full ring the
 * oldest changes give way, are counted, and leave a gap.
 *
 * A worker may be killed at any instruction.  A change is in the ring by one
 * store; if a lock was held the ring is said to have a gap, since the entry may
 * have changed and the ring not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SHDICT_FEED_H
#define LUN_SHDICT_FEED_H

#include <stdatomic.h>

#include "shm/shdict.h"

extern const lun_zone_kind  lun_shdict_synced_kind;
/* The same, of keyval zones. */
extern const lun_zone_kind  lun_shdict_synced_keyval_kind;

typedef enum {
    LUN_CHANGE_SET = 1,
    LUN_CHANGE_DELETE,
    LUN_CHANGE_ADD,                /* .delta to a number */
    LUN_CHANGE_FLUSH               /* all that is older; it has no key */
} lun_change_op;

enum {
    LUN_CHANGE_INIT  = 1,          /* ADD: where there is none, to .init */
    LUN_CHANGE_FRESH = 2           /* ... there was none, and now is */
};

/* A change of a dictionary. */
typedef struct lun_shdict_change  lun_shdict_change;
struct lun_shdict_change {
    uint8_t      op;
    uint8_t      type;             /* SET: LUN_SHDICT_..., no list */
    uint8_t      traits;           /* LUN_CHANGE_INIT, ... */
    uint32_t     flags;            /* the user's */
    uint64_t     stamp;            /* ADD: of the set that it counts from */
    int64_t      expires;          /* ms since the epoch; 0: never */
    double       delta, init;      /* ADD */
    lun_str      key;
    lun_str      value;            /* SET: a number is 8 bytes, as here */
    /*
     * SET of a number, to do here: what has been added here to the same number
     * and is not in it.  Called under the entry's lock; NULL: nothing.
     */
    double     (*pending)(void *data, const lun_shdict_change *c);
    void        *data;
};

/* --- what has changed there ---------------------------------------------- */

typedef enum {
    LUN_CHANGE_DONE,
    LUN_CHANGE_OLDER,              /* what is here is as new, or newer */
    LUN_CHANGE_NO_ROOM
} lun_change_verdict;

/* Does it here; it is not put into the feed. */
lun_change_verdict lun_shdict_change_here(lun_shdict *d,
    const lun_shdict_change *c);

/* --- all that there is ---------------------------------------------------- */

/* Views, valid during the call, which may not touch the dictionary. */
typedef void lun_shdict_change_fn(void *data, const lun_shdict_change *c);

/*
 * Calls each() for the entries of the next chain, as the sets and deletions
 * that they are of.  False: *cursor, 0 at first, is at the end.
 */
bool lun_shdict_next_chain(lun_shdict *d, uint64_t *cursor,
    lun_shdict_change_fn *each, void *data);

/* --- the feed ------------------------------------------------------------- */

/* Which number sets here have, of 65,536; and the node's last word. */
void lun_shdict_set_node(lun_shdict *d, uint16_t node);

/*
 * Calls each() for changes from position *at on (or from the first that is
 * still there), which moves behind them, until about `bytes` were read.
 */
void lun_shdict_feed_read(lun_shdict *d, uint64_t *at, size_t bytes,
    lun_shdict_change_fn *each, void *data);

/* Those before that position are not needed any more. */
void lun_shdict_feed_done(lun_shdict *d, uint64_t at);

/* Where a reader has got to in what others say; all workers see it. */
typedef struct {
    char      id[48];              /* the reader's words */
    char      epoch[24];
    uint64_t  number;
} lun_shdict_reached;

typedef struct {
    uint64_t  first, end;          /* positions of what is there */
    uint64_t  epoch;               /* of these positions: random */
    uint64_t  dropped;             /* changes that had to give way */
} lun_shdict_feed_state;

void lun_shdict_feed_look(const lun_shdict *d, lun_shdict_feed_state *s);

/* Where a reader is in what others say is not known, until it is said again. */
void lun_shdict_feed_lose_place(lun_shdict *d);

/* True once after a gap. */
bool lun_shdict_feed_had_gap(lun_shdict *d);

/* False: there is none, or who wrote it has died in the middle. */
bool lun_shdict_feed_place(const lun_shdict *d, lun_shdict_reached *place);
void lun_shdict_feed_set_place(lun_shdict *d, const lun_shdict_reached *place);

/* Numbers for whoever looks at a dictionary, whichever process reads. */
typedef enum {
    LUN_FEED_SENT,                 /* changes that others were told */
    LUN_FEED_HEARD,                /* changes of others */
    LUN_FEED_OLDER,                /* ... that were not the last */
    LUN_FEED_COMPARED,             /* times that all was compared */
    LUN_FEED_LAG,                  /* ms that the last heard one took */
    LUN_FEED_NUMBERS
} lun_feed_number;

void lun_shdict_feed_count(lun_shdict *d, lun_feed_number which, uint64_t n);
void lun_shdict_feed_note(lun_shdict *d, lun_feed_number which, uint64_t n);
uint64_t lun_shdict_feed_number(const lun_shdict *d, lun_feed_number which);

#endif

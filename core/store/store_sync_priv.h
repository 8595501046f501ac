/*
 * store_sync_priv.h -- what the files of the speaker share: one worker speaks
 * to the store for all of its machine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_SYNC_PRIV_H
#define LUN_STORE_SYNC_PRIV_H

#include "store/store_link.h"

typedef struct lun_speaker       lun_speaker;
typedef struct lun_speaker_part  lun_speaker_part;
typedef struct lun_speaker_push  lun_speaker_push;

typedef enum {
    LUN_PART_NEW,                  /* where it stands is asked for */
    LUN_PART_DIFFERS,              /* all is to be loaded */
    LUN_PART_LOADING,
    LUN_PART_FOLLOWS               /* it hears what changes */
} lun_part_state;

/* A batch under way. */
struct lun_speaker_push {
    lun_store_ask       ask;
    lun_speaker_part   *part;
    uint64_t            from, to;  /* positions in the feed; to 0: of what is
                                      told of all that there is */
    unsigned            count;     /* changes */
    bool                busy;
};

enum { LUN_PUSHES = 8 };           /* of a zone, at a time */

/* A reply that is read value by value, of a load or a look at logs. */
typedef struct {
    unsigned   at[LUN_RESP_DEPTH + 1];     /* values seen, by depth */
    bool       skips;              /* the entry at hand says nothing new */
    bool       own;                /* it is ours */
} lun_reply_walk;

/* What has been added here to counters, from a position in the feed on. */
typedef struct {
    uint64_t   from, to;
    void      *slots;
    size_t     size, used;         /* size: a power of two, or 0 */
} lun_pending;

/* A zone of the store, and where we are with it. */
struct lun_speaker_part {
    lun_speaker         *speaker;
    lun_store_zone      *z;
    lun_shdict          *d;
    lun_part_state       state;
    lun_shdict_reached   reached;  /* of the log */
    uint64_t             epoch;    /* of the feed */
    uint64_t             sent;     /* of the feed, up to here */
    uint64_t             echoed;   /* ... and this is in what we have heard */
    lun_pending          pending;
    bool                 agreed;   /* the store has said what it has of it */
    bool                 tells;    /* all that there is: up to `cursor` */
    uint64_t             cursor;
    unsigned             pushing;
    lun_speaker_push     pushes[LUN_PUSHES];
    lun_store_ask        look;     /* NEW */
    lun_store_ask        queued[4];        /* LOADING */
    lun_store_ask        load;
    lun_reply_walk       walk;
};

struct lun_speaker {
    lun_store           *store;
    lun_duty            *duty;
    const lun_log       *log;
    lun_store_link      *link;
    bool                 told_away;
    bool                 greeted;  /* the script and our number are there */
    lun_msec             pause;    /* before it is tried again */
    lun_msec             retry_at; /* lun_clock.mono; 0: it is not away */
    char                 script[48];
    uint32_t             node;
    lun_store_ask        load_script, claim, claimed;
    lun_store_ask        hear;     /* what others have said */
    bool                 hearing;
    bool                 again;    /* there may be more */
    unsigned             heard;    /* entries of the reply at hand */
    unsigned             entry_fields;
    lun_speaker_part    *hears;    /* whose */
    lun_reply_walk       walk;
    lun_str              key;      /* a copy, in `room` */
    char                *room;
    size_t               room_size;
    char                *batch;    /* encoded parts */
    size_t               batch_len, batch_size;
    unsigned             batch_count;
    size_t               count;
    lun_speaker_part     parts[];
};

/* The text, which is valid until the next call. */
lun_str lun_speaker_keep(lun_speaker *s, lun_str text);

/* A record of a key, done here. */
void lun_speaker_do(lun_speaker_part *p, lun_str key, lun_str record,
    bool heard);

/* --- store_pending.c --- */

/*
 * What has been added here to the counter of that set (.key, .stamp), from
 * position `from` on.  The lock of its entry is held.
 */
double lun_speaker_pending(lun_speaker_part *p, uint64_t from,
    const lun_shdict_change *c);
void lun_speaker_pending_free(lun_speaker_part *p);

/* --- store_tell.c: what has changed here --- */

void lun_speaker_tell(lun_speaker_part *p);

/* --- store_hear.c: what has changed there --- */

void lun_speaker_look(lun_speaker_part *p);
void lun_speaker_load(lun_speaker_part *p);
void lun_speaker_hear(lun_speaker *s);

/* --- store_sync.c --- */

/* Goes on with whatever can be done. */
void lun_speaker_go_on(lun_speaker *s);

#endif

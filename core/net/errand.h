/*
 * errand.h -- what the server does of its own accord: asks another server,
 * brings a cache up to date.
 *
 * No client waits for it, so it has itself what a request has of its client's
 * connection: memory, a log that says on whose behalf, an end in time.  It is
 * counted, and `-s dump` tells of it.
 *
 *     struct question { lun_errand errand; ... };
 *
 *     q = lun_errand_new(loop, &kind, sizeof(*q), log);
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ERRAND_H
#define LUN_ERRAND_H

#include "base/list.h"
#include "base/log.h"
#include "base/pool.h"
#include "net/loop.h"

typedef struct lun_errand  lun_errand;

enum { LUN_MARK_ERRAND = 0x0e44a4d1 };

typedef struct {
    const char  *name;             /* "question": of a line in a dump */
    size_t       most;             /* open ones of a loop; 0: any number */
    uint32_t    *open_at;          /* metric.h: a gauge, of open ones */
    void       (*late)(lun_errand *e);     /* its time is over: ends it */
    void       (*free)(lun_errand *e);     /* right before its memory; or
                                              NULL */
} lun_errand_kind;

struct lun_errand {
    uint32_t                mark;
    unsigned                holds; /* who needs its memory */
    const lun_errand_kind  *kind;
    lun_loop               *loop;
    lun_pool               *pool;  /* it is in it */
    lun_log                 log;   /* a copy: .context is the owner's to set */
    lun_str                 what;  /* for the dump; as long as the pool */
    lun_msec                started;       /* lun_clock.mono */
    lun_timer               timer;
    lun_list                link;  /* while it is open */
};

/*
 * Opens one: `size` bytes, zeroed but for the lun_errand that they begin with,
 * in a pool of their own, which the caller holds.  NULL: `most` are open.
 */
void *lun_errand_new(lun_loop *loop, const lun_errand_kind *kind, size_t size,
    const lun_log *log);

/* kind->late in so many ms, unless it ends before.  `idle`: a worker that
   quits does not wait for it. */
void lun_errand_limit(lun_errand *e, lun_msec limit, bool idle);

/* It is over; its memory stays for who holds it. */
void lun_errand_end(lun_errand *e);

static inline bool
lun_errand_is_open(const lun_errand *e)
{
    return e->link.next != NULL;
}

/* The last one to put it back ends its memory: it has to be over by then. */
void lun_errand_hold(lun_errand *e);
void lun_errand_put(lun_errand *e);

/* Open ones of that kind. */
size_t lun_errand_count(const lun_loop *loop, const lun_errand_kind *kind);

/* A line in the log for each that is open: `-s dump`. */
void lun_errand_dump(const lun_loop *loop);

#endif

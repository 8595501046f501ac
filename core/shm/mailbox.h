/*
 * mailbox.h -- letters from worker to worker, through a zone.
 *
 * A zone has a number of boxes; a worker opens one for itself and gets what
 * the others put there, each letter whole, in the order in which they came.  A
 * full box refuses.  A letter is in its box by one store, so that a worker
 * that is killed has sent it or has not; a lock that it held is free for the
 * next who wants it, and nothing needs repair.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MAILBOX_H
#define LUN_MAILBOX_H

#include "os/port.h"
#include "shm/zone.h"

typedef struct lun_mailbox  lun_mailbox;

enum {
    LUN_MAILBOX_LEAST = 64,            /* boxes of a zone, or more */
    LUN_MAILBOX_ROOM  = 256 * 1024,    /* bytes of a box */
    LUN_MAILBOX_MOST  = 70 * 1024,     /* bytes of a letter */
    LUN_MAILBOX_ZONE  = LUN_MAILBOX_LEAST * (LUN_MAILBOX_ROOM + 256)
};

/*
 * A zone with a box for each of so many processes; multiples of LEAST, so that
 * few changes of that number make another zone.  Its size is what the zone's
 * boxes are counted by.
 */
size_t lun_mailbox_zone_size(unsigned processes);

/* A zone of LUN_MAILBOX_ZONE bytes at least: its init, and its mend. */
lun_zone_init_fn  lun_mailbox_init;
lun_zone_mend_fn  lun_mailbox_mend;

/* A letter has come; `text` is gone after it.  It may close the box. */
typedef void lun_mailbox_fn(void *data, lun_str text);

/*
 * Opens a box for this process (one at a time): `arrived` is called from
 * lun_port_wait() for each letter.  NULL: *err, or 0 when all are taken.
 */
lun_mailbox *lun_mailbox_open(const lun_zone *zone, lun_port *port,
    lun_mailbox_fn *arrived, void *data, lun_err *err);

/* What is still in it is lost. */
void lun_mailbox_close(lun_mailbox *box);

/* Its place in the zone, for those who shall write to it. */
unsigned lun_mailbox_number(const lun_mailbox *box);

typedef enum {
    LUN_MAILBOX_SENT,
    LUN_MAILBOX_FULL,              /* or the letter is too long */
    LUN_MAILBOX_GONE               /* that process has no such box any more */
} lun_mailbox_verdict;

/* To the box of that number, of that process (lun_lock_self() there). */
lun_mailbox_verdict lun_mailbox_send(const lun_zone *zone, unsigned number,
    uint64_t owner, const lun_slice *parts, size_t n);

#endif

/*
 * mailbox.h -- letters and bells from worker to worker.
 *
 * Each row of the workers' zone (workers.h) has a box.  A letter says by its
 * kind whose it is; it comes whole, and letters of one sender in their order.
 * A full box refuses.  A bell is a kind alone: it can't be refused, and rung
 * twice before its owner looks it is heard once.
 *
 * A letter is in its box by one store, so that a worker that is killed has sent
 * it or has not; a lock that it held is free for the next who wants it, and
 * nothing needs repair.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MAILBOX_H
#define LUN_MAILBOX_H

#include "os/port.h"

enum {
    LUN_MAILBOX_ROOM  = 2 * 1024 * 1024,   /* bytes of a box: a thousand
                                              datagrams of 1,500 */
    LUN_MAILBOX_SPARE = 256 * 1024,        /* of them not for what comes in
                                              bulk */
    LUN_MAILBOX_MOST  = 70 * 1024          /* bytes of a letter */
};

/* Whose letter it is; the first of them come in bulk, and may be lost. */
typedef enum {
    LUN_LETTER_DATAGRAM,           /* net/datagram: of another's session */
    LUN_LETTER_QUIC,               /* of another's connection */
    LUN_LETTER_BULK,
    LUN_LETTER_CACHE = LUN_LETTER_BULK,    /* an update has ended */
    LUN_LETTER_PROGRAM,            /* of an upstream: one is free */
    LUN_LETTER_SERVER,             /* of an upstream: one was given back */
    LUN_LETTER_DUTY,               /* nobody has it; who has it is called */
    LUN_LETTER_KINDS
} lun_letter_kind;

/* A letter has come, `text` is gone after it; a bell: it is empty. */
typedef void lun_mailbox_fn(void *data, lun_str text);

/*
 * Who is to be told of that kind in this process, from lun_port_wait().  NULL:
 * nobody.
 */
void lun_mailbox_on(lun_letter_kind kind, lun_mailbox_fn *arrived,
    void *data);

typedef enum {
    LUN_MAILBOX_SENT,
    LUN_MAILBOX_FULL,              /* or the letter is too long */
    LUN_MAILBOX_GONE               /* that process is not in that row */
} lun_mailbox_verdict;

/* To the process of that row, `owner` as it stands there. */
lun_mailbox_verdict lun_mailbox_send(unsigned row, uint64_t owner,
    lun_letter_kind kind, const lun_slice *parts, size_t n);

/* To whoever is in that row; in one's own as well. */
void lun_mailbox_ring(unsigned row, lun_letter_kind kind);

/* To all rows, and to one's own. */
void lun_mailbox_ring_all(lun_letter_kind kind);

/*
 * For words in shared memory that say who waits: this process's bit; 0: it has
 * no row.  Where there are more than 64 rows some have the same, and are rung
 * together: who is rung looks whether it was meant.
 */
uint64_t lun_mailbox_bit(void);
void lun_mailbox_ring_bits(uint64_t bits, lun_letter_kind kind);

#endif

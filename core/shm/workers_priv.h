/*
 * workers_priv.h -- how the zone of the workers lies: for workers.c and
 * mailbox.c.
 *
 *     | head | rows | boxes, each LUN_MAILBOX_ROOM |
 *
 * The zone is reserved, not given: a box has memory as far as letters have
 * ever reached in it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKERS_PRIV_H
#define LUN_WORKERS_PRIV_H

#include "os/lock.h"
#include "os/wake.h"
#include "shm/mailbox.h"
#include "shm/workers.h"

/* Its reader's and its writers' words are in cache lines of their own. */
typedef struct {
    lun_wake          wake;        /* its owner is the row's */
    _Atomic uint32_t  generation;
    _Atomic uint32_t  number;
    _Atomic uint64_t  head;        /* all that was ever taken out */
    lun_lock          lock __attribute__((aligned(64)));   /* who writes */
    _Atomic uint64_t  tail;        /* all that was ever put in */
    _Atomic uint32_t  bells;       /* kinds that were rung */
    _Atomic uint32_t  armed;       /* it sleeps: wake it */
} worker_row;

_Static_assert(sizeof(worker_row) == 128, "two lines");

typedef struct {
    uint32_t    rows;
    worker_row  row[] __attribute__((aligned(64)));
} workers_head;

/* What this process has of the zone. */
typedef struct {
    workers_head  *h;              /* NULL: nothing */
    char          *boxes;
    uint32_t      *given;          /* of each box: bytes that have memory, as
                                      far as this process knows */
    worker_row    *self;           /* NULL: none */
    lun_port      *port;
} workers_map;

extern workers_map  lun_workers_map;

static inline unsigned
lun_workers_number_of(const worker_row *w)
{
    return (unsigned) (w - lun_workers_map.h->row);
}

/* mailbox.c: this process was woken; it begins, with an empty box. */
lun_wake_fn  lun_mailbox_look;
void lun_mailbox_begin(worker_row *w);

#endif

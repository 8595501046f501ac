/*
 * workers.h -- which processes serve: a zone with a row for each.
 *
 * A worker enters when it begins to serve, and has its row until it leaves or
 * dies.  A row says whose process that is, which of its generation's workers,
 * and how to wake it; a box for letters goes with it (mailbox.h).  There is
 * room for the workers of two generations and a few that are leaving; a reload
 * keeps the zone, so the workers of all generations see each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WORKERS_H
#define LUN_WORKERS_H

#include "os/port.h"
#include "shm/zone.h"

/* A copy of a row. */
typedef struct {
    unsigned  row;                 /* 0 ... lun_workers_room() - 1 */
    uint64_t  owner;               /* as in os/lock.h */
    uint32_t  generation;          /* its number */
    uint32_t  number;              /* of the worker, in its generation */
} lun_worker_row;

/*
 * While the configuration is read: asks for the zone, with rows for so many
 * processes at a time; multiples of 64, so that few changes of that number
 * make another zone.
 */
lun_rc lun_workers_want(lun_zone_set *zones, unsigned processes,
    const char **why);

/*
 * This process looks at the rows of that set's zone from now on, and has left
 * another that it was in.  Zones without one: there is nobody to see.
 */
void lun_workers_look_at(const lun_zone_set *zones);

/*
 * Takes a row, or says anew who it is in the one that it has.  Not 0: all are
 * taken, or nobody could wake this process; it can serve without one.
 */
lun_err lun_workers_enter(lun_port *port, uint32_t generation,
    uint32_t number);

/* Letters that have not been read are lost. */
void lun_workers_leave(void);

/* This process's row; -1: it has none. */
int lun_workers_self(void);

/* Rows that there are, taken or not; 0: no zone. */
unsigned lun_workers_room(void);

/* Who has that row; false: nobody who has not died in order. */
bool lun_workers_at(unsigned row, lun_worker_row *w);

/* The row of a worker by its number; false: it is not there. */
bool lun_workers_find(uint32_t generation, uint32_t number,
    lun_worker_row *w);

#endif

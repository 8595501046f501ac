/*
 * status_slot.h -- statuses of HTTP by small numbers: cells of a record in
 * which answers are counted one by one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STATUS_SLOT_H
#define LUN_STATUS_SLOT_H

#include "config/status.h"
#include "shm/metric.h"

enum { LUN_STATUS_SLOTS = 64 };    /* number 0: all that have none */

/* By status, 100 ... 599. */
extern const uint8_t  lun_status_slots[500];

static inline unsigned
lun_status_slot(unsigned status)
{
    status -= 100;
    return status < LUN_ARRAY_LEN(lun_status_slots) ? lun_status_slots[status]
                                                    : 0;
}

/* The answers of a record that begins with these cells. */
uint64_t lun_status_slots_sum(const uint64_t *cells);

/* "responses": { "200": 7 }, of those. */
void lun_status_write_responses(lun_status_walk *w, const uint64_t *cells);

/*
 * The look of a row with the labels of its record and, as the last one, a
 * "code": m->of is the record's row.
 */
lun_metric_look_fn  lun_status_look_at_responses;

#endif

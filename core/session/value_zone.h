/*
 * value_zone.h -- what is counted under a name, or under each value that a
 * variable has: status_zone.
 *
 * Values come from clients: a zone has so many, and what is behind the last is
 * counted in the zone's own cells.  A worker remembers some of those that it
 * has looked for in vain.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_VALUE_ZONE_H
#define LUN_VALUE_ZONE_H

#include "base/hash.h"
#include "session/script.h"
#include "shm/metric.h"

enum { LUN_VALUE_ZONE_MISSED = 256 };

typedef struct {
    const lun_metric  *m;          /* a record with one label */
    lun_str            name;
    uint32_t           at;         /* the zone's own cells; 0: off */

    /* The room's own. */
    lun_script        *key;        /* NULL: there is only a name */
    uint32_t           values_at;  /* of the cells: how many values there are */
    uint64_t           most;
    lun_hash           known;      /* cells by value */
    uint64_t           missed[LUN_VALUE_ZONE_MISSED];
} lun_value_zone;

/* Those of an engine: zeroed. */
typedef struct {
    lun_hash   most;               /* of uint64_t *, by name */
    lun_array  zones;              /* of lun_value_zone *, with a key */
} lun_value_zones;

/*
 * "name", or "$key zone=name[:count]", of the directive at hand; it wants its
 * cells.  `values` is the cell of a counter.  NULL: reported.
 */
lun_value_zone *lun_value_zone_read(lun_conf *cf, lun_value_zones *all,
    const lun_metric *m, unsigned values);

/* All are read: a count holds for all zones of its name. */
void lun_value_zones_finish(const lun_value_zones *all);

/* The cells of this session. */
uint32_t lun_value_zone_cells(lun_session *s, lun_value_zone *z);

static inline bool
lun_value_zone_is_fixed(const lun_value_zone *z)
{
    return z->key == NULL;
}

#endif

/*
 * geo_priv.h -- what geo.c (the directive, networks) and geo_ranges.c share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GEO_PRIV_H
#define LUN_GEO_PRIV_H

#include "session/module.h"

/* From first to last, of IPv4; sorted, and none overlaps another. */
typedef struct {
    uint32_t        first;
    uint32_t        last;
    const lun_str  *value;
} lun_geo_range;

uint32_t lun_geo_number(const uint8_t *ip);

/* "1.2.3.4-1.2.3.9", with its value; reported. */
lun_rc lun_geo_add_range(lun_conf *cf, lun_array *ranges, lun_str text,
    const lun_str *value);
lun_rc lun_geo_delete_range(lun_conf *cf, lun_array *ranges, lun_str text);

/* NULL: no range has it. */
const lun_str *lun_geo_find_range(const lun_array *ranges, uint32_t number);

#endif

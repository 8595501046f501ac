/*
 * limit_zone.h -- a zone of keys, for limits: limit_req, limit_conn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LIMIT_ZONE_H
#define LUN_LIMIT_ZONE_H

#include "session/module.h"
#include "shm/metric.h"
#include "shm/shm_table.h"

/* A limit_req_zone or limit_conn_zone: zone->data of its zone. */
typedef struct {
    lun_zone    *zone;
    lun_script  *key;
    int64_t      rate;             /* of limit_req: thousandths a second */
    uint32_t     counted_at;       /* cells, by lun_limit_status */
    bool         delays;           /* its limits may */
} lun_limit_zone;

static inline lun_limit_zone *
lun_limit_zone_of(const lun_zone *zone)
{
    return zone->data;
}

/*
 * What decisions are counted in, by zone: a module's row has the name, and
 * LUN_LIMIT_CHOICE.
 */
#define LUN_LIMIT_CHOICE                                                      \
    .kind = LUN_COUNTER, .labels = "zone", .choice = "status",                \
    .values = lun_limit_statuses

extern const char *const  lun_limit_statuses[];

/*
 * "key zone=name:size": declares a zone of that kind.  `other` reads words
 * that are not "zone=..."; NULL: there may be none.
 */
typedef lun_rc lun_limit_word_fn(lun_conf *cf, lun_str word,
    lun_limit_zone *z);
lun_rc lun_limit_declare(lun_conf *cf, const lun_zone_kind *kind,
    lun_limit_word_fn *other, const lun_metric *counted);

/* "zone=name": its zone, which another line declares; NULL: reported. */
lun_zone *lun_limit_refer(lun_conf *cf, const lun_zone_kind *kind,
    lun_str name);

/* The session's key; false: it has none, and is not limited here. */
bool lun_limit_key(lun_session *s, const lun_limit_zone *z, lun_str *key);

/*
 * What a limit has decided of a session, kept in it; 0: it has not been asked,
 * or nothing was limited.
 */
typedef enum {
    LUN_LIMIT_SKIPPED,             /* there was no key; or nobody asked */
    LUN_LIMIT_PASSED,
    LUN_LIMIT_DELAYED,
    LUN_LIMIT_REJECTED,
    LUN_LIMIT_DELAYED_DRY_RUN,
    LUN_LIMIT_REJECTED_DRY_RUN,
    LUN_LIMIT_EXHAUSTED            /* counted so: refused, the zone is full */
} lun_limit_status;

/* A decision in which this zone had its part. */
void lun_limit_count(const lun_zone *zone, lun_limit_status status);

/* $limit_conn_status, $limit_req_status; 0: not found. */
void lun_limit_put_status(lun_value *v, unsigned status);

/* 400 ... 599; the field is an int64_t. */
lun_set_fn  lun_limit_set_status;

/* For *_log_level. */
extern const lun_enum  lun_limit_levels[];

#endif

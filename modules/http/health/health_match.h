/*
 * health_match.h -- match NAME { ... }: what an answer to a health check has to
 * be like.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_HEALTH_MATCH_H
#define LUN_HTTP_HEALTH_MATCH_H

#include "client/http_answer.h"
#include "session/pattern.h"

typedef struct {
    uint16_t  first, last;
} lun_health_statuses;

typedef enum {
    LUN_HEALTH_IS_THERE,
    LUN_HEALTH_EQUALS,
    LUN_HEALTH_FITS,
    LUN_HEALTH_REQUIRED            /* it is there, not empty, and not "0"; its
                                      name is a variable's */
} lun_health_how;

/* A line of header or body. */
typedef struct {
    lun_str         name;          /* of a header */
    lun_health_how  how;
    bool            not;
    lun_str         value;         /* EQUALS */
    lun_pattern    *pattern;       /* FITS */
} lun_health_test;

typedef struct {
    lun_str    name;
    bool       has_status;
    bool       not_status;         /* none of them */
    lun_array  statuses;           /* of lun_health_statuses */
    lun_array  headers;            /* of lun_health_test */
    lun_array  bodies;             /* the same */
} lun_health_match;

/* In the setter of the block: reads it.  NULL: reported. */
lun_health_match *lun_health_match_read(lun_conf *cf, lun_str name);

/*
 * NULL: it is as it should be; else what was looked at ("checking status
 * code").  `m` NULL: a status of 2xx or 3xx is all.
 */
const char *lun_health_match_head(const lun_health_match *m, unsigned status,
    const lun_array *fields);
const char *lun_health_match_body(const lun_health_match *m, lun_str body);

static inline bool
lun_health_match_wants_body(const lun_health_match *m)
{
    return m != NULL && m->bodies.count != 0;
}

#endif

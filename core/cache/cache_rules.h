/*
 * cache_rules.h -- whether an answer may be kept, and for how long: what its
 * headers say.
 *
 * X-Accel-Expires comes before Cache-Control, and that before Expires, in
 * whatever order they stand.  Times are seconds since the epoch.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CACHE_RULES_H
#define LUN_CACHE_RULES_H

#include "base/str.h"

/* What an answer's headers say; a text whose data is NULL is not there. */
typedef struct {
    lun_str   accel_expires;
    lun_str   expires;             /* as lun_http_date_parse() has it */
    bool      cookie;              /* Set-Cookie */

    /* Cache-Control, field by field: lun_cache_read_control(). */
    bool      no_store;            /* that, no-cache or private */
    bool      has_age;
    bool      has_shared_age;
    bool      bad_age;             /* it is no number */
    bool      bad_stale;           /* the same of one of the last two */
    int64_t   age, shared_age;
    int64_t   stale_updating;      /* stale-while-revalidate; 0 */
    int64_t   stale_error;         /* stale-if-error, or the same; 0 */
    bool      has_error;           /* it was said */
} lun_cache_fields;

void lun_cache_read_control(lun_cache_fields *f, lun_str value);

/*
 * Whether a word that forbids something stands anywhere in a value, also in
 * quotes and as a part of another word: in doubt nothing is kept, as in nginx.
 */
bool lun_cache_control_names(lun_str value, lun_str word);

typedef enum {
    LUN_CACHE_UNSAID,              /* its status decides */
    LUN_CACHE_UNTIL,
    LUN_CACHE_NEVER
} lun_cache_verdict;

/* *until: LUN_CACHE_UNTIL; it may be over. */
lun_cache_verdict lun_cache_judge_fields(const lun_cache_fields *f, int64_t now,
    int64_t *until);

/* NAME_cache_valid: the first rule for that status; 0: it is not to be kept. */
typedef struct {
    unsigned  status;              /* 0: any */
    int64_t   sec;
} lun_cache_valid;

int64_t lun_cache_valid_for(const lun_cache_valid *rules, size_t n,
    unsigned status);

/*
 * Vary.  The next name of *vary, which moves on; false: there is none.  A name
 * "*" is as good as no caching.
 */
bool lun_cache_next_name(lun_str *vary, lun_str *name);

/*
 * A request's field, as it counts for variants: spaces at commas do not.  At
 * most value.len + 1 bytes at dst; returns the end.
 */
char *lun_cache_put_field(char *dst, lun_str value);

#endif

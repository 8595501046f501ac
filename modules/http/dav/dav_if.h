/*
 * dav_if.h -- the If field of WebDAV (RFC 4918, 10.4): conditions of what is
 * locked and what has changed.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DAV_IF_H
#define LUN_DAV_IF_H

#include "base/str.h"

enum { LUN_DAV_CONDITIONS = 64 };  /* more are malformed */

typedef struct {
    lun_str   tag;                 /* whose it is; data NULL: the request's */
    unsigned  list;                /* all of a list hold, or it does not */
    bool      negated;
    bool      is_etag;             /* else a token */
    lun_str   value;               /* without its brackets */
} lun_dav_condition;

typedef struct {
    lun_dav_condition  all[LUN_DAV_CONDITIONS];
    size_t             count;
} lun_dav_if;

/* LUN_ERROR: malformed.  Views into the text. */
lun_rc lun_dav_if_read(lun_dav_if *f, lun_str text);

/* Whether one of the lists holds: each condition as `holds` says. */
typedef bool lun_dav_holds_fn(void *data, const lun_dav_condition *c);
bool lun_dav_if_holds(const lun_dav_if *f, lun_dav_holds_fn *holds,
    void *data);

/*
 * Of "Second-600, Infinite" the first that is understood, in seconds: 1 to
 * `most`, which is the answer where none is.
 */
int64_t lun_dav_timeout(lun_str text, int64_t most);

#endif

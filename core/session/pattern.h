/*
 * pattern.h -- a regular expression of the configuration: its groups become
 * the request's $1 ... $9, its named groups variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_PATTERN_H
#define LUN_PATTERN_H

#include "session/session.h"

typedef struct lun_pattern  lun_pattern;

/*
 * NULL: reported.  flags: LUN_REGEX_CASELESS, LUN_REGEX_UTF_PARTS.  Defines a
 * variable for each named group.
 */
lun_pattern *lun_pattern_new(lun_conf *cf, lun_str text, unsigned flags);

/* Whether it fits, without a request: nothing is captured, nor logged. */
bool lun_pattern_fits(const lun_pattern *p, lun_str subject);

typedef enum {
    LUN_PATTERN_NO,
    LUN_PATTERN_YES,               /* captured */
    LUN_PATTERN_FAILED             /* logged; answer 500 */
} lun_pattern_verdict;

/*
 * Matches; `subject` must live as long as the request.  Without a match the
 * captures stay what they were.
 */
lun_pattern_verdict lun_pattern_match(lun_session *s, const lun_pattern *p,
    lun_str subject);

lun_str lun_pattern_text(const lun_pattern *p);

/* $n of the last match; empty when it took no part. */
lun_str lun_capture(const lun_session *s, unsigned n);

#endif

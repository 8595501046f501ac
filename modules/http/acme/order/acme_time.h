/*
 * acme_time.h -- when something is to be done: renewals, tries, what an
 * authority says of times.  Pure; seconds since the epoch throughout.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_TIME_H
#define LUN_ACME_TIME_H

#include "base/str.h"

/* RFC 3339: "2026-01-02T04:00:00Z", with a fraction, with an offset. */
bool lun_acme_time_parse(lun_str text, int64_t *sec);

/*
 * When a certificate is due, if nobody else says it: when a third of its life
 * is left, or half of one of less than ten days (certbot's rule), and up to a
 * fiftieth earlier, by `seed`, so that a thousand machines do not all come at
 * once.
 */
int64_t lun_acme_due(int64_t from, int64_t until, uint64_t seed);

/* A moment in a window, by seed; a certificate may not wait for one beyond
 * `until`. */
int64_t lun_acme_due_in(int64_t start, int64_t end, int64_t until,
    uint64_t seed);

/*
 * Retry-After: seconds, or a date; seconds from now, in `least` ... `most`;
 * `least` if the text is none.
 */
int64_t lun_acme_retry_after(lun_str text, int64_t now, int64_t least,
    int64_t most);

/*
 * How long to wait after so many failures in a row (1, ...).  `refused`: by an
 * authority, which counts them (Let's Encrypt: five in an hour); otherwise it
 * could not be asked.
 */
int64_t lun_acme_back_off(unsigned failures, bool refused, uint64_t seed);

#endif

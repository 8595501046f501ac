/*
 * acme_report.h -- certificates of a configuration, for people: what there is
 * in their state_path, and what the server is asked to do.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_REPORT_H
#define LUN_ACME_REPORT_H

#include "config/generation.h"

typedef enum {
    LUN_ACME_LIST,
    LUN_ACME_SHOW,
    LUN_ACME_ASK_RENEW,
    LUN_ACME_ASK_REVOKE,
    LUN_ACME_ASK_ROLLOVER          /* names are of issuers */
} lun_acme_verb;

/*
 * Of certificates that have one of the names (or of all, if none is given and
 * nothing is changed): prints on standard output.  A generation that was read,
 * and need not be open.  The exit status.
 */
int lun_acme_report(const lun_generation *gen, lun_acme_verb verb,
    char *const *names, int count);

#endif

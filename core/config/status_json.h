/*
 * status_json.h -- what a server says of itself, as JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STATUS_JSON_H
#define LUN_STATUS_JSON_H

#include "base/buf.h"
#include "config/status.h"

typedef struct {
    lun_pool   *pool;
    lun_chain   out;               /* of bufs in the pool */
    bool        pretty;            /* a line for each member */
    bool        epoch;             /* moments are seconds since then */

    /* The room's own. */
    lun_buf    *b;
    unsigned    level;
    uint32_t    lists;             /* a bit for each, the innermost the last:
                                      it is one */
    bool        any;               /* the level has a member before */
} lun_status_json;

/* `to` of such walks is a lun_status_json: zeroed, its pool, and how. */
extern const lun_status_printer  lun_status_json_printer;

/* A JSON string; what is not UTF-8 becomes U+FFFD. */
void lun_status_json_text(lun_status_json *j, lun_str text);

/* Ends it: a line's end behind the last bracket, if it is pretty. */
void lun_status_json_end(lun_status_json *j);

#endif

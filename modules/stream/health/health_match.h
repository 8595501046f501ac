/*
 * health_match.h -- match NAME { send; expect; }, in stream: what is sent to a
 * server, and what has to come back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_HEALTH_MATCH_H
#define LUN_STREAM_HEALTH_MATCH_H

#include "session/pattern.h"

typedef struct {
    lun_str       name;
    bool          sends, expects;
    lun_str       send;
    lun_str       text;            /* expected; or */
    lun_pattern  *pattern;         /* this; NULL: text */
} lun_stream_match;

/* In the setter of the block: reads it.  NULL: reported. */
lun_stream_match *lun_stream_match_read(lun_conf *cf, lun_str name);

/* What has come so far is enough; m->expects. */
bool lun_stream_match_fits(const lun_stream_match *m, lun_str text);

/* "\x80" and kin become bytes; the text is the pool's. */
lun_str lun_stream_match_unhex(lun_pool *pool, lun_str text);

#endif

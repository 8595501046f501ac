/*
 * upstream_time.h -- for methods: how long servers take, and which of two is
 * the better one by that.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_TIME_H
#define LUN_UPSTREAM_TIME_H

#include "session/module.h"
#include "session/upstream/round_robin.h"

/* Until when: a connection, the first of an answer, all of it. */
typedef enum {
    LUN_TIME_CONNECT,
    LUN_TIME_HEADER,
    LUN_TIME_LAST_BYTE
} lun_time_kind;

typedef struct {
    lun_time_kind  kind;
    bool           inflight;       /* requests that are not over count, too */
} lun_time_conf;

/* "header", "last_byte" in http, "connect", "first_byte" ... in stream. */
bool lun_time_read(const lun_conf *cf, lun_str word, lun_time_kind *kind);

/* A method's put: what it took goes into the server's average. */
void lun_time_put(lun_session *s, lun_balance *b, const lun_time_conf *conf,
    unsigned outcome);

/* As lun_best_fn; data is a lun_time_conf. */
int lun_time_compare(const lun_upstream_server *a,
    const lun_upstream_server *b, const void *data);

#endif

/*
 * upstream_names_priv.h -- what the files of names share:
 *
 *     upstream_names      servers as they are now, changes, the configuration
 *     upstream_questions  who asks for addresses
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_NAMES_PRIV_H
#define LUN_UPSTREAM_NAMES_PRIV_H

#include "modules/common/upstream/upstream_names.h"
#include "net/dns/srv.h"
#include "net/duty.h"
#include "session/resolver_conf.h"

typedef struct lun_upstream_names  lun_upstream_names;

/* What is asked for; of several servers, if they differ in other things. */
typedef struct {
    lun_upstream_names   *names;
    uint64_t              key;
    lun_str               host;
    lun_str               service; /* all of the record's name; empty: none */
    lun_upstream_name    *found;   /* in the zone */
    lun_timer             timer;
    lun_resolve_request  *query;
    lun_srv_request      *srv;
} lun_upstream_question;

struct lun_upstream_names {
    lun_upstream           *upstream;
    lun_engine             *engine;
    lun_name_servers       *servers;
    lun_msec                timeout;
    lun_upstream_table     *table; /* NULL: not opened */
    uint64_t                generation;
    lun_upstream_question  *questions;
    size_t                  count;
    lun_zone               *list;  /* servers that were changed */
    lun_upstream_list_key   key;   /* in there */
    bool                    is_seen;       /* somebody has looked: */
    uint64_t                seen;  /* those of `set`, or that made none */
    struct lun_upstream_set  *set; /* NULL: as configured */
    bool                    asks;  /* some are this worker's to ask for */
};

/* The addresses have changed. */
void lun_upstream_names_refresh(lun_upstream *u, lun_pool *user);

/* Its data is the lun_upstream_names. */
extern const lun_duty_kind  lun_upstream_asking;

#endif

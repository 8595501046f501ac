/*
 * session.h -- what an HTTP request and a TCP or UDP session have in common:
 * memory, log, connection, settings, variables.
 *
 * Variables, scripts, patterns, log formats and whatever else makes sense for
 * both take a lun_session.  It is the head of a lun_request: &r->session is
 * the session of a request, lun_request_of() the way back, and r->pool is
 * r->session.pool.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SESSION_H
#define LUN_SESSION_H

#include "net/conn.h"
#include "session/levels.h"
#include "session/variables.h"

/*
 * The members, for a struct that is a session and more: `engine_type` is what
 * its engine begins with a lun_engine.
 */
#define LUN_SESSION_FIELDS(engine_type)                                       \
    uint32_t          mark;                                                   \
    unsigned          capture_count;   /* pairs of captures that are set */   \
    lun_pool         *pool;            /* lives as long as it does */         \
    lun_log          *log;             /* the connection's */                 \
    lun_conn         *conn;                                                   \
    const lun_addr   *remote;          /* conn's, or whom it speaks for */    \
    engine_type      *engine;          /* of its generation */                \
    lun_server       *server;          /* server.h: whose block is its */    \
    void            **conf;            /* by module index */                  \
    void            **states;          /* by module index */                  \
    lun_value        *values;          /* by variable index */                \
    int32_t          *captures;        /* pairs of offsets: $0, $1 ... */     \
    lun_str           capture_subject; /* into this */

struct lun_session {
    LUN_SESSION_FIELDS(lun_engine)
};

/*
 * The head of a protocol's engine: what one block of the configuration
 * (`http`, `stream`) brings to a generation.
 */
#define LUN_ENGINE_FIELDS                                                     \
    lun_generation  *gen;                                                     \
    lun_block       *block;            /* http { }; NULL: not read yet */     \
    unsigned         parts;            /* items of conf and of states */      \
    unsigned         values;           /* of a session; set on first use */   \
    lun_hash        *upstream_tls;     /* upstream_tls_conf.c's contexts */   \
    void            *variables;        /* variables.c's table */              \
    void            *addresses;        /* listen_conf.c's */                  \
    const struct lun_listen_protocol  *listening;                             \
    struct lun_name_servers  *system_names;    /* resolver_conf.c's */

struct lun_engine {
    LUN_ENGINE_FIELDS
};

#endif

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

#include "base/check.h"
#include "net/conn.h"
#include "session/levels.h"
#include "session/variables.h"

typedef struct lun_protocol  lun_protocol;
typedef struct lun_module    lun_module;

/*
 * The members, for a struct `session_type` that is a session and more;
 * `engine_type` is what its engine begins with a lun_engine.
 */
#define LUN_SESSION_FIELDS(session_type, engine_type)                         \
    uint32_t          mark;                                                   \
    unsigned          capture_count;   /* pairs of captures that are set */   \
    lun_pool         *pool;            /* lives as long as it does */         \
    lun_log          *log;             /* the connection's */                 \
    lun_conn         *conn;                                                   \
    session_type     *main;            /* itself, but in a subrequest */      \
    const lun_addr   *remote;          /* conn's, or whom it speaks for */    \
    engine_type      *engine;          /* of its generation */                \
    lun_server       *server;          /* server.h: whose block is its */    \
    void            **conf;            /* of modules      */                  \
    void            **states;          /* by module index */                  \
    lun_value        *values;          /* by variable index */                \
    struct lun_upstream_try  *tries;   /* servers asked; upstream/tries.h */ \
    int32_t          *captures;        /* pairs of offsets: $0, $1 ... */     \
    lun_str           capture_subject; /* into this */                        \
    uint8_t           limit_conn;      /* main: what it has decided */

struct lun_session {
    LUN_SESSION_FIELDS(lun_session, lun_engine)
};

/* For entries: it is one, of whatever protocol, and not over. */
static inline void
lun_session_check(const lun_session *s)
{
    LUN_CHECK(s->mark == LUN_MARK_REQUEST || s->mark == LUN_MARK_SESSION);
}

/* What a phase handler says when it returns. */
typedef enum {
    LUN_NEXT,            /* nothing to say: ask this phase's next handler */
    LUN_LEAVE,           /* satisfied: go on with the next phase */
    LUN_WAIT,            /* busy: I will call resume or finish it */
    LUN_FINISHED,        /* this handler gave the whole answer */
    LUN_FAILED,          /* nothing can be sent any more: close */
    LUN_MOVED,           /* HTTP: lun_http_redirect() or _named() was called */
    LUN_STATUS = 1000    /* LUN_STATUS + 403: end with that status */
} lun_verdict;

/*
 * Phases that each protocol has.  Its own ones follow from LUN_SESSION_PHASES
 * up; in which order they come is the protocol's to say.
 */
enum {
    LUN_ACCEPTED,        /* before anything else: who is it? */
    LUN_PREACCESS,       /* limits */
    LUN_ACCESS,          /* may it be served? */
    LUN_LOG,             /* it is over; the verdict is not looked at */
    LUN_SESSION_PHASES
};

enum { LUN_MODULE_PHASES = 12 };   /* at most, of all protocols */

typedef uint8_t lun_phase;

typedef lun_verdict lun_phase_fn(lun_session *s);

/*
 * The head of a protocol's engine: what one block of the configuration
 * (`http`, `stream`) brings to a generation.  engine.h fills it in.
 */
#define LUN_ENGINE_FIELDS                                                     \
    lun_generation      *gen;                                                 \
    lun_engine          *next;         /* of the generation's engines */      \
    const lun_protocol  *protocol;                                            \
    lun_block           *block;        /* http { }; NULL: not read yet */     \
    unsigned             parts;        /* indices of its modules: fewer */    \
    unsigned             states;       /* places of theirs in a session */    \
    unsigned             values;       /* of a session; set on first use */   \
    void                *variables;    /* variables.c's table */              \
    lun_module          *const *modules;   /* all; ends with NULL */          \
    lun_module         **used;         /* whose hooks run, in order */        \
    size_t               used_count;                                          \
    void               **data;         /* lun_module_data(), by index */      \
    lun_phase_fn       **log;          /* handlers of LUN_LOG */              \
    size_t               log_count;                                           \
    lun_hash            *upstream_tls; /* upstream_tls_conf.c's contexts */   \
    const struct lun_server_tls  *tls; /* NULL: nobody speaks it */           \
    const struct lun_handshake_hooks  *handshaking;   /* may be NULL */       \
    const struct lun_handshake_proof  *proving;       /* same */              \
    const struct lun_upstream_tls_hooks  *upstream_handshaking;   /* same */  \
    void                *addresses;    /* listen_conf.c's */                  \
    const struct lun_listen_protocol  *listening;                             \
    struct lun_name_servers  *system_names;    /* resolver_conf.c's */

struct lun_engine {
    LUN_ENGINE_FIELDS
};

#endif

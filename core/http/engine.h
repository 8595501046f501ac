/*
 * engine.h -- the http floor of one generation: which modules it uses, their
 * handlers and filters, and what hangs on a listener.
 *
 * http.c makes it when `http {` is met, reads the block, and then calls
 * lun_http_engine_read().  Requests and their pools are kept here for reuse.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_ENGINE_H
#define LUN_HTTP_ENGINE_H

#include "http/conf/location.h"
#include "http/module.h"
#include "session/engine.h"
#include "session/server_tls.h"

/* What the verdict of a step means; phases.c has a function for each. */
typedef enum {
    LUN_STEP_HANDLER,
    LUN_STEP_FIND_CONFIG,
    LUN_STEP_POST_REWRITE,
    LUN_STEP_ACCESS,
    LUN_STEP_POST_ACCESS,
    LUN_STEP_CONTENT,
    LUN_STEP_NO_CONTENT            /* nobody answered: 403 or 404 */
} lun_step_kind;

typedef struct {
    lun_phase_fn  *run;            /* NULL: the core's own */
    uint8_t        kind;
    uint8_t        phase;
    uint16_t       next;           /* the first step of the next phase */
} lun_step;

enum { LUN_ENGINE_SPARES = 512, LUN_ENGINE_HOST = 64 };

struct lun_http_engine {
    union {
        lun_engine         head;
        struct {
            LUN_ENGINE_FIELDS
        };
    };

    lun_step              *steps;
    unsigned               server_rewrite;     /* where those begin */
    unsigned               find_config;
    unsigned               rewrite;
    lun_header_filter_fn  *header_filter;      /* the first of each chain */
    lun_body_filter_fn    *body_filter;
    lun_header_filter_fn **next_header;        /* by module index */
    lun_body_filter_fn   **next_body;

    /* request_header.c: the last Host, and its server */
    struct {
        const void        *listen;
        lun_server        *server;
        uint16_t           port;
        uint8_t            len;
        uint8_t            name_len;
        char               text[LUN_ENGINE_HOST];
    } host;

    unsigned               request_id; /* the variable's index */
    lun_hash               tls_zones;          /* zones whose servers listen
                                                  for TLS */
    lun_pool              *spares[LUN_ENGINE_SPARES];
    unsigned               spare_count;
};

/* Bits of lun_listen_addr.own. */
enum { LUN_HTTP_LISTEN_H2 = 0x01 };

static inline lun_http_engine *
lun_http_engine_at(const lun_listen_addr *listen)
{
    return lun_container_of(listen->engine, lun_http_engine, head);
}

/* Every module of the http block, used or not; ends with NULL. */
lun_module *const *lun_http_modules(void);

/* For lun_protocol: the path of a log, as disable_symlinks has it. */
lun_rc lun_http_log_path(lun_session *s, const lun_script *script,
    lun_safe_path *c);

/* At `http {`; a second one in a generation is the caller's to refuse. */
lun_http_engine *lun_http_engine_new(lun_conf *cf);

/*
 * The block is read, and inheritance need not have taken place: finds out
 * which modules are used, calls their `init`, lines up phases and filters.
 */
lun_rc lun_http_engine_read(lun_conf *cf, lun_block *http);

/* NULL: the generation has none. */
static inline lun_http_engine *
lun_http_engine_of(const lun_generation *gen)
{
    return (lun_http_engine *) lun_engine_find(gen, &lun_http);
}

/* r->location was chosen: its settings become the request's. */
void lun_http_enter_location(lun_request *r, lun_location *loc);

/* Runs the log phase's handlers, once. */
void lun_http_log(lun_request *r);

/* The ends of the filter chains (output.c). */
lun_header_filter_fn  lun_http_end_header;
lun_body_filter_fn    lun_http_end_body;

#endif

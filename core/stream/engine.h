/*
 * engine.h -- the stream floor of one generation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STREAM_ENGINE_H
#define LUN_STREAM_ENGINE_H

#include "session/engine.h"
#include "stream/stream_session.h"

enum { LUN_STREAM_SPARES = 512 };

typedef struct {
    lun_phase_fn  *run;
    lun_phase      phase;
    uint8_t        next;           /* the first step of the next phase */
} lun_stream_step;

struct lun_stream_engine {
    union {
        lun_engine           head;
        struct {
            LUN_ENGINE_FIELDS
        };
    };
    lun_stream_step         *steps;        /* before the content */
    unsigned                 step_count;
    bool                     prereads;     /* a module looks at what comes */
    lun_hash                 tls_zones;    /* zones whose servers listen for
                                              TLS */
    lun_pool                *spares[LUN_STREAM_SPARES];
    unsigned                 spare_count;
};

static inline lun_stream_engine *
lun_stream_engine_of(const lun_engine *e)
{
    return lun_container_of(e, lun_stream_engine, head);
}

/* For lun_listener.take; its data is a lun_listen_addr. */
lun_listener_fn  lun_stream_accept;
lun_listener_adopt_fn  lun_stream_adopt;

/* All of a session's steps; its modules are known. */
void lun_stream_line_up(lun_stream_engine *e, lun_pool *pool);

#endif

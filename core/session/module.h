/*
 * module.h -- what a module is, to each protocol: directives, variables, and
 * hooks in phases.
 *
 * A module that makes sense in several protocols is a lun_module and knows no
 * more than this; its directives' rows say in which blocks they may stand.
 * Those of one protocol begin with a lun_module (http/module.h).  Its index is
 * one for the whole program: that of its conf in a block, whatever the
 * protocol.  So is the place of its state in a session, if it says that it
 * keeps one: most don't, and a session begins with all of them cleared.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULE_H
#define LUN_MODULE_H

#include "config/generation.h"
#include "session/script.h"
#include "session/session.h"

/* The members, for a struct that is a module and more. */
#define LUN_MODULE_FIELDS                                                     \
    const char           *name;                                               \
    const lun_directive  *directives;      /* ends with an empty one */       \
    size_t                conf_size;                                          \
    bool                  always;          /* hooks run without a directive */\
    bool                  keeps_state;     /* lun_session_set_state() */      \
    const lun_module     *with;            /* ... or when that one's do */    \
    lun_rc              (*inherited)(lun_conf *cf, const void *parent,        \
                             void *conf);                                     \
    const lun_variable   *variables;       /* ends with an empty one */       \
    const lun_metric     *metrics;         /* likewise; if it is used */      \
                                                                              \
    /* The protocol's block is read; what is per engine is made here. */      \
    lun_rc              (*init)(lun_conf *cf);                                \
                                                                              \
    lun_phase_fn         *on[LUN_MODULE_PHASES];                              \
                                                                              \
    /* Set by the engine room. */                                             \
    unsigned              index;                                              \
    unsigned              state;           /* its place; 0: it keeps none */  \
    lun_conf_part         part

struct lun_module {
    LUN_MODULE_FIELDS;
};

static inline const void *
lun_session_conf(const lun_session *s, const lun_module *m)
{
    return s->conf[m->index];
}

static inline void *
lun_session_state(const lun_session *s, const lun_module *m)
{
    return s->states[m->state];
}

static inline void
lun_session_set_state(lun_session *s, const lun_module *m, void *state)
{
    LUN_CHECK(m->state != 0);
    s->states[m->state] = state;
}

/* In a setter or init: the conf of that module in the protocol's block. */
void *lun_module_top_conf(lun_conf *cf, const lun_module *m);

/* What a module keeps beside its confs, one for each engine; NULL at first. */
void *lun_module_data(const lun_engine *e, const lun_module *m);
void lun_module_set_data(lun_engine *e, const lun_module *m, void *data);

#endif

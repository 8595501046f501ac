/*
 * engine.h -- for protocols: what one block of theirs brings to a generation.
 *
 * A protocol registers its levels and modules with the schema.  Its block's
 * setter makes an engine, which is cf->engine while the block is read, and
 * then calls lun_engine_read(): a module counts as used when a directive of it
 * stands somewhere in the block, and only handlers of those are lined up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ENGINE_H
#define LUN_ENGINE_H

#include "session/module.h"
#include "session/script_path.h"

struct lun_protocol {
    const char   *name;            /* "http" */
    uint32_t      level;           /* of its block */
    uint32_t      levels;          /* that one, and those inside */

    uint16_t      upstream_port;   /* of servers that name none; 0: they must */
    /* `resolver` of that block, and its timeout; NULL: there is none. */
    struct lun_name_servers  *(*resolver)(const lun_block *b,
                                          lun_msec *timeout);

    /*
     * The tree has inherited, and zones are there: the last of what is made of
     * the configuration, before hooks of modules run.  ERROR: logged.
     */
    lun_rc      (*finish)(lun_engine *e);

    /*
     * Whether a refusal of a handler in LUN_ACCESS is the session's end (and
     * worth a line in the log), and others are not asked; NULL: it always is.
     */
    bool        (*refuses)(const lun_session *s);

    /*
     * Follows what a header of that name says of whom the client speaks for,
     * back through proxies in `from` (of lun_cidr): *addr, at first who is
     * connected, becomes that.  False: it stays.  NULL: there are no headers.
     */
    bool        (*forwarded)(const lun_session *s, lun_str header,
                     lun_addr *addr, const lun_array *from, bool recursive);

    /* Sessions that this process has in hand; and what the log calls one. */
    size_t      (*active)(void);
    const char   *session_name;

    /* access_log: the format `combined`, which is the default; or none. */
    lun_str       combined;

    /* The path of a log that has variables; NULL: as lun_script_path(). */
    lun_rc      (*log_path)(lun_session *s, const lun_script *script,
                     lun_safe_path *c);
};

/* Adds a protocol's levels and modules to a schema; the list ends with NULL. */
void lun_protocol_register(lun_schema *schema, const lun_protocol *p,
    lun_module *const *modules);

/*
 * The head of a new engine, all zero: it becomes cf->engine, one of the
 * generation's, and knows the variables of the modules, in whose list it keeps
 * an interest.  Its hook is the first: those of modules find each variable
 * with a meaning and each conf at its place.
 */
void lun_engine_init(lun_conf *cf, lun_engine *e, const lun_protocol *p,
    lun_module *const *modules);

/*
 * For cf->engine: its block is read, and inheritance need not have taken
 * place.  Finds out which modules are used, calls their `init`, and lines up
 * LUN_LOG.
 */
lun_rc lun_engine_read(lun_conf *cf, lun_block *block);

/* The engine of that protocol, or NULL. */
lun_engine *lun_engine_find(const lun_generation *gen, const lun_protocol *p);

/* Whether its hooks run. */
bool lun_engine_uses(const lun_engine *e, const lun_module *m);

/*
 * The handlers of a phase, in order, of modules that are used: how many there
 * are; they are written to `to` unless that is NULL.
 */
size_t lun_engine_handlers(const lun_engine *e, lun_phase phase,
    lun_phase_fn **to);

/* See lun_protocol. */
static inline bool
lun_session_refuses(const lun_session *s)
{
    const lun_protocol  *p = s->engine->protocol;

    return p->refuses == NULL || p->refuses(s);
}

/* Runs the handlers of LUN_LOG. */
void lun_engine_log(lun_session *s);

#endif

/*
 * module.h -- everything that a module may know.
 *
 * A module is one .c with a directive table and hooks, and a line in
 * modules/modules.h, where three lists say in which order handlers, header
 * filters and body filters come.  A module that no directive of the
 * configuration names costs nothing, unless it says `always`.  One that knows
 * nothing of HTTP is a lun_module (session/module.h).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_MODULE_H
#define LUN_HTTP_MODULE_H

#include "config/generation.h"
#include "http/body.h"
#include "http/output.h"
#include "http/request.h"
#include "session/module.h"
#include "session/script.h"
#include "os/safe_open.h"

struct lun_upreq_passes;           /* upstream/upreq_passes.h */

typedef lun_rc lun_header_filter_fn(lun_request *r);
typedef lun_rc lun_body_filter_fn(lun_request *r, lun_buf *in);

/* Its handlers get a session, and begin with lun_request_of(). */
struct lun_http_module {
    union {
        lun_module        head;
        struct {
            LUN_MODULE_FIELDS;
        };
    };
    lun_header_filter_fn *header_filter;
    lun_body_filter_fn   *body_filter;
    /*
     * Whether the body filter lets all that is still to come of this answer
     * pass as it is, but for its last buf; asked between two calls of it.
     * NULL: where the request has no state of that module, it does.
     */
    bool                (*is_idle)(const lun_request *r);
    /*
     * Where the requests of a location go whose content is its own; after
     * inheritance.  False: nowhere; NULL: nobody can ask for it.
     */
    bool                (*passes)(lun_pool *pool, const void *conf,
                             struct lun_upreq_passes *to);
};

/*
 * What a filter of that module calls when it is done: the next one of the
 * request's generation.
 */
lun_rc lun_http_next_header(lun_request *r, const lun_http_module *m);
lun_rc lun_http_next_body(lun_request *r, const lun_http_module *m,
    lun_buf *in);

/* No body filter of the request's generation looks at what is to come. */
bool lun_http_filters_idle(const lun_request *r);

static inline const void *
lun_http_conf(const lun_request *r, const lun_http_module *m)
{
    return r->conf[m->index];
}

static inline void *
lun_http_state(const lun_request *r, const lun_http_module *m)
{
    return lun_session_state(&r->session, &m->head);
}

static inline void
lun_http_set_state(lun_request *r, const lun_http_module *m, void *state)
{
    lun_session_set_state(&r->session, &m->head, state);
}

/*
 * In a setter: the location (or "if" in one) has its content from that module.
 * The last directive of the block that says so counts, and inner locations do
 * not inherit it.  In on[LUN_CONTENT]: whether the request is that module's;
 * an "if" without a word of its own is part of the location around it.
 */
void lun_http_set_content(lun_conf *cf, const lun_http_module *m);
bool lun_http_has_content(const lun_request *r, const lun_http_module *m);

/* In a setter or init: the http block's conf of that module. */
static inline void *
lun_http_top_conf(lun_conf *cf, const lun_http_module *m)
{
    return lun_module_top_conf(cf, &m->head);
}

/* lun_module_data() of a generation's http engine; NULL: it has none. */
void *lun_http_gen_data(lun_generation *gen, const lun_http_module *m);
void lun_http_set_gen_data(lun_generation *gen, const lun_http_module *m,
    void *data);

extern const lun_protocol  lun_http;

/* The generation that a request is served by. */
lun_generation *lun_http_generation(const lun_request *r);

/*
 * The file behind r->uri by root or alias; its path is in r->pool.  Checked by
 * os/path.h: a name that can name no file gives LUN_STATUS + 404, logged.
 * Open it, or stat it, through os/safe_open.h.
 */
lun_verdict lun_http_file_path(lun_request *r, lun_safe_path *c);

/* The same, as if the request's uri were that one. */
lun_verdict lun_http_uri_path(lun_request *r, lun_str uri, lun_safe_path *c);

/*
 * The same for any other path that is made from variables: relative to the
 * prefix.  What its text begins with before its first variable is taken as
 * configured.
 */
lun_verdict lun_http_script_path(lun_request *r, const lun_script *s,
    lun_safe_path *c);

/*
 * What disable_symlinks says of a path.  The first two ask it themselves; a
 * path from a script is followed through any link until this is called.
 */
void lun_http_safe_links(lun_request *r, lun_safe_path *c);

#endif

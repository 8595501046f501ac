/*
 * status_priv.h -- what the modules that answer with the tree share:
 *
 *     api            as JSON, by paths
 *     api_servers    servers of upstreams, which may be changed
 *     api_keyvals    pairs of keyval zones, likewise
 *     api_reset      counters that begin again, caches that are purged
 *     prometheus     as lines; prometheus_template, by paths
 *     status_page    a page for people, which reads the JSON
 *     status_server  nodes of what belongs to no other room
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STATUS_PRIV_H
#define LUN_STATUS_PRIV_H

#include "config/status.h"
#include "http/module.h"

enum { LUN_STATUS_PAUSE = 1 };     /* ms between the parts of an answer */

/*
 * A content handler's verdict: the answer to that question, as JSON; errors
 * name the path so.
 */
lun_verdict lun_status_answer(lun_request *r, const lun_status_ask *ask,
    lun_str path);

/* "name=value" of the query; false: there is none.  "name" alone: "". */
bool lun_status_arg(const lun_request *r, const char *name, lun_str *value);

/* What an `api` may do, and who asks. */
typedef struct {
    bool         write;
    lun_script  *user, *request_id;
} lun_status_api;

extern lun_http_module  lun_http_api;

/*
 * For api: *v is the verdict, if the path is that of an upstream's servers, or
 * of keyval zones.  Called again when a body has come.
 */
bool lun_status_api_servers(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v);
bool lun_status_api_keyvals(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v);

/*
 * The same of what may only be written, where it may: DELETE of what is
 * counted, POST of a cache's purge.
 */
bool lun_status_api_reset(lun_request *r, const lun_status_api *api,
    lun_str path, lun_verdict *v);

/* The path's next part; "": there is none.  And "http" or "stream" in front of
   it, behind a version; "": it has neither. */
lun_str lun_status_api_part(lun_str *path);
lun_str lun_status_api_protocol(lun_str *path);

/* A text in JSON; `code` not NULL: what is wrong, in NGINX Plus' form. */
lun_verdict lun_status_api_respond(lun_request *r, const lun_status_api *api,
    unsigned status, const char *code, lun_str text);

/* NEXT: the body is there; else the verdict until it is. */
lun_verdict lun_status_api_body(lun_request *r);

/* The log's line of a change; with it go client, request, and a user. */
void lun_status_api_say(lun_request *r, const lun_status_api *api,
    lun_str what);

/* Headers that keep the answer out of caches. */
void lun_status_say_it_changes(lun_request *r);

typedef struct lun_prometheus_template  lun_prometheus_template;

/*
 * That of this name, whose block may still be to come; when http is read, one
 * without a block is reported.
 */
lun_prometheus_template *lun_prometheus_template_of(lun_conf *cf,
    lun_str name);
lun_rc lun_prometheus_templates_finish(lun_conf *cf);

/* A content handler's verdict: its lines. */
lun_verdict lun_prometheus_template_answer(lun_request *r,
    const lun_prometheus_template *t);

/* Nodes of the server as a whole; again is harmless. */
void lun_status_add_server(lun_generation *gen);

/* Name, version, generation: of "status/lunette", or "status/angie". */
lun_status_fn  lun_status_write_program;

#endif

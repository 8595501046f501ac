/*
 * log_context.c -- ", client: 127.0.0.1, server: localhost, request: ...".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/log_context.h"

#include "base/check.h"
#include "base/digest.h"
#include "http/accept/detached.h"
#include "http/accept/trace.h"
#include "http/subrequest.h"
#include "http/upstream/upreq.h"


static char *
put_ends(char *p, const char *end, const lun_addr *peer, lun_str server)
{
    char  room[LUN_ADDR_TEXT];

    return lun_fmt(p, end, ", client: %.*s, server: %.*s",
                   LUN_S(lun_addr_format(peer, false, room, sizeof(room))),
                   LUN_S(server));
}


static char *
put_header(char *p, const char *end, const lun_request *r, lun_hin which,
    const char *label)
{
    const lun_header  *h = r->in.known[which];

    return h == NULL ? p : lun_fmt(p, end, ", %s: \"%.*s\"", label,
                                   LUN_S(h->value));
}


/* ", client: 127.0.0.1, server: 0.0.0.0:80" */
char *
lun_http_context(void *owner, char *p, const char *end)
{
    const lun_conn  *c = owner;

    return put_ends(p, end, &c->remote, c->listener->text);
}


/* ", client: 127.0.0.1, server: localhost, request: "GET / HTTP/1.1" ..." */
char *
lun_request_context(void *owner, char *p, const char *end)
{
    const lun_request  *r = owner, *speaker = lun_subrequest_speaker(r);

    p = put_ends(p, end, r->remote, r->server->name);

    if (r->line.len != 0) {
        p = lun_fmt(p, end, ", request: \"%.*s\"", LUN_S(r->line));
    }

    if (speaker != r || lun_is_detached(r)) {
        p = lun_fmt(p, end, ", subrequest: \"%.*s\"", LUN_S(speaker->uri));
    }

    p = lun_upreq_log(speaker, p, end);
    p = put_header(p, end, r, LUN_HIN_HOST, "host");
    return put_header(p, end, r, LUN_HIN_REFERER, "referrer");
}


/* --- as members of JSON -------------------------------------------------- */

enum { URL = 2048 };               /* bytes of a server's, at most */


static char *
put_end_members(char *p, const char *end, const lun_addr *peer, lun_str server)
{
    char  room[LUN_ADDR_TEXT];

    p = lun_log_json_text(p, end, "client",
                          lun_addr_format(peer, false, room, sizeof(room)));
    return lun_log_json_text(p, end, "server", server);
}


char *
lun_http_members(void *owner, char *p, const char *end, bool brief)
{
    const lun_conn  *c = owner;

    return brief ? p : put_end_members(p, end, &c->remote, c->listener->text);
}


static char *
put_field(char *p, const char *end, const lun_request *r, lun_hin which,
    const char *name)
{
    const lun_header  *h = r->in.known[which];

    return h == NULL ? p : lun_log_json_text(p, end, name, h->value);
}


/* `, upstream: "http://..."` */
static char *
put_upstream(char *p, const char *end, const lun_request *r)
{
    char     room[URL], *last = lun_upreq_log(r, room, room + sizeof(room));
    lun_str  text = lun_str_of(room, (size_t) (last - room));

    if (!lun_str_after(text, LUN_STR(", upstream: \""), &text)) {
        return p;
    }

    text.len -= lun_str_ends(text, LUN_STR("\""));
    return lun_log_json_text(p, end, "upstream", text);
}


/* Nothing is computed here, since any thread may log: what is not, is not. */
static char *
put_ids(char *p, const char *end, const lun_request *r)
{
    char              hex[2 * LUN_TRACE_ID];
    const lun_value  *v = &r->main->values[r->engine->request_id];

    if (v->known && !v->not_found) {
        p = lun_log_json_text(p, end, "request_id", v->text);
    }

    if (r->main->trace != NULL) {
        (void) lun_hex(hex, r->main->trace->id, LUN_TRACE_ID);
        p = lun_log_json_text(p, end, "trace_id",
                              lun_str_of(hex, sizeof(hex)));
    }

    return p;
}


char *
lun_request_members(void *owner, char *p, const char *end, bool brief)
{
    const lun_request  *r = owner, *speaker = lun_subrequest_speaker(r);

    p = put_ids(p, end, r);

    if (brief) {
        return p;
    }

    p = put_end_members(p, end, r->remote, r->server->name);

    if (r->line.len != 0) {
        p = lun_log_json_text(p, end, "request", r->line);
    }

    if (speaker != r || lun_is_detached(r)) {
        p = lun_log_json_text(p, end, "subrequest", speaker->uri);
    }

    p = put_upstream(p, end, speaker);
    p = put_field(p, end, r, LUN_HIN_HOST, "host");
    return put_field(p, end, r, LUN_HIN_REFERER, "referrer");
}


/* --- a dump -------------------------------------------------------------- */

static const char *const  phases[LUN_PHASES] = {
    [LUN_POST_READ] = "post-read",
    [LUN_SERVER_REWRITE] = "server rewrite",
    [LUN_FIND_CONFIG] = "find config",
    [LUN_REWRITE] = "rewrite",
    [LUN_POST_REWRITE] = "post-rewrite",
    [LUN_PREACCESS] = "preaccess",
    [LUN_ACCESS] = "access",
    [LUN_POST_ACCESS] = "post-access",
    [LUN_PRECONTENT] = "precontent",
    [LUN_CONTENT] = "content",
    [LUN_LOG] = "log"
};


static const char *
what_for(const lun_request *r)
{
    return r->ended ? "its references" : r->waiting ? "its handler"
           : r->blocked ? "output to be taken" : "its turn";
}


void
lun_http_dump(const lun_request *r)
{
    int64_t  age;
    lun_log  log = *r->log;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    log.forced = true;
    log.level = LUN_LOG_NOTICE;
    age = (lun_clock.sec - r->start_sec) * 1000
          + (int64_t) lun_clock.msec - (int64_t) r->start_msec;
    age = lun_max(age, (int64_t) 0);

    lun_log(LUN_LOG_NOTICE, &log, 0, "dump: request in phase \"%s\" waits "
            "for %s, upstream request: %s; age %" PRId64 ".%03d s, references "
            "%u, status %u, output %s", phases[r->phase], what_for(r),
            r->upreq != NULL ? lun_upreq_stage_name(r->upreq) : "none",
            age / 1000, (int) (age % 1000), r->references, r->out.status,
            r->blocked ? "blocked" : "not blocked");
}

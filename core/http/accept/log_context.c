/*
 * log_context.c -- ", client: 127.0.0.1, server: localhost, request: ...".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/log_context.h"

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

    if (speaker != r) {
        p = lun_fmt(p, end, ", subrequest: \"%.*s\"", LUN_S(speaker->uri));
    }

    p = lun_upreq_log(speaker, p, end);
    p = put_header(p, end, r, LUN_HIN_HOST, "host");
    return put_header(p, end, r, LUN_HIN_REFERER, "referrer");
}

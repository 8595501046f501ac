/*
 * upreq_address.h -- NAME_pass: where a request goes.
 *
 *     proxy_pass http://backend:8080/app/;    fastcgi_pass unix:/run/a.sock;
 *     grpc_pass grpcs://[::1]:50051;          uwsgi_pass $where;
 *
 * An address, a host, the name of an upstream { }, each with or without a
 * port; constant, or with variables.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_ADDRESS_H
#define LUN_HTTP_UPREQ_ADDRESS_H

#include "http/upstream/upreq.h"

/*
 * What may stand in front of an address ("http://"), in any case, and what
 * that means.  A table of them ends with one whose prefix.data is NULL; "" is
 * an address without anything, and the last before that.
 */
typedef struct {
    lun_str   prefix;
    uint16_t  port;                /* when none is given; 0: one has to be */
    bool      tls;
} lun_upreq_scheme;

/* Of protocols that have none: an address alone, with its port. */
extern const lun_upreq_scheme  lun_upreq_no_schemes[];

/* "http://host:port/uri" in its parts. */
typedef struct {
    const lun_upreq_scheme  *scheme;
    lun_str                  host; /* without the port; "unix:/path" */
    uint16_t                 port; /* the scheme's when none is given */
    bool                     port_given;
    lun_str                  host_header;  /* $proxy_host */
    lun_str                  uri;  /* data NULL: none was given */
} lun_upreq_url;

typedef struct {
    lun_str                  text;
    const lun_upreq_scheme  *schemes;
    bool                     with_uri;     /* there may be one */
    lun_script              *script;       /* it has variables; else NULL: */
    lun_upreq_url            url;
    lun_upstream            *upstream;
} lun_upreq_address;

/*
 * In the setter of NAME_pass: reads `text`, which ERROR, reported, is not
 * right.  `with_uri`: a path may follow, which becomes url.uri.
 */
lun_rc lun_upreq_read_address(lun_conf *cf, lun_str text,
    const lun_upreq_scheme *schemes, bool with_uri, lun_upreq_address *a);

/*
 * In the setter of NAME_pass: the location that is being read (or an "if" in
 * it) has its content from that module; "/x/" has "/x" redirected to it.
 */
lun_location *lun_upreq_set_content(lun_conf *cf, const lun_http_module *m);

/*
 * The whole setter of a NAME_pass without a uri: *a is a new address, read
 * from the directive's argument.
 */
lun_rc lun_upreq_set_pass(lun_conf *cf, const lun_http_module *m,
    const lun_upreq_scheme *schemes, lun_upreq_address **a);

/* Whether a request may go there over TLS: its settings are needed. */
bool lun_upreq_may_use_tls(const lun_upreq_address *a);

/*
 * For a request: sets x->target, and *url, whose views live as long as it.
 * LUN_NEXT; LUN_STATUS + 500: what the variables say is no address, and that
 * was logged.
 */
lun_verdict lun_upreq_find_target(lun_upreq *x, const lun_upreq_address *a,
    lun_upreq_url *url);

/*
 * A whole handler from there on, for what needs nothing of the url: an
 * upstream request, with the protocol's own data, begins.
 */
lun_verdict lun_upreq_ask(lun_request *r, const lun_upreq_conf *conf,
    const lun_upreq_address *a, const lun_upstream_protocol *protocol,
    void *data);

#endif

/*
 * request_header.h -- what a request's header means, whatever protocol
 * brought it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_REQUEST_HEADER_H
#define LUN_HTTP_REQUEST_HEADER_H

#include "http/conf/core_conf.h"
#include "http/engine.h"

/* ERROR, of any of these: logged, and r->in.refusal is what to answer. */

/*
 * The host of a request: finds its server.  `what` is said of one that is
 * none.
 */
lun_rc lun_http_in_host(lun_request *r, const lun_listen_addr *listen,
    lun_str text, const char *what);

/* There is none: the server whose name is "", or the address's default. */
void lun_http_in_no_host(lun_request *r, const lun_listen_addr *listen);

/* The path of a target; `plain`: nothing in it needs to be looked at. */
lun_rc lun_http_in_path(lun_request *r, const lun_core_conf *conf, lun_str path,
    bool plain);

/* Say what is wrong with a second header, and with a method. */
lun_rc lun_http_in_duplicate(lun_request *r, const lun_header *h);
lun_rc lun_http_in_refused(lun_request *r);

/* Puts a header whose `known` is not negative where it belongs. */
static inline lun_rc
lun_http_in_known(lun_request *r, lun_header *h)
{
    lun_header  **at = &r->in.known[h->known];

    if (*at != NULL && !lun_header_in_repeats(h->known)) {
        return lun_http_in_duplicate(r, h);
    }

    while (*at != NULL) {
        at = &(*at)->same;
    }

    *at = h;
    return LUN_OK;
}

/* Reads Content-Length, if there is one. */
lun_rc lun_http_in_length(lun_request *r);

/*
 * A request gets the header of another, without a body's coding, as a list of
 * its own: it may change it, and the other does not see that.  `texts`: it may
 * outlive the other.
 */
void lun_http_copy_in(lun_request *r, const lun_request *from, bool texts);

/* TRACE, and CONNECT where nobody does that. */
static inline lun_rc
lun_http_in_method(lun_request *r)
{
    return r->method == LUN_TRACE || r->method == LUN_CONNECT
           ? lun_http_in_refused(r) : LUN_OK;
}

/* Where a client says who it is: a proxy is told by a name of its own. */
static inline const lun_header *
lun_request_credentials(const lun_request *r)
{
    return r->method == LUN_CONNECT
           ? lun_header_find(&r->in.list, LUN_STR("Proxy-Authorization"))
           : r->in.known[LUN_HIN_AUTHORIZATION];
}

#endif

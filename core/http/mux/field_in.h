/*
 * field_in.h -- the header of a request whose fields come one by one, as
 * HTTP/2 and HTTP/3 bring them (RFC 9113, 8.2 and 8.3; RFC 9114, 4.2 and 4.3).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_FIELD_IN_H
#define LUN_HTTP_FIELD_IN_H

#include "http/conf/core_conf.h"
#include "http/engine.h"

/* All zero, but for the first three. */
typedef struct {
    lun_request            *r;
    const lun_listen_addr  *listen;
    const lun_core_conf    *conf;      /* of the connection's server */
    size_t                  size;      /* bytes of names and values so far */
    lun_str                 authority;
    lun_str                 cookie;    /* its pieces, put together */
    lun_str                 protocol;  /* ":protocol"; data NULL: none */
    size_t                  cookie_room;
    uint64_t                count;     /* as max_headers counts */
    unsigned                fields:1;  /* one behind the pseudo-headers came */
    unsigned                has_scheme:1;
    unsigned                has_host:1;    /* "host", not ":authority" */
    unsigned                malformed:1;   /* the stream ends with a reset */
    unsigned                connects:1;    /* ":protocol" may come */
} lun_field_in;

typedef enum {
    LUN_FIELDS_GO_ON,
    LUN_FIELDS_REFUSED,                /* r->in.refusal says how it will be
                                          answered; the rest is only counted */
    LUN_FIELDS_FLOOD                   /* and no more is to be decoded */
} lun_fields_verdict;

/*
 * The next field; both texts are copied.  What is wrong with one is logged,
 * once.
 */
lun_fields_verdict lun_field_take(lun_field_in *in, lun_str name,
    lun_str value);

/* One that is longer than large_client_header_buffers, undecoded: FLOOD. */
lun_fields_verdict lun_field_too_large(lun_field_in *in);

/*
 * One of those behind the body.  Nobody asks for them, but they have rules:
 * ERROR, logged, if it breaks one.
 */
lun_rc lun_field_take_trailer(lun_field_in *in, lun_str name);

/*
 * All of them are there; `ended`: no body follows; `version` as the request
 * line of the log has it, " HTTP/2.0".
 */
void lun_fields_end(lun_field_in *in, bool ended, lun_str version);

#endif

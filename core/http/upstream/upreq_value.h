/*
 * upreq_value.h -- what modules do alike that ask a store of keys (memcached,
 * Redis): its answer is a value of a known length, and what ends it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_VALUE_H
#define LUN_HTTP_UPREQ_VALUE_H

#include "http/upstream/upreq_address.h"

typedef struct {
    lun_str   end;                 /* that follows the value */
    int64_t   left;                /* of the value, bytes */
    size_t    matched;             /* bytes of the end that have come */
} lun_upreq_value;

/* The words of NAME_next_upstream. */
extern const lun_enum  lun_upreq_value_tries[];

/*
 * The content of a location where a key's value is the answer: GET and HEAD,
 * whose body nobody wants.  The protocol's data are `size` bytes, zeroed;
 * `address` NULL: the location has none.
 */
lun_verdict lun_upreq_value_content(lun_request *r, const lun_http_module *m,
    const lun_upreq_conf *conf, const lun_upreq_address *address,
    const lun_upstream_protocol *protocol, size_t size);

/* There is one, of answer.head_length bytes: status 200. */
lun_upstream_verdict lun_upreq_value_found(lun_upreq *x, lun_upreq_value *v);

/* The whole answer is that there is none: 404, logged.  `more`: bytes follow,
   that nobody has asked for. */
lun_upstream_verdict lun_upreq_value_missing(lun_upreq *x, const char *server,
    lun_str key, bool more);

/* As read_body of a protocol has it, of what is left of the value ... */
lun_upstream_verdict lun_upreq_value_read(lun_upreq *x, lun_upreq_value *v,
    const char *server, const char **pos, const char *end, lun_str *piece);

/* ... and of its end alone; behind that the connection may be kept. */
lun_upstream_verdict lun_upreq_value_read_end(lun_upreq *x, lun_upreq_value *v,
    const char *server, const char **pos, const char *end);

#endif

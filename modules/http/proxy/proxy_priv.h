/*
 * proxy_priv.h -- what the files of proxy share: proxy.c (directives, the
 * handler), proxy_url.c (where to), proxy_request.c, proxy_answer.c,
 * proxy_fields.c (a request of HTTP/2 and 3), proxy_h2.c, proxy_h3.c,
 * proxy_redirect.c and proxy_cookie.c (headers that name the server).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_PROXY_PRIV_H
#define LUN_MODULES_PROXY_PRIV_H

#include "format/chunked.h"
#include "format/h1_response.h"
#include "http/cache/cache_conf.h"
#include "http/module.h"
#include "http/upstream/h2/upreq_h2.h"
#include "http/upstream/h3/upreq_h3.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_passes.h"

/* A proxy_pass. */
typedef struct {
    lun_upreq_address  address;
    lun_str            location;   /* the prefix that the uri replaces */
} lun_proxy_target;

/* Where the value of a header of the request comes from. */
typedef enum {
    LUN_PROXY_SCRIPT,
    LUN_PROXY_HOST,
    LUN_PROXY_HOST_SET,            /* a script, or where that is empty HOST */
    LUN_PROXY_LENGTH,
    LUN_PROXY_CHUNKED,
    LUN_PROXY_ETAG,                /* of what is kept */
    LUN_PROXY_MODIFIED,
    LUN_PROXY_PART,                /* the client's, unless all is wanted */
    LUN_PROXY_NOTHING              /* it is not sent */
} lun_proxy_source;

typedef struct {
    lun_str           name;
    uint32_t          hash;
    lun_proxy_source  source;
    lun_script       *value;
} lun_proxy_header;

/* A proxy_redirect, proxy_cookie_domain or proxy_cookie_path. */
typedef struct {
    lun_script     *prefix;
    lun_pattern    *regex;         /* NULL: see prefix */
    lun_script     *replacement;
} lun_proxy_rule;

typedef struct {
    lun_array      *rules;         /* of lun_proxy_rule */
    bool            off;
    bool            usual;         /* proxy_redirect default */
    size_t          usual_at;      /* so many rules stand before that */
} lun_proxy_rules;

typedef struct {
    lun_upreq_conf     up;
    lun_cache_conf     cache;
    lun_script        *method;
    int                version;    /* 1000, 1001, 2000, 3000 */
    lun_upreq_h3_conf  h3;
    lun_script        *body;       /* proxy_set_body */
    lun_array         *set;        /* of lun_proxy_header: as written */
    lun_array          headers;    /* the same, and the usual ones */
    uint64_t           header_bits;        /* of their hashes */
    lun_proxy_target  *target;     /* NULL: no proxy_pass */
    lun_proxy_rules   *redirect;
    lun_proxy_rules   *cookie_domain;
    lun_proxy_rules   *cookie_path;
    lun_array         *cookie_flags;       /* of lun_proxy_flags */
} lun_proxy_conf;

/* An upstream request. */
typedef struct {
    union {                        /* stays in front */
        lun_upreq_h2  h2;
        lun_upreq_h3  h3;
    };
    lun_upreq_url    url;
    int64_t          length;       /* of the request's body; -1: none */
    bool             chunked_body; /* it is sent in chunks */
    bool             head;         /* the answer has no body */
    bool             has_status;
    lun_h1_parser    parser;
    bool             chunked;      /* the answer's body is */
    lun_chunked      chunks;
    lun_upreq_room   tail;         /* trailers, read and not */
    int64_t          left;         /* of the body; -1: until the end */
} lun_proxy_state;

extern lun_http_module          lun_http_proxy;
extern const lun_upstream_protocol  lun_proxy_protocol, lun_proxy_h2_protocol,
                                    lun_proxy_h3_protocol;

/* --- proxy_url.c --- */

lun_set_fn  lun_set_proxy_pass;
/* The request's target, as it is sent. */
lun_str lun_proxy_uri(lun_request *r, const lun_proxy_target *t,
    const lun_upreq_url *url);

/* --- proxy_request.c --- */

lun_set_fn  lun_set_proxy_header;
void lun_proxy_finish_headers(lun_conf *cf, lun_proxy_conf *conf);
/* proxy_set_header, as far as it says the same of each request. */
void lun_proxy_add_fields(const lun_proxy_conf *conf, lun_upreq_passes *to);
lun_rc lun_proxy_make(lun_upreq *x, lun_buf **head);
lun_str lun_proxy_key(lun_upreq *x);
/*
 * What requests in all versions have alike: the method, x->uri, which body
 * goes out.  ERROR: logged.
 */
lun_rc lun_proxy_prepare(lun_upreq *x, lun_str *method);
/* Of a header that the request has by conf->headers; "": it is not sent. */
lun_str lun_proxy_value(lun_upreq *x, const lun_proxy_header *h);
/* X-Forwarded-For, with the client's address added. */
lun_str lun_proxy_forwarded_for(lun_request *r);
/* The one of that name among them; NULL: the client's is passed on. */
const lun_proxy_header *lun_proxy_find(const lun_array *headers,
    uint32_t hash, lun_str name);
int64_t lun_proxy_frame(lun_upreq *x, int64_t size, bool last,
    lun_upreq_frame *f);

/* --- proxy_fields.c --- */

/* All that the request says, for versions that compress it. */
lun_rc lun_proxy_make_fields(lun_upreq *x, lun_array *fields);

/* --- proxy_answer.c --- */

void lun_proxy_reset(lun_upreq *x);
lun_upstream_verdict lun_proxy_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_proxy_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

/* --- proxy_redirect.c --- */

lun_set_fn  lun_set_proxy_redirect, lun_set_proxy_rule;
/* The same as lun_set_proxy_rule, which reads "~x" with regard to case. */
lun_rc lun_proxy_add_rule(lun_conf *cf, const lun_directive *d, void *conf,
    bool caseless);
lun_rc lun_proxy_finish_redirect(lun_conf *cf, lun_proxy_conf *conf);
bool lun_proxy_pass_header(lun_upreq *x, const lun_header *h);
/* What the first rule that fits makes of the text at *text; false: none. */
bool lun_proxy_apply(lun_request *r, const lun_proxy_rules *rules,
    lun_str *text);

/* --- proxy_cookie.c --- */

lun_set_fn  lun_set_proxy_cookie_domain, lun_set_proxy_cookie_flags;
lun_str lun_proxy_cookie(lun_request *r, const lun_proxy_conf *conf,
    lun_str cookie);

#endif

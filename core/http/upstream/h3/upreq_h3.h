/*
 * upreq_h3.h -- upstream requests in HTTP/3: all but the fields of a request.
 *
 * A request's connection is a stream of h3_link.h's.
 *
 * A protocol's data begins with a lun_upreq_h3, its table has the functions
 * below under the same names, `make` ends in lun_upreq_h3_make(), and `reset`
 * is lun_upreq_h3_reset(); `reassembles` is true.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_H3_H
#define LUN_HTTP_UPREQ_H3_H

#include "http/upstream/h3/h3_link.h"
#include "http/upstream/mux/upreq_fields.h"

struct nghttp3_qpack_stream_context;

/* NAME_http3_..., NAME_quic_... */
typedef struct {
    int64_t        streams;        /* of a connection, at a time */
    int64_t        cids;           /* of the server, that are remembered */
    lun_quic_conf  quic;
} lun_upreq_h3_conf;

typedef struct {
    /* The protocol's, before `make` ends. */
    const lun_upreq_h3_conf  *conf;
    bool                head;      /* the answer has no body */
    lun_upreq_fields    fields;    /* .keep_trailers is the protocol's */

    /* The request. */
    lun_h3_link_stream *stream;    /* from `join` on */
    lun_buf            *block;     /* its header, as a frame */
    bool                bodiless;  /* that ends it */

    /* The answer. */
    lun_h3_frames       frames;
    struct nghttp3_qpack_stream_context  *context;     /* of a block; NULL */
    size_t              block_size;
    unsigned            idle;      /* frames that have told us nothing */
    unsigned            hints;     /* interim answers */
    int64_t             left;      /* of the body; -1: until its end */
    bool                header_done;
    bool                in_block;
    bool                ended;
} lun_upreq_h3;

/* What a conf says of QUIC, when the upstream request's is complete. */
void lun_upreq_h3_finish_conf(lun_upreq_h3_conf *conf,
    const lun_upreq_conf *up);

/* The request of these fields (lun_pair; those with a colon first). */
lun_rc lun_upreq_h3_make(lun_upreq *x, const lun_array *fields,
    lun_buf **head);

/* What is being read of a block of fields; for the end of the request. */
void lun_upreq_h3_drop_block(void *state);

lun_conn *lun_upreq_h3_connect(lun_upreq *x, const lun_addr *from,
    lun_err *err);
lun_conn *lun_upreq_h3_join(lun_upreq *x, lun_conn *c);
lun_conn *lun_upreq_h3_part(lun_upreq *x);
void lun_upreq_h3_begin(lun_upreq *x);
int64_t lun_upreq_h3_frame(lun_upreq *x, int64_t size, bool last,
    lun_upreq_frame *f);
void lun_upreq_h3_reset(lun_upreq *x);
lun_upstream_verdict lun_upreq_h3_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_upreq_h3_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif

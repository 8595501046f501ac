/*
 * upreq_h2.h -- upstream requests in HTTP/2: what gRPC and proxy have in
 * common, which is all but the fields of a request.
 *
 * A request's connection is a stream of h2_link.h's, which brings the frames
 * of that stream and nothing else.
 *
 * A protocol's data begins with a lun_upreq_h2, its table has the functions
 * below under the same names, `make` ends in lun_upreq_h2_make(), and `reset`
 * is lun_upreq_h2_reset(); `reassembles` is true.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_H2_H
#define LUN_HTTP_UPREQ_H2_H

#include "http/upstream/h2/h2_link.h"
#include "http/upstream/mux/upreq_fields.h"

typedef struct {
    /* The protocol's, before `make` ends. */
    bool            head;          /* the answer has no body */
    lun_upreq_fields  fields;      /* .keep_trailers is the protocol's */

    /* The request. */
    lun_link_stream  *stream;        /* from `join` on */
    lun_str         block;         /* its fields */
    bool            bodiless;      /* HEADERS end it */

    /* The answer. */
    lun_frames      frames;
    int64_t         received;      /* of the window, not given back */
    lun_str         part;          /* of a block that comes in pieces */
    int64_t         left;          /* of the body; -1: until its end */
    bool            header_done;
    bool            ends;          /* the stream, with this frame */
    bool            ended;
    bool            was_reset;     /* after that */
} lun_upreq_h2;

/* The request of these fields (lun_pair; those with a colon first). */
lun_rc lun_upreq_h2_make(lun_upreq *x, const lun_array *fields,
    lun_buf **head);
lun_conn *lun_upreq_h2_join(lun_upreq *x, lun_conn *c);
lun_conn *lun_upreq_h2_part(lun_upreq *x);
void lun_upreq_h2_begin(lun_upreq *x);
int64_t lun_upreq_h2_frame(lun_upreq *x, int64_t size, bool last,
    lun_upreq_frame *f);
void lun_upreq_h2_reset(lun_upreq *x);
lun_upstream_verdict lun_upreq_h2_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_upreq_h2_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif

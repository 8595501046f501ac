/*
 * grpc_priv.h -- what the files of grpc share: grpc.c (directives, the
 * handler), grpc_request.c, grpc_answer.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_GRPC_PRIV_H
#define LUN_MODULES_GRPC_PRIV_H

#include "http/module.h"
#include "http/upstream/upreq_address.h"
#include "modules/http/grpc/grpc_frames.h"

#include <nghttp2/nghttp2.h>

/* A grpc_set_header. */
typedef struct {
    lun_str      name;             /* lower case */
    lun_script  *value;
} lun_grpc_header;

typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no grpc_pass */
    lun_array          *set;       /* of lun_grpc_header; NULL: none */
} lun_grpc_conf;

enum { LUN_GRPC_STREAM = 1 };      /* each connection has one request */

/* An upstream request in gRPC. */
typedef struct {
    lun_upreq_url          url;
    lun_frames             frames;
    nghttp2_hd_inflater   *inflater;
    int64_t                window;         /* the stream's, for what we send */
    int64_t                conn_window;
    int64_t                initial;        /* of streams, as SETTINGS say */
    int64_t                received;       /* of both windows, not given back */
    unsigned               controls;       /* frames that we had to answer */
    size_t                 block_size;     /* bytes of fields */
    int64_t                left;           /* of the body; -1: until its end */
    bool                   bodiless;       /* the request: HEADERS end it */
    bool                   in_trailers;
    bool                   header_done;
    bool                   ended;          /* the stream, by the server */
    bool                   ends;           /* ... with this frame */
} lun_grpc_state;

extern lun_http_module          lun_http_grpc;
extern const lun_upstream_protocol  lun_grpc_protocol;

/* --- grpc_request.c --- */

lun_rc lun_grpc_make(lun_upreq *x, lun_buf **head);
int64_t lun_grpc_frame(lun_upreq *x, int64_t size, bool last,
    lun_upreq_frame *f);

/* --- grpc_answer.c --- */

void lun_grpc_reset(lun_upreq *x);
void lun_grpc_free(void *state);
lun_upstream_verdict lun_grpc_read_header(lun_upreq *x, const char **pos,
    const char *end);
lun_upstream_verdict lun_grpc_read_body(lun_upreq *x, const char **pos,
    const char *end, lun_str *piece);

#endif

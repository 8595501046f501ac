/*
 * otel_priv.h -- what the files of the module share:
 *
 *     otel          whose requests are traced, headers, variables
 *     otel_conf     the exporter's directives
 *     otel_spans    what of a request becomes a span
 *     otel_export   batches of spans, and the way to a collector
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OTEL_PRIV_H
#define LUN_OTEL_PRIV_H

#include "client/http_client.h"
#include "http/module.h"
#include "http/accept/trace.h"

typedef struct lun_otel_exporter  lun_otel_exporter;

/* Of an http block. */
typedef struct {
    lun_str              url;      /* "": spans go nowhere */
    lun_otlp_form        form;
    int                  protocol; /* LUN_OTEL_...; AUTO while being read */
    lun_tls_file         trusted;
    lun_array            headers;  /* of lun_http_field */
    lun_msec             interval;
    size_t               batch_size;
    size_t               batch_count;
    lun_str              service_name;
    lun_array            resource; /* of lun_otlp_attr */
    lun_otlp_head        head;
    lun_otel_exporter   *exporter; /* this worker's; NULL: not yet */
} lun_otel;

enum {
    LUN_OTEL_AUTO,
    LUN_OTEL_GRPC,
    LUN_OTEL_HTTP_PROTOBUF,
    LUN_OTEL_HTTP_JSON
};

/* otel_trace_context: bits. */
enum {
    LUN_OTEL_EXTRACT = 1,
    LUN_OTEL_INJECT  = 2
};

typedef struct {
    lun_str      name;
    bool         is_list;          /* a header's: a list of one */
    lun_script  *value;
} lun_otel_attr;

/* Of a location. */
typedef struct {
    lun_script  *trace;            /* NULL: off */
    int          context;
    lun_script  *span_name;        /* NULL: the location's */
    lun_array   *attrs;            /* of lun_otel_attr; or NULL */
    uint32_t     inside;           /* LUN_TRACE_... */
} lun_otel_conf;

extern lun_http_module      lun_http_otel;
extern const lun_directive  lun_otel_directives[];
extern const lun_metric     lun_otel_metrics[];

/* Of the block that is read; made when it is asked for first. */
lun_otel *lun_otel_of(lun_conf *cf);

/* The block is read. */
lun_rc lun_otel_conf_finish(lun_conf *cf, lun_otel *otel);

/* --- spans --- */

/* The request is over, and sampled: its spans go to the exporter. */
void lun_otel_add_request(lun_otel *otel, lun_request *r, lun_trace *t);

/* --- the exporter --- */

/*
 * A worker's, made with its first span: waits for a batch to be full, or for
 * `interval`, and asks the collector to take it.
 */
void lun_otel_begin(lun_otel *otel, lun_generation *gen);

/* Where a span is written; NULL: there is no room, and it counts as dropped. */
lun_otlp *lun_otel_batch(lun_otel *otel);

/* It is written. */
void lun_otel_wrote(lun_otel *otel);

/* The worker was told to quit: what there is goes at once. */
void lun_otel_quit(lun_otel *otel);
/* It exits: connections to the collector are closed. */
void lun_otel_exit(lun_otel *otel);

#endif

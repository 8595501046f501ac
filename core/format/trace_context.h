/*
 * trace_context.h -- which trace a request is a part of, as its header says
 * (W3C Trace Context): traceparent and tracestate.  Pure.
 *
 *     traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *     tracestate: rojo=00f067aa0ba902b7,congo=t61rcWkgMzE
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_TRACE_CONTEXT_H
#define LUN_FORMAT_TRACE_CONTEXT_H

#include "base/str.h"

enum {
    LUN_TRACE_ID     = 16,         /* bytes */
    LUN_SPAN_ID      = 8,
    LUN_TRACE_PARENT = 55          /* of the text */
};

typedef struct {
    uint8_t  trace[LUN_TRACE_ID];
    uint8_t  span[LUN_SPAN_ID];    /* the sender's */
    bool     sampled;
} lun_trace_parent;

/*
 * ERROR: it is none, and *p untouched.  A version later than 00 is read as far
 * as that one goes; of flags only the lowest bit means anything.
 */
lun_rc lun_trace_parent_read(lun_str text, lun_trace_parent *p);

/* LUN_TRACE_PARENT bytes, of version 00; returns the end. */
char *lun_trace_parent_write(char *to, const lun_trace_parent *p);

/* Whether a tracestate is a list that may be passed on: up to 32 members. */
bool lun_trace_state_is_good(lun_str text);

#endif

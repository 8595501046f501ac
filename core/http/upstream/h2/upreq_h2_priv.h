/*
 * upreq_h2_priv.h -- what the files of upreq_h2 share: upreq_h2.c (a request
 * has a stream), upreq_h2_request.c, upreq_h2_answer.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_H2_PRIV_H
#define LUN_HTTP_UPREQ_H2_PRIV_H

#include "http/upstream/h2/upreq_h2.h"

/* Each of them has one in front. */
static inline lun_upreq_h2 *
lun_upreq_h2_of(const lun_upreq *x)
{
    return x->protocol_data;
}

#endif

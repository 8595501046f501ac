/*
 * gzip_priv.h -- who takes compressed answers: what gzip, gzip_static and
 * gunzip share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GZIP_PRIV_H
#define LUN_GZIP_PRIV_H

#include "http/module.h"

typedef struct {
    bool         on;
    bool         vary;
    int64_t      level;
    int64_t      window;           /* bits: deflate's */
    int64_t      hash;             /* its memory level */
    size_t       min_length;
    lun_bufs     buffers;
    lun_hash    *types;            /* NULL: every type */
    uint32_t     proxied;          /* LUN_GZIP_PROXIED_... */
    int          version;
    lun_array   *disable;          /* of lun_regex * */
} lun_gzip_conf;

/* gzip_proxied's words, and gzip_disable. */
extern const lun_enum  lun_gzip_proxied[];
lun_set_fn  lun_gzip_set_disable;

/* In a setter of another module: gzip's settings will be asked for. */
void lun_gzip_need(lun_conf *cf);

/* Whether the client takes it, and may have it. */
bool lun_gzip_accepted(lun_request *r);

/* Whether gzip_vary is on. */
bool lun_gzip_varies(const lun_request *r);

/* The answer depends on that: "Vary", once, if gzip_vary says so. */
void lun_gzip_vary(lun_request *r);

#endif

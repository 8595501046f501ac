/*
 * upreq_conf.h -- the settings that every module of an upstream request has:
 * part of its conf, and setters for its table.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_CONF_H
#define LUN_HTTP_UPREQ_CONF_H

#include "http/conf/core_conf.h"
#include "session/upstream/upstream_connect.h"
#include "session/upstream/upstream_tls.h"

/* Why another server is asked: NAME_next_upstream. */
enum {
    LUN_TRY_ERROR          = 0x0001,
    LUN_TRY_TIMEOUT        = 0x0002,
    LUN_TRY_INVALID_HEADER = 0x0004,
    LUN_TRY_500            = 0x0008,
    LUN_TRY_502            = 0x0010,
    LUN_TRY_503            = 0x0020,
    LUN_TRY_504            = 0x0040,
    LUN_TRY_403            = 0x0080,
    LUN_TRY_404            = 0x0100,
    LUN_TRY_429            = 0x0200,
    LUN_TRY_NON_IDEMPOTENT = 0x0400,
    LUN_TRY_UPDATING       = 0x0800,       /* of a cache */
    LUN_TRY_OFF            = 0x1000
};

/* NAME_ignore_headers. */
enum {
    LUN_IGNORE_REDIRECT      = 0x0001,
    LUN_IGNORE_EXPIRES       = 0x0002,
    LUN_IGNORE_LIMIT_RATE    = 0x0004,
    LUN_IGNORE_BUFFERING     = 0x0008,
    LUN_IGNORE_CHARSET       = 0x0010,
    LUN_IGNORE_CACHE         = 0x0020      /* what only a cache looks at */
};

/* A name and its hash, of NAME_hide_header and _pass_header. */
typedef struct {
    lun_str       name;
    uint32_t      hash;
} lun_header_name;

typedef struct {
    lun_msec      connect_timeout;
    lun_msec      send_timeout;
    lun_msec      read_timeout;
    uint32_t      next_upstream;           /* LUN_TRY_... */
    lun_msec      next_timeout;            /* 0: no limit */
    int64_t       next_tries;              /* 0: no limit */

    bool          buffering;
    bool          request_buffering;
    bool          ignore_client_abort;
    bool          intercept_errors;
    bool          socket_keepalive;
    bool          force_ranges;
    bool          pass_trailers;
    bool          pass_request_headers;
    bool          pass_request_body;
    uint32_t      ignore_headers;          /* LUN_IGNORE_... */

    size_t        buffer_size;
    lun_bufs      buffers;
    size_t        busy_asked;              /* 0: two buffers */
    size_t        busy_size;
    size_t        max_temp_size;
    size_t        temp_write_asked;        /* 0: two buffers */
    size_t        temp_write_size;
    lun_temp_path *temp_path;
    lun_script   *limit_rate;              /* NULL: none */
    lun_upstream_bind *bind;               /* NULL: the system chooses */
    lun_upstream_tls tls;

    lun_array    *hide;                    /* of lun_str: what was asked for */
    lun_array    *pass;
    lun_array     hidden;                  /* of lun_header_name: both, and
                                              what is hidden unless asked */
} lun_upreq_conf;

extern const lun_enum  lun_upreq_tries[], lun_upreq_ignores[];
lun_set_fn  lun_set_upreq_names;       /* lun_array *: one more lun_str */

/* After inheritance; `hidden` ends with an empty name. */
lun_rc lun_upreq_finish_conf(lun_conf *cf, const char *name,
    lun_upreq_conf *conf, const lun_str *hidden);

#endif

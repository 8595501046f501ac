/*
 * upreq_conf.h -- the settings that every module of an upstream request has:
 * part of its conf, and setters for its table.  upreq_rows.h has the rows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_CONF_H
#define LUN_HTTP_UPREQ_CONF_H

#include "http/conf/core_conf.h"
#include "http/upstream/upreq_store.h"
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
    LUN_TRY_OFF            = 0x1000,
    LUN_TRY_DENIED         = 0x2000        /* NAME_allow_upstream */
};

/* NAME_ignore_headers. */
enum {
    LUN_IGNORE_REDIRECT      = 0x0001,
    LUN_IGNORE_EXPIRES       = 0x0002,
    LUN_IGNORE_LIMIT_RATE    = 0x0004,
    LUN_IGNORE_BUFFERING     = 0x0008,
    LUN_IGNORE_CHARSET       = 0x0010,
    LUN_IGNORE_CACHE_CONTROL = 0x0020,     /* what only a cache looks at */
    LUN_IGNORE_EXPIRES_FIELD = 0x0040,
    LUN_IGNORE_SET_COOKIE    = 0x0080,
    LUN_IGNORE_VARY          = 0x0100
};

/* A name and its hash, of NAME_hide_header and _pass_header. */
typedef struct {
    lun_str       name;
    uint32_t      hash;
} lun_header_name;

enum { LUN_UPREQ_HOOKS = 4 };

/* Who has a say in requests of a conf: upreq_hooks.h. */
typedef struct {
    const lun_upreq_hooks  *hooks;
    const void             *conf;          /* theirs */
} lun_upreq_hook;

/* How a block itself says that answers are kept: in one way, if at all. */
typedef enum {
    LUN_UPREQ_KEEPS_NOTHING,
    LUN_UPREQ_KEEPS_FILES,                 /* NAME_store */
    LUN_UPREQ_KEEPS_CACHE                  /* NAME_cache */
} lun_upreq_keeping;

typedef struct lun_upreq_conf {
    lun_upreq_hook     hooks[LUN_UPREQ_HOOKS];     /* in this order */
    unsigned           hook_count;
    lun_upreq_keeping  keeps;
    lun_msec      connect_timeout;
    lun_msec      send_timeout;
    lun_msec      read_timeout;
    uint32_t      next_upstream;           /* LUN_TRY_... */
    lun_msec      next_timeout;            /* 0: no limit */
    int64_t       next_tries;              /* 0: no limit */
    bool          buffering;
    bool          request_buffering;
    bool          ignore_client_abort;
    bool          intercept_404;           /* its 404 has no page: ours */
    bool          intercept_errors;
    bool          socket_keepalive;
    size_t        socket_rcvbuf;           /* 0: as the system has it */
    size_t        socket_sndbuf;
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
    bool          bind_dynamic;            /* ... asked for each server */
    lun_array    *allow;                   /* of lun_script *: a server is
                                              asked if all are true */
    lun_upstream_tls tls;
    lun_upreq_store *store;                /* NULL: off */
    int64_t       store_access;

    lun_array    *hide;                    /* of lun_str: what was asked for */
    lun_array    *pass;
    lun_array     hidden;                  /* of lun_header_name: both, and
                                              what is hidden unless asked */
    uint64_t      hidden_bits;             /* of their hashes, */
    uint64_t      hidden_known;            /* ... by their lun_hout */
} lun_upreq_conf;

extern const lun_enum  lun_upreq_tries[], lun_upreq_ignores[];
lun_set_fn  lun_set_upreq_names;       /* lun_array *: one more lun_str */

/*
 * In a module's init, for "proxy": the folder NAME_temp, where the top conf
 * leaves it at that.  Workers may not make a folder where the master may.
 */
void lun_upreq_want_folder(lun_conf *cf, const lun_upreq_conf *top,
    const char *name);

/*
 * After inheritance, for "proxy"; `hidden` ends with an empty name, or is NULL.
 * Without LUN_UPSTREAM_BODY_ROWS (buffers.num 0) an answer is not buffered.
 */
lun_rc lun_upreq_finish_conf(lun_conf *cf, const char *name,
    lun_upreq_conf *conf, const lun_str *hidden);

/*
 * In a module's `inherited`, after lun_upreq_finish_conf(): these have a say,
 * after those that have one; or none any more.
 */
void lun_upreq_hook_in(lun_upreq_conf *conf, const lun_upreq_hooks *hooks,
    const void *own);
void lun_upreq_hook_out(lun_upreq_conf *conf, const lun_upreq_hooks *hooks);
/* What they came in with; NULL: they are not there. */
const void *lun_upreq_hook_conf(const lun_upreq_conf *conf,
    const lun_upreq_hooks *hooks);

/* In the setter of a directive that says so; ERROR: another says otherwise. */
lun_rc lun_upreq_keep(lun_conf *cf, lun_upreq_conf *conf,
    lun_upreq_keeping how);

#endif

/*
 * upreq_conf.h -- the settings that every module of an upstream request has:
 * part of its conf, and setters for its table.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_CONF_H
#define LUN_HTTP_UPREQ_CONF_H

#include "http/cache/cache_conf.h"
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

typedef struct lun_upreq_conf {
    const lun_upreq_hooks  *hooks;         /* upreq_hooks.h; NULL: none */
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
    lun_cache_conf cache;
    lun_upreq_store *store;                /* NULL: off */
    int64_t       store_access;

    lun_array    *hide;                    /* of lun_str: what was asked for */
    lun_array    *pass;
    lun_array     hidden;                  /* of lun_header_name: both, and
                                              what is hidden unless asked */
} lun_upreq_conf;

extern const lun_enum  lun_upreq_tries[], lun_upreq_ignores[];
lun_set_fn  lun_set_upreq_names;       /* lun_array *: one more lun_str */

/*
 * Rows of a directive table: `prefix` is "proxy_", `up` the lun_upreq_conf in
 * a conf of `type`.  LUN_UPSTREAM_ROWS has all that protocols share; one that
 * has only some of them takes those in parts, and sets the other members
 * before lun_upreq_finish_conf().
 */
#define LUN_UPSTREAM_ROW(prefix, name_, type, member, set_)                   \
    .name = prefix name_, .where = LUN_HTTP_LEVELS, .set = set_,              \
    LUN_FIELD(type, member)

/* The connection, and other servers; `tries`: the words of next_upstream. */
#define LUN_UPSTREAM_CONN_ROWS(prefix, type, up)                              \
    LUN_UPSTREAM_CONN_ROWS_OF(prefix, type, up, lun_upreq_tries, "4k")

/* ... `buffer`: the usual size of the first one. */
#define LUN_UPSTREAM_CONN_ROWS_OF(prefix, type, up, tries, buffer)            \
    { LUN_UPSTREAM_ROW(prefix, "bind", type, up.bind,                         \
                       lun_set_upstream_bind),                                \
      .help = "local address of connections to servers",                      \
      .args = 1, .args_max = 2 },                                             \
    { LUN_UPSTREAM_ROW(prefix, "bind_dynamic", type, up.bind_dynamic,         \
                       lun_set_flag),                                         \
      .help = "whether that is evaluated for each server that is asked",      \
      .args = 1, .fallback = "off" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "allow_upstream", type, up.allow,              \
                       lun_set_scripts),                                      \
      .help = "a server is asked only if all of these are true",              \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true },                 \
    { LUN_UPSTREAM_ROW(prefix, "socket_keepalive", type,                      \
                       up.socket_keepalive, lun_set_flag),                    \
      .help = "TCP keepalive on connections to servers",                      \
      .args = 1, .fallback = "off" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "socket_rcvbuf", type, up.socket_rcvbuf,       \
                       lun_set_size),                                         \
      .help = "the system's buffer for what servers send",                    \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "socket_sndbuf", type, up.socket_sndbuf,       \
                       lun_set_size),                                         \
      .help = "the system's buffer for what is sent to servers",              \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "connect_timeout", type, up.connect_timeout,   \
                       lun_set_msec),                                         \
      .help = "how long connecting to a server may take",                     \
      .args = 1, .fallback = "60s" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "send_timeout", type, up.send_timeout,         \
                       lun_set_msec),                                         \
      .help = "how long a server may take no more of a request",              \
      .args = 1, .fallback = "60s" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "read_timeout", type, up.read_timeout,         \
                       lun_set_msec),                                         \
      .help = "how long a server may send no more of an answer",              \
      .args = 1, .fallback = "60s" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "buffer_size", type, up.buffer_size,           \
                       lun_set_size),                                         \
      .help = "room for the header of an answer",                             \
      .args = 1, .fallback = buffer },                                        \
    { LUN_UPSTREAM_ROW(prefix, "next_upstream", type, up.next_upstream,       \
                       lun_set_bits),                                         \
      .help = "when another server is asked",                                 \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .fallback = "error timeout", .data = tries },                           \
    { LUN_UPSTREAM_ROW(prefix, "next_upstream_tries", type, up.next_tries,    \
                       lun_set_num),                                          \
      .help = "how many servers are asked, 0 for all",                        \
      .args = 1, .fallback = "0" },                                           \
    { LUN_UPSTREAM_ROW(prefix, "next_upstream_timeout", type,                 \
                       up.next_timeout, lun_set_msec),                        \
      .help = "how long servers are asked, 0 without end",                    \
      .args = 1, .fallback = "0" }

/* The answer's header. */
#define LUN_UPSTREAM_HEADER_ROWS(prefix, type, up)                            \
    { LUN_UPSTREAM_ROW(prefix, "hide_header", type, up.hide,                  \
                       lun_set_upreq_names),                                  \
      .help = "a field of answers that clients do not get",                   \
      .args = 1, .repeats = true },                                           \
    { LUN_UPSTREAM_ROW(prefix, "pass_header", type, up.pass,                  \
                       lun_set_upreq_names),                                  \
      .help = "a field of answers that clients get all the same",             \
      .args = 1, .repeats = true },                                           \
    { LUN_UPSTREAM_ROW(prefix, "ignore_headers", type, up.ignore_headers,     \
                       lun_set_bits),                                         \
      .help = "fields of answers that are not obeyed",                        \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .data = lun_upreq_ignores },                                            \
    { LUN_UPSTREAM_ROW(prefix, "intercept_errors", type,                      \
                       up.intercept_errors, lun_set_flag),                    \
      .help = "own error pages in place of errors of servers",                \
      .args = 1, .fallback = "off" }

/* What is sent of a request, and the body of the answer. */
#define LUN_UPSTREAM_BODY_ROWS(prefix, type, up)                              \
    { LUN_UPSTREAM_ROW(prefix, "pass_request_headers", type,                  \
                       up.pass_request_headers, lun_set_flag),                \
      .help = "whether servers get the client's header",                      \
      .args = 1, .fallback = "on" },                                          \
    { LUN_UPSTREAM_ROW(prefix, "pass_request_body", type,                     \
                       up.pass_request_body, lun_set_flag),                   \
      .help = "whether servers get the client's body",                        \
      .args = 1, .fallback = "on" },                                          \
    { LUN_UPSTREAM_ROW(prefix, "request_buffering", type,                     \
                       up.request_buffering, lun_set_flag),                   \
      .help = "whether a body is read before it is sent",                     \
      .args = 1, .fallback = "on" },                                          \
    { LUN_UPSTREAM_ROW(prefix, "ignore_client_abort", type,                   \
                       up.ignore_client_abort, lun_set_flag),                 \
      .help = "whether a client that leaves ends nothing",                    \
      .args = 1, .fallback = "off" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "buffering", type, up.buffering,               \
                       lun_set_flag),                                         \
      .help = "whether servers need not wait for clients",                    \
      .args = 1, .fallback = "on" },                                          \
    { LUN_UPSTREAM_ROW(prefix, "buffers", type, up.buffers, lun_set_bufs),    \
      .help = "number and size of the buffers of an answer",                  \
      .args = 2, .fallback = "8 8k" },                                        \
    { LUN_UPSTREAM_ROW(prefix, "busy_buffers_size", type, up.busy_asked,      \
                       lun_set_size),                                         \
      .help = "how much of them may wait for the client",                     \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "max_temp_file_size", type,                    \
                       up.max_temp_size, lun_set_size),                       \
      .help = "how large a temporary file becomes, 0: none",                  \
      .args = 1, .fallback = "1024m" },                                       \
    { LUN_UPSTREAM_ROW(prefix, "temp_file_write_size", type,                  \
                       up.temp_write_asked, lun_set_size),                    \
      .help = "how much is written to it at once",                            \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "temp_path", type, up.temp_path,               \
                       lun_set_temp_path),                                    \
      .help = "where temporary files are made",                               \
      .args = 1, .args_max = 4, .fallback = prefix "temp" },                  \
    { LUN_UPSTREAM_ROW(prefix, "limit_rate", type, up.limit_rate,             \
                       lun_set_script),                                       \
      .help = "bytes per second that are read of an answer",                  \
      .args = 1 },                                                            \
    { LUN_UPSTREAM_ROW(prefix, "force_ranges", type, up.force_ranges,         \
                       lun_set_flag),                                         \
      .help = "ranges of answers that do not offer any",                      \
      .args = 1, .fallback = "off" }

#define LUN_UPSTREAM_ROWS(prefix, type, up)                                   \
    LUN_UPSTREAM_CONN_ROWS(prefix, type, up),                                 \
    LUN_UPSTREAM_HEADER_ROWS(prefix, type, up),                               \
    LUN_UPSTREAM_BODY_ROWS(prefix, type, up),                                 \
    LUN_UPSTREAM_STORE_ROWS(prefix, type, up),                                \
    LUN_CACHE_ROWS(prefix, type, up.cache)

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

#endif

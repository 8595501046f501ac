/*
 * upreq_rows.h -- directives that modules with upstream requests have alike, as
 * rows of their tables; upreq_conf.h has what they set.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_UPREQ_ROWS_H
#define LUN_HTTP_UPREQ_ROWS_H

#include "http/upstream/upreq_conf.h"

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
      .values = "address[:port] [transparent] | off",                         \
      .help = "local address of connections to servers",                      \
      .args = 1, .args_max = 2 },                                             \
    { LUN_UPSTREAM_ROW(prefix, "bind_dynamic", type, up.bind_dynamic,         \
                       lun_set_flag),                                         \
      .help = "whether that is evaluated for each server that is asked",      \
      .args = 1, .fallback = "off" },                                         \
    { LUN_UPSTREAM_ROW(prefix, "allow_upstream", type, up.allow,              \
                       lun_set_scripts),                                      \
      .values = "string ...",                                                 \
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
      .values = "field",                                                      \
      .help = "a field of answers that clients do not get",                   \
      .args = 1, .repeats = true },                                           \
    { LUN_UPSTREAM_ROW(prefix, "pass_header", type, up.pass,                  \
                       lun_set_upreq_names),                                  \
      .values = "field",                                                      \
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
      .values = "path [level1 [level2 [level3]]]",                            \
      .help = "where temporary files are made",                               \
      .args = 1, .args_max = 4, .fallback = prefix "temp" },                  \
    { LUN_UPSTREAM_ROW(prefix, "limit_rate", type, up.limit_rate,             \
                       lun_set_size_script),                                  \
      .values = "rate",                                                       \
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
    LUN_UPSTREAM_STORE_ROWS(prefix, type, up)

#endif

/*
 * cache_conf.h -- where a cache is (NAME_cache_path), and what a block says of
 * using one: a module's conf has it beside the lun_upreq_conf.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_CACHE_CONF_H
#define LUN_HTTP_CACHE_CONF_H

#include "cache/cache_index.h"
#include "cache/cache_rules.h"
#include "http/upstream/upreq_conf.h"

/* Answers by cache and status: the first row has these labels. */
extern const lun_metric  lun_cache_metrics[];

#define LUN_CACHE_ASIDE  ".aside"

/* A cache; a generation has its own of each. */
typedef struct {
    lun_zone     *zone;            /* the index; zone->data is this */
    lun_str       path;            /* without a slash at its end */
    lun_str       file;            /* where that is said */
    unsigned      line;
    int           levels[3];
    bool          use_temp_path;   /* of no effect: see aside */
    lun_str       asides;          /* a folder in it, on the same disk, where
                                      each process has one of its own: */
    lun_temp_path aside;           /* where files are written */
    int64_t       inactive;        /* seconds */
    int64_t       max_size;        /* bytes */
    int64_t       min_free;        /* bytes of the disk; 0: any */
    int64_t       loader_files;
    lun_msec      loader_sleep, loader_threshold;
    int64_t       manager_files;
    lun_msec      manager_sleep, manager_threshold;
    uint32_t      answers_at;      /* cells, by lun_cache_status */
    uint32_t      bytes_at;        /* cache_vars.c's: three for each */
    struct lun_duty *duty;         /* loading and cleaning it */
    lun_loop     *loop;            /* of a worker that serves, or NULL */
    lun_timer     idle;            /* of it: files that nobody reads */
} lun_cache;

typedef struct {
    lun_script   *zone;            /* NULL: off */
    lun_cache    *fixed;           /* it has no variables: that one */
    lun_script   *key;             /* NULL: none, and nothing is kept */
    bool          usual_key;       /* its protocol has one, see upreq.h */
    lun_array    *valid;           /* of lun_cache_valid */
    lun_array    *bypass;          /* of lun_script *, as all below */
    lun_array    *no_cache;
    lun_array    *purge;
    uint32_t      methods;
    uint32_t      use_stale;       /* LUN_TRY_... */
    int64_t       min_uses;
    int64_t       max_range;       /* -1: no limit */
    bool          lock;
    lun_msec      lock_timeout;
    lun_msec      lock_age;
    bool          revalidate;
    bool          convert_head;
    bool          background_update;
    bool          header;          /* Cache-Status is added */
} lun_cache_conf;

lun_set_fn  lun_set_cache_path, lun_set_cache_zone, lun_set_cache_valid,
            lun_set_cache_methods, lun_set_cache_use_stale,
            lun_set_cache_max_range;
extern const lun_enum  lun_cache_stales[], lun_cache_methods[];

#define LUN_CACHE_ROW(prefix, name_, type, member, set_)                      \
    .name = prefix name_, .where = LUN_HTTP_LEVELS, .set = set_,              \
    LUN_FIELD(type, member)

/*
 * Rows of a directive table: `prefix` is "proxy_", `c` the lun_cache_conf and
 * `up` the lun_upreq_conf in a conf of `type`.
 */
#define LUN_CACHE_ROWS(prefix, type, c, up)                                   \
    { .name = prefix "cache_path", .where = LUN_HTTP, .args = 2,              \
      .args_max = LUN_ARGS_ANY, .repeats = true,                              \
      .set = lun_set_cache_path,                                              \
      .values = "path [levels=levels] keys_zone=name:size [inactive=time] "   \
                "[max_size=size] [min_free=size] [use_temp_path=on|off] "     \
                "[manager_files=number] [manager_sleep=time] "                \
                "[manager_threshold=time] [loader_files=number] "             \
                "[loader_sleep=time] [loader_threshold=time] "                \
                "[purger=on|off]",                                            \
      .help = "where the files of a cache are, and the zone of its keys" },   \
    { LUN_CACHE_ROW(prefix, "cache", type, c.zone, lun_set_cache_zone),       \
      .args = 1, .data = &(const size_t) { offsetof(type, up) },              \
      .values = "zone | off",                                                 \
      .help = "the cache that keeps answers, by the name of its zone" },      \
    { LUN_CACHE_ROW(prefix, "cache_key", type, c.key, lun_set_script),        \
      .args = 1,                                                              \
      .values = "string",                                                     \
      .help = "what an answer is kept by" },                                  \
    { LUN_CACHE_ROW(prefix, "cache_valid", type, c.valid,                     \
                    lun_set_cache_valid),                                     \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .values = "[code ...] time",                                            \
      .help = "how long answers with a status are kept" },                    \
    { LUN_CACHE_ROW(prefix, "cache_bypass", type, c.bypass,                   \
                    lun_set_scripts),                                         \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .values = "string ...",                                                 \
      .help = "asks the server if one of these is true, keeps its answer" },  \
    { LUN_CACHE_ROW(prefix, "no_cache", type, c.no_cache,                     \
                    lun_set_scripts),                                         \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .values = "string ...",                                                 \
      .help = "does not keep an answer if one of these is true" },            \
    { LUN_CACHE_ROW(prefix, "cache_purge", type, c.purge,                     \
                    lun_set_scripts),                                         \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .values = "string ...",                                                 \
      .help = "drops the key, or all that begin so (*), if one is true" },    \
    { LUN_CACHE_ROW(prefix, "cache_methods", type, c.methods,                 \
                    lun_set_cache_methods),                                   \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .fallback = "GET",                                                      \
      .data = lun_cache_methods,                                              \
      .values = "GET | HEAD | POST ...",                                      \
      .help = "requests with these methods are looked up" },                  \
    { LUN_CACHE_ROW(prefix, "cache_use_stale", type, c.use_stale,             \
                    lun_set_cache_use_stale),                                 \
      .args = 1, .args_max = LUN_ARGS_ANY, .repeats = true,                   \
      .data = lun_cache_stales,                                               \
      .values = "error | timeout | invalid_header | updating | http_500 | "   \
                "http_502 | http_503 | http_504 | http_403 | http_404 | "     \
                "http_429 | off ...",                                         \
      .help = "when an answer that is over is sent all the same" },           \
    { LUN_CACHE_ROW(prefix, "cache_min_uses", type, c.min_uses,               \
                    lun_set_num), .args = 1, .fallback = "1",                 \
      .help = "keeps what was asked for as often as this" },                  \
    { LUN_CACHE_ROW(prefix, "cache_max_range_offset", type, c.max_range,      \
                    lun_set_cache_max_range), .args = 1,                      \
      .fallback = "9223372036854775807",                                      \
      .values = "size",                                                       \
      .help = "ranges that begin behind it go to the server" },               \
    { LUN_CACHE_ROW(prefix, "cache_lock", type, c.lock, lun_set_flag),        \
      .args = 1, .fallback = "off",                                           \
      .help = "of equal requests one asks the server, the others wait" },     \
    { LUN_CACHE_ROW(prefix, "cache_lock_timeout", type, c.lock_timeout,       \
                    lun_set_msec), .args = 1, .fallback = "5s",               \
      .help = "how long they wait" },                                         \
    { LUN_CACHE_ROW(prefix, "cache_lock_age", type, c.lock_age,               \
                    lun_set_msec), .args = 1, .fallback = "5s",               \
      .help = "after so long another one of them asks, too" },                \
    { LUN_CACHE_ROW(prefix, "cache_revalidate", type, c.revalidate,           \
                    lun_set_flag), .args = 1, .fallback = "off",              \
      .help = "asks whether what is over has changed" },                      \
    { LUN_CACHE_ROW(prefix, "cache_background_update", type,                  \
                    c.background_update, lun_set_flag),                       \
      .args = 1, .fallback = "off",                                           \
      .help = "sends what is over, and fetches it anew behind that" },        \
    { LUN_CACHE_ROW(prefix, "cache_status_header", type, c.header,            \
                    lun_set_flag), .args = 1, .fallback = "off",              \
      .help = "says what the cache did in Cache-Status (RFC 9211)" }

/* Of a protocol that has `converts_head`. */
#define LUN_CACHE_HEAD_ROW(prefix, type, c)                                   \
    { LUN_CACHE_ROW(prefix, "cache_convert_head", type, c.convert_head,       \
                    lun_set_flag), .args = 1, .fallback = "on",               \
      .help = "fetches with GET for a HEAD" }

/*
 * After lun_upreq_finish_conf() of `up`, for "proxy": requests of that are
 * looked up.  A protocol may have set its usual key before.
 */
lun_rc lun_cache_finish_conf(lun_conf *cf, const char *name,
    lun_cache_conf *conf, lun_upreq_conf *up);

/*
 * The cache that a request is to use, NULL: none.  ERROR: logged, there is
 * none of that name.
 */
lun_rc lun_cache_of(lun_session *s, lun_generation *gen,
    const lun_cache_conf *conf, lun_cache **cache);

#endif

/*
 * compress_priv.h -- filters that compress answers as they pass: gzip, brotli
 * and zstd are three codecs of one filter; and who takes compressed answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_COMPRESS_PRIV_H
#define LUN_COMPRESS_PRIV_H

#include "http/conf/core_conf.h"
#include "http/filter_buf.h"
#include "http/module.h"

/* What every codec's settings begin with. */
typedef struct {
    bool         on;
    int64_t      level;
    int64_t      window;           /* bits: how far back it looks */
    size_t       min_length;
    lun_bufs     buffers;
    lun_hash    *types;            /* NULL: every type */
    uint32_t     proxied;          /* lun_compress_proxied */
} lun_compress_conf;

typedef struct {
    lun_compress_conf  c;
    bool               vary;
    int64_t            hash;       /* deflate's memory level */
    int                version;
    lun_array         *disable;    /* of lun_regex * */
} lun_gzip_conf;

typedef enum { LUN_COMPRESS_MORE, LUN_COMPRESS_FLUSH, LUN_COMPRESS_END }
    lun_compress_how;

/* One answer's; a codec's own begins with it, all zero. */
typedef struct {
    const struct lun_codec  *codec;
    lun_filter_buf           out;
    int64_t                  taken, given;     /* bytes */
    bool                     open;
} lun_compressor;

/* What a step may use, and what it leaves of that. */
typedef struct {
    const char  *in;
    size_t       in_left;
    char        *out;
    size_t       out_left;         /* more than none */
} lun_compress_io;

typedef struct lun_codec {
    lun_str           encoding;    /* of Accept-Encoding, Content-Encoding */
    size_t            size;        /* of the struct around lun_compressor */
    lun_filter        filter;      /* .module is its module */
    bool            (*accepted)(lun_request *r);

    /*
     * Begins; length is the answer's, or -1.  ERROR: logged, nothing to end.
     */
    lun_rc          (*start)(lun_compressor *s, const lun_compress_conf *conf,
                             int64_t length);

    /*
     * Uses up input while there is room; with FLUSH or END it also says what
     * that asks for, until *more is false.  With MORE it is false as soon as
     * the room was not needed.  ERROR: logged.
     */
    lun_rc          (*step)(lun_compressor *s, lun_compress_io *io,
                            lun_compress_how how, bool *more);
    void            (*end)(lun_compressor *s);
} lun_codec;

/* What a codec's module has for hooks. */
lun_rc lun_compress_header(lun_request *r, const lun_codec *codec);
lun_rc lun_compress_body(lun_request *r, const lun_codec *codec, lun_buf *in);

/* For .filter. */
lun_filter_take_fn  lun_compress_take;
lun_filter_close_fn  lun_compress_close;

/* Variables; data is the codec. */
lun_var_get_fn  lun_compress_get_ratio;
lun_var_get_fn  lun_compress_get_taken;
lun_var_get_fn  lun_compress_get_given;

/* Bits of a window that is no larger than an answer of that length needs. */
int64_t lun_compress_window(int64_t bits, int64_t least, int64_t length);

/*
 * The rows that all have; type begins with lun_compress_conf c, where what
 * its flag may stand in besides the usual levels.
 */
#define LUN_COMPRESS_ROWS(prefix, type, set_on, proxied_)                     \
    { .name = prefix, .where = LUN_HTTP_LEVELS | LUN_LOCATION_IF, .args = 1,  \
      .set = set_on, LUN_FIELD(type, c.on), .fallback = "off",                \
      .values = "on | off",                                                   \
      .help = "compresses answers" },                                         \
    { .name = prefix "_min_length", .where = LUN_HTTP_LEVELS, .args = 1,      \
      .set = lun_set_size, LUN_FIELD(type, c.min_length), .fallback = "20",   \
      .help = "shorter answers are left alone" },                             \
    { .name = prefix "_buffers", .where = LUN_HTTP_LEVELS, .args = 2,         \
      .set = lun_set_bufs, LUN_FIELD(type, c.buffers),                        \
      .fallback = "32 4k", .help = "number and size of its buffers" },        \
    { .name = prefix "_types", .where = LUN_HTTP_LEVELS, .args = 1,           \
      .args_max = LUN_ARGS_ANY, .repeats = true,                              \
      .set = lun_set_media_types,                                             \
      LUN_FIELD(type, c.types), .fallback = "text/html",                      \
      .values = "mime-type ...",                                              \
      .help = "types that are compressed" },                                  \
    { .name = prefix "_proxied", .where = LUN_HTTP_LEVELS, .args = 1,         \
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = lun_set_bits,         \
      LUN_FIELD(type, c.proxied), .data = lun_compress_proxied,               \
      .fallback = proxied_,                                                   \
      .help = "which answers to proxies are compressed" }

/* A level from the row's least to its most; the field is c.level. */
lun_rc lun_compress_set_level(lun_conf *cf, const lun_directive *d,
    void *data, int64_t least, int64_t most);

/* The flag of a codec whose Vary is gzip_vary's. */
lun_set_fn  lun_compress_set_on;

/* gzip_proxied's words, and gzip_disable. */
extern const lun_enum  lun_compress_proxied[];
lun_set_fn  lun_gzip_set_disable;

/* In a setter of another module: gzip's settings will be asked for. */
void lun_gzip_need(lun_conf *cf);

/*
 * Whether the client takes that encoding; what becomes a part of another
 * answer is compressed with that.
 */
bool lun_compress_is_taken(const lun_request *r, lun_str encoding);

/* The same, and if it is a proxy, may have it: `to` of lun_compress_proxied. */
bool lun_compress_accepted(lun_request *r, lun_str encoding, uint32_t to);

/* The same of gzip, for which there are more conditions. */
bool lun_gzip_accepted(lun_request *r);

/* Whether gzip_vary is on. */
bool lun_gzip_varies(const lun_request *r);

/* The answer depends on that: "Vary", once, if gzip_vary says so. */
void lun_gzip_vary(lun_request *r);

#endif

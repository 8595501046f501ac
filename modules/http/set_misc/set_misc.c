/*
 * set_misc.c -- OpenResty's set-misc: variables set to what functions make.
 *
 *     set_unescape_uri $name $arg_name;      set_md5 $name;
 *     set_if_empty $name "nobody";           set_random $n 1 6;
 *
 * All are instructions of a block, in their turn among `set`, `if` and the
 * others (http/rewrite.h).  Those of one text are http/rewrite.h's text
 * functions; the others are a row with a function of their arguments.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/set_misc/set_misc_priv.h"

#include "base/digest.h"
#include "os/clock.h"
#include "os/random.h"


/* set_rotate: what it set last in a block. */
struct lun_misc_rotor {
    bool      set;
    uint64_t  last;
};

typedef struct misc_code  misc_code;
typedef lun_verdict misc_fn(lun_request *r, const misc_code *c,
    const lun_str *args);

struct misc_code {
    misc_fn         *run;
    unsigned         index;        /* of the variable */
    size_t           count;
    lun_script     **args;         /* behind it */
    lun_misc_rotor  *rotor;
};

/* A row's .data. */
typedef struct {
    misc_fn  *run;
} misc_kind;


/* --- the functions ------------------------------------------------------- */

static lun_verdict
give(lun_request *r, const misc_code *c, lun_str text)
{
    lun_var_set(&r->session, c->index, text);
    return LUN_NEXT;
}


static lun_verdict
give_number(lun_request *r, const misc_code *c, uint64_t n)
{
    return give(r, c, lun_pool_fmt(r->pool, "%" PRIu64, n));
}


static lun_verdict
if_empty(lun_request *r, const misc_code *c, const lun_str *args)
{
    if (lun_var_get_fresh(&r->session, c->index)->text.len != 0) {
        return LUN_NEXT;
    }

    return give(r, c, args[0]);
}


static lun_verdict
hmac_sha1(lun_request *r, const misc_code *c, const lun_str *args)
{
    char  *sum = lun_pool_text(r->pool, LUN_SHA1_SIZE);

    lun_hmac_sha1(args[0], args[1], (unsigned char *) sum);
    return give(r, c, lun_str_of(sum, LUN_SHA1_SIZE));
}


static lun_verdict
hmac_sha256(lun_request *r, const misc_code *c, const lun_str *args)
{
    char  *sum = lun_pool_text(r->pool, LUN_SHA256_SIZE);

    lun_hmac_sha256(args[0], args[1], (unsigned char *) sum);
    return give(r, c, lun_str_of(sum, LUN_SHA256_SIZE));
}


/* Numbers that fit an int. */
static lun_rc
read_number(lun_str text, uint64_t *n)
{
    return lun_str_to_u64(text, n) == LUN_OK && *n <= INT32_MAX ? LUN_OK
                                                                : LUN_ERROR;
}


/* Without the bias of a plain remainder, which 64 bits make imperceptible. */
static uint64_t
random_below(uint64_t limit)
{
    uint64_t  n;

    lun_random_bytes(&n, sizeof(n));
    return n % limit;
}


static lun_verdict
random_number(lun_request *r, const misc_code *c, const lun_str *args)
{
    size_t               i;
    uint64_t             at[2];
    static const char   *names[] = { "from", "to" };

    for (i = 0; i < 2; i++) {
        if (read_number(args[i], &at[i]) != LUN_OK) {
            lun_log(LUN_LOG_ERR, r->log, 0, "set_random: bad \"%s\" argument: "
                    "%.*s", names[i], LUN_S(args[i]));
            return LUN_STATUS + 500;
        }
    }

    return give_number(r, c, lun_min(at[0], at[1])
                             + random_below(lun_max(at[0], at[1])
                                            - lun_min(at[0], at[1]) + 1));
}


static lun_rc
random_text(lun_request *r, lun_pool *pool, lun_str length, lun_str *out,
    size_t letters)
{
    char               *text;
    uint64_t            i, n;
    static const char   alphabet[] = "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    if (read_number(length, &n) != LUN_OK || n < 1 || n > 64) {
        if (r != NULL) {
            lun_log(LUN_LOG_ERR, r->log, 0, "set_random: bad \"length\" "
                    "argument: %.*s", LUN_S(length));
        }

        return LUN_ERROR;
    }

    text = lun_pool_text(pool, (size_t) n);

    for (i = 0; i < n; i++) {
        text[i] = alphabet[random_below(letters)];
    }

    *out = lun_str_of(text, (size_t) n);
    return LUN_OK;
}


static lun_rc
random_alphanum(lun_request *r, lun_pool *pool, lun_str length, lun_str *out)
{
    return random_text(r, pool, length, out, 62);
}


static lun_rc
random_lcalpha(lun_request *r, lun_pool *pool, lun_str length, lun_str *out)
{
    return random_text(r, pool, length, out, 26);
}


/* The value that is to be counted up: the variable's, or the block's. */
static bool
rotate_from(lun_request *r, const misc_code *c, lun_str text, uint64_t *n)
{
    if (text.len != 0) {
        if (read_number(text, n) == LUN_OK) {
            return true;
        }

        lun_log(LUN_LOG_ERR, r->log, 0, "set_rotate: bad current value: "
                "\"%.*s\"", LUN_S(text));
    }

    *n = c->rotor->last;
    return c->rotor->set;
}


static lun_verdict
rotate(lun_request *r, const misc_code *c, const lun_str *args)
{
    size_t              i;
    lun_str             text = lun_var_get_fresh(&r->session, c->index)->text;
    uint64_t            n, at[2], from, to;
    static const char  *names[] = { "from", "to" };

    for (i = 0; i < 2; i++) {
        if (read_number(args[i], &at[i]) != LUN_OK) {
            lun_log(LUN_LOG_ERR, r->log, 0, "set_rotate: bad \"%s\" argument "
                    "value: \"%.*s\"", names[i], LUN_S(args[i]));
            return LUN_STATUS + 500;
        }
    }

    from = lun_min(at[0], at[1]);
    to = lun_max(at[0], at[1]);

    if (!rotate_from(r, c, text, &n) || ++n < from || n > to) {
        n = from;
    }

    c->rotor->set = true;
    c->rotor->last = n;
    return give_number(r, c, n);
}


static lun_rc
gmt_time(lun_request *r, lun_pool *pool, lun_str format, lun_str *out)
{
    *out = lun_date_format(pool, format, lun_clock.sec, 0, LUN_STR("GMT"));
    return LUN_OK;
}


static lun_rc
formatted_local_time(lun_request *r, lun_pool *pool, lun_str format,
    lun_str *out)
{
    *out = lun_clock_format_local(pool, format);
    return LUN_OK;
}


static lun_rc
local_today(lun_request *r, lun_pool *pool, lun_str value, lun_str *out)
{
    return formatted_local_time(r, pool, LUN_STR("%Y-%m-%d"), out);
}


/* --- upstream_list ------------------------------------------------------- */

/* The lists of an engine, by name: lun_array of lun_str. */
static lun_hash *
lists_of(const lun_engine *engine)
{
    return lun_module_data(engine, &lun_http_set_misc.head);
}


static lun_rc
set_list(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_hash   *lists = lists_of(cf->engine);
    lun_array  *names = lun_array_new(cf->pool, sizeof(lun_str), cf->argc);

    if (lists == NULL) {
        lists = lun_pool_new(cf->pool, lun_hash);
        lun_hash_init(lists, cf->pool, 0, false);
        lun_module_set_data(cf->engine, &lun_http_set_misc.head, lists);
    }

    memcpy(lun_array_push_n(names, cf->argc - 2), cf->args + 2,
           (cf->argc - 2) * sizeof(lun_str));

    return lun_hash_add(lists, cf->args[1], names) == NULL
           ? LUN_OK
           : lun_conf_fail(cf, "duplicate upstream list \"%.*s\"",
                           LUN_S(cf->args[1]));
}


/* The same upstream for a key as with nginx's hash of lower-case names. */
static lun_verdict
hashed_upstream(lun_request *r, const misc_code *c, const lun_str *args)
{
    size_t            i;
    uint32_t          hash = 0;
    const lun_hash   *lists = lists_of(r->session.engine);
    const lun_array  *names;

    names = lists != NULL ? lun_hash_get(lists, args[0]) : NULL;

    if (names == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "set_hashed_upstream: upstream list "
                "\"%.*s\" not defined yet", LUN_S(args[0]));
        return LUN_STATUS + 500;
    }

    for (i = 0; i < args[1].len; i++) {
        hash = hash * 31 + (unsigned char) lun_lower(args[1].data[i]);
    }

    return give(r, c, *(lun_str *) lun_array_at(names, hash % names->count));
}


/* --- directives ---------------------------------------------------------- */

static lun_verdict
run_code(lun_request *r, void *data)
{
    size_t            i;
    lun_str           args[2];
    const misc_code  *c = data;

    for (i = 0; i < c->count; i++) {
        args[i] = lun_script_run(&r->session, c->args[i]);
    }

    return c->run(r, c, args);
}


/* The rotor is one for all directives of a level, as in the module. */
static lun_rc
set_code(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t            i;
    misc_code        *c = lun_pool_new(cf->pool, misc_code);
    lun_misc_conf    *conf = data;
    const misc_kind  *kind = d->data;

    c->run = kind->run;
    c->index = lun_rewrite_variable(cf, cf->args[1]);

    if (c->index == 0) {
        return LUN_ERROR;
    }

    c->count = cf->argc - 2;
    c->args = lun_pool_new_n(cf->pool, lun_script *, c->count + 1);

    for (i = 0; i < c->count; i++) {
        c->args[i] = lun_script_new(cf, cf->args[i + 2]);

        if (c->args[i] == NULL) {
            return LUN_ERROR;
        }
    }

    if (conf->rotor == NULL) {
        conf->rotor = lun_pool_new(cf->pool, lun_misc_rotor);
    }

    c->rotor = conf->rotor;
    lun_rewrite_add(cf, run_code, c);
    return LUN_OK;
}


/* A list that is named without variables has to be there. */
static lun_rc
set_hashed_upstream(lun_conf *cf, const lun_directive *d, void *conf)
{
    const lun_hash  *lists = lists_of(cf->engine);

    if (!lun_script_has_variables(cf->args[2])
        && (lists == NULL || lun_hash_get(lists, cf->args[2]) == NULL))
    {
        return lun_conf_fail(cf, "set_hashed_upstream: upstream list \"%.*s\" "
                             "not defined yet", LUN_S(cf->args[2]));
    }

    return set_code(cf, d, conf);
}


static lun_rc
set_alphabet(lun_conf *cf, const lun_directive *d, void *conf)
{
    if (cf->args[1].len != 32) {
        return lun_conf_fail(cf, "\"set_base32_alphabet\" directive takes an "
                             "alphabet of %zu bytes but 32 expected",
                             cf->args[1].len);
    }

    return lun_set_str(cf, d, conf);
}


enum {
    PLACES = LUN_SERVER | LUN_SERVER_IF | LUN_LOCATION | LUN_LOCATION_IF,
    ALL    = LUN_HTTP_LEVELS | LUN_SERVER_IF | LUN_LOCATION_IF
};

#define TEXT(text, fn, ...)                                                   \
    { .name = text, .where = PLACES, .args = 1, .args_max = 2,                \
      .repeats = true, .set = lun_set_text,                                   \
      .data = &(const lun_text_function) { fn, text }, __VA_ARGS__ }

/* Functions that say themselves what is wrong with a text. */
#define SAID(text, n, most, fn, ...)                                          \
    { .name = text, .where = PLACES, .args = n, .args_max = most,             \
      .repeats = true, .set = lun_set_text,                                   \
      .data = &(const lun_text_function) { fn, NULL }, __VA_ARGS__ }

#define CODE(text, n, fn, ...)                                                \
    { .name = text, .where = PLACES, .args = n, .repeats = true,              \
      .set = set_code, .data = &(const misc_kind) { fn }, __VA_ARGS__ }

#define PADDING(text)                                                         \
    { .name = text, .where = ALL, .args = 1, .set = lun_set_flag,             \
      LUN_FIELD(lun_misc_conf, base32_padding), .fallback = "on",             \
      .help = "fills base32 up with =" }

static const lun_directive  directives[] = {
    TEXT("set_quote_sql_str", lun_misc_quote_sql,
         .values = "$variable [value]",
         .help = "quotes for SQL"),
    TEXT("set_quote_pgsql_str", lun_misc_quote_pgsql,
         .values = "$variable [value]",
         .help = "quotes for PostgreSQL"),
    TEXT("set_quote_json_str", lun_misc_quote_json,
         .values = "$variable [value]",
         .help = "quotes for JSON"),
    TEXT("set_unescape_uri", lun_misc_unescape_uri,
         .values = "$variable [value]",
         .help = "takes escapes of a URI back"),
    TEXT("set_escape_uri", lun_misc_escape_uri,
         .values = "$variable [value]",
         .help = "escapes for a URI"),
    TEXT("set_encode_base32", lun_misc_encode_base32,
         .values = "$variable [value]",
         .help = "to base32"),
    TEXT("set_decode_base32", lun_misc_decode_base32,
         .values = "$variable [value]",
         .help = "from base32"),
    TEXT("set_encode_base64", lun_misc_encode_base64,
         .values = "$variable [value]",
         .help = "to base64"),
    TEXT("set_decode_base64", lun_misc_decode_base64,
         .values = "$variable [value]",
         .help = "from base64"),
    TEXT("set_encode_base64url", lun_misc_encode_base64url,
         .values = "$variable [value]",
         .help = "to base64 for URLs"),
    TEXT("set_decode_base64url", lun_misc_decode_base64url,
         .values = "$variable [value]",
         .help = "from base64 for URLs"),
    TEXT("set_encode_hex", lun_misc_encode_hex,
         .values = "$variable [value]",
         .help = "to hexadecimal"),
    TEXT("set_decode_hex", lun_misc_decode_hex,
         .values = "$variable [value]",
         .help = "from hexadecimal"),
    TEXT("set_md5", lun_misc_md5,
         .values = "$variable [value]",
         .help = "MD5, in hexadecimal"),
    TEXT("set_sha1", lun_misc_sha1,
         .values = "$variable [value]",
         .help = "SHA-1, in hexadecimal"),
    CODE("set_if_empty", 2, if_empty,
         .values = "$variable value",
         .help = "a value for a variable that has none"),
    CODE("set_hmac_sha1", 3, hmac_sha1,
         .values = "$variable key value",
         .help = "HMAC with SHA-1"),
    CODE("set_hmac_sha256", 3, hmac_sha256,
         .values = "$variable key value",
         .help = "HMAC with SHA-256"),
    CODE("set_random", 3, random_number,
         .values = "$variable from to",
         .help = "a number between two others"),
    SAID("set_secure_random_alphanum", 1, 2, random_alphanum,
         .values = "$variable length",
         .help = "letters and digits that nobody can guess"),
    SAID("set_secure_random_lcalpha", 1, 2, random_lcalpha,
         .values = "$variable length",
         .help = "small letters that nobody can guess"),
    CODE("set_rotate", 3, rotate,
         .values = "$variable from to",
         .help = "the next of some numbers, in turn"),
    SAID("set_local_today", 1, 1, local_today,
         .values = "$variable",
         .help = "the date of today"),
    SAID("set_formatted_gmt_time", 2, 2, gmt_time,
         .values = "$variable format",
         .help = "the time, in a format"),
    SAID("set_formatted_local_time", 2, 2, formatted_local_time,
         .values = "$variable format",
         .help = "local time, in a format"),
    { .name = "set_hashed_upstream", .where = PLACES, .args = 3,
      .repeats = true, .set = set_hashed_upstream,
      .data = &(const misc_kind) { hashed_upstream },
      .values = "$variable list value",
      .help = "one of an upstream_list, by a text" },
    { .name = "upstream_list", .where = LUN_HTTP_LEVELS, .args = 2,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_list,
      .values = "name upstream ...",
      .help = "upstreams for set_hashed_upstream" },
    PADDING("set_base32_padding"),
    PADDING("set_misc_base32_padding"),
    { .name = "set_base32_alphabet", .where = ALL, .args = 1,
      .set = set_alphabet, LUN_FIELD(lun_misc_conf, base32_alphabet),
      .fallback = "0123456789abcdefghijklmnopqrstuv",
      .values = "alphabet",
      .help = "the letters of base32" },
    { 0 }
};

lun_http_module  lun_http_set_misc = {
    .name = "set_misc",
    .directives = directives,
    .conf_size = sizeof(lun_misc_conf),
};

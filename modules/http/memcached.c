/*
 * memcached.c -- answers that lie in a memcached server, by $memcached_key.
 *
 *     location /cached/ {
 *         set $memcached_key $uri;
 *         memcached_pass 127.0.0.1:11211;
 *         error_page 404 502 504 = @made;
 *     }
 *
 * Its text protocol: "get KEY", which is answered by "VALUE KEY FLAGS LENGTH",
 * that many bytes and "END", or by "END" alone.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/fmt.h"
#include "http/upstream/upreq_address.h"
#include "http/upstream/upreq_passes.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_value.h"
#include "http/upstream/upreq_rows.h"


typedef struct {
    lun_upreq_conf      up;
    lun_upreq_address  *address;   /* NULL: no memcached_pass */
    unsigned            key;       /* the variable's index */
    int64_t             gzip_flag; /* 0: none */
} memcached_conf;

typedef struct {
    lun_str          key;          /* as it is sent */
    lun_upreq_value  value;
} state;

extern lun_http_module  lun_http_memcached;


/* --- the request --------------------------------------------------------- */

static bool
is_escaped(char c)
{
    return (unsigned char) c <= ' ' || c == '%';
}


/* A key ends at a blank, a command at the end of a line. */
static lun_str
escape_key(lun_pool *pool, lun_str key)
{
    static const char  digits[] = "0123456789ABCDEF";

    char    *text = lun_pool_text(pool, 3 * key.len), *p = text;
    size_t   i;

    for (i = 0; i < key.len; i++) {
        if (is_escaped(key.data[i])) {
            *p++ = '%';
            *p++ = digits[(unsigned char) key.data[i] >> 4];
            *p++ = digits[(unsigned char) key.data[i] & 15];

        } else {
            *p++ = key.data[i];
        }
    }

    return lun_str_of(text, (size_t) (p - text));
}


static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    state                 *s = x->protocol_data;
    lun_request           *r = x->r;
    const lun_value       *key;
    const memcached_conf  *conf = lun_http_conf(r, &lun_http_memcached);

    key = lun_var_get_fresh(&r->session, conf->key);

    if (key->not_found || key->text.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "the \"$memcached_key\" variable is "
                "not set");
        return LUN_ERROR;
    }

    s->key = escape_key(r->pool, key->text);
    *head = lun_buf_new_str(r->pool, lun_pool_fmt(r->pool, "get %.*s\r\n",
                                                  LUN_S(s->key)));
    x->body = NULL;
    return LUN_OK;
}


/* --- the answer ---------------------------------------------------------- */

static void
reset(lun_upreq *x)
{
    state  *s = x->protocol_data;

    s->value = (lun_upreq_value) { .end = LUN_STR("\r\nEND\r\n") };
}


/* Takes the word up to the next blank, and that, off *text; false: no blank. */
static bool
take_word(lun_str *text, lun_str *word)
{
    const char  *mark = lun_str_chr(*text, ' ');

    if (mark == NULL) {
        return false;
    }

    *word = lun_str_of(text->data, (size_t) (mark - text->data));
    text->data = mark + 1;
    text->len -= word->len + 1;

    return true;
}


static lun_upstream_verdict
refuse(const lun_upreq *x, const char *what, lun_str line)
{
    const state  *s = x->protocol_data;

    lun_log(LUN_LOG_ERR, x->r->log, 0, "memcached sent invalid %s in response "
            "\"%.*s\" for key \"%.*s\"", what, LUN_S(line), LUN_S(s->key));
    return LUN_UPSTREAM_BAD;
}


static void
say_gzip(lun_upreq *x)
{
    lun_header  h = lun_upreq_field(LUN_STR("Content-Encoding"),
                                    LUN_STR("gzip"));

    lun_header_list_add(&x->answer.list, &h);
}


/* "VALUE key flags length", without the end of the line. */
static lun_upstream_verdict
take_value(lun_upreq *x, lun_str line)
{
    state                 *s = x->protocol_data;
    lun_str                rest = line, word, flags;
    uint64_t               n;
    const memcached_conf  *conf = lun_http_conf(x->r, &lun_http_memcached);

    (void) take_word(&rest, &word);

    if (!take_word(&rest, &word) || !lun_str_eq(word, s->key)) {
        return refuse(x, "key", line);
    }

    if (!take_word(&rest, &flags)) {
        return refuse(x, "flags", line);
    }

    if (conf->gzip_flag != 0) {
        if (lun_str_to_u64(flags, &n) != LUN_OK) {
            return refuse(x, "flags", line);
        }

        if (n & (uint64_t) conf->gzip_flag) {
            say_gzip(x);
        }
    }

    if (rest.len == 0 || !lun_is_digit(rest.data[0])
        || lun_str_to_i64(rest, &x->answer.head_length) != LUN_OK)
    {
        return refuse(x, "length", line);
    }

    return lun_upreq_value_found(x, &s->value);
}


static lun_upstream_verdict
read_header(lun_upreq *x, const char **pos, const char *end)
{
    state       *s = x->protocol_data;
    lun_str      line;
    const char  *lf = memchr(*pos, '\n', (size_t) (end - *pos));

    if (lf == NULL) {
        return LUN_UPSTREAM_MORE;
    }

    line = lun_str_of(*pos, (size_t) (lf - *pos));
    *pos = lf + 1;

    if (line.len == 0 || line.data[line.len - 1] != '\r') {
        line.len++;                        /* for the log: the LF as well */

    } else {
        line.len--;

        if (lun_str_starts(line, LUN_STR("VALUE "))) {
            return take_value(x, line);
        }

        if (lun_str_eq(line, LUN_STR("END"))) {
            return lun_upreq_value_missing(x, "memcached", s->key,
                                           *pos != end);
        }
    }

    lun_log(LUN_LOG_ERR, x->r->log, 0, "memcached sent invalid response: "
            "\"%.*s\"", LUN_S(line));
    return LUN_UPSTREAM_BAD;
}


static lun_upstream_verdict
read_body(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    state  *s = x->protocol_data;

    return lun_upreq_value_read(x, &s->value, "memcached", pos, end, piece);
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("memcached://"),
    .tls_schema  = LUN_STR_INIT("memcached://"),
    .make        = make,
    .reset       = reset,
    .read_header = read_header,
    .read_body   = read_body,
};


static lun_verdict
on_content(lun_session *session)
{
    lun_request           *r = lun_request_of(session);
    const memcached_conf  *conf = lun_http_conf(r, &lun_http_memcached);

    return lun_upreq_value_content(r, &lun_http_memcached, &conf->up,
                                   conf->address, &protocol, sizeof(state));
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    memcached_conf  *conf = data;

    conf->key = lun_var_index(cf, LUN_STR("memcached_key"));

    return conf->key != 0
           ? lun_upreq_set_pass(cf, &lun_http_memcached, lun_upreq_no_schemes,
                                &conf->address)
           : LUN_ERROR;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    memcached_conf        *conf = data;
    const memcached_conf  *outer = parent;

    conf->up.intercept_404 = true;
    conf->up.force_ranges = true;

    if (conf->key == 0 && outer != NULL) {
        conf->key = outer->key;
    }

    return lun_upreq_finish_conf(cf, "memcached", &conf->up, NULL);
}


static bool
passes(lun_pool *pool, const void *data, lun_upreq_passes *to)
{
    const memcached_conf  *conf = data;

    return lun_upreq_passes_to(to, pool, conf->address, &conf->up,
                               LUN_PASSES_OTHER, "memcached");
}


static const lun_directive  directives[] = {
    { .name = "memcached_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, LUN_FIELD(memcached_conf, address),
      .values = "address",
      .help = "the server that answers" },
    { .name = "memcached_gzip_flag", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_num, LUN_FIELD(memcached_conf, gzip_flag),
      .fallback = "0",
      .help = "a flag of values that are compressed" },

    LUN_UPSTREAM_CONN_ROWS_OF("memcached_", memcached_conf, up,
                              lun_upreq_value_tries, "4k"),
    { 0 }
};

lun_http_module  lun_http_memcached = {
    .name = "memcached",
    .directives = directives,
    .conf_size = sizeof(memcached_conf),
    .inherited = inherited,
    .passes = passes,
    .on[LUN_CONTENT] = on_content,
};

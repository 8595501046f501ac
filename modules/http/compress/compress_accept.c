/*
 * compress_accept.c -- who takes compressed answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/compress/compress_priv.h"

#include "session/regex.h"
#include "os/clock.h"


typedef enum {
    PROXIED_OFF              = 0x001,
    PROXIED_EXPIRED          = 0x002,
    PROXIED_NO_CACHE         = 0x004,
    PROXIED_NO_STORE         = 0x008,
    PROXIED_PRIVATE          = 0x010,
    PROXIED_NO_LAST_MODIFIED = 0x020,
    PROXIED_NO_ETAG          = 0x040,
    PROXIED_AUTH             = 0x080,
    PROXIED_ANY              = 0x100
} proxied;

extern lun_http_module  lun_http_gzip;


/* --- whether ------------------------------------------------------------- */

/* "q=0" and "q=0.000" have none; nor has what is no weight, as "q=1.5". */
static bool
has_weight(lun_str q)
{
    char    whole;
    bool    some;
    size_t  i;

    if (q.len < 3 || (q.len > 3 && q.data[3] != '.') || q.len > 7) {
        return false;
    }

    whole = q.data[2];
    some = whole == '1';

    if (whole != '0' && whole != '1') {
        return false;
    }

    for (i = 4; i < q.len; i++) {
        if (!lun_is_digit(q.data[i]) || (whole == '1' && q.data[i] != '0')) {
            return false;
        }

        some |= q.data[i] != '0';
    }

    return some;
}


static bool
accepts(lun_str value, lun_str encoding)
{
    lun_str      word, q;
    const char  *p, *end, *stop, *semi;

    end = value.data + value.len;

    for (p = value.data; p < end; p = stop + 1) {
        stop = memchr(p, ',', (size_t) (end - p));
        stop = stop != NULL ? stop : end;
        semi = memchr(p, ';', (size_t) (stop - p));

        word = lun_str_trim(lun_str_of(p, (size_t) ((semi != NULL
                                                     ? semi : stop) - p)));

        if (!lun_str_caseeq(word, encoding)) {
            continue;
        }

        if (semi == NULL) {
            return true;
        }

        q = lun_str_trim(lun_str_of(semi + 1, (size_t) (stop - semi - 1)));

        /* "q=0", "q=0.000": not at all. */
        if (!lun_str_casestarts(q, LUN_STR("q="))) {
            return true;
        }

        return has_weight(q);
    }

    return false;
}


static bool
is_disabled(const lun_request *r, const lun_gzip_conf *conf)
{
    size_t             i;
    int32_t            pair[2];
    const lun_header  *h = r->in.known[LUN_HIN_USER_AGENT];

    if (conf->disable == NULL || h == NULL) {
        return false;
    }

    for (i = 0; i < conf->disable->count; i++) {
        if (lun_regex_match(*(lun_regex **) lun_array_at(conf->disable, i),
                            h->value, 0, pair, 1) > 0)
        {
            return true;
        }
    }

    return false;
}


static bool
has_header(const lun_header *h)
{
    for ( ; h != NULL; h = h->same) {
        if (h->hash != 0) {
            return true;
        }
    }

    return false;
}


static bool
cache_control_has(lun_request *r, lun_str word)
{
    const lun_header  *h = r->out.known[LUN_HOUT_CACHE_CONTROL];

    for ( ; h != NULL; h = h->same) {
        if (h->hash != 0 && lun_str_casefind(h->value, word) != NULL) {
            return true;
        }
    }

    return false;
}


static bool
is_expired(const lun_header *h)
{
    int64_t  sec;

    return lun_http_date_parse(h->value, &sec) == LUN_OK
           && sec < lun_clock.sec;
}


/*
 * An answer to a proxy (there is a Via): which may be compressed for all?
 * What says how long it may be kept decides alone; where nothing does, only
 * no_last_modified and no_etag can still forbid it.
 */
static bool
proxied_may(lun_request *r, uint32_t p)
{
    const lun_header  *h = r->out.known[LUN_HOUT_EXPIRES];

    if (p & (PROXIED_OFF | PROXIED_ANY)) {
        return (p & PROXIED_OFF) == 0;
    }

    if ((p & PROXIED_AUTH) && r->in.known[LUN_HIN_AUTHORIZATION] != NULL) {
        return true;
    }

    if (h != NULL && h->hash != 0) {
        return (p & PROXIED_EXPIRED) && is_expired(h);
    }

    if (has_header(r->out.known[LUN_HOUT_CACHE_CONTROL])) {
        return ((p & PROXIED_NO_CACHE)
                && cache_control_has(r, LUN_STR("no-cache")))
               || ((p & PROXIED_NO_STORE)
                   && cache_control_has(r, LUN_STR("no-store")))
               || ((p & PROXIED_PRIVATE)
                   && cache_control_has(r, LUN_STR("private")));
    }

    /* The date of a file is none that a handler has written. */
    return !((p & PROXIED_NO_LAST_MODIFIED)
             && has_header(r->out.known[LUN_HOUT_LAST_MODIFIED]))
           && !((p & PROXIED_NO_ETAG)
                && has_header(r->out.known[LUN_HOUT_ETAG]));
}


bool
lun_compress_is_taken(const lun_request *r, lun_str encoding)
{
    const lun_header  *h = r->in.known[LUN_HIN_ACCEPT_ENCODING];

    return r->parent == NULL && h != NULL && accepts(h->value, encoding);
}


bool
lun_compress_accepted(lun_request *r, lun_str encoding, uint32_t to)
{
    return lun_compress_is_taken(r, encoding)
           && (r->in.known[LUN_HIN_VIA] == NULL || proxied_may(r, to));
}


bool
lun_gzip_accepted(lun_request *r)
{
    const lun_gzip_conf  *conf = lun_http_conf(r, &lun_http_gzip);

    return r->version >= (unsigned) conf->version && !is_disabled(r, conf)
           && lun_compress_accepted(r, LUN_STR("gzip"), conf->c.proxied);
}


bool
lun_gzip_varies(const lun_request *r)
{
    const lun_gzip_conf  *conf = lun_http_conf(r, &lun_http_gzip);

    return conf->vary;
}


void
lun_gzip_vary(lun_request *r)
{
    const lun_header  *h = r->out.known[LUN_HOUT_VARY];

    if (!lun_gzip_varies(r)) {
        return;
    }

    for ( ; h != NULL; h = h->same) {
        if (h->hash != 0
            && lun_str_caseeq(h->value, LUN_STR("Accept-Encoding")))
        {
            return;
        }
    }

    lun_http_add_out(r, LUN_STR("Vary"), LUN_STR("Accept-Encoding"));
}


/* --- directives ---------------------------------------------------------- */

void
lun_gzip_need(lun_conf *cf)
{
    (void) lun_http_top_conf(cf, &lun_http_gzip);
}


const lun_enum  lun_compress_proxied[] = {
    { "off", PROXIED_OFF }, { "expired", PROXIED_EXPIRED },
    { "no-cache", PROXIED_NO_CACHE }, { "no-store", PROXIED_NO_STORE },
    { "private", PROXIED_PRIVATE },
    { "no_last_modified", PROXIED_NO_LAST_MODIFIED },
    { "no_etag", PROXIED_NO_ETAG }, { "auth", PROXIED_AUTH },
    { "any", PROXIED_ANY }, { NULL, 0 }
};


/*
 * "msie6" is nginx's own word for a pattern, and the service pack that mended
 * the bug is no part of it.
 */
lun_rc
lun_gzip_set_disable(lun_conf *cf, const lun_directive *d, void *data)
{
    char        error[128];
    size_t      i, at;
    lun_str     text;
    lun_regex  *re;
    lun_gzip_conf  *conf = data;

    if (conf->disable == NULL) {
        conf->disable = lun_array_new(cf->pool, sizeof(lun_regex *), 1);
    }

    for (i = 1; i < cf->argc; i++) {
        text = cf->args[i];

        if (lun_str_eq(text, LUN_STR("msie6"))) {
            text = LUN_STR("MSIE [4-6]\\.(?!.*SV1)");
        }

        re = lun_regex_new(cf->pool, text,
                           LUN_REGEX_CASELESS | LUN_REGEX_JIT, error,
                           sizeof(error), &at);
        if (re == NULL) {
            return lun_conf_fail(cf, "pcre2_compile() failed: %s in \"%.*s\"",
                                 error, LUN_S(text));
        }

        *(lun_regex **) lun_array_push(conf->disable) = re;
    }

    return LUN_OK;
}

/*
 * acme_demand.c -- certificates on demand: the directive, and what a handshake
 * is given.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_demand.h"

#include <openssl/ssl.h>

#include "format/addr.h"
#include "format/url.h"
#include "http/conf/core_conf.h"
#include "net/tls/cert_maker.h"
#include "net/tls/tls.h"
#include "os/clock.h"


enum {
    RATE = 10,                     /* names in a minute */
    RATE_MOST = 1000,
    WAIT = 15,                     /* seconds */
    WAIT_MOST = 60,
    MINUTE = 60
};


/* --- a handshake --------------------------------------------------------- */

lun_str
lun_acme_demand_host(lun_conn *c, lun_pool *pool)
{
    SSL         *ssl = lun_tls_of(c);
    char        *p;
    lun_str      host;
    lun_addr     addr;
    const char  *name;

    name = ssl != NULL ? SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)
                       : NULL;
    host = lun_str_z(name != NULL ? name : "");

    if (host.len == 0 || host.data[0] == '*' || !lun_cert_may_name(host)
        || lun_str_chr(host, '.') == NULL
        || lun_addr_parse(host, &addr) == LUN_OK)
    {
        return LUN_STR("");
    }

    p = lun_pool_text(pool, host.len);
    lun_mem_lower(p, host.data, host.len);
    return lun_str_of(p, host.len);
}


lun_str
lun_acme_demand_name(lun_str host, lun_pool *pool)
{
    return lun_pool_fmt(pool, LUN_ACME_ON_DEMAND "%.*s", LUN_S(host));
}


lun_str
lun_acme_demand_host_of(const char *file, const char *end)
{
    size_t   n = strlen(end);
    lun_str  host;

    if (!lun_str_after(lun_str_z(file), LUN_STR(LUN_ACME_ON_DEMAND), &host)
        || host.len <= n || memcmp(host.data + host.len - n, end, n) != 0)
    {
        return LUN_STR("");
    }

    host.len -= n;
    return lun_cert_may_name(host) ? host : LUN_STR("");
}


size_t
lun_acme_demand_room(const lun_acme_demand *d, lun_str host)
{
    return d->own->id.len + sizeof(LUN_ACME_ON_DEMAND) + host.len;
}


void
lun_acme_demand_cert(const lun_acme_demand *d, lun_str host, char *text,
    lun_str *name, lun_acme_cert *cert)
{
    size_t       prefix = strlen(LUN_ACME_ON_DEMAND);
    const char  *end;

    end = lun_fmt(text, text + lun_acme_demand_room(d, host),
                  "%.*s/" LUN_ACME_ON_DEMAND "%.*s",
                  LUN_S(d->issuer->name), LUN_S(host));
    *name = lun_str_of(end - host.len, host.len);
    *cert = (lun_acme_cert) {
        .issuer = d->home, .issuers = d->own->issuers, .kind = d->kind,
        .names = name, .count = 1,
        .id = lun_str_of(text, (size_t) (end - text)),
        .file = lun_str_of(name->data - prefix, prefix + host.len)
    };
}


/* --- what is asked for --------------------------------------------------- */

#define SETTLED  LUN_STR("-")      /* no host */


lun_acme_asked
lun_acme_demand_asked(const lun_acme *a, lun_str host)
{
    lun_pool        *pool = lun_pool_new_sized(512);
    lun_str          text = lun_acme_zone_text(a->zone, "asked", host, pool);
    lun_acme_asked   asked = text.len == 0 ? LUN_ACME_NOT_ASKED
                             : lun_str_eq(text, SETTLED) ? LUN_ACME_SETTLED
                                                         : LUN_ACME_ASKED;

    lun_pool_free(pool);
    return asked;
}


void
lun_acme_demand_settle(const lun_acme *a, lun_str host, int64_t seconds)
{
    (void) lun_acme_zone_put_text(a->zone, "asked", host,
                                  seconds != 0 ? SETTLED : LUN_STR(""),
                                  seconds);
}


/* Whoever asks for a thousand names has ten of them looked at. */
bool
lun_acme_demand_wish(const lun_acme *a, const lun_acme_demand *d,
    lun_str host, const lun_log *log)
{
    bool             asked = false;
    int64_t          n;
    lun_str          count;
    lun_pool        *pool;
    lun_acme_asked   before = lun_acme_demand_asked(a, host);

    if (before != LUN_ACME_NOT_ASKED) {
        return before == LUN_ACME_ASKED;
    }

    pool = lun_pool_new_sized(1024);
    count = lun_pool_fmt(pool, "%.*s:%" PRId64, LUN_S(d->issuer->name),
                         lun_clock.sec / MINUTE);
    n = lun_acme_zone_count(a->zone, "wishes", count, 2 * MINUTE);

    if (n == d->rate + 1) {
        lun_log(LUN_LOG_WARN, log, 0, "acme: more than %" PRId64 " names "
                "in a minute are asked for on demand of issuer \"%.*s\"",
                d->rate, LUN_S(d->issuer->name));
    }

    if (n >= 1 && n <= d->rate
        && lun_acme_zone_put_text(a->zone, "asked", host, host, MINUTE))
    {
        asked = lun_acme_zone_put_text(a->zone, "wish",
            lun_pool_fmt(pool, "%.*s:%" PRId64, LUN_S(d->issuer->name), n),
            host, MINUTE);
        lun_duty_call(a->duty);
    }

    lun_pool_free(pool);
    return asked;
}


/* --- what it is given ---------------------------------------------------- */


lun_str
lun_acme_demand_file(lun_session *s, const lun_acme *a,
    const lun_acme_demand *d, bool key)
{
    lun_str   host = lun_acme_demand_host(s->conn, s->pool);
    lun_str   chain, secret, file = lun_acme_demand_name(host, s->pool);
    uint32_t  version;

    if (host.len != 0 && lun_acme_store_has(d->home, file, ".crt")) {
        return lun_pool_fmt(s->pool, "%.*s/%.*s%s",
                            LUN_S(d->home->state_path), LUN_S(file),
                            key ? ".key" : ".crt");
    }

    return lun_acme_zone_pair(a->zone, d->own->id, s->pool, &chain, &secret,
                              &version)
           ? lun_pool_fmt(s->pool, "data:%.*s", LUN_S(key ? secret : chain))
           : LUN_STR("");
}


/* --- the directive ------------------------------------------------------- */

static lun_rc
set_parameter(lun_conf *cf, lun_acme_demand *d, lun_str word)
{
    lun_url      url;
    lun_str      value;
    const char  *why;

    if (lun_str_after(word, LUN_STR("ask="), &value)) {
        d->ask = value;
        return lun_url_parse(value, &url) == NULL
               && (lun_str_caseeq(url.scheme, LUN_STR("http"))
                   || lun_str_caseeq(url.scheme, LUN_STR("https")))
               ? LUN_OK
               : lun_conf_fail(cf, "invalid URL \"%.*s\" in "
                               "\"acme_on_demand\"", LUN_S(value));
    }

    if (lun_str_after(word, LUN_STR("key="), &value)) {
        why = lun_key_kind_parse(value, &d->kind);
        return why == NULL ? LUN_OK : lun_acme_bad_key(cf, value, why);
    }

    if (lun_str_after(word, LUN_STR("wait="), &value)) {
        return lun_str_to_msec(value, &d->wait) == LUN_OK
               && d->wait <= WAIT_MOST * 1000
               ? LUN_OK : lun_conf_fail(cf, "invalid time \"%.*s\"",
                                        LUN_S(word));
    }

    if (lun_str_after(word, LUN_STR("rate="), &value)) {
        if (value.len > 3
            && lun_str_eq(lun_str_of(value.data + value.len - 3, 3),
                          LUN_STR("r/m"))
            && lun_str_to_i64(lun_str_of(value.data, value.len - 3), &d->rate)
               == LUN_OK
            && d->rate >= 1 && d->rate <= RATE_MOST)
        {
            return LUN_OK;
        }

        return lun_conf_fail(cf, "invalid rate \"%.*s\"", LUN_S(word));
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


lun_rc
lun_acme_set_demand(lun_conf *cf, const lun_directive *dir, void *data)
{
    size_t            i;
    lun_acme_conf    *conf = data;
    lun_acme_demand  *d = lun_pool_new(cf->pool, lun_acme_demand);

    d->kind = (lun_key_kind) { .bits = 256 };
    d->rate = RATE;
    d->wait = WAIT * 1000;

    for (i = 2; i < cf->argc; i++) {
        if (set_parameter(cf, d, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (d->ask.len == 0) {
        return lun_conf_fail(cf, "\"%.*s\" must have \"ask\" parameter: "
                             "a URL that says which names may have one",
                             LUN_S(cf->args[0]));
    }

    conf->demand = d;
    conf->demand_issuer = cf->args[1];
    conf->demand_file = cf->file;
    conf->demand_line = cf->line;
    return LUN_OK;
}


static lun_rc
fail(lun_conf *cf, const lun_acme_conf *conf, const char *why)
{
    return lun_conf_fail_at(cf, conf->demand_file, conf->demand_line,
                            "\"acme_on_demand\": %s \"%.*s\"", why,
                            LUN_S(conf->demand_issuer));
}


/* What serves as long as there is none for a name. */
static lun_acme_cert *
own_of(lun_conf *cf, lun_acme_issuer *issuer, lun_acme_issuer *home)
{
    lun_acme_cert  *cert = lun_pool_new(cf->pool, lun_acme_cert);
    lun_str        *name = lun_pool_new(cf->pool, lun_str);

    *name = LUN_STR("on-demand.invalid");
    *cert = (lun_acme_cert) {
        .issuer = home, .names = name, .count = 1,
        .file = LUN_STR("on-demand"), .kind = { .bits = 256 },
        .id = lun_pool_fmt(cf->pool, "%.*s/on-demand", LUN_S(issuer->name))
    };
    lun_array_init(&cert->issuers, cf->pool, sizeof(lun_acme_issuer *), 1);
    *(lun_acme_issuer **) lun_array_push(&cert->issuers) = issuer;
    return cert;
}


/*
 * Servers that ask the same issuer share one store, one rate and one question:
 * so they have to agree on all of them.
 */
lun_rc
lun_acme_demand_finish(lun_conf *cf, lun_acme *a, lun_acme_conf *conf)
{
    size_t            i;
    lun_acme_demand  *one, *d = conf->demand;

    d->issuer = lun_acme_find_issuer(a, conf->demand_issuer);

    if (d->issuer == NULL) {
        return fail(cf, conf, "no such issuer");
    }

    if (d->issuer->state_path.len == 0) {
        return fail(cf, conf, "no \"state_path\" of issuer");
    }

    for (i = 0; i < a->demands.count; i++) {
        one = *(lun_acme_demand **) lun_array_at(&a->demands, i);

        if (one->issuer != d->issuer) {
            continue;
        }

        if (!lun_str_eq(one->ask, d->ask) || one->rate != d->rate
            || one->wait != d->wait
            || one->kind.rsa != d->kind.rsa || one->kind.bits != d->kind.bits)
        {
            return fail(cf, conf, "other parameters elsewhere for issuer");
        }

        conf->demand = one;
        return LUN_OK;
    }

    d->home = lun_pool_new(cf->pool, lun_acme_issuer);
    *d->home = *d->issuer;
    d->home->state_path = lun_pool_fmt(cf->pool, "%.*s_on_demand",
                                       LUN_S(d->issuer->state_path));
    d->own = own_of(cf, d->issuer, d->home);
    lun_http_want_folder(cf->gen, d->home->state_path.data);
    *(lun_acme_demand **) lun_array_push(&a->demands) = d;
    return LUN_OK;
}

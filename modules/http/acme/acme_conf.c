/*
 * acme_conf.c -- the directives: issuers, and the zone; certificates of servers
 * are acme_cert_conf.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "base/digest.h"
#include "config/default_paths.h"
#include "format/dns_parse.h"
#include "format/url.h"


enum { DNS_WAIT = 10 };            /* seconds */

static const char *const  challenges[][2] = {
    { "http", "http-01" },
    { "tls-alpn", "tls-alpn-01" },
    { "dns", "dns-01" },
    { "dns-persist", "dns-persist-01" },
};


lun_acme *
lun_acme_of(lun_conf *cf)
{
    lun_acme  *a = lun_module_data(cf->engine, &lun_http_acme.head);

    if (a == NULL) {
        a = lun_pool_new(cf->pool, lun_acme);
        a->engine = cf->engine;
        lun_array_init(&a->issuers, cf->pool, sizeof(lun_acme_issuer *), 2);
        lun_array_init(&a->certs, cf->pool, sizeof(lun_acme_cert *), 8);
        lun_array_init(&a->demands, cf->pool, sizeof(lun_acme_demand *), 1);
        lun_module_set_data(cf->engine, &lun_http_acme.head, a);
    }

    return a;
}


lun_acme_issuer *
lun_acme_find_issuer(const lun_acme *a, lun_str name)
{
    size_t            i;
    lun_acme_issuer  *one;

    for (i = 0; i < a->issuers.count; i++) {
        one = *(lun_acme_issuer **) lun_array_at(&a->issuers, i);

        if (lun_str_eq(one->name, name)) {
            return one;
        }
    }

    return NULL;
}


/* --- acme_issuer { } ----------------------------------------------------- */

static lun_acme_issuer *
issuer_of(lun_conf *cf)
{
    return cf->block->owner;
}


static lun_rc
set_uri(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_url           url;
    lun_acme_issuer  *issuer = issuer_of(cf);

    if (lun_url_parse(cf->args[1], &url) != NULL
        || !lun_acme_may_follow(cf->args[1], cf->args[1]))
    {
        return lun_conf_fail(cf, "invalid URL \"%.*s\" in \"uri\"",
                             LUN_S(cf->args[1]));
    }

    issuer->uri = cf->args[1];
    return LUN_OK;
}


lun_rc
lun_acme_bad_key(lun_conf *cf, lun_str word, const char *why)
{
    return lun_conf_fail(cf, "%.*s: %s \"%.*s\"", LUN_S(cf->args[0]), why,
                         LUN_S(word));
}


/* "ecdsa", "rsa:2048"; false: it is another word, a file's name. */
static bool
is_kind(lun_str word)
{
    lun_str  rest;

    return (lun_str_after(word, LUN_STR("ecdsa"), &rest)
            || lun_str_after(word, LUN_STR("rsa"), &rest))
           && (rest.len == 0 || rest.data[0] == ':');
}


/*
 * A file is read and tried now: an account key that is none would only be found
 * at the first order.
 */
static lun_rc
set_account_key(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_err           err;
    lun_str           word = cf->args[1], path;
    const char       *why;
    EVP_PKEY         *key;
    lun_acme_key      k;
    lun_acme_issuer  *issuer = issuer_of(cf);

    if (is_kind(word)) {
        why = lun_key_kind_parse(word, &issuer->key_kind);
        return why == NULL ? LUN_OK : lun_acme_bad_key(cf, word, why);
    }

    path = lun_conf_path(cf, word, true);
    err = lun_conf_asset(cf, path, &issuer->key_pem);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "cannot load account key \"%.*s\"",
                                 LUN_S(path));
    }

    key = lun_key_read(issuer->key_pem);

    if (key == NULL || !lun_acme_key_init(&k, cf->temp, key)) {
        EVP_PKEY_free(key);
        return lun_conf_fail(cf, "cannot load account key \"%.*s\": it is no "
                             "key that an account can have", LUN_S(path));
    }

    EVP_PKEY_free(key);
    return LUN_OK;
}


static lun_rc
set_challenge(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(challenges); i++) {
        if (lun_str_eq(cf->args[1], lun_str_z(challenges[i][0]))
            || lun_str_eq(cf->args[1], lun_str_z(challenges[i][1])))
        {
            issuer_of(cf)->challenge = lun_str_z(challenges[i][1]);
            return LUN_OK;
        }
    }

    return lun_conf_fail(cf, "unsupported challenge: %.*s",
                         LUN_S(cf->args[1]));
}


/* --- dns-01 --- */

/* "data:" and the text, or a file's; without spaces at its ends. */
static lun_rc
read_secret(lun_conf *cf, lun_str word, lun_str *text)
{
    lun_err  err;
    lun_str  path;

    if (!lun_str_after(word, LUN_STR("data:"), text)) {
        path = lun_conf_path(cf, word, true);
        err = lun_conf_asset(cf, path, text);

        if (err != 0) {
            return lun_conf_fail_err(cf, err, "%.*s: cannot load \"%.*s\"",
                                     LUN_S(cf->args[0]), LUN_S(path));
        }
    }

    while (text->len != 0 && (unsigned char) text->data[text->len - 1] <= ' ') {
        text->len--;
    }

    return LUN_OK;
}


static lun_rc
set_dns_parameter(lun_conf *cf, lun_str word, lun_acme_dns_zone *zone)
{
    char      name[LUN_DNS_NAME];
    int64_t   ttl;
    lun_str   value;

    if (lun_str_after(word, LUN_STR("zone="), &value)) {
        if (lun_dns_name(value, name) != LUN_OK) {
            return lun_conf_fail(cf, "dns_update: invalid zone \"%.*s\"",
                                 LUN_S(value));
        }

        zone->zone = lun_pool_strz(cf->pool, lun_str_z(name));
        return LUN_OK;
    }

    if (lun_str_after(word, LUN_STR("key="), &value)) {
        if (read_secret(cf, value, &value) != LUN_OK) {
            return LUN_ERROR;
        }

        return lun_acme_dns_key(cf->pool, value, zone) ? LUN_OK
               : lun_conf_fail(cf, "dns_update: this is no key: NAME:BASE64, "
                               "or a file of tsig-keygen, for hmac-sha256");
    }

    if (lun_str_after(word, LUN_STR("ttl="), &value)
        && lun_str_to_sec(value, &ttl) == LUN_OK && ttl >= 0
        && ttl <= INT32_MAX)
    {
        zone->ttl = (uint32_t) ttl;
        return LUN_OK;
    }

    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


static lun_rc
set_dns_update(lun_conf *cf, const lun_directive *d, void *conf)
{
    enum { DNS = 53, TTL = 60 };

    size_t              i;
    const char         *why;
    lun_acme_dns_zone  *zone = lun_array_push(&issuer_of(cf)->dns.zones);

    *zone = (lun_acme_dns_zone) { .ttl = TTL };
    why = lun_url_authority(cf->args[1], &zone->host, &zone->port);

    if (why != NULL) {
        return lun_conf_fail(cf, "dns_update: %s in \"%.*s\"", why,
                             LUN_S(cf->args[1]));
    }

    if (zone->port == 0) {
        zone->port = DNS;
    }

    for (i = 2; i < cf->argc; i++) {
        if (set_dns_parameter(cf, cf->args[i], zone) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return zone->zone != NULL ? LUN_OK
           : lun_conf_fail(cf, "\"%.*s\" must have \"zone\" parameter",
                           LUN_S(cf->args[0]));
}


static lun_rc
set_dns_hook(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_url  url;

    if (lun_url_parse(cf->args[1], &url) != NULL
        || (!lun_str_caseeq(url.scheme, LUN_STR("http"))
            && !lun_str_caseeq(url.scheme, LUN_STR("https"))))
    {
        return lun_conf_fail(cf, "invalid URL \"%.*s\" in \"dns_hook\"",
                             LUN_S(cf->args[1]));
    }

    issuer_of(cf)->dns.hook = cf->args[1];
    return LUN_OK;
}


static lun_rc
set_dns_wait(lun_conf *cf, const lun_directive *d, void *conf)
{
    enum { MOST = 300 };           /* an order is given ten minutes */

    int64_t  sec;

    if (lun_str_to_sec(cf->args[1], &sec) != LUN_OK || sec < 0 || sec > MOST) {
        return lun_conf_bad_value(cf);
    }

    issuer_of(cf)->dns.wait = sec;
    return LUN_OK;
}


/* RFC 3986, 3.1. */
static bool
has_scheme(lun_str text)
{
    char    c;
    size_t  i;

    for (i = 0; i < text.len; i++) {
        c = lun_lower(text.data[i]);

        if (c >= 'a' && c <= 'z') {
            continue;
        }

        if (i == 0 || (!lun_is_digit(c) && c != '+' && c != '-' && c != '.'))
        {
            return i != 0 && c == ':';
        }
    }

    return false;
}


static lun_rc
set_contact(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str  word = cf->args[1];

    if (word.len == 0) {
        return lun_conf_bad_value(cf);
    }

    if (!has_scheme(word)) {
        word = lun_pool_fmt(cf->pool, "mailto:%.*s", LUN_S(word));
    }

    *(lun_str *) lun_array_push(&issuer_of(cf)->contacts) = word;
    return LUN_OK;
}


static lun_rc
set_binding(lun_conf *cf, const lun_directive *d, void *conf)
{
    char             *bytes;
    lun_str           text;
    lun_acme_issuer  *issuer = issuer_of(cf);

    if (cf->args[1].len == 0 || cf->args[2].len == 0) {
        return lun_conf_bad_value(cf);
    }

    if (read_secret(cf, cf->args[2], &text) != LUN_OK) {
        return LUN_ERROR;
    }

    bytes = lun_pool_text(cf->pool, text.len / 4 * 3 + 3);
    issuer->binding_kid = cf->args[1];
    issuer->binding_key.data = bytes;

    if (text.len == 0
        || lun_base64_decode(bytes, &issuer->binding_key.len, text, true,
                             false) != LUN_OK)
    {
        return lun_conf_fail(cf, "\"external_account_key\" directive invalid "
                             "base64url encoded value");
    }

    return LUN_OK;
}


static lun_rc
set_chain(lun_conf *cf, const lun_directive *d, void *conf)
{
    issuer_of(cf)->chain = cf->args[1];
    return LUN_OK;
}


static lun_rc
set_profile(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_acme_issuer  *issuer = issuer_of(cf);

    if (cf->args[1].len == 0
        || (cf->argc == 3 && !lun_str_eq(cf->args[2], LUN_STR("require"))))
    {
        return lun_conf_bad_value(cf);
    }

    issuer->profile = cf->args[1];
    issuer->profile_required = cf->argc == 3;
    return LUN_OK;
}


static lun_rc
set_trusted(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_acme_issuer  *issuer = issuer_of(cf);

    if (lun_tls_is_system(cf->args[1])) {
        return LUN_OK;                 /* as without it */
    }

    issuer->trusted = lun_tls_load(cf, cf->args[1]);

    return issuer->trusted.text.data != NULL ? LUN_OK
           : lun_conf_fail(cf, "cannot load certificate \"%.*s\"",
                           LUN_S(lun_tls_loggable(issuer->trusted.name)));
}


static lun_rc
set_verify(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool  on = lun_str_eq(cf->args[1], LUN_STR("on"));

    if (!on && !lun_str_eq(cf->args[1], LUN_STR("off"))) {
        return lun_conf_fail(cf, "invalid value \"%.*s\" in \"%.*s\" directive,"
                             " it must be \"on\" or \"off\"",
                             LUN_S(cf->args[1]), LUN_S(cf->args[0]));
    }

    issuer_of(cf)->trusts_anybody = !on;
    return LUN_OK;
}


static lun_rc
set_state_path(lun_conf *cf, const lun_directive *d, void *conf)
{
    issuer_of(cf)->state_path = lun_str_eq(cf->args[1], LUN_STR("off"))
                                ? LUN_STR("")
                                : lun_conf_path(cf, cf->args[1], false);
    return LUN_OK;
}


static lun_rc
set_agrees(lun_conf *cf, const lun_directive *d, void *conf)
{
    issuer_of(cf)->agrees = true;
    return LUN_OK;
}


/*
 * What needs the whole block (a challenge and what it wants) is checked at its
 * end, in any order of its directives.
 */
static lun_rc
set_issuer(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_acme         *a = lun_acme_of(cf);
    lun_str           name = cf->args[1];
    lun_block        *block;
    lun_acme_issuer  *issuer;

    if (lun_acme_find_issuer(a, name) != NULL) {
        return lun_conf_fail(cf, "\"acme_issuer\" directive is duplicate");
    }

    issuer = lun_pool_new(cf->pool, lun_acme_issuer);
    issuer->name = name;
    issuer->key_kind = (lun_key_kind) { .bits = 256 };
    issuer->challenge = LUN_STR("http-01");
    issuer->state_path = LUN_STR_NULL;
    issuer->dns.wait = DNS_WAIT;
    lun_array_init(&issuer->dns.zones, cf->pool, sizeof(lun_acme_dns_zone), 1);
    lun_array_init(&issuer->contacts, cf->pool, sizeof(lun_str), 1);

    if (lun_conf_read_block(cf, LUN_ACME_ISSUER, issuer, &block) != LUN_OK) {
        return LUN_ERROR;
    }

    if (issuer->uri.len == 0) {
        return lun_conf_fail(cf, "acme_issuer: \"uri\" is missing");
    }

    if (lun_str_eq(issuer->challenge, LUN_STR("dns-01"))
        && issuer->dns.hook.len == 0 && issuer->dns.zones.count == 0)
    {
        return lun_conf_fail(cf, "acme_issuer: challenge \"dns-01\" needs "
                             "\"dns_update\" or \"dns_hook\"");
    }

    if (issuer->state_path.data == NULL) {
        issuer->state_path = lun_conf_path(cf,
            lun_pool_fmt(cf->temp, LUN_TEMP_PATH "acme_%.*s", LUN_S(name)),
            false);
    }

    *(lun_acme_issuer **) lun_array_push(&a->issuers) = issuer;
    return LUN_OK;
}


/* --- acme_shared_zone ---------------------------------------------------- */

lun_rc
lun_acme_want_zone(lun_conf *cf, lun_str name, size_t size)
{
    const char  *why;
    lun_acme    *a = lun_acme_of(cf);

    a->zone = lun_zone_want(cf->gen->zones, name, size, &lun_acme_zone_kind,
                            &why);
    return a->zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str      word, name;
    uint64_t     size;
    const char  *colon;

    if (!lun_str_after(cf->args[1], LUN_STR("zone="), &word)) {
        return lun_conf_fail(cf, "\"%.*s\" must have \"zone\" parameter",
                             LUN_S(cf->args[0]));
    }

    colon = lun_str_chr(word, ':');

    if (colon == NULL || colon == word.data
        || lun_str_to_size(lun_str_of(colon + 1, (size_t) (word.data + word.len
                                                           - colon - 1)),
                           &size) != LUN_OK)
    {
        return lun_conf_fail(cf, "acme_shared_zone: invalid zone size "
                             "\"%.*s\"", LUN_S(word));
    }

    name = lun_str_of(word.data, (size_t) (colon - word.data));

    return size >= LUN_ACME_ZONE_MIN
           ? lun_acme_want_zone(cf, name, (size_t) size)
           : lun_conf_fail(cf, "acme_shared_zone: zone %.*s is too small",
                           LUN_S(name));
}


#define INNER(name_, args_, values_, set_, help_, ...)                        \
    { .name = name_, .where = LUN_ACME_ISSUER, .args = args_, .set = set_,    \
      .values = values_, .help = help_, __VA_ARGS__ }

const lun_directive  lun_acme_directives[] = {
    { .name = "acme_certificate", .where = LUN_SERVER, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_acme_set_certificate,
      .values = "issuer [identifier ...] [key=alg[:size]]",
      .help = "a certificate that an issuer gives, and that renews itself" },
    { .name = "acme_on_demand", .where = LUN_SERVER, .args = 2,
      .args_max = LUN_ARGS_ANY, .set = lun_acme_set_demand,
      .values = "issuer ask=URL [rate=rate] [wait=time] [key=alg[:size]]",
      .help = "certificates for names that clients ask for, if a URL permits" },
    { .name = "acme_issuer", .where = LUN_HTTP, .args = 1, .block = true,
      .repeats = true, .set = set_issuer,
      .values = "name",
      .help = "who gives certificates (ACME), and to whom" },
    { .name = "acme_shared_zone", .where = LUN_HTTP, .args = 1,
      .set = set_zone,
      .values = "zone=name:size",
      .help = "the zone in which certificates are (ngx_acme_shared:256k)" },
    INNER("uri", 1, "URL", set_uri, "the directory of an ACME server"),
    INNER("account_key", 1, "alg[:size] | file", set_account_key,
          "the key of the account: its kind, or its file"),
    INNER("challenge", 1, "type", set_challenge,
          "how names are validated: http-01, tls-alpn-01, dns-01, "
          "dns-persist-01"),
    INNER("dns_update", 1, "address [parameters]", set_dns_update,
          "dns-01: the server of a zone, which takes updates (RFC 2136)",
          .args_max = LUN_ARGS_ANY, .repeats = true),
    INNER("dns_hook", 1, "URL", set_dns_hook,
          "dns-01: a URL that sets records, and takes them back"),
    INNER("dns_wait", 1, "time", set_dns_wait,
          "dns-01: until all servers of a zone have a record (10s)"),
    INNER("contact", 1, "URL", set_contact,
          "where the issuer writes to in need", .repeats = true),
    INNER("external_account_key", 2, "kid file", set_binding,
          "the account at the issuer, and its key"),
    INNER("preferred_chain", 1, "name", set_chain,
          "of several chains, whose is taken"),
    INNER("profile", 1, "name [require]", set_profile,
          "the kind of certificate",
          .args_max = 2),
    INNER("ssl_trusted_certificate", 1, "file | system", set_trusted,
          "authorities by which the issuer's server is known (the system's)"),
    INNER("ssl_verify", 1, "on | off", set_verify,
          "checks who the issuer's server is"),
    INNER("state_path", 1, "path | off", set_state_path,
          "the folder of keys and certificates (acme_NAME); off: none"),
    INNER("accept_terms_of_service", 0, "", set_agrees,
          "agrees to the issuer's terms"),
    { 0 }
};

/*
 * ssl.c -- `listen ... ssl` and what belongs to it: certificates, protocols,
 * sessions, certificates of clients; in http { } and stream { } alike.
 *
 *     server {
 *         listen               443 ssl;
 *         ssl_certificate      example.com.crt;
 *         ssl_certificate_key  example.com.key;
 *     }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"


enum {
    WHERE = LUN_ANY_PROTOCOL | LUN_ANY_SERVER,
    HTTP = LUN_HTTP | LUN_SERVER
};

static const lun_enum  ocsp[] = {
    { "off", LUN_OCSP_OFF },
    { "on", LUN_OCSP_ON },
    { "leaf", LUN_OCSP_LEAF },
    { NULL, 0 }
};

static const lun_enum  verify[] = {
    { "off", LUN_VERIFY_OFF },
    { "on", LUN_VERIFY_ON },
    { "optional", LUN_VERIFY_OPTIONAL },
    { "optional_no_ca", LUN_VERIFY_OPTIONAL_NO_CA },
    { NULL, 0 }
};


/* --- setters ------------------------------------------------------------- */

static lun_rc
add_name(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_array   **field = (lun_array **) (void *) ((char *) data + d->field);
    lun_ssl_name   name = {
        .text = lun_script_new(cf, cf->args[1]),
        .file = cf->file,
        .line = cf->line,
    };

    if (name.text == NULL) {
        return LUN_ERROR;
    }

    if (*field == NULL) {
        *field = lun_array_new(cf->pool, sizeof(lun_ssl_name), 2);
    }

    *(lun_ssl_name *) lun_array_push(*field) = name;
    return LUN_OK;
}


static lun_rc
bad_cache(lun_conf *cf, const char *what, lun_str word)
{
    return lun_conf_fail(cf, "invalid %s cache \"%.*s\"", what, LUN_S(word));
}


/* "shared:NAME:SIZE", or the name alone where another line has the size. */
static lun_rc
set_shared(lun_conf *cf, const lun_zone_kind *kind, const char *what,
    lun_str word, lun_zone **zone)
{
    lun_str      name, rest;
    uint64_t     size = 0;
    const char  *why, *colon;

    rest = lun_str_of(word.data + 7, word.len - 7);
    colon = lun_str_chr(rest, ':');
    name = colon != NULL ? lun_str_of(rest.data, (size_t) (colon - rest.data))
                         : rest;

    if (name.len == 0) {
        return bad_cache(cf, what, word);
    }

    if (colon != NULL
        && lun_str_to_size(lun_str_of(colon + 1, rest.len - name.len - 1),
                           &size) != LUN_OK)
    {
        return bad_cache(cf, what, word);
    }

    if (colon != NULL && size < kind->min_size) {
        return lun_conf_fail(cf, "%s cache \"%.*s\" is too small", what,
                             LUN_S(word));
    }

    *zone = lun_zone_want(cf->gen->zones, name, (size_t) size, kind, &why);
    return *zone != NULL ? LUN_OK : lun_conf_fail(cf, "%s", why);
}


/*
 * `off` tells clients that there is no resumption, `none` lets them believe
 * there may be; both keep nothing.
 */
static lun_rc
set_sessions(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t             i;
    lun_str            word, size;
    lun_ssl_conf      *conf = data;
    lun_ssl_sessions  *s = &conf->sessions;

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        if (lun_str_eq(word, LUN_STR("off"))) {
            s->off = true;

        } else if (lun_str_eq(word, LUN_STR("builtin"))) {
            s->builtin = true;

        } else if (lun_str_after(word, LUN_STR("builtin:"), &size)) {
            s->builtin = true;

            if (lun_str_to_i64(size, &s->builtin_size) != LUN_OK
                || s->builtin_size <= 0)
            {
                return bad_cache(cf, "session", word);
            }

        } else if (lun_str_starts(word, LUN_STR("shared:"))) {
            if (set_shared(cf, &lun_tls_cache_kind, "session", word, &s->zone)
                != LUN_OK)
            {
                return LUN_ERROR;
            }

        } else if (!lun_str_eq(word, LUN_STR("none"))) {
            return bad_cache(cf, "session", word);
        }
    }

    return LUN_OK;
}


static lun_rc
set_ocsp_cache(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str        word = cf->args[1];
    lun_ssl_conf  *conf = data;

    if (lun_str_eq(word, LUN_STR("off"))) {
        return LUN_OK;
    }

    return lun_str_starts(word, LUN_STR("shared:"))
           ? set_shared(cf, &lun_tls_ocsp_kind, "OCSP", word,
                        &conf->ocsp_cache)
           : bad_cache(cf, "OCSP", word);
}


static lun_rc
set_responder(lun_conf *cf, const lun_directive *d, void *data)
{
    const char    *why;
    lun_url        url;

    if (lun_set_str(cf, d, data) != LUN_OK || cf->args[1].len == 0) {
        return cf->args[1].len == 0 ? LUN_OK : LUN_ERROR;
    }

    why = lun_ocsp_url_parse(cf->args[1], &url);
    return why == NULL ? LUN_OK
           : lun_conf_fail(cf, "%s in OCSP responder \"%.*s\" in "
                           "\"%.*s\"", why, LUN_S(cf->args[1]),
                           LUN_S(cf->args[0]));
}


/* What is not here, and would only make things faster. */
static lun_rc
set_missing(lun_conf *cf, const lun_directive *d, void *data)
{
    if (!lun_str_eq(cf->args[1], LUN_STR("off"))) {
        lun_conf_warn(cf, "\"%.*s\" is not supported on this platform, "
                      "ignored",
                      LUN_S(cf->args[0]));
    }

    return LUN_OK;
}


/* --- the module ---------------------------------------------------------- */

static lun_rc
init(lun_conf *cf)
{
    cf->engine->tls = &lun_ssl_tls;
    return LUN_OK;
}


static const lun_directive  directives[];

static bool
says_something(const lun_block *b)
{
    const lun_directive  *d = directives;

    while (d->name != NULL && !lun_block_has(b, &lun_common_ssl.part, d)) {
        d++;
    }

    return d->name != NULL;
}


/* Whether a server has no settings but those of the protocol's block. */
static bool
is_shared(const lun_block *b)
{
    const lun_block  *child = b->first_child;

    while (child != NULL && ((child->where & LUN_ANY_SERVER) == 0
                             || says_something(child)))
    {
        child = child->sibling;
    }

    return child != NULL;
}


/* What each server says more about (a password) is no use to all of them. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *conf)
{
    return parent != NULL || is_shared(cf->block) ? lun_ssl_make_ctx(cf, conf)
                                                  : LUN_OK;
}


#define ONE(name_, set_, field_, fallback_, ...)                              \
    { .name = name_, .where = WHERE, .args = 1, .set = set_,                  \
      LUN_FIELD(lun_ssl_conf, field_), .fallback = fallback_, __VA_ARGS__ }

#define LIST(name_, args_, set_, field_, ...)                                 \
    { .name = name_, .where = WHERE, .args = args_, .repeats = true,          \
      .set = set_, LUN_FIELD(lun_ssl_conf, field_), __VA_ARGS__ }

static const lun_directive  directives[] = {
    LIST("ssl_certificate", 1, add_name, certificates,
         .values = "file | data:$variable | store:NAME",
         .help = "the certificate of the site"),
    LIST("ssl_certificate_key", 1, add_name, keys,
         .values = "file | data:$variable",
         .help = "its key"),
    { .name = "ssl_certificate_cache", .where = WHERE, .args = 1,
      .args_max = 3, .set = lun_set_certificate_cache,
      LUN_FIELD(lun_ssl_conf, certificate_cache),
      .values = "off | max=N [inactive=time] [valid=time]",
      .help = "keeps certificates whose names have variables" },
    ONE("ssl_password_file", lun_set_tls_passwords, passwords, NULL,
        .values = "file",
        .help = "passwords of the keys"),
    { .name = "ssl_protocols", .where = WHERE, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_bits, .data = lun_tls_protocols,
      LUN_FIELD(lun_ssl_conf, protocols), .fallback = "TLSv1.2 TLSv1.3",
      .help = "versions of TLS" },
    ONE("ssl_ciphers", lun_set_str, ciphers, "HIGH:!aNULL:!MD5",
        .values = "ciphers",
        .help = "ciphers of TLS up to 1.2"),
    ONE("ssl_prefer_server_ciphers", lun_set_flag, prefer_server_ciphers,
        "off",
        .help = "our order of ciphers counts"),
    ONE("ssl_dhparam", lun_set_str, dhparam, "\"\"",
        .values = "file",
        .help = "parameters of old key exchanges"),
    ONE("ssl_ecdh_curve", lun_set_str, curves, "auto",
        .values = "curve[:curve ...]",
        .help = "curves of the key exchange"),
    LIST("ssl_conf_command", 2, lun_set_pairs, commands,
         .values = "name value",
         .help = "a command of OpenSSL's"),
    { .name = "ssl_session_cache", .where = WHERE, .args = 1, .args_max = 2,
      .repeats = true,
      .set = set_sessions, LUN_FIELD(lun_ssl_conf, sessions),
      .fallback = "none",
      .values = "off | none | [builtin[:size]] [shared:name:size]",
      .help = "where sessions are kept" },
    ONE("ssl_session_tickets", lun_set_flag, tickets, "on",
        .help = "clients keep their sessions themselves"),
    LIST("ssl_session_ticket_key", 1, lun_ssl_set_ticket_key, ticket_keys,
         .values = "file",
         .help = "the key of tickets; several: the first seals"),
    ONE("ssl_session_timeout", lun_set_sec, timeout, "5m",
        .help = "how long a session may be resumed"),
    { .name = "ssl_buffer_size", .where = HTTP, .args = 1,
      .set = lun_set_size, LUN_FIELD(lun_ssl_conf, buffer_size),
      .fallback = "16k",
      .help = "how much goes into a record of TLS" },
    { .name = "ssl_alpn", .where = LUN_STREAM_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_tls_alpn,
      LUN_FIELD(lun_ssl_conf, alpn),
      .values = "protocol ...",
      .help = "protocols that are chosen from" },
    ONE("ssl_reject_handshake", lun_set_flag, reject_handshake, "off",
        .help = "refuses every handshake"),
    { .name = "ssl_verify_client", .where = WHERE, .args = 1,
      .set = lun_set_enum, .data = verify, LUN_FIELD(lun_ssl_conf, verify),
      .fallback = "off",
      .help = "asks clients for a certificate" },
    ONE("ssl_verify_depth", lun_set_num, verify_depth, "1",
        .help = "how long its chain may be"),
    ONE("ssl_client_certificate", lun_set_str, client_certificate, "\"\"",
        .values = "file",
        .help = "authorities that clients' certificates are from"),
    ONE("ssl_trusted_certificate", lun_set_str, trusted, "\"\"",
        .values = "file | system",
        .help = "authorities that clients are not told about"),
    ONE("ssl_crl", lun_set_str, crl, "\"\"",
        .values = "file",
        .help = "certificates of clients that were revoked"),
    ONE("ssl_key_log", lun_set_path, key_log, NULL,
        .help = "a file for the secrets of connections"),
    ONE("ssl_certificate_compression", lun_set_flag, compression, "off",
        .help = "compresses certificates, where OpenSSL can"),
    { .name = "ssl_ech_file", .where = WHERE, .args = 1, .repeats = true,
      .set = set_missing,
      .values = "file",
      .help = "without effect here, which a warning says" },
    { .name = "ssl_early_data", .where = HTTP, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_ssl_conf, early_data),
      .fallback = "off",
      .help = "takes requests in the first message of TLS 1.3" },
    ONE("ssl_stapling", lun_set_flag, stapling, "off",
        .help = "tells clients what OCSP says of the certificate"),
    ONE("ssl_stapling_file", lun_set_str, stapling_file, "\"\"",
        .values = "file",
        .help = "that answer, from a file"),
    ONE("ssl_stapling_responder", lun_set_str, stapling_responder, "\"\"",
        .values = "url",
        .help = "who is asked, instead of whom the certificate names"),
    ONE("ssl_stapling_verify", lun_set_flag, stapling_verify, "off",
        .help = "checks who has signed such answers"),
    ONE("ssl_ocsp", lun_set_enum, ocsp, "off", .data = ocsp,
        .help = "asks OCSP about certificates of clients"),
    ONE("ssl_ocsp_responder", set_responder, ocsp_responder, "\"\"",
        .values = "url",
        .help = "who is asked, instead of whom they name"),
    ONE("ssl_ocsp_cache", set_ocsp_cache, ocsp_cache, "off",
        .values = "off | shared:name:size",
        .help = "a zone for the answers"),
    { 0 }
};

lun_module  lun_common_ssl = {
    .name = "ssl",
    .directives = directives,
    .conf_size = sizeof(lun_ssl_conf),
    .always = true,
    .inherited = inherited,
    .variables = lun_ssl_variables,
    .init = init,
};

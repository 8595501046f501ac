/*
 * ssl_ctx.c -- what the directives of a server make of TLS.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/ssl.h>

#include "base/fmt.h"


enum { EARLY_DATA = 16384 };       /* bytes, at most */


const lun_script *
lun_ssl_name_at(const lun_array *names, size_t i)
{
    return names != NULL && i < names->count
           ? ((const lun_ssl_name *) lun_array_at(names, i))->text : NULL;
}


static char *
put_place(void *owner, char *p, const char *end)
{
    const lun_ssl_name  *name = owner;

    return lun_fmt(p, end, " in %.*s:%u", LUN_S(name->file), name->line);
}


/*
 * Certificates whose key is in the same place are their own keys; the others
 * have the list of keys, in its order.
 */
static void
pair_keys(lun_conf *cf, lun_ssl_conf *conf)
{
    size_t               i, at = 0;
    size_t               given = conf->keys != NULL ? conf->keys->count : 0;
    lun_array           *keys;
    const lun_ssl_name  *cert;

    if (given >= conf->certificates->count) {
        return;
    }

    keys = lun_array_new(cf->pool, sizeof(lun_ssl_name),
                         conf->certificates->count);

    for (i = 0; i < conf->certificates->count; i++) {
        cert = lun_array_at(conf->certificates, i);

        if (lun_tls_has_own_key(lun_script_text(cert->text))) {
            *(lun_ssl_name *) lun_array_push(keys) = *cert;

        } else if (at < given) {
            *(lun_ssl_name *) lun_array_push(keys) =
                *(lun_ssl_name *) lun_array_at(conf->keys, at++);

        } else {
            return;
        }
    }

    conf->keys = keys;
}


/* Each has a key; one that is read late makes all wait for the handshake. */
static lun_rc
check_certificates(lun_conf *cf, lun_ssl_conf *conf)
{
    size_t             i;
    lun_log            placed = *cf->log;
    const lun_script  *cert, *key;

    pair_keys(cf, conf);
    placed.context = put_place;

    for (i = 0; i < conf->certificates->count; i++) {
        cert = lun_ssl_name_at(conf->certificates, i);
        key = lun_ssl_name_at(conf->keys, i);

        if (key == NULL) {
            return lun_conf_fail_bare(cf, "no \"ssl_certificate_key\" is "
                                      "defined for certificate \"%.*s\"",
                                      LUN_S(lun_script_text(cert)));
        }

        placed.owner = lun_array_at(conf->certificates, i);

        if (lun_certificate_check(&placed, cert) != LUN_OK) {
            return LUN_ERROR;
        }

        conf->dynamic |= lun_certificate_is_read_late(cert, key);
    }

    return LUN_OK;
}


/*
 * A name with variables makes the whole list dynamic: all of it is then read in
 * the handshake, when the values are known.
 */
static lun_rc
use_certificates(lun_conf *cf, lun_ssl_conf *conf)
{
    size_t        i;
    lun_log       placed = *cf->log;
    lun_tls_file  cert, key;

    conf->dynamic = false;

    if (check_certificates(cf, conf) != LUN_OK) {
        return LUN_ERROR;
    }

    for (i = 0; !conf->dynamic && i < conf->certificates->count; i++) {
        cert = lun_tls_load(cf, lun_script_text(
                                lun_ssl_name_at(conf->certificates, i)));
        key = lun_tls_load(cf, lun_script_text(
                               lun_ssl_name_at(conf->keys, i)));

        placed.context = put_place;
        placed.owner = lun_array_at(conf->certificates, i);

        if (lun_tls_ctx_certificate(conf->ctx, &placed, &cert, &key,
                                    conf->passwords) != LUN_OK)
        {
            return LUN_ERROR;
        }

        if (cert.text.data != NULL && !lun_tls_is_stored(cert.name)
            && !lun_tls_has_own_key(cert.name))
        {
            lun_ssl_add_status(cf, &cert);
        }

        if (conf->stapling) {
            lun_ssl_add_staple(cf, conf, cert.name);
        }
    }

    return LUN_OK;
}


static lun_rc
use_trust(lun_conf *cf, const lun_ssl_conf *conf)
{
    size_t        i;
    lun_tls_file  file;

    const struct {
        lun_str  name;
        bool     named;
    } all[] = { { conf->client_certificate, true }, { conf->trusted, false } };

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        if (all[i].name.len == 0) {
            continue;
        }

        file = all[i].named ? lun_tls_load(cf, all[i].name)
                            : lun_tls_load_trusted(cf, all[i].name);

        if (lun_tls_ctx_trust(conf->ctx, cf->log, &file, all[i].named)
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    if (conf->crl.len == 0) {
        return LUN_OK;
    }

    file = lun_tls_load(cf, conf->crl);
    return lun_tls_ctx_crl(conf->ctx, cf->log, &file);
}


static lun_rc
use_verify(lun_conf *cf, const lun_ssl_conf *conf)
{
    /* Also for whoever asks for certificates in the handshake itself. */
    SSL_CTX_set_verify_depth(conf->ctx,
                             (int) lun_min(conf->verify_depth, INT32_MAX));

    if (conf->verify != LUN_VERIFY_OFF) {
        if (conf->client_certificate.len == 0 && conf->trusted.len == 0
            && conf->verify != LUN_VERIFY_OPTIONAL_NO_CA)
        {
            return lun_conf_fail_bare(cf, "no ssl_client_certificate or "
                                      "ssl_trusted_certificate for "
                                      "ssl_verify_client");
        }

        lun_tls_ctx_verify(conf->ctx);
    }

    if (conf->ocsp != LUN_OCSP_OFF
        && conf->verify == LUN_VERIFY_OPTIONAL_NO_CA)
    {
        return lun_conf_fail_bare(cf, "\"ssl_ocsp\" is incompatible with "
                                  "\"ssl_verify_client optional_no_ca\"");
    }

    return use_trust(cf, conf);
}


static lun_rc
use_sessions(lun_conf *cf, lun_ssl_conf *conf)
{
    const lun_ssl_sessions  *s = &conf->sessions;

    SSL_CTX_set_timeout(conf->ctx, conf->timeout);

    if (s->builtin && s->builtin_size != 0) {
        SSL_CTX_sess_set_cache_size(conf->ctx, s->builtin_size);
    }

    if (s->zone != NULL) {
        lun_tls_cache_use(conf->ctx, s->zone, s->builtin);

    } else if (!s->builtin) {
        SSL_CTX_set_session_cache_mode(conf->ctx, s->off
            ? SSL_SESS_CACHE_OFF
            : SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL);
    }

    if (!conf->tickets) {
        SSL_CTX_set_options(conf->ctx, SSL_OP_NO_TICKET);

        /* TLS 1.3 would send the name of a session that nobody keeps. */
        if (s->zone == NULL && !s->builtin) {
            (void) SSL_CTX_set_num_tickets(conf->ctx, 0);
        }

        return LUN_OK;
    }

    if (conf->ticket_keys == NULL) {
        conf->keyring = lun_ssl_want_keyring(cf, conf->timeout);

        if (conf->keyring == NULL) {
            return LUN_ERROR;
        }
    }

    lun_ssl_use_tickets(conf);
    return LUN_OK;
}


static lun_rc
use_dhparam(lun_conf *cf, const lun_ssl_conf *conf)
{
    lun_tls_file  file;

    if (conf->dhparam.len == 0) {
        return LUN_OK;
    }

    file = lun_tls_load(cf, conf->dhparam);
    return lun_tls_ctx_dhparam(conf->ctx, cf->log, &file);
}


static lun_rc
use_key_log(lun_conf *cf, const lun_ssl_conf *conf)
{
    return conf->key_log.len == 0 ? LUN_OK
           : lun_tls_ctx_key_log(conf->ctx, cf->log,
                                 lun_log_file_want(&cf->gen->logs,
                                                   conf->key_log));
}


/* Whom it trusts is part of what its sessions are worth. */
static lun_rc
name_ctx(lun_conf *cf, const lun_ssl_conf *conf)
{
    size_t   i;
    lun_str  name = lun_pool_fmt(cf->temp, "%s %d %.*s %.*s",
                                 cf->engine->protocol->name, conf->verify,
                                 LUN_S(conf->client_certificate),
                                 LUN_S(conf->trusted));

    for (i = 0; conf->dynamic && i < conf->certificates->count; i++) {
        name = lun_pool_fmt(cf->temp, "%.*s %.*s", LUN_S(name),
                            LUN_S(lun_script_text(
                                lun_ssl_name_at(conf->certificates, i))));
    }

    return lun_tls_ctx_name(conf->ctx, cf->log, name);
}


/*
 * The name comes last of what it is made of: certificates and verification are
 * in it.  Callbacks come after all that may fail.
 */
lun_rc
lun_ssl_make_ctx(lun_conf *cf, lun_ssl_conf *conf)
{
    if (conf->certificates == NULL && !conf->reject_handshake) {
        return LUN_OK;
    }

    conf->ctx = lun_tls_ctx_new(cf->pool, cf->log, conf->protocols);

    if (conf->ctx == NULL
        || (conf->certificates != NULL
            && use_certificates(cf, conf) != LUN_OK)
        || lun_tls_ctx_ciphers(conf->ctx, cf->log, conf->ciphers,
                               conf->prefer_server_ciphers) != LUN_OK
        || lun_tls_ctx_curves(conf->ctx, cf->log, conf->curves) != LUN_OK
        || use_dhparam(cf, conf) != LUN_OK
        || use_verify(cf, conf) != LUN_OK
        || lun_ssl_use_staples(cf, conf) != LUN_OK
        || use_sessions(cf, conf) != LUN_OK
        || use_key_log(cf, conf) != LUN_OK
        || lun_tls_commands(cf, conf->ctx, conf->commands) != LUN_OK
        || name_ctx(cf, conf) != LUN_OK)
    {
        return LUN_ERROR;
    }

    if (conf->compression) {
        lun_tls_ctx_compress(conf->ctx, cf->log);
    }

    if (conf->early_data
        && lun_ssl_use_early(cf, conf, EARLY_DATA) != LUN_OK)
    {
        return LUN_ERROR;
    }

    lun_ssl_use_callbacks(conf->ctx);

    return LUN_OK;
}

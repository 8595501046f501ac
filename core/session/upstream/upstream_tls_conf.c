/*
 * upstream_tls_conf.c -- what NAME_ssl_... make of TLS to servers.
 *
 * Most places that ask for TLS say nothing else about it: those of the same
 * settings share a context, and with it the sessions that it keeps.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_tls.h"

#include <openssl/ssl.h>

#include "config/generation.h"
#include "net/tls/tls_reuse.h"


/* --- a context ----------------------------------------------------------- */

static lun_rc
use_certificate(lun_conf *cf, const char *prefix, const lun_upstream_tls *tls,
    SSL_CTX *ctx)
{
    lun_tls_file  cert, key;

    if (tls->certificate == NULL
        || lun_script_text(tls->certificate).len == 0)
    {
        return LUN_OK;
    }

    if (tls->certificate_key == NULL) {
        return lun_conf_fail_bare(cf, "no \"%sssl_certificate_key\" is "
                                  "defined for certificate \"%.*s\"", prefix,
                                  LUN_S(lun_script_text(tls->certificate)));
    }

    if (lun_certificate_is_read_late(tls->certificate, tls->certificate_key))
    {
        return lun_certificate_check(cf->log, tls->certificate);
    }

    cert = lun_tls_load(cf, lun_script_text(tls->certificate));
    key = lun_tls_load(cf, lun_script_text(tls->certificate_key));

    return lun_tls_ctx_certificate(ctx, cf->log, &cert, &key, tls->passwords);
}


static lun_rc
use_trust(lun_conf *cf, const char *prefix, const lun_upstream_tls *tls,
    SSL_CTX *ctx)
{
    lun_tls_file  file;

    if (!tls->verify) {
        return LUN_OK;
    }

    if (tls->trusted.len == 0) {
        return lun_conf_fail_bare(cf, "no %sssl_trusted_certificate for "
                                  "%sssl_verify", prefix, prefix);
    }

    SSL_CTX_set_verify_depth(ctx, (int) lun_min(tls->verify_depth, INT32_MAX));
    file = lun_tls_load_trusted(cf, tls->trusted);

    if (lun_tls_ctx_trust(ctx, cf->log, &file, false) != LUN_OK) {
        return LUN_ERROR;
    }

    if (tls->crl.len == 0) {
        return LUN_OK;
    }

    file = lun_tls_load(cf, tls->crl);
    return lun_tls_ctx_crl(ctx, cf->log, &file);
}


static SSL_CTX *
make(lun_conf *cf, const char *prefix, const lun_upstream_tls *tls)
{
    SSL_CTX  *ctx = lun_tls_ctx_new(cf->pool, cf->log, tls->protocols);

    if (ctx == NULL
        || use_certificate(cf, prefix, tls, ctx) != LUN_OK
        || lun_tls_ctx_ciphers(ctx, cf->log, tls->ciphers, false) != LUN_OK
        || use_trust(cf, prefix, tls, ctx) != LUN_OK
        || (tls->key_log.len != 0
            && lun_tls_ctx_key_log(ctx, cf->log,
                                   lun_log_file_want(&cf->gen->logs,
                                                     tls->key_log)) != LUN_OK)
        || lun_tls_commands(cf, ctx, tls->commands) != LUN_OK)
    {
        return NULL;
    }

    SSL_CTX_set_cert_verify_callback(ctx, lun_upstream_tls_on_verify, NULL);

    if (tls->session_reuse && lun_tls_reuse_init(ctx, cf->pool) != LUN_OK) {
        lun_conf_fail_bare(cf, "SSL_CTX_set_ex_data() failed");
        return NULL;
    }

    return ctx;
}


/* --- one for all of the same settings ------------------------------------ */

static lun_hash *
contexts_of(lun_conf *cf)
{
    lun_engine  *e = cf->engine;

    if (e->upstream_tls == NULL) {
        e->upstream_tls = lun_pool_new(cf->pool, lun_hash);
        lun_hash_init(e->upstream_tls, cf->pool, 0, false);
    }

    return e->upstream_tls;
}


static lun_str
text_of(const lun_script *script)
{
    return script != NULL ? lun_script_text(script) : LUN_STR("");
}


/* Lists are the same when they were inherited. */
static lun_str
key_of(lun_conf *cf, const lun_upstream_tls *tls)
{
    return lun_pool_fmt(cf->pool, "%u %d %d %" PRId64 " %p %p\n%.*s\n%.*s\n"
                        "%.*s\n%.*s\n%.*s\n%.*s", tls->protocols, tls->verify,
                        tls->session_reuse, tls->verify_depth,
                        (void *) tls->commands, (void *) tls->passwords,
                        LUN_S(tls->ciphers), LUN_S(text_of(tls->certificate)),
                        LUN_S(text_of(tls->certificate_key)),
                        LUN_S(tls->trusted), LUN_S(tls->crl),
                        LUN_S(tls->key_log));
}


lun_rc
lun_upstream_tls_finish_conf(lun_conf *cf, const char *prefix,
    lun_upstream_tls *tls)
{
    lun_hash  *all = contexts_of(cf);
    lun_str    key;

    if (tls->certificate != NULL && tls->certificate_key == NULL
        && lun_tls_has_own_key(lun_script_text(tls->certificate)))
    {
        tls->certificate_key = tls->certificate;
    }

    key = key_of(cf, tls);

    tls->ctx = lun_hash_get(all, key);

    if (tls->ctx == NULL) {
        tls->ctx = make(cf, prefix, tls);

        if (tls->ctx == NULL) {
            return LUN_ERROR;
        }

        lun_hash_set(all, key, tls->ctx);
    }

    return LUN_OK;
}


lun_rc
lun_upstream_tls_not_asked(lun_conf *cf, const char *what)
{
    const char                    *name = NULL;
    const lun_upstream_tls_hooks  *hooks = cf->engine->upstream_handshaking;

    if (hooks != NULL) {
        name = hooks->given(cf->block);
    }

    return name == NULL ? LUN_OK
           : lun_conf_fail(cf, "%s should be used with %s", name, what);
}

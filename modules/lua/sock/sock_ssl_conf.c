/*
 * sock_ssl_conf.c -- lua_ssl_*: contexts for cosockets.
 *
 * A location that says nothing of its own shares the context of the level
 * above; where nobody says anything, one is made when it is first needed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/sock/sock_ssl.h"

#include <openssl/ssl.h>

#include "modules/lua/conf/directives.h"
#include "modules/lua/run/ctx.h"
#include "session/tls_conf.h"


enum { DEFAULT = LUN_TLS_1_0 | LUN_TLS_1_1 | LUN_TLS_1_2 | LUN_TLS_1_3 };


static bool
is_plain(const lun_lua_ssl *s)
{
    return s->protocols == DEFAULT && s->trusted.len == 0 && s->crl.len == 0
           && s->certificates == NULL && s->commands == NULL
           && s->verify_depth == 1 && s->key_log.len == 0
           && lun_str_eq(s->ciphers, LUN_STR("DEFAULT"));
}


static bool
is_same(const lun_lua_ssl *a, const lun_lua_ssl *b)
{
    return a->protocols == b->protocols && a->commands == b->commands
           && a->certificates == b->certificates && a->keys == b->keys
           && a->verify_depth == b->verify_depth
           && lun_str_eq(a->ciphers, b->ciphers)
           && lun_str_eq(a->trusted, b->trusted)
           && lun_str_eq(a->crl, b->crl)
           && lun_str_eq(a->key_log, b->key_log);
}


static lun_rc
use_certificates(lun_conf *cf, SSL_CTX *ctx, const lun_lua_ssl *s)
{
    size_t        i, at = 0;
    lun_str       name;
    lun_tls_file  cert, key;

    for (i = 0; s->certificates != NULL && i < s->certificates->count; i++) {
        name = *(lun_str *) lun_array_at(s->certificates, i);

        if (lun_tls_has_own_key(name)) {
            key = lun_tls_load(cf, name);

        } else if (s->keys != NULL && at < s->keys->count) {
            key = lun_tls_load(cf, *(lun_str *) lun_array_at(s->keys, at++));

        } else {
            return lun_conf_fail_bare(cf, "no \"lua_ssl_certificate_key\" is "
                                      "defined for certificate \"%.*s\"",
                                      LUN_S(name));
        }

        cert = lun_tls_load(cf, name);

        if (lun_tls_ctx_certificate(ctx, cf->log, &cert, &key, NULL)
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
use_files(lun_conf *cf, SSL_CTX *ctx, const lun_lua_ssl *s)
{
    lun_tls_file  file;

    if (s->trusted.len != 0) {
        file = lun_tls_load_trusted(cf, s->trusted);

        if (lun_tls_ctx_trust(ctx, cf->log, &file, false) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (s->crl.len != 0) {
        file = lun_tls_load(cf, s->crl);

        if (lun_tls_ctx_crl(ctx, cf->log, &file) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (s->key_log.len != 0
        && lun_tls_ctx_key_log(ctx, cf->log,
                               lun_log_file_want(&cf->gen->logs, s->key_log))
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    return lun_tls_commands(cf, ctx, s->commands) == LUN_OK
           ? use_certificates(cf, ctx, s) : LUN_ERROR;
}


lun_rc
lun_lua_ssl_inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_lua_conf        *conf = data;
    const lun_lua_conf  *above = parent;

    if (is_plain(&conf->ssl)) {
        return LUN_OK;
    }

    if (above != NULL && is_same(&conf->ssl, &above->ssl)) {
        conf->ssl_ctx = above->ssl_ctx;
        return LUN_OK;
    }

    conf->ssl_ctx = lun_tls_ctx_new(cf->pool, cf->log, conf->ssl.protocols);

    if (conf->ssl_ctx == NULL
        || lun_tls_ctx_ciphers(conf->ssl_ctx, cf->log, conf->ssl.ciphers,
                               false) != LUN_OK
        || use_files(cf, conf->ssl_ctx, &conf->ssl) != LUN_OK)
    {
        return LUN_ERROR;
    }

    SSL_CTX_set_verify_depth(conf->ssl_ctx,
                             (int) lun_min(conf->ssl.verify_depth, INT32_MAX));
    return LUN_OK;
}


SSL_CTX *
lun_lua_ssl_ctx(const lun_lua_ctx *ctx)
{
    lun_lua_main  *main = ctx->main;

    if (ctx->conf->ssl_ctx != NULL) {
        return ctx->conf->ssl_ctx;
    }

    if (main->ssl_ctx == NULL) {
        main->ssl_ctx = lun_tls_ctx_new(main->pool, ctx->log, DEFAULT);

        if (main->ssl_ctx != NULL) {
            SSL_CTX_set_verify_depth(main->ssl_ctx, 1);
        }
    }

    return main->ssl_ctx;
}

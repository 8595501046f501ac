/*
 * tls_conf.c -- what all directives about TLS read alike.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/tls_conf.h"


enum { MOST_ALPN = 255 };          /* bytes of a name */

const lun_enum  lun_tls_protocols[] = {
    { "SSLv2", LUN_TLS_SSL2 },
    { "SSLv3", LUN_TLS_SSL3 },
    { "TLSv1", LUN_TLS_1_0 },
    { "TLSv1.1", LUN_TLS_1_1 },
    { "TLSv1.2", LUN_TLS_1_2 },
    { "TLSv1.3", LUN_TLS_1_3 },
    { NULL, 0 }
};


lun_tls_file
lun_tls_load(lun_conf *cf, lun_str name)
{
    lun_tls_file  file = { .name = name };

    if (lun_tls_inline(name, &file.text) || lun_tls_is_stored(name)) {
        return file;
    }

    file.name = lun_conf_path(cf, name, true);

    if (lun_conf_asset(cf, file.name, &file.text) != 0) {
        file.text = LUN_STR_NULL;
    }

    return file;
}


lun_tls_file
lun_tls_load_trusted(lun_conf *cf, lun_str name)
{
    lun_tls_file  file = { .name = name };

    return lun_tls_is_system(name) ? file : lun_tls_load(cf, name);
}


lun_rc
lun_tls_read_named(lun_conf *cf, lun_str *text)
{
    lun_str  path = lun_conf_path(cf, cf->args[1], true);
    lun_err  err = lun_conf_asset(cf, path, text);

    return err == 0 ? LUN_OK
           : lun_conf_fail_err(cf, err, "open() \"%.*s\" failed",
                               LUN_S(path));
}


lun_rc
lun_set_tls_passwords(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_str  text;

    if (lun_tls_read_named(cf, &text) != LUN_OK) {
        return LUN_ERROR;
    }

    *(lun_array **) (void *) ((char *) conf + d->field) =
        lun_tls_passwords(cf->pool, text);

    return LUN_OK;
}


lun_rc
lun_set_tls_alpn(lun_conf *cf, const lun_directive *d, void *conf)
{
    char     *p;
    size_t    i, size = 0;
    lun_str  *field = (lun_str *) (void *) ((char *) conf + d->field);

    for (i = 1; i < cf->argc; i++) {
        if (cf->args[i].len == 0 || cf->args[i].len > MOST_ALPN) {
            return lun_conf_fail(cf, "invalid protocol \"%.*s\"",
                                 LUN_S(cf->args[i]));
        }

        size += 1 + cf->args[i].len;
    }

    p = lun_pool_text(cf->pool, size);
    *field = lun_str_of(p, size);

    for (i = 1; i < cf->argc; i++) {
        *p++ = (char) cf->args[i].len;
        p = lun_copy_str(p, cf->args[i]);
    }

    return LUN_OK;
}


lun_rc
lun_tls_commands(lun_conf *cf, SSL_CTX *ctx, const lun_array *commands)
{
    size_t           i;
    lun_str          value;
    const lun_pair  *pair;

    for (i = 0; commands != NULL && i < commands->count; i++) {
        pair = lun_array_at(commands, i);
        value = lun_tls_command_has_path(pair->key)
                ? lun_conf_path(cf, pair->value, true) : pair->value;

        if (lun_tls_ctx_command(ctx, cf->log, pair->key, value) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}

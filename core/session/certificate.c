/*
 * certificate.c -- certificates that are read for each session.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/certificate.h"

#include "config/generation.h"
#include "net/tls/tls_store.h"
#include "os/path.h"
#include "session/session.h"


enum { INACTIVE = 10, VALID = 60 };        /* seconds */


/* --- the configuration --------------------------------------------------- */

static lun_rc
bad_parameter(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid parameter \"%.*s\"", LUN_S(word));
}


/* "max" has no usual value, so it has to be there, as in nginx. */
lun_rc
lun_set_certificate_cache(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t               i;
    int64_t              max = 0, inactive = INACTIVE, valid = VALID, *to;
    lun_str              word, value;
    const char          *equals;
    lun_tls_cert_cache **field;

    field = (lun_tls_cert_cache **) (void *) ((char *) conf + d->field);

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        if (lun_str_eq(word, LUN_STR("off"))) {
            return cf->argc == 2 ? LUN_OK : bad_parameter(cf, word);
        }

        equals = lun_str_chr(word, '=');
        to = lun_str_starts(word, LUN_STR("max=")) ? &max
             : lun_str_starts(word, LUN_STR("inactive=")) ? &inactive
             : lun_str_starts(word, LUN_STR("valid=")) ? &valid : NULL;

        if (to == NULL) {
            return bad_parameter(cf, word);
        }

        value = lun_str_of(equals + 1,
                           (size_t) (word.data + word.len - equals - 1));

        if ((to == &max ? lun_str_to_i64(value, to)
                        : lun_str_to_sec(value, to)) != LUN_OK
            || *to < (to == &max ? 1 : 0))
        {
            return bad_parameter(cf, word);
        }
    }

    if (max == 0) {
        return lun_conf_fail(cf, "\"%.*s\" must have the \"max\" parameter",
                             LUN_S(cf->args[0]));
    }

    *field = lun_tls_cert_cache_new(cf->pool, (size_t) max, inactive, valid);
    return LUN_OK;
}


static bool
is_in_store(const lun_script *cert)
{
    return cert != NULL && lun_tls_is_in_store(lun_script_text(cert));
}


lun_rc
lun_certificate_check(const lun_log *log, const lun_script *cert)
{
    char     why[LUN_TLS_STORE_WHY];
    lun_str  name = lun_script_text(cert);

    if (!is_in_store(cert) || lun_script_has_variables(name)
        || lun_tls_store_get(name, true, NULL, NULL, why))
    {
        return LUN_OK;
    }

    lun_log(LUN_LOG_EMERG, log, 0, "cannot load certificate \"%.*s\": %s",
            LUN_S(name), why);
    return LUN_ERROR;
}


bool
lun_certificate_is_read_late(const lun_script *cert, const lun_script *key)
{
    return is_in_store(cert)
           || (cert != NULL
               && lun_script_has_variables(lun_script_text(cert)))
           || (key != NULL && lun_script_has_variables(lun_script_text(key)));
}


/* --- a session ----------------------------------------------------------- */

/*
 * Of a name: a path that may be opened, "data:...", or, where the text says so
 * and no variable does, "store:...".  False: logged.
 */
static bool
find_file(lun_session *s, const lun_script *script, lun_str *name)
{
    size_t            from;
    lun_str           base = s->engine->gen->conf_prefix, path;
    lun_path_verdict  v;

    if (lun_str_starts(*name, LUN_STR("data:"))
        || lun_tls_is_stored(lun_script_text(script)))
    {
        return true;
    }

    path = lun_path_full(s->pool, base, *name);
    from = path.len > name->len ? path.len - name->len : 0;
    v = lun_path_check_part(path, from, lun_path_native);

    if (v != LUN_PATH_FINE && v != LUN_PATH_TILDE) {
        lun_log(LUN_LOG_ERR, s->log, 0, "cannot load certificate \"%.*s\": %s",
                LUN_S(path), lun_path_verdict_text(v));
        return false;
    }

    *name = path;
    return true;
}


lun_rc
lun_certificate_use(lun_session *s, SSL *ssl, const lun_script *cert,
    const lun_script *key, const lun_array *passwords,
    lun_tls_cert_cache *cache)
{
    lun_str  cert_name = lun_script_run(s, cert), key_name;

    lun_session_check(s);
    lun_debug(s->log, "ssl cert: \"%.*s\"", LUN_S(lun_tls_loggable(cert_name)));

    if (cert_name.len == 0) {
        return LUN_OK;
    }

    key_name = lun_script_run(s, key);
    lun_debug(s->log, "ssl key: \"%.*s\"", LUN_S(lun_tls_loggable(key_name)));

    if (!find_file(s, cert, &cert_name) || !find_file(s, key, &key_name)) {
        return LUN_ERROR;
    }

    return lun_tls_use_certificate(ssl, s->log, cert_name, key_name,
                                   passwords, cache);
}

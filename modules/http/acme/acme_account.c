/*
 * acme_account.c -- an account at an authority: its key, and its URL, from the
 * configuration, the zone or the disk.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_duty_priv.h"


/* Its URL; whose it is, and of which key; the authority's name in DNS. */
static lun_str
account_text(lun_pool *pool, const lun_acme_office *o, lun_str kid, lun_str caa)
{
    return lun_pool_fmt(pool, "%.*s\n%.*s\n%.*s\n%.*s\n", LUN_S(kid),
                        LUN_S(o->issuer->uri), LUN_ACME_THUMBPRINT,
                        o->key.thumbprint, LUN_S(caa));
}


void
lun_acme_on_account(lun_acme_flow *f, lun_str kid)
{
    lun_acme_office  *o = f->data;
    lun_str           text;
    lun_zone         *zone = o->work->acme->zone;

    o->kid = lun_pool_str(o->work->pool, kid);

    if (kid.len == 0) {
        (void) lun_acme_zone_put_text(zone, "account", o->issuer->name,
                                      LUN_STR(""), 0);
        lun_acme_store_delete(o->issuer, LUN_STR("account"), ".url");
        return;
    }

    lun_log(LUN_LOG_NOTICE, o->work->log, 0, "acme: account \"%.*s\" of issuer "
            "\"%.*s\"", LUN_S(kid), LUN_S(o->issuer->name));
    text = account_text(f->pool, o, kid, f->directory.caa);
    (void) lun_acme_zone_put_text(zone, "account", o->issuer->name, text, 0);
    (void) lun_acme_store_write(o->issuer, o->work->log, LUN_STR("account"),
                                ".url", text);
}


/* One that is of this key and this authority; others have left theirs. */
static void
read_kid(lun_acme_office *o, lun_pool *pool)
{
    lun_str  kid, text, uri, thumbprint;

    text = lun_acme_zone_text(o->work->acme->zone, "account", o->issuer->name,
                              pool);

    if (text.len == 0) {
        text = lun_acme_store_read(o->issuer, pool, LUN_STR("account"),
                                   ".url");
    }

    kid = lun_acme_first_line(&text);
    uri = lun_acme_first_line(&text);
    thumbprint = lun_acme_first_line(&text);

    /* nginx's module says only the first of these. */
    if (uri.len != 0
        && (!lun_str_eq(uri, o->issuer->uri)
            || !lun_str_eq(thumbprint, lun_str_of(o->key.thumbprint,
                                                  LUN_ACME_THUMBPRINT))))
    {
        return;
    }

    if (lun_acme_may_follow(o->issuer->uri, kid)) {
        o->kid = lun_pool_str(o->work->pool, kid);
    }
}


/* From the configuration, the zone, the disk; or made. */
static lun_str
key_text(lun_acme_office *o, lun_pool *pool)
{
    lun_str    text = o->issuer->key_pem;
    EVP_PKEY  *key;
    lun_zone  *zone = o->work->acme->zone;

    if (text.len != 0) {
        return text;
    }

    text = lun_acme_zone_text(zone, "account-key", o->issuer->name, pool);

    if (text.len == 0) {
        text = lun_acme_store_read(o->issuer, pool, LUN_STR("account"),
                                   ".key");
    }

    if (text.len == 0) {
        key = lun_key_make(o->issuer->key_kind);
        text = key != NULL ? lun_key_pem(pool, key) : text;
        EVP_PKEY_free(key);

        if (text.len != 0) {
            (void) lun_acme_store_write(o->issuer, o->work->log,
                                        LUN_STR("account"), ".key", text);
        }
    }

    (void) lun_acme_zone_put_text(zone, "account-key", o->issuer->name, text,
                                  0);
    return text;
}


/*
 * The key is read (or made) once and kept as long as the office is; an issuer
 * without one can't be asked.
 */
bool
lun_acme_has_account(lun_acme_office *o)
{
    lun_pool  *pool;

    if (o->pkey != NULL) {
        return true;
    }

    pool = lun_pool_new_sized(4096);
    o->pkey = lun_key_read(key_text(o, pool));

    if (o->pkey != NULL
        && !lun_acme_key_init(&o->key, o->work->pool, o->pkey))
    {
        EVP_PKEY_free(o->pkey);
        o->pkey = NULL;
    }

    if (o->pkey != NULL) {
        read_kid(o, pool);

    } else {
        lun_log(LUN_LOG_ERR, o->work->log, 0, "acme: issuer \"%.*s\" has no "
                "account key that can be used", LUN_S(o->issuer->name));
    }

    lun_pool_free(pool);
    return o->pkey != NULL;
}


void
lun_acme_take_next_key(lun_acme_office *o, lun_acme_flow *f)
{
    lun_str  text = lun_key_pem(f->pool, o->next_pkey);

    (void) lun_acme_store_write(o->issuer, o->work->log, LUN_STR("account"),
                                ".key", text);
    (void) lun_acme_zone_put_text(o->work->acme->zone, "account-key",
                                  o->issuer->name, text, 0);
    lun_acme_store_delete(o->issuer, LUN_STR("account"), ".next");
    EVP_PKEY_free(o->pkey);
    o->pkey = o->next_pkey;
    o->key = o->next_key;
    o->next_pkey = NULL;
    lun_acme_on_account(f, f->kid);
    lun_log(LUN_LOG_NOTICE, o->work->log, 0, "acme: the account of issuer "
            "\"%.*s\" has another key", LUN_S(o->issuer->name));
}

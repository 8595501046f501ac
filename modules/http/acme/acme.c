/*
 * acme.c -- certificates that renew themselves (ACME, RFC 8555).
 *
 *     acme_issuer example {
 *         uri  https://acme.example.com/directory;
 *         accept_terms_of_service;
 *     }
 *
 *     server {
 *         listen            443 ssl;
 *         server_name       example.com www.example.com;
 *         acme_certificate  example;
 *     }
 *
 * What all workers have to know of is in a zone (acme_zone.c): certificates,
 * and answers to challenges.  One worker of all asks authorities
 * (acme_duty.c); what it is to ask says acme_flow.c, which knows no network.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "config/status.h"
#include "modules/http/acme/acme_demand.h"
#include "modules/http/acme/acme_metrics.h"


#define WELL_KNOWN  "/.well-known/acme-challenge/"


/* --- http-01 ------------------------------------------------------------- */

/* A host as a certificate has it: an address of IPv6 without brackets. */
static lun_str
host_of(const lun_request *r)
{
    lun_str  host = r->in.host;

    if (host.len > 2 && host.data[0] == '[') {
        host = lun_str_of(host.data + 1, host.len - 2);
    }

    return host;
}


/*
 * Before anything else of any server has a say: redirects, access, limits.  The
 * answer is for the name that was ordered, and nobody else's.
 */
static lun_verdict
on_post_read(lun_session *s)
{
    lun_str          token, text, answer;
    lun_request     *r = lun_request_of(s);
    const lun_acme  *a;

    if (!lun_str_after(r->uri, LUN_STR(WELL_KNOWN), &token)
        || r->parent != NULL || (r->method & (LUN_GET | LUN_HEAD)) == 0
        || !lun_acme_is_token(token))
    {
        return LUN_NEXT;
    }

    a = lun_module_data(s->engine, &lun_http_acme.head);

    if (a == NULL || a->zone == NULL) {
        return LUN_NEXT;
    }

    text = lun_acme_zone_text(a->zone, "token", token, r->pool);

    if (!lun_str_after(text, host_of(r), &answer) || answer.len < 2
        || answer.data[0] != ' ')
    {
        return LUN_NEXT;
    }

    return lun_http_respond(r, 200, LUN_STR("application/octet-stream"),
                            lun_str_of(answer.data + 1, answer.len - 1));
}


/* --- variables ----------------------------------------------------------- */

static void
give_pair(lun_session *s, lun_value *v, const lun_acme_cert *cert, bool key)
{
    lun_str          chain, secret;
    uint32_t         version;
    const lun_acme  *a = lun_module_data(s->engine, &lun_http_acme.head);

    if (cert == NULL || a == NULL || a->zone == NULL
        || !lun_acme_zone_pair(a->zone, cert->id, s->pool, &chain, &secret,
                               &version))
    {
        v->not_found = true;
        return;
    }

    v->text = lun_pool_fmt(s->pool, "data:%.*s", LUN_S(key ? secret : chain));
}


enum { KEY = 1, BY_ECDSA = 2, BY_RSA = 4 };    /* which text of which pair */

/* The server's, with a key of that kind if one is meant. */
static const lun_acme_cert *
cert_of(const lun_session *s, uintptr_t which)
{
    size_t                i;
    const lun_acme_conf  *conf = s->server->conf[lun_http_acme.index];

    for (i = 0; conf != NULL && i < conf->count; i++) {
        if ((which & (BY_ECDSA | BY_RSA)) == 0
            || ((which & BY_RSA) != 0) == conf->certs[i]->kind.rsa)
        {
            return conf->certs[i];
        }
    }

    return NULL;
}


static void
get_certificate(lun_session *s, lun_value *v, uintptr_t which)
{
    const lun_acme       *a = lun_module_data(s->engine, &lun_http_acme.head);
    const lun_acme_conf  *conf = s->server->conf[lun_http_acme.index];

    if (a != NULL && conf != NULL && conf->demand != NULL) {
        v->text = lun_acme_demand_file(s, a, conf->demand, (which & KEY) != 0);
        return;
    }

    give_pair(s, v, cert_of(s, which), (which & KEY) != 0);
}


/* Angie's names for them: of an issuer's, the server's own, or else the first
   that there is. */
static void
get_named(lun_session *s, lun_value *v, uintptr_t data)
{
    bool                  key;
    size_t                i;
    lun_str               name = *(const lun_str *) data;
    const lun_acme       *a = lun_module_data(s->engine, &lun_http_acme.head);
    const lun_acme_cert  *cert = cert_of(s, 0), *one;

    key = lun_str_after(name, LUN_STR("key_"), &name);

    if (cert != NULL && !lun_str_eq(cert->issuer->name, name)) {
        cert = NULL;
    }

    for (i = 0; cert == NULL && a != NULL && i < a->certs.count; i++) {
        one = lun_acme_cert_at(a, i);

        if (lun_str_eq(one->issuer->name, name)) {
            cert = one;
        }
    }

    give_pair(s, v, cert, key);
}


#define PAIR(name_, which_, help_)                                            \
    { .name = LUN_STR_INIT("acme_certificate" name_), .get = get_certificate, \
      .data = which_, .flags = LUN_VAR_VOLATILE | LUN_VAR_CHANGEABLE,         \
      .help = help_ }

static const lun_variable  variables[] = {
    PAIR("", 0, "the server's acme_certificate, for ssl_certificate"),
    PAIR("_key", KEY, "its key, for ssl_certificate_key"),
    PAIR("_ecdsa", BY_ECDSA, "of two, the one that has an ECDSA key"),
    PAIR("_key_ecdsa", BY_ECDSA | KEY, "its key"),
    PAIR("_rsa", BY_RSA, "of two, the one that has an RSA key"),
    PAIR("_key_rsa", BY_RSA | KEY, "its key"),
    { .name = LUN_STR_INIT("acme_cert_"), .get = get_named,
      .flags = LUN_VAR_PREFIX | LUN_VAR_VOLATILE,
      .help = "a certificate of an issuer, $acme_cert_example; its key: "
              "$acme_cert_key_example" },
    { .name = LUN_STR_NULL }
};


/* --- the module ---------------------------------------------------------- */

/* The master, and a worker that has made its configuration anew. */
static lun_rc
on_init(lun_generation *gen, void *data)
{
    lun_acme  *a = data;

    if (gen->testing) {
        return LUN_OK;
    }

    a->zone->data = a;
    return LUN_OK;
}


static lun_rc
on_zones(lun_generation *gen, void *data)
{
    if (!gen->testing) {
        lun_acme_certs_begin(data, &gen->log);
    }

    return LUN_OK;
}


static lun_rc
init(lun_conf *cf)
{
    lun_acme  *a = lun_acme_of(cf);

    if (lun_acme_conf_finish(cf, a) != LUN_OK) {
        return LUN_ERROR;
    }

    if (a->zone != NULL && (a->certs.count != 0 || a->demands.count != 0)) {
        lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, a);
        lun_gen_add_hook(cf->gen, &cf->gen->on_zones, on_zones, a);
        lun_acme_duty_add(cf, a);
        lun_status_add(cf->gen, "status/http/acme_clients",
                       lun_acme_write_status, a);
        cf->engine->proving = &lun_acme_proof;
    }

    return LUN_OK;
}


lun_http_module  lun_http_acme = {
    .name = "acme",
    .directives = lun_acme_directives,
    .conf_size = sizeof(lun_acme_conf),
    .variables = variables,
    .metrics = lun_acme_metrics,
    .init = init,
    .on[LUN_POST_READ] = on_post_read,
};

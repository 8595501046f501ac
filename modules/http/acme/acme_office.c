/*
 * acme_office.c -- an issuer is asked: what flows want (acme_flow.c) is carried
 * out, and what comes of it is in the zone and on the disk.
 *
 * What another worker needs to go on is in the zone: the account, the order,
 * and the key that it was finalized with.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_duty_priv.h"

#include "modules/http/acme/order/acme_chain.h"
#include "modules/http/acme/acme_plan.h"
#include "modules/http/acme/order/acme_flow_priv.h"
#include "modules/http/acme/order/acme_time.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"


enum {
    TOKEN_LIFE = 3600,             /* seconds that an answer stays */
    ORDER_LIFE = 6 * 86400
};

static void carry_out(lun_acme_office *o);


/* --- what flows want done ------------------------------------------------ */

static void
on_shown(void *data, const char *fault)
{
    lun_acme_office  *o = data;

    lun_acme_flow_shown(o->flow, fault);
    carry_out(o);
}


static lun_acme_dns_wish
dns_wish(lun_acme_flow *f, lun_str name, lun_str authorization)
{
    lun_acme_office  *o = f->data;

    return (lun_acme_dns_wish) {
        .dns = &o->issuer->dns, .issuer = o->issuer->name, .name = name,
        .authorization = authorization
    };
}


static bool
is_dns(const lun_acme_flow *f)
{
    return lun_str_eq(f->challenge, LUN_STR("dns-01"));
}


/* Where workers look for it: by its token, or by the name of a handshake. */
static bool
put_answer(lun_acme_flow *f, lun_str name, lun_str token, lun_str answer,
    int64_t life)
{
    bool                    http = lun_str_eq(f->challenge, LUN_STR("http-01"));
    const lun_acme_office  *o = f->data;

    return lun_acme_zone_put_text(o->work->acme->zone, http ? "token" : "name",
                                  http ? token
                                  : lun_acme_proof_name(f->pool, name),
                                  answer, life);
}


static lun_acme_shown
on_publish(lun_acme_flow *f, lun_str name, lun_str token,
    lun_str authorization)
{
    lun_acme_office    *o = f->data;
    lun_acme_dns_wish   w = dns_wish(f, name, authorization);

    if (is_dns(f)) {
        w.done = on_shown;
        w.data = o;
        return lun_acme_dns_ask(&o->work->dns, &w) ? LUN_ACME_SHOWN_LATER
                                                   : LUN_ACME_NOT_SHOWN;
    }

    return put_answer(f, name, token,
                      lun_pool_fmt(f->pool, "%.*s %.*s", LUN_S(name),
                                   LUN_S(authorization)), TOKEN_LIFE)
           ? LUN_ACME_SHOWN : LUN_ACME_NOT_SHOWN;
}


static void
on_withdraw(lun_acme_flow *f, lun_str name, lun_str token)
{
    lun_acme_office    *o = f->data;
    lun_acme_dns_wish   w;

    if (is_dns(f)) {
        w = dns_wish(f, name, lun_acme_key_authorization(f->pool, f->key,
                                                         token));
        w.remove = true;
        (void) lun_acme_dns_ask(&o->work->dns, &w);

    } else {
        (void) put_answer(f, name, token, LUN_STR(""), 0);
    }
}


/* An order is one issuer's: another has its own of the same certificate. */
static lun_str
order_name(const lun_acme_office *o)
{
    return lun_pool_fmt(o->pool, "%.*s/%.*s", LUN_S(o->issuer->name),
                        LUN_S(o->cert->file));
}


static void
forget_order(const lun_acme_office *o)
{
    (void) lun_acme_zone_put_text(o->work->acme->zone, "order", order_name(o),
                                  LUN_STR(""), 0);
    lun_acme_store_delete(o->issuer, o->cert->file, ".order");
}


/* The URL in the first line, and the key: for another worker, and, where there
   is a folder, for a server that is started again. */
static void
on_ordered(lun_acme_flow *f, lun_str url, lun_str key)
{
    lun_str                 text;
    const lun_acme_office  *o = f->data;

    if (url.len == 0) {
        forget_order(o);
        return;
    }

    text = lun_pool_fmt(f->pool, "%.*s\n%.*s", LUN_S(url), LUN_S(key));
    (void) lun_acme_zone_put_text(o->work->acme->zone, "order", order_name(o),
                                  text, ORDER_LIFE);
    (void) lun_acme_store_write(o->issuer, o->work->log, o->cert->file,
                                ".order", text);
}


static const lun_acme_flow_user  flow_user = {
    .account = lun_acme_on_account,
    .publish = on_publish,
    .withdraw = on_withdraw,
    .ordered = on_ordered
};


/* --- ends of flows ------------------------------------------------------- */

void
lun_acme_office_close(lun_acme_office *o)
{
    if (o->ask != NULL) {
        lun_http_client_cancel(o->ask);
        o->ask = NULL;
    }

    lun_timer_stop(&o->timer);
    lun_acme_key_forget(o);
    lun_acme_dns_forget(&o->work->dns, o);

    if (o->flow != NULL) {
        lun_acme_flow_leave(o->flow);
        o->flow = NULL;
        lun_pool_free(o->pool);
    }

    EVP_PKEY_free(o->next_pkey);
    o->next_pkey = NULL;

    o->cert = NULL;
}


static uint64_t
seed_of(const lun_acme_office *o)
{
    return lun_str_hash(o->cert->id) + (uint64_t) lun_clock.sec;
}


/* All of the issuer's: it is not to be asked for a while. */
static void
pause_issuer(lun_acme_office *o, int64_t least)
{
    lun_acme_state  all;
    lun_zone       *zone = o->work->acme->zone;

    lun_acme_zone_state(zone, o->issuer->name, &all);
    all.failures++;
    all.next = lun_clock.sec
               + lun_max(least, lun_acme_back_off(all.failures, false,
                                                  seed_of(o)));
    (void) lun_acme_zone_put_state(zone, o->issuer->name, &all);
}


static void
on_not_rolled(lun_acme_office *o)
{
    const lun_acme_flow  *f = o->flow;

    /* Whoever has not heard the answer asks again, and first of all whether
       the authority has. */
    if (f->refused && f->retry_after == 0) {
        o->rolls = false;
        lun_acme_store_delete(o->issuer, LUN_STR("account"), ".next");
    }

    lun_log(LUN_LOG_ERR, o->work->log, 0, "acme: the account of issuer "
            "\"%.*s\" keeps its key: %s: %.*s", LUN_S(o->issuer->name),
            lun_acme_flow_doing(f), LUN_S(f->error));

    if (!f->refused || f->retry_after != 0) {
        pause_issuer(o, f->retry_after);
    }
}


/*
 * A plain refusal is about this certificate; anything else, and a refusal that
 * says when to come back, is about the issuer: all its certificates leave it
 * alone.
 */
static void
on_failed(lun_acme_office *o)
{
    int64_t               wait;
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;
    lun_acme_failure      failure = {
        .purpose = f->purpose, .refused = f->refused,
        .retry_after = f->retry_after, .issuers = o->cert->issuers.count
    };

    lun_acme_cert_state(o->work->acme, o->cert, &state);
    *lun_fmt(state.error, state.error + sizeof(state.error) - 1, "%s: %.*s",
             lun_acme_flow_doing(f), LUN_S(f->error)) = '\0';
    wait = lun_acme_plan_failed(&state, &failure, seed_of(o), lun_clock.sec);
    (void) lun_acme_cert_put_state(o->work->acme, o->cert, &state);

    if (!f->refused || f->retry_after != 0) {
        pause_issuer(o, f->retry_after);
    }

    if (wait == 0) {
        lun_log(LUN_LOG_WARN, o->work->log, 0, "acme: certificate \"%.*s\", "
                "issuer \"%.*s\": %s; the next issuer is asked",
                LUN_S(o->cert->id), LUN_S(o->issuer->name), state.error);
    } else {
        lun_log(f->purpose == LUN_ACME_LOOK ? LUN_LOG_INFO : LUN_LOG_ERR,
                o->work->log, 0, "acme: certificate \"%.*s\": %s; next try in "
                "%" PRId64 " s", LUN_S(o->cert->id), state.error, wait);
    }
}


/* The key first: who finds a certificate has its key. */
static void
store(const lun_acme_office *o)
{
    const lun_log        *log = o->work->log;
    const lun_acme_flow  *f = o->flow;
    const lun_acme_cert  *cert = o->cert;

    if (cert->issuers.count > 1) {
        (void) lun_acme_store_write(cert->issuer, log, cert->file, ".by",
                                    o->issuer->name);
    }

    (void) (lun_acme_store_write(cert->issuer, log, cert->file, ".key",
                                 f->key_pem)
            && lun_acme_store_write(cert->issuer, log, cert->file, ".crt",
                                    f->pem));
}


static void
on_issued(lun_acme_office *o)
{
    lun_date              d;
    const lun_acme_work  *w = o->work;
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;

    store(o);
    forget_order(o);

    if (!lun_acme_certs_take(w->acme, o->cert, w->log, f->pem, f->key_pem,
                             lun_acme_issuer_place(o->cert,
                                                   o->issuer->name)))
    {
        return;
    }

    lun_acme_cert_state(o->work->acme, o->cert, &state);
    lun_date_of(state.until, &d);
    lun_log(LUN_LOG_NOTICE, w->log, 0, "acme: certificate \"%.*s\" is issued, "
            "good until %04d-%02d-%02d %02d:%02d UTC", LUN_S(o->cert->id),
            d.year, d.month, d.day, d.hour, d.minute);
}


static void
on_looked(lun_acme_office *o)
{
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;

    lun_acme_cert_state(o->work->acme, o->cert, &state);
    lun_acme_plan_looked(&state, &f->window, f->retry_after,
                         lun_str_hash(o->cert->id), lun_clock.sec);
    (void) lun_acme_cert_put_state(o->work->acme, o->cert, &state);
}


static void
on_revoked(lun_acme_office *o)
{
    lun_acme_state  state;

    lun_acme_cert_state(o->work->acme, o->cert, &state);
    lun_acme_plan_revoked(&state, lun_clock.sec);

    /* On demand: the next client that asks for it has another one. */
    if (o->cert->kept != NULL) {
        lun_acme_store_delete(o->cert->issuer, o->cert->file, ".crt");
        lun_acme_store_delete(o->cert->issuer, o->cert->file, ".key");
        state.is_own = 1;
    }

    (void) lun_acme_cert_put_state(o->work->acme, o->cert, &state);
    lun_log(LUN_LOG_NOTICE, o->work->log, 0, "acme: certificate \"%.*s\" is "
            "revoked", LUN_S(o->cert->id));
}


static void
on_done(lun_acme_office *o)
{
    /* It can be asked again. */
    (void) lun_acme_zone_put_state(o->work->acme->zone, o->issuer->name,
                                   &(lun_acme_state) { 0 });

    switch (o->flow->purpose) {

    case LUN_ACME_ISSUE:
        on_issued(o);
        break;

    case LUN_ACME_LOOK:
        on_looked(o);
        break;

    case LUN_ACME_REVOKE:
        on_revoked(o);
        break;

    case LUN_ACME_ROLL:
        o->rolls = false;
        lun_acme_take_next_key(o, o->flow);
        break;
    }
}


/* --- carrying out -------------------------------------------------------- */

static void
add_alternate(lun_acme_reply *reply, lun_str link)
{
    lun_str      rest;
    const char  *end;

    if (!lun_str_after(link, LUN_STR("<"), &rest)
        || lun_str_casefind(link, LUN_STR("rel=\"alternate\"")) == NULL
        || reply->alternate_count == LUN_ACME_ALTERNATES)
    {
        return;
    }

    end = lun_str_chr(rest, '>');

    if (end != NULL) {
        reply->alternates[reply->alternate_count++]
            = lun_str_of(rest.data, (size_t) (end - rest.data));
    }
}


/*
 * Fields are copied out before the flow takes a step, which may ask the next
 * question, and so free this answer.
 */
static void
on_answer(void *data, const lun_http_client_answer *answer)
{
    size_t            i;
    lun_acme_office  *o = data;
    lun_acme_reply    reply = { .status = answer->status,
                               .body = answer->body };
    lun_http_field   *field;

    o->ask = NULL;

    if (answer->verdict != LUN_HTTP_ANSWERED) {
        lun_acme_flow_lost(o->flow,
                           lun_str_z(lun_http_client_text(answer->verdict)));
        carry_out(o);
        return;
    }

    reply.nonce = lun_http_answer_field(answer->http,
                                        LUN_STR("replay-nonce"));
    reply.location = lun_http_answer_field(answer->http, LUN_STR("location"));
    reply.retry_after = lun_http_answer_field(answer->http,
                                              LUN_STR("retry-after"));

    for (i = 0; i < answer->http->fields.count; i++) {
        field = lun_array_at(&answer->http->fields, i);

        if (lun_str_caseeq(field->name, LUN_STR("link"))) {
            add_alternate(&reply, field->value);
        }
    }

    lun_acme_flow_take(o->flow, &reply);
    carry_out(o);
}


static void
ask(lun_acme_office *o)
{
    size_t                     n = 0;
    lun_http_field             fields[2];
    const lun_acme_question   *q = &o->flow->question;

    if (q->body.len != 0) {
        fields[n++] = (lun_http_field) { LUN_STR("Content-Type"),
                                         LUN_STR("application/jose+json") };
    }

    if (q->accept != NULL) {
        fields[n++] = (lun_http_field) { LUN_STR("Accept"),
                                         lun_str_z(q->accept) };
    }

    lun_debug(o->work->log, "acme: %s: %s %.*s",
              lun_acme_flow_doing(o->flow), q->method, LUN_S(q->url));

    o->ask = lun_http_client_ask(o->client, &(lun_http_client_question) {
        .method = lun_str_z(q->method), .url = q->url,
        .fields = fields, .field_count = n,
        .body = q->body, .has_body = q->body.len != 0,
        .idle = true, .done = on_answer, .data = o
    });
}


static void
on_key(lun_acme_office *o, lun_str pem)
{
    lun_acme_flow_take_key(o->flow, pem);
    carry_out(o);
}


static void
on_timer(lun_timer *timer)
{
    carry_out(lun_container_of(timer, lun_acme_office, timer));
}


static void
carry_out(lun_acme_office *o)
{
    switch (lun_acme_flow_next(o->flow, lun_clock.sec)) {

    case LUN_ACME_ASK:
        ask(o);
        return;

    case LUN_ACME_WAIT:
        o->timer.idle = true;
        lun_timer_start(o->work->loop, &o->timer,
                        (lun_msec) o->flow->wait * 1000, on_timer);
        return;

    case LUN_ACME_PUBLISH:
        return;                    /* on_shown() is to come */

    case LUN_ACME_KEY:
        lun_acme_key_make(o, o->flow->kind, on_key);
        return;

    case LUN_ACME_DONE:
        on_done(o);
        break;

    case LUN_ACME_FAILED:

        if (o->flow->purpose == LUN_ACME_ROLL) {
            on_not_rolled(o);
        } else {
            on_failed(o);
        }

        break;
    }

    lun_acme_office_close(o);
    lun_duty_run_soon(o->work->duty);
}


static void
set_order(lun_acme_office *o, lun_acme_flow *f)
{
    lun_str    text = lun_acme_zone_text(o->work->acme->zone, "order",
                                         order_name(o), o->pool);
    EVP_PKEY  *key;

    if (text.len == 0) {
        text = lun_acme_store_read(o->issuer, o->pool, o->cert->file,
                                   ".order");
    }

    if (text.len != 0) {
        f->order_url = lun_acme_first_line(&text);
        key = lun_key_read(text);
        f->order_key = key != NULL ? text : LUN_STR_NULL;
        EVP_PKEY_free(key);

        if (!lun_acme_may_follow(f->uri, f->order_url)) {
            f->order_url = LUN_STR_NULL;
        }
    }
}


/* The one that is there, as who has issued it knows it. */
static void
set_certificate(lun_acme_office *o, lun_acme_flow *f,
    const lun_acme_state *state)
{
    int             n;
    X509           *x;
    lun_str         chain, key;
    uint32_t        version;
    unsigned char  *der = NULL;

    if (state->is_own
        || !(o->cert->kept != NULL
             ? lun_acme_store_pair(o->cert, o->pool, &chain, &key)
             : lun_acme_zone_pair(o->work->acme->zone, o->cert->id, o->pool,
                                  &chain, &key, &version)))
    {
        return;
    }

    f->replaces = lun_acme_certificate_id(o->pool, chain);
    x = lun_cert_read(chain);
    n = x != NULL ? i2d_X509(x, &der) : 0;

    if (n > 0) {
        f->certificate = lun_pool_str(o->pool, lun_str_of((char *) der,
                                                          (size_t) n));
    }

    OPENSSL_free(der);
    X509_free(x);
}


/* A flow of this office, whatever it is for. */
static lun_acme_flow *
new_flow(lun_acme_office *o)
{
    lun_acme_flow          *f;
    const lun_acme_issuer  *issuer = o->issuer;

    o->pool = lun_pool_new_sized(16384);
    o->flow = f = lun_acme_flow_new(o->pool);
    f->user = &flow_user;
    f->data = o;
    f->uri = issuer->uri;
    f->key = &o->key;
    f->kid = o->kid;
    f->contacts = issuer->contacts.items;
    f->contact_count = issuer->contacts.count;
    f->agrees = issuer->agrees;
    f->binding_kid = issuer->binding_kid;
    f->binding_key = issuer->binding_key;
    f->profile = issuer->profile;
    f->profile_required = issuer->profile_required;
    f->chain = issuer->chain;
    f->challenge = issuer->challenge;
    f->settle = is_dns(f) ? issuer->dns.wait : 0;
    return f;
}


void
lun_acme_office_begin(lun_acme_office *o, lun_acme_cert *cert,
    lun_acme_state *state)
{
    lun_acme_flow  *f = new_flow(o);

    o->cert = cert;
    f->purpose = lun_acme_plan_purpose(state, lun_clock.sec);
    f->names = cert->names;
    f->count = cert->count;
    f->kind = cert->kind;
    set_certificate(o, f, state);

    if (f->purpose == LUN_ACME_ISSUE) {
        set_order(o, f);
    }

    state->is_at_work = 1;
    (void) lun_acme_cert_put_state(o->work->acme, cert, state);
    carry_out(o);
}


/* --- another key --------------------------------------------------------- */

/* It is in the folder: whoever is killed now leaves it to the next. */
static void
roll(lun_acme_office *o, lun_str pem, bool was_there)
{
    lun_acme_flow  *f = new_flow(o);

    o->next_pkey = lun_key_read(pem);
    f->purpose = LUN_ACME_ROLL;
    f->next_key = &o->next_key;
    f->may_be_rolled = was_there;

    if (o->next_pkey == NULL
        || !lun_acme_key_init(&o->next_key, o->work->pool, o->next_pkey))
    {
        lun_flow_fail(f, LUN_STR("no key can be made"));
    }

    carry_out(o);
}


static void
on_next_key(lun_acme_office *o, lun_str pem)
{
    if (pem.len != 0
        && lun_acme_store_write(o->issuer, o->work->log, LUN_STR("account"),
                                ".next", pem))
    {
        roll(o, pem, false);
    } else {
        o->rolls = false;
    }
}


void
lun_acme_office_roll(lun_acme_office *o)
{
    lun_str    text;
    lun_pool  *pool;

    if (o->key_job != NULL) {
        return;
    }

    pool = lun_pool_new_sized(4096);
    text = lun_acme_store_read(o->issuer, pool, LUN_STR("account"), ".next");

    if (text.len != 0) {
        roll(o, text, true);
    } else {
        lun_acme_key_make(o, o->issuer->key_kind, on_next_key);
    }

    lun_pool_free(pool);
}

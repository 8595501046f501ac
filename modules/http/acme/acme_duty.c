/*
 * acme_duty.c -- who asks authorities: one worker of all, which carries out
 * what flows want (acme_flow.c).
 *
 * An issuer has one order in hand at a time; a certificate that failed waits
 * longer each time, and an issuer that cannot be asked, or has had enough of
 * us, lets all of its certificates wait.  What another worker needs to go on is
 * in the zone: the account, the order, and the key that it was finalized with.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_duty_priv.h"

#include "modules/http/acme/acme_chain.h"
#include "modules/http/acme/acme_time.h"
#include "net/conn_pool.h"
#include "net/duty.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"


enum {
    REST = 15000,                  /* ms, at most, until it looks again */
    BODY = 256 * 1024,
    TOKEN_LIFE = 3600,             /* seconds that an answer stays */
    ORDER_LIFE = 6 * 86400,
    LOOK_AGAIN = 6 * 3600,
    PAUSE = 10000,                 /* ms: none lasts longer in the loop */
    WEEK = 7 * 86400,
    DAY = 86400
};

static void carry_out(lun_acme_office *o);


/* --- what flows want done ------------------------------------------------ */

static bool
on_publish(lun_acme_flow *f, lun_str name, lun_str token,
    lun_str authorization)
{
    const lun_acme_office  *o = f->data;
    lun_zone               *zone = o->work->acme->zone;

    if (lun_str_eq(f->challenge, LUN_STR("http-01"))) {
        return lun_acme_zone_put_text(zone, "token", token,
                   lun_pool_fmt(f->pool, "%.*s %.*s", LUN_S(name),
                                LUN_S(authorization)), TOKEN_LIFE);
    }

    return lun_acme_zone_put_text(zone, "name",
               lun_acme_proof_name(f->pool, name),
               lun_pool_fmt(f->pool, "%.*s %.*s", LUN_S(name),
                            LUN_S(authorization)), TOKEN_LIFE);
}


static void
on_withdraw(lun_acme_flow *f, lun_str name, lun_str token)
{
    bool                    http = lun_str_eq(f->challenge, LUN_STR("http-01"));
    const lun_acme_office  *o = f->data;

    (void) lun_acme_zone_put_text(o->work->acme->zone,
                                  http ? "token" : "name",
                                  http ? token
                                  : lun_acme_proof_name(f->pool, name),
                                  LUN_STR(""), 0);
}


/* The URL in the first line, and the key. */
static void
on_ordered(lun_acme_flow *f, lun_str url, lun_str key)
{
    const lun_acme_office  *o = f->data;

    (void) lun_acme_zone_put_text(o->work->acme->zone, "order", o->cert->id,
        url.len == 0 ? url
        : lun_pool_fmt(f->pool, "%.*s\n%.*s", LUN_S(url), LUN_S(key)),
        ORDER_LIFE);
}


static const lun_acme_flow_user  flow_user = {
    .account = lun_acme_on_account,
    .publish = on_publish,
    .withdraw = on_withdraw,
    .ordered = on_ordered
};


/* --- ends of flows ------------------------------------------------------- */

static void
close_flow(lun_acme_office *o)
{
    if (o->ask != NULL) {
        lun_http_client_cancel(o->ask);
        o->ask = NULL;
    }

    lun_timer_stop(&o->timer);

    if (o->flow != NULL) {
        lun_acme_flow_leave(o->flow);
        o->flow = NULL;
        lun_pool_free(o->pool);
    }

    o->cert = NULL;
}


/* All of the issuer's: it is not to be asked before that. */
static void
pause_issuer(lun_acme_office *o, int64_t seconds)
{
    lun_acme_state  all;
    lun_zone       *zone = o->work->acme->zone;

    lun_acme_zone_state(zone, o->issuer->name, &all);
    all.failures = seconds != 0 ? all.failures + 1 : 0;
    all.next = seconds != 0 ? lun_clock.sec + seconds : 0;
    (void) lun_acme_zone_put_state(zone, o->issuer->name, &all);
}


static void
on_failed(lun_acme_office *o)
{
    int64_t               wait;
    lun_zone             *zone = o->work->acme->zone;
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;

    lun_acme_zone_state(zone, o->cert->id, &state);
    state.failures++;
    state.refusals += f->refused;
    state.tried = lun_clock.sec;
    state.is_at_work = 0;
    wait = lun_acme_back_off(f->refused ? state.refusals : state.failures,
                             f->refused, lun_str_hash(o->cert->id)
                             + (uint64_t) lun_clock.sec);
    wait = lun_max(wait, f->retry_after);
    *lun_fmt(state.error, state.error + sizeof(state.error) - 1, "%s: %.*s",
             lun_acme_flow_doing(f), LUN_S(f->error)) = '\0';

    if (f->purpose == LUN_ACME_LOOK) {
        state.failures--;
        state.look = lun_clock.sec + lun_max(wait, LOOK_AGAIN);
        state.next = lun_min(state.look, state.due);

    } else {
        state.next = lun_clock.sec + wait;
    }

    if (!f->refused || f->retry_after != 0) {
        pause_issuer(o, wait);
    }

    (void) lun_acme_zone_put_state(zone, o->cert->id, &state);
    lun_log(f->purpose == LUN_ACME_LOOK ? LUN_LOG_INFO : LUN_LOG_ERR,
            o->work->log, 0, "acme: certificate \"%.*s\": %s; next try in "
            "%" PRId64 " s", LUN_S(o->cert->id), state.error, wait);
}


static void
on_issued(lun_acme_office *o)
{
    lun_date              d;
    const lun_acme_work  *w = o->work;
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;

    /* The key first: who finds a certificate has its key. */
    (void) (lun_acme_store_write(o->issuer, w->log, o->cert->file, ".key",
                                 f->key_pem)
            && lun_acme_store_write(o->issuer, w->log, o->cert->file, ".crt",
                                    f->pem));
    (void) lun_acme_zone_put_text(w->acme->zone, "order", o->cert->id,
                                  LUN_STR(""), 0);

    if (!lun_acme_certs_take(w->acme, o->cert, w->log, f->pem, f->key_pem)) {
        return;
    }

    lun_acme_zone_state(w->acme->zone, o->cert->id, &state);
    lun_date_of(state.until, &d);
    lun_log(LUN_LOG_NOTICE, w->log, 0, "acme: certificate \"%.*s\" is issued, "
            "good until %04d-%02d-%02d %02d:%02d UTC", LUN_S(o->cert->id),
            d.year, d.month, d.day, d.hour, d.minute);
}


static void
on_looked(lun_acme_office *o)
{
    lun_zone             *zone = o->work->acme->zone;
    lun_acme_state        state;
    const lun_acme_flow  *f = o->flow;

    lun_acme_zone_state(zone, o->cert->id, &state);
    state.look = lun_clock.sec
                 + (f->retry_after != 0 ? f->retry_after : LOOK_AGAIN);
    state.is_at_work = 0;

    if (f->window.end != 0) {
        state.due = lun_acme_due_in(f->window.start, f->window.end,
                                    state.until - 60,
                                    lun_str_hash(o->cert->id));
    }

    state.next = lun_min(state.look, state.due);
    (void) lun_acme_zone_put_state(zone, o->cert->id, &state);
}


/* Another one is wanted in its place at once. */
static void
on_revoked(lun_acme_office *o)
{
    lun_zone        *zone = o->work->acme->zone;
    lun_acme_state   state;

    lun_acme_zone_state(zone, o->cert->id, &state);
    state.is_asked = LUN_ACME_TO_RENEW;
    state.is_at_work = 0;
    state.next = lun_clock.sec;
    (void) lun_acme_zone_put_state(zone, o->cert->id, &state);
    lun_log(LUN_LOG_NOTICE, o->work->log, 0, "acme: certificate \"%.*s\" is "
            "revoked", LUN_S(o->cert->id));
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

    case LUN_ACME_DONE:
        pause_issuer(o, 0);

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
        }

        break;

    case LUN_ACME_FAILED:
        on_failed(o);
        break;
    }

    close_flow(o);
    lun_duty_run_soon(o->work->duty);
}


static void
set_order(lun_acme_office *o, lun_acme_flow *f)
{
    lun_str  text = lun_acme_zone_text(o->work->acme->zone, "order",
                                       o->cert->id, o->pool);

    if (text.len != 0) {
        f->order_url = lun_acme_first_line(&text);
        f->order_key = text;

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
        || !lun_acme_zone_pair(o->work->acme->zone, o->cert->id, o->pool,
                               &chain, &key, &version))
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


static void
begin_flow(lun_acme_office *o, lun_acme_cert *cert, lun_acme_state *state)
{
    lun_acme_flow          *f;
    const lun_acme_issuer  *issuer = o->issuer;
    bool                    renews = state->is_own || state->is_asked
                                     || state->due <= lun_clock.sec;

    o->cert = cert;
    o->pool = lun_pool_new_sized(16384);
    o->flow = f = lun_acme_flow_new(o->pool);

    f->user = &flow_user;
    f->data = o;
    f->purpose = state->is_asked == LUN_ACME_TO_REVOKE && !state->is_own
                 ? LUN_ACME_REVOKE : renews ? LUN_ACME_ISSUE : LUN_ACME_LOOK;
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
    f->names = cert->names;
    f->count = cert->count;
    f->kind = cert->kind;
    set_certificate(o, f, state);

    if (f->purpose == LUN_ACME_ISSUE) {
        set_order(o, f);
    }

    state->is_asked = f->purpose == LUN_ACME_REVOKE ? LUN_ACME_TO_RENEW : 0;
    state->is_at_work = 1;
    (void) lun_acme_zone_put_state(o->work->acme->zone, cert->id, state);
    carry_out(o);
}


/* --- the duty ------------------------------------------------------------ */

/* Another program may have renewed it in the meantime: one that shares the
   folder with us. */
static bool
is_renewed_elsewhere(const lun_acme_work *w, const lun_acme_cert *cert,
    const lun_acme_state *state)
{
    bool       newer;
    X509      *x;
    int64_t    from, until;
    lun_str    chain, key;
    lun_pool  *pool;

    if (cert->issuer->state_path.len == 0 || state->is_asked) {
        return false;
    }

    pool = lun_pool_new_sized(16384);
    newer = lun_acme_store_pair(cert, pool, &chain, &key);
    x = newer ? lun_cert_read(chain) : NULL;
    newer = x != NULL && lun_cert_times(x, &from, &until)
            && until > lun_clock.sec
            && (state->is_own || until > state->until);
    X509_free(x);

    if (newer) {
        newer = lun_acme_certs_take(w->acme, cert, w->log, chain, key);
        lun_log(LUN_LOG_NOTICE, w->log, 0, "acme: certificate \"%.*s\" was "
                "renewed by another", LUN_S(cert->id));
    }

    lun_pool_free(pool);
    return newer;
}


/* Nobody should learn it from a browser. */
static void
warn_early(lun_acme_work *w, size_t i, const lun_acme_cert *cert,
    const lun_acme_state *state)
{
    int64_t  left = state->until - lun_clock.sec;

    if (state->is_own || lun_clock.sec - w->warned[i] < DAY
        || left > lun_min((state->until - state->from) / 4, (int64_t) WEEK))
    {
        return;
    }

    w->warned[i] = lun_clock.sec;
    lun_log(LUN_LOG_WARN, w->log, 0, "acme: certificate \"%.*s\" %s in %" PRId64
            " hours%s%s", LUN_S(cert->id), left > 0 ? "expires" : "has expired",
            left / 3600, state->error[0] != '\0' ? ": " : "", state->error);
}


static lun_acme_office *
office_of(lun_acme_work *w, const lun_acme_issuer *issuer)
{
    size_t  i;

    for (i = 0; i < w->count; i++) {
        if (w->offices[i].issuer == issuer) {
            break;
        }
    }

    return &w->offices[i];
}


/* `lunette acme renew` and `revoke` leave files, which are looked for. */
static void
take_wishes(const lun_acme_cert *cert, lun_acme_state *state)
{
    if (lun_acme_store_has(cert->issuer, cert->file, ".revoke")) {
        lun_acme_store_delete(cert->issuer, cert->file, ".revoke");
        state->is_asked = LUN_ACME_TO_REVOKE;
        state->next = 0;
    }

    if (lun_acme_store_has(cert->issuer, cert->file, ".renew")) {
        lun_acme_store_delete(cert->issuer, cert->file, ".renew");
        state->is_asked = lun_max(state->is_asked, LUN_ACME_TO_RENEW);
        state->next = 0;
    }
}


/* Begins what is due, one for each issuer; when there is something again. */
static lun_msec
on_run(lun_duty *d)
{
    size_t            i;
    lun_acme_office  *o;
    int64_t           rest = REST / 1000;
    lun_acme_work    *w = d->work;
    lun_acme_cert    *cert;
    lun_acme_state    state, all;

    for (i = 0; i < w->acme->certs.count; i++) {
        cert = *(lun_acme_cert **) lun_array_at(&w->acme->certs, i);
        o = office_of(w, cert->issuer);
        lun_acme_zone_state(w->acme->zone, cert->id, &state);
        warn_early(w, i, cert, &state);

        if (o->flow != NULL) {
            continue;
        }

        take_wishes(cert, &state);
        lun_acme_zone_state(w->acme->zone, cert->issuer->name, &all);

        if (lun_max(state.next, all.next) > lun_clock.sec) {
            rest = lun_min(rest, lun_max(state.next, all.next)
                                 - lun_clock.sec);

        } else if (lun_acme_has_account(o)
                   && !is_renewed_elsewhere(w, cert, &state))
        {
            begin_flow(o, cert, &state);
        }
    }

    return (lun_msec) lun_max(rest, (int64_t) 1) * 1000;
}


static void
open_office(lun_acme_work *w, lun_acme_office *o, lun_acme_issuer *issuer)
{
    lun_http_client_options  options = {
        .trusted = issuer->trusted.name.len != 0 ? &issuer->trusted : NULL,
        .insecure = issuer->trusts_anybody,
        .peer = "ACME server",
        .user_agent = LUN_PRODUCT,
        .body_size = BODY,
        .timeout = 60000,
        .keep = 1,
        .keep_for = PAUSE
    };

    o->work = w;
    o->issuer = issuer;
    o->client = lun_http_client_new(w->pool, w->loop, &options, w->log);
}


static void
on_begin(lun_duty *d)
{
    size_t          i;
    lun_acme_work  *w;
    lun_pool       *pool = lun_pool_new_sized(4096);

    w = d->work = lun_pool_new(pool, lun_acme_work);
    w->pool = pool;
    w->acme = d->data;
    w->loop = d->loop;
    w->log = d->log;
    w->duty = d;
    w->count = w->acme->issuers.count;
    w->offices = lun_pool_new_n(pool, lun_acme_office, w->count);
    w->warned = lun_pool_new_n(pool, int64_t, w->acme->certs.count);

    for (i = 0; i < w->count; i++) {
        open_office(w, &w->offices[i],
                    *(lun_acme_issuer **) lun_array_at(&w->acme->issuers, i));
    }
}


static void
on_end(lun_duty *d)
{
    size_t          i;
    lun_acme_work  *w = d->work;

    for (i = 0; i < w->count; i++) {
        close_flow(&w->offices[i]);
        EVP_PKEY_free(w->offices[i].pkey);
    }

    lun_conn_pool_close_idle(w->loop);

    d->work = NULL;
    lun_pool_free(w->pool);
}


static const lun_duty_kind  duty_kind = {
    .name = "acme",
    .begin = on_begin,
    .run = on_run,
    .end = on_end
};


void
lun_acme_duty_add(lun_conf *cf, lun_acme *a)
{
    (void) lun_duty_add(cf->gen->duties, &duty_kind, LUN_STR("certificates"),
                        a);
}

/*
 * acme_duty.c -- which certificate is to be seen to, and when: one worker of
 * all does it, and gives each to an issuer's office (acme_office.c).
 *
 * An office has one order in hand at a time; a certificate that failed waits
 * longer each time, and an issuer that cannot be asked, or has had enough of
 * us, lets all of its certificates wait, or go to the next of their issuers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_duty_priv.h"

#include "modules/http/acme/acme_demand.h"
#include "modules/http/acme/acme_plan.h"
#include "net/conn_pool.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"
#include "session/engine.h"
#include "session/resolver_conf.h"


enum {
    REST = 2,                      /* seconds, at most, until it looks again */
    STATE_LASTS = LUN_ACME_REST,   /* ... until a state is read again */
    MORE = 100,                    /* ms, if there is something to be read */
    BODY = 256 * 1024,
    PAUSE = 10000                  /* ms: none lasts longer in the loop */
};


/* --- what is due --------------------------------------------------------- */

/* Another program may have renewed it in the meantime: one that shares the
   folder with us. */
static bool
is_renewed_elsewhere(const lun_acme_work *w, lun_acme_cert *cert,
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
        if (lun_acme_certs_take(w->acme, cert, w->log, chain, key,
                                lun_acme_store_giver(cert, pool)))
        {
            lun_log(LUN_LOG_NOTICE, w->log, 0, "acme: certificate \"%.*s\" was "
                    "renewed by another", LUN_S(cert->id));
        }
    }

    lun_pool_free(pool);
    return newer;
}


/* Nobody should learn it from a browser. */
static void
warn(const lun_acme_work *w, const lun_acme_cert *cert,
    const lun_acme_state *state)
{
    int64_t      hours = (state->until - lun_clock.sec) / 3600;
    const char  *glue = state->error[0] != '\0' ? ": " : "";

    if (state->until <= lun_clock.sec) {
        lun_log(LUN_LOG_WARN, w->log, 0, "acme: certificate \"%.*s\" has "
                "expired%s%s", LUN_S(cert->id), glue, state->error);
    } else {
        lun_log(LUN_LOG_WARN, w->log, 0, "acme: certificate \"%.*s\" expires "
                "in %" PRId64 " hours%s%s", LUN_S(cert->id), hours, glue,
                state->error);
    }
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


/* With an order, or with its account, whose turn is next. */
static bool
is_busy(const lun_acme_office *o)
{
    return o->flow != NULL || o->rolls;
}


/* Seconds until the issuer may be asked. */
static int64_t
pause_of(const lun_acme_work *w, const lun_acme_issuer *issuer)
{
    lun_acme_state  all;

    lun_acme_zone_state(w->acme->zone, issuer->name, &all);
    lun_acme_plan_clock(&all, lun_clock.sec);
    return lun_max(all.next - lun_clock.sec, (int64_t) 0);
}


/*
 * Who is asked for what is due: who has given a certificate, or, for another
 * one, the first from state->turn on that may be asked.  NULL: nobody may, or
 * the one who may is at work: *wait seconds.
 */
static lun_acme_office *
choose(lun_acme_work *w, const lun_acme_cert *cert, lun_acme_state *state,
    int64_t *wait)
{
    size_t            i, count = cert->issuers.count;
    int64_t           pause;
    lun_acme_office  *o;
    lun_acme_issuer  *issuer;

    bool  orders = lun_acme_plan_purpose(state, lun_clock.sec)
                   == LUN_ACME_ISSUE;

    *wait = INT64_MAX;
    i = orders ? state->turn : state->by;

    for (i = i < count ? i : 0; i < count; i++) {
        issuer = lun_acme_issuer_at(cert, i);
        o = office_of(w, issuer);

        if (is_busy(o)) {
            *wait = 0;
            return NULL;
        }

        pause = pause_of(w, issuer);

        if (pause == 0) {
            state->turn = orders ? (uint8_t) i : state->turn;
            return o;
        }

        *wait = lun_min(*wait, pause);

        if (!orders) {
            break;
        }
    }

    return NULL;
}


int64_t
lun_acme_see_to(lun_acme_work *w, lun_acme_cert *cert)
{
    int64_t           wait;
    lun_acme_state    state;
    lun_acme_office  *o;

    if (cert->issuers.count == 1
        && is_busy(office_of(w, lun_acme_issuer_at(cert, 0))))
    {
        return 0;                  /* as soon as that has ended */
    }

    if (cert->rest_until > lun_clock.sec
        && cert->rest_until <= lun_clock.sec + STATE_LASTS)
    {
        return cert->rest_until - lun_clock.sec;
    }

    lun_acme_cert_state(w->acme, cert, &state);
    lun_acme_plan_clock(&state, lun_clock.sec);

    if (lun_acme_plan_warns(&state, lun_clock.sec)) {
        warn(w, cert, &state);
        (void) lun_acme_cert_put_state(w->acme, cert, &state);
    }

    if (state.next > lun_clock.sec) {
        return lun_min(state.next - lun_clock.sec, (int64_t) STATE_LASTS);
    }

    o = choose(w, cert, &state, &wait);

    if (o == NULL) {
        return lun_min(wait, (int64_t) STATE_LASTS);
    }

    if (!lun_acme_has_account(o)) {
        return STATE_LASTS;
    }

    if (is_renewed_elsewhere(w, cert, &state)) {
        return 0;
    }

    if (cert->kept != NULL
        && lun_acme_plan_purpose(&state, lun_clock.sec) == LUN_ACME_ISSUE
        && !lun_acme_demand_permits(w->demand, cert))
    {
        return 0;                  /* as soon as that is known */
    }

    lun_acme_office_begin(o, cert, &state);
    return 0;
}


/* --- what people want ---------------------------------------------------- */

/* `lunette acme renew` and `revoke` leave files, and a letter that says so. */
static void
take_wish(lun_acme_work *w, size_t i)
{
    bool                  revoke, renew;
    lun_acme_state        state;
    const lun_acme_cert  *cert = lun_acme_cert_at(w->acme, i);

    revoke = lun_acme_store_take(cert->issuer, cert->file, ".revoke");
    renew = lun_acme_store_take(cert->issuer, cert->file, ".renew");

    if (!revoke && !renew) {
        return;
    }

    lun_acme_cert_state(w->acme, cert, &state);
    state.is_asked = (uint8_t) (revoke ? LUN_ACME_TO_REVOKE
                                : lun_max((int) state.is_asked,
                                          (int) LUN_ACME_TO_RENEW));
    state.next = lun_clock.sec;
    (void) lun_acme_cert_put_state(w->acme, cert, &state);
    w->next[i] = 0;
}


static void
take_letters(lun_acme_work *w)
{
    size_t                  i, k;
    const lun_acme_issuer  *issuer;

    for (i = 0; i < w->count; i++) {
        issuer = w->offices[i].issuer;

        if (!lun_acme_store_take(issuer, LUN_ACME_LETTER, "")) {
            continue;
        }

        w->offices[i].rolls |= lun_acme_store_take(issuer, LUN_STR("account"),
                                                   ".rollover");

        for (k = 0; k < w->acme->certs.count; k++) {
            if (lun_acme_cert_at(w->acme, k)->issuer == issuer) {
                take_wish(w, k);
            }
        }
    }
}


/* --- the duty ------------------------------------------------------------ */

/* If its account is to have another key, and it may be asked. */
static void
roll_over(lun_acme_work *w, lun_acme_office *o)
{
    if (!o->rolls || o->flow != NULL || pause_of(w, o->issuer) != 0) {
        return;
    }

    if (lun_acme_has_account(o)) {
        lun_acme_office_roll(o);
    } else {
        o->rolls = false;
    }
}


static lun_msec
on_run(lun_duty *d)
{
    size_t          i;
    lun_acme_work  *w = d->work;

    take_letters(w);

    for (i = 0; i < w->count; i++) {
        roll_over(w, &w->offices[i]);
    }

    for (i = 0; i < w->acme->certs.count; i++) {
        /* A clock that was put back may make it wait for an hour: no more. */
        if (w->next[i] <= lun_clock.sec
            || w->next[i] > lun_clock.sec + STATE_LASTS)
        {
            w->next[i] = lun_clock.sec
                         + lun_acme_see_to(w, lun_acme_cert_at(w->acme, i));
        }
    }

    return lun_acme_demand_run(w->demand) ? MORE : REST * 1000;
}


static void
open_office(lun_acme_work *w, lun_acme_office *o, lun_acme_issuer *issuer)
{
    lun_http_client_options  options = {
        .trusted = issuer->trusted.name.len != 0 ? &issuer->trusted : NULL,
        .insecure = issuer->trusts_anybody,
        .peer = "ACME server",
        .user_agent = LUN_PRODUCT,
        .resolver = w->resolver,
        .body_size = BODY,
        .timeout = 60000,
        .keep = 1,
        .keep_for = PAUSE
    };

    o->work = w;
    o->issuer = issuer;
    o->client = lun_http_client_new(w->pool, w->loop, &options, w->log);

    /* Whoever was at it has not come to its end. */
    o->rolls = lun_acme_store_has(issuer, LUN_STR("account"), ".next");
}


/* That of http { }; NULL: there is none, and none is needed. */
static lun_resolver *
resolver_of(lun_engine *e)
{
    lun_msec                  timeout;
    struct lun_name_servers  *ns = e->protocol->resolver(e->block, &timeout);

    return ns != NULL ? lun_name_servers_resolver(e, ns) : NULL;
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
    w->next = lun_pool_new_n(pool, int64_t, w->acme->certs.count);

    w->resolver = resolver_of(w->acme->engine);
    lun_acme_dns_asker_init(&w->dns, pool, w->loop, w->resolver, w->log);

    for (i = 0; i < w->count; i++) {
        open_office(w, &w->offices[i],
                    *(lun_acme_issuer **) lun_array_at(&w->acme->issuers, i));
    }

    w->demand = lun_acme_demand_begin(w);
}


static void
on_end(lun_duty *d)
{
    size_t          i;
    lun_acme_work  *w = d->work;

    for (i = 0; i < w->count; i++) {
        lun_acme_office_close(&w->offices[i]);
        EVP_PKEY_free(w->offices[i].pkey);
    }

    lun_acme_demand_end(w->demand);
    lun_acme_dns_asker_end(&w->dns);
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
    a->duty = lun_duty_add(cf->gen->duties, &duty_kind,
                           LUN_STR("certificates"), a);
}

/*
 * acme_certs.c -- which certificate a server has now: that of the zone, over
 * reloads; that of the disk, after a start; or one that is signed by itself,
 * until an authority gives one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "modules/http/acme/acme_demand.h"
#include "modules/http/acme/acme_plan.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"


enum { OWN_LIFE = 365 * 86400, NO_ROOM = 3600 };


void
lun_acme_cert_state(const lun_acme *a, const lun_acme_cert *cert,
    lun_acme_state *state)
{
    if (cert->kept != NULL) {
        *state = *cert->kept;
    } else {
        lun_acme_zone_state(a->zone, cert->id, state);
    }
}


bool
lun_acme_cert_put_state(const lun_acme *a, const lun_acme_cert *cert,
    const lun_acme_state *state)
{
    if (cert->kept == NULL) {
        return lun_acme_zone_put_state(a->zone, cert->id, state);
    }

    *cert->kept = *state;
    return true;
}


/* From the certificate: how long it is good, and whether it is nobody's. */
static bool
read_times(lun_str chain, lun_acme_state *state)
{
    bool   good;
    X509  *x = lun_cert_read(chain);

    good = x != NULL && lun_cert_times(x, &state->from, &state->until);
    state->is_own = x != NULL && X509_self_signed(x, 0) == 1;
    X509_free(x);

    return good;
}


static bool
put(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_str chain, lun_str key, const lun_acme_state *state)
{
    if ((cert->kept != NULL
         || lun_acme_zone_put_pair(a->zone, cert->id, chain, key))
        && lun_acme_cert_put_state(a, cert, state))
    {
        return true;
    }

    lun_log(LUN_LOG_ALERT, log, 0, "could not allocate certificate \"%.*s\" in "
            "acme_shared_zone \"%.*s\"", LUN_S(cert->id),
            LUN_S(a->zone->name));
    return false;
}


bool
lun_acme_certs_take(const lun_acme *a, lun_acme_cert *cert, const lun_log *log,
    lun_str chain, lun_str key, size_t giver)
{
    lun_acme_state  before, state = { .by = (uint8_t) giver };

    lun_acme_cert_state(a, cert, &before);

    if (read_times(chain, &state)) {
        state.is_own = 0;          /* whoever has signed it */
        lun_acme_plan_issued(&state, &before, lun_str_hash(cert->id),
                             lun_clock.sec);

        if (state.until <= lun_clock.sec) {
            lun_log(LUN_LOG_WARN, log, 0, "acme: certificate \"%.*s\" has "
                    "expired already: is the clock right?", LUN_S(cert->id));
        }

        if (put(a, cert, log, chain, key, &state)) {
            return true;
        }
    }

    cert->rest_until = lun_clock.sec + NO_ROOM;
    return false;
}


/* From a start before: due or not, it is better than one of our own. */
static bool
take_stored(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_pool *pool)
{
    lun_str         chain, key;
    lun_acme_state  state = { .issued = 1 };

    if (!lun_acme_store_pair(cert, pool, &chain, &key)
        || !read_times(chain, &state) || state.until <= lun_clock.sec)
    {
        return false;
    }

    state.by = (uint8_t) lun_acme_store_giver(cert, pool);
    lun_acme_plan_begin(&state, lun_str_hash(cert->id), lun_clock.sec);
    return put(a, cert, log, chain, key, &state);
}


/* It is there, but a program of another version has kept its state. */
static void
mend_state(const lun_acme *a, const lun_acme_cert *cert, lun_pool *pool)
{
    lun_str         chain, key;
    uint32_t        version;
    lun_acme_state  state;

    lun_acme_cert_state(a, cert, &state);

    if (state.until == 0
        && lun_acme_zone_pair(a->zone, cert->id, pool, &chain, &key, &version)
        && read_times(chain, &state))
    {
        state.issued = !state.is_own;
        lun_acme_plan_begin(&state, lun_str_hash(cert->id), lun_clock.sec);
        (void) lun_acme_cert_put_state(a, cert, &state);
    }
}


/* One key of RSA is good enough for all of them: it takes long to make. */
static EVP_PKEY *
own_key(bool rsa, EVP_PKEY **shared)
{
    if (!rsa) {
        return lun_key_make((lun_key_kind) { .bits = 256 });
    }

    if (*shared == NULL) {
        *shared = lun_key_make((lun_key_kind) { .rsa = true, .bits = 2048 });
    }

    if (*shared != NULL) {
        EVP_PKEY_up_ref(*shared);
    }

    return *shared;
}


static void
make_own(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_pool *pool, EVP_PKEY **shared)
{
    X509           *x;
    EVP_PKEY       *key = own_key(cert->kind.rsa, shared);
    lun_acme_state  state = { .is_own = 1, .next = lun_clock.sec };
    lun_cert_wish   wish = {
        .names = cert->names, .count = cert->count,
        .from = lun_clock.sec - 86400, .until = lun_clock.sec + OWN_LIFE
    };

    x = key != NULL ? lun_cert_make(&wish, key, NULL, NULL) : NULL;
    state.from = wish.from;
    state.until = wish.until;

    if (x != NULL && put(a, cert, log, lun_cert_pem(pool, x),
                         lun_key_pem(pool, key), &state))
    {
        lun_log(LUN_LOG_NOTICE, log, 0, "acme: \"%.*s\" is signed by itself "
                "until issuer \"%.*s\" gives a certificate",
                LUN_S(cert->id), LUN_S(cert->issuer->name));
    }

    X509_free(x);
    EVP_PKEY_free(key);
}


/*
 * What the zone has is newer than the files, since it lives over reloads; what
 * neither has gets a certificate of our own making, so that the server can
 * start.
 */
void
lun_acme_certs_begin(lun_acme *a, const lun_log *log)
{
    size_t          i;
    EVP_PKEY       *shared = NULL;
    lun_pool       *pool = lun_pool_new_sized(16384);
    lun_acme_cert  *cert;

    for (i = 0; i < a->certs.count; i++) {
        cert = lun_acme_cert_at(a, i);

        if (lun_acme_zone_version(a->zone, cert->id) != 0) {
            mend_state(a, cert, pool);

        } else if (!take_stored(a, cert, log, pool)) {
            make_own(a, cert, log, pool, &shared);
        }
    }

    for (i = 0; i < a->demands.count; i++) {
        cert = (*(lun_acme_demand **) lun_array_at(&a->demands, i))->own;

        if (lun_acme_zone_version(a->zone, cert->id) == 0) {
            make_own(a, cert, log, pool, &shared);
        }
    }

    EVP_PKEY_free(shared);
    lun_pool_free(pool);
}

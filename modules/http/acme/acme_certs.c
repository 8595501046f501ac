/*
 * acme_certs.c -- which certificate a server has now: that of the zone, over
 * reloads; that of the disk, after a start; or one that is signed by itself,
 * until an authority gives one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "modules/http/acme/acme_time.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"


enum { OWN_LIFE = 365 * 86400, LOOK_FIRST = 10 };


/* From the certificate: how long it is good, and when to renew it. */
static bool
read_times(const lun_acme_cert *cert, lun_str chain, lun_acme_state *state)
{
    bool   good;
    X509  *x = lun_cert_read(chain);

    good = x != NULL && lun_cert_times(x, &state->from, &state->until);
    X509_free(x);

    if (good) {
        state->due = lun_acme_due(state->from, state->until,
                                  lun_str_hash(cert->id));
    }

    return good;
}


static bool
put(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_str chain, lun_str key, const lun_acme_state *state)
{
    if (lun_acme_zone_put_pair(a->zone, cert->id, chain, key)
        && lun_acme_zone_put_state(a->zone, cert->id, state))
    {
        return true;
    }

    lun_log(LUN_LOG_ALERT, log, 0, "could not allocate certificate \"%.*s\" in "
            "acme_shared_zone \"%.*s\"", LUN_S(cert->id),
            LUN_S(a->zone->name));
    return false;
}


bool
lun_acme_certs_take(const lun_acme *a, const lun_acme_cert *cert,
    const lun_log *log, lun_str chain, lun_str key)
{
    lun_acme_state  before, state = { .tried = lun_clock.sec };

    lun_acme_zone_state(a->zone, cert->id, &before);

    if (!read_times(cert, chain, &state)) {
        return false;
    }

    state.issued = before.issued + 1;
    state.look = lun_clock.sec + LOOK_FIRST;
    state.next = lun_min(state.look, state.due);
    return put(a, cert, log, chain, key, &state);
}


/* From a start before: due or not, it is better than one of our own. */
static bool
take_stored(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_pool *pool)
{
    lun_str         chain, key;
    lun_acme_state  state = { .issued = 1 };

    if (!lun_acme_store_pair(cert, pool, &chain, &key)
        || !read_times(cert, chain, &state) || state.until <= lun_clock.sec)
    {
        return false;
    }

    state.look = lun_clock.sec + LOOK_FIRST;
    state.next = lun_min(state.look, state.due);
    return put(a, cert, log, chain, key, &state);
}


static void
make_own(const lun_acme *a, const lun_acme_cert *cert, const lun_log *log,
    lun_pool *pool)
{
    X509           *x;
    EVP_PKEY       *key = lun_key_make((lun_key_kind) { .bits = 256 });
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


void
lun_acme_certs_begin(lun_acme *a, const lun_log *log)
{
    size_t          i;
    lun_pool       *pool = lun_pool_new_sized(16384);
    lun_acme_cert  *cert;

    for (i = 0; i < a->certs.count; i++) {
        cert = *(lun_acme_cert **) lun_array_at(&a->certs, i);

        if (lun_acme_zone_version(a->zone, cert->id) == 0
            && !take_stored(a, cert, log, pool))
        {
            make_own(a, cert, log, pool);
        }
    }

    lun_pool_free(pool);
}

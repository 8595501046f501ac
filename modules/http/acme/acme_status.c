/*
 * acme_status.c -- certificates that renew themselves, in the tree of what the
 * server says of itself: "status/http/acme_clients", in Angie's words, and
 * what it has none for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "config/status.h"
#include "os/clock.h"


static const char *
state_of(const lun_acme_state *state)
{
    return state->is_at_work ? "requesting"
           : state->failures != 0 ? "failed" : "ready";
}


static const char *
certificate_of(const lun_acme_state *state)
{
    return state->is_own || state->until == 0 ? "missing"
           : state->until <= lun_clock.sec ? "expired" : "valid";
}


static void
write_names(lun_status_walk *w, const lun_acme_cert *cert)
{
    size_t  i;

    if (!lun_status_open_list(w, LUN_STR("names"))) {
        return;
    }

    for (i = 0; i < cert->count; i++) {
        lun_status_text(w, LUN_STR_NULL, cert->names[i]);
    }

    lun_status_close(w);
}


static void
write_validity(lun_status_walk *w, const lun_acme_state *state)
{
    if (!state->is_own && state->until != 0
        && lun_status_open(w, LUN_STR("validity")))
    {
        lun_status_time(w, "since", state->from * 1000);
        lun_status_time(w, "until", state->until * 1000);
        lun_status_close(w);
    }
}


/* Who has given it, or is asked first. */
static lun_str
issuer_of(const lun_acme_cert *cert, const lun_acme_state *state)
{
    return lun_acme_issuer_at(cert, state->by < cert->issuers.count
                                    ? state->by : 0)->name;
}


static void
write_certificate(lun_status_walk *w, const lun_acme_cert *cert,
    const lun_acme_state *state)
{
    lun_status_text(w, LUN_STR("state"), lun_str_z(state_of(state)));
    lun_status_text(w, LUN_STR("certificate"),
                    lun_str_z(certificate_of(state)));
    lun_status_text(w, LUN_STR("details"), lun_str_z(state->error));
    lun_status_time(w, "next_run", state->next * 1000);
    lun_status_text(w, LUN_STR("issuer"), issuer_of(cert, state));
    lun_status_text(w, LUN_STR("key"),
                    lun_pool_fmt(lun_status_pool(w), "%s (%u bits)",
                                 cert->kind.rsa ? "RSA" : "ECDSA",
                                 cert->kind.bits));
    write_names(w, cert);
    write_validity(w, state);

    if (!state->is_own && state->until != 0) {
        lun_status_time(w, "renewal", state->due * 1000);
    }

    lun_status_number(w, "issued", state->issued);
    lun_status_number(w, "failures", state->failures);
}


bool
lun_acme_write_status(lun_status_walk *w, void *data, uint32_t *cursor)
{
    lun_acme             *a = data;
    lun_acme_state        state;
    const lun_acme_cert  *cert;

    while (*cursor < a->certs.count) {
        if (lun_status_is_full(w)) {
            return true;
        }

        cert = lun_acme_cert_at(a, (*cursor)++);

        if (lun_status_open(w, lun_pool_fmt(lun_status_pool(w), "%.*s:%.*s",
                                            LUN_S(cert->issuer->name),
                                            LUN_S(cert->file))))
        {
            lun_acme_cert_state(a, cert, &state);
            write_certificate(w, cert, &state);
            lun_status_close(w);
        }
    }

    return false;
}

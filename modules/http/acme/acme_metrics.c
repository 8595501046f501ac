/*
 * acme_metrics.c -- what is counted of certificates: looked at in the zone
 * when somebody asks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_metrics.h"

#include "modules/http/acme/acme_priv.h"
#include "os/clock.h"


typedef uint64_t value_fn(const lun_acme_state *state);

static lun_metric_look_fn  look;


static uint64_t
left_of(const lun_acme_state *state)
{
    return (uint64_t) lun_max((int64_t) 0, state->until - lun_clock.sec);
}


static uint64_t
failures_of(const lun_acme_state *state)
{
    return state->failures;
}


static uint64_t
own_of(const lun_acme_state *state)
{
    return state->is_own;
}


static uint64_t
issued_of(const lun_acme_state *state)
{
    return state->issued;
}


const lun_metric  lun_acme_metrics[] = {
    { .name = "acme_certificate_left", .unit = "seconds", .kind = LUN_GAUGE,
      .help = "How long a certificate is good for", .labels = "certificate",
      .look = look },
    { .name = "acme_certificate_failures", .kind = LUN_GAUGE,
      .help = "Tries in a row to have a certificate that failed",
      .labels = "certificate", .look = look },
    { .name = "acme_certificate_own", .kind = LUN_GAUGE,
      .help = "Whether a certificate is not an issuer's yet",
      .labels = "certificate", .look = look },
    { .name = "acme_certificate_issued", .kind = LUN_GAUGE,
      .help = "Certificates that were given since the zone was made",
      .labels = "certificate", .look = look },
    { .name = NULL }
};

static value_fn *const  values[] = {
    left_of, failures_of, own_of, issued_of
};


static bool
look(const lun_metric_looking *l, uint32_t *cursor)
{
    size_t                i, k;
    lun_zone             *zone;
    const lun_acme       *a;
    lun_acme_state        state;
    const lun_zone_set   *zones = lun_metric_zones(l->set);
    const lun_acme_cert  *cert;

    for (i = 0; i < lun_zone_count(zones); i++) {
        zone = lun_zone_at(zones, i);
        a = zone->kind == &lun_acme_zone_kind ? zone->data : NULL;

        for (k = 0; a != NULL && k < a->certs.count; k++) {
            cert = lun_acme_cert_at(a, k);
            lun_acme_cert_state(a, cert, &state);
            l->found(l->to, &cert->id, 0,
                     values[l->m - lun_acme_metrics](&state));
        }
    }

    return false;
}

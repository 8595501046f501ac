/*
 * acme_names.c -- how an authority is shown that names are ours: for each, the
 * answer is published before the authority is told to look.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_flow_priv.h"


void
lun_acme_ask_authorization(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->order.authorizations[f->index], LUN_STR_NULL);
}


static bool
read_authorization(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_acme_authorization  *a = &f->authorization;

    if (!lun_acme_read_authorization(f->pool, reply->body, f->uri,
                                     f->challenge, a))
    {
        lun_flow_fail(f, LUN_STR("this is no authorization"));
        return false;
    }

    if (a->status == LUN_ACME_INVALID) {
        lun_flow_refuse(f, lun_pool_fmt(f->pool, "\"%.*s\" was not validated: "
            "%.*s", LUN_S(a->identifier),
            LUN_S(lun_acme_problem_text(f->pool, &a->problem))));
        return false;
    }

    return true;
}


static void
go_to_next_name(lun_acme_flow *f, lun_flow_stage again,
    lun_flow_stage after)
{
    if (++f->index < f->order.count) {
        lun_flow_go(f, again);
        return;
    }

    f->index = 0;
    lun_flow_go(f, after);
}


/* An authority may ask only for what was ordered. */
static bool
was_ordered(const lun_acme_flow *f, lun_str name)
{
    size_t   i;
    lun_str  host;

    for (i = 0; i < f->count; i++) {
        host = f->names[i];
        (void) lun_str_after(host, LUN_STR("*."), &host);

        if (lun_str_caseeq(host, name)) {
            return true;
        }
    }

    return false;
}


static bool
publish(lun_acme_flow *f)
{
    lun_acme_published      *p;
    lun_acme_authorization  *a = &f->authorization;

    if (a->token.len == 0) {
        return true;               /* what answers is there already: in DNS */
    }

    if (f->published_count == LUN_ACME_NAMES) {
        return false;
    }

    if (!f->user->publish(f, a->identifier, a->token,
                          lun_acme_key_authorization(f->pool, f->key,
                                                     a->token)))
    {
        return false;
    }

    p = &f->published[f->published_count++];
    p->name = a->identifier;
    p->token = a->token;
    return true;
}


void
lun_acme_on_authorization(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_acme_authorization  *a = &f->authorization;

    if (!read_authorization(f, reply)) {
        return;
    }

    if (a->status == LUN_ACME_VALID) {
        go_to_next_name(f, LUN_FLOW_AUTHORIZATION, LUN_FLOW_VALIDATION);

    } else if (!was_ordered(f, a->identifier)) {
        lun_flow_fail(f, lun_pool_fmt(f->pool, "nobody has ordered \"%.*s\"",
                             LUN_S(a->identifier)));

    } else if (a->url.len == 0) {
        lun_flow_refuse(f, lun_pool_fmt(f->pool, "\"%.*s\" cannot be validated "
                                        "by %.*s there", LUN_S(a->identifier),
                                        LUN_S(f->challenge)));

    } else if (!publish(f)) {
        lun_flow_fail(f, LUN_STR("there is no room for challenges: "
                        "\"acme_shared_zone\" is too small"));

    } else if (a->challenge == LUN_ACME_PENDING) {
        lun_flow_go(f, LUN_FLOW_CHALLENGE);

    } else {
        go_to_next_name(f, LUN_FLOW_AUTHORIZATION, LUN_FLOW_VALIDATION);
    }
}


void
lun_acme_ask_challenge(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->authorization.url, LUN_STR("{}"));
}


void
lun_acme_on_challenge(lun_acme_flow *f, const lun_acme_reply *reply)
{
    go_to_next_name(f, LUN_FLOW_AUTHORIZATION, LUN_FLOW_VALIDATION);
}


void
lun_acme_on_validation(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!read_authorization(f, reply)) {
        return;
    }

    if (f->authorization.status == LUN_ACME_VALID) {
        go_to_next_name(f, LUN_FLOW_VALIDATION, LUN_FLOW_POLL);

    } else {
        lun_flow_look_later(f, reply);
    }
}

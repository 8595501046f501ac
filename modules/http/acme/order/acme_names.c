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


/* The next one that the authority is to look at; none: did it? */
static void
go_to_challenge(lun_acme_flow *f)
{
    while (f->index < f->order.count && f->challenges[f->index].len == 0) {
        f->index++;
    }

    if (f->index < f->order.count) {
        lun_flow_go(f, LUN_FLOW_CHALLENGE);

    } else {
        f->index = 0;
        lun_flow_go(f, LUN_FLOW_VALIDATION);
    }
}


static void
go_to_next_authorization(lun_acme_flow *f)
{
    if (++f->index < f->order.count) {
        lun_flow_go(f, LUN_FLOW_AUTHORIZATION);
        return;
    }

    f->index = 0;
    go_to_challenge(f);

    /* Records in DNS take a while until all servers have them. */
    if (f->stage == LUN_FLOW_CHALLENGE) {
        f->later = f->settle;
    }
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


static lun_acme_shown
publish(lun_acme_flow *f)
{
    lun_acme_shown           shown;
    lun_acme_published      *p;
    lun_acme_authorization  *a = &f->authorization;

    if (a->token.len == 0) {
        return LUN_ACME_SHOWN;     /* what answers is there already: in DNS */
    }

    if (f->published_count == LUN_ACME_NAMES) {
        return LUN_ACME_NOT_SHOWN;
    }

    shown = f->user->publish(f, a->identifier, a->token,
                             lun_acme_key_authorization(f->pool, f->key,
                                                        a->token));

    if (shown != LUN_ACME_NOT_SHOWN) {
        p = &f->published[f->published_count++];
        p->name = a->identifier;
        p->token = a->token;
    }

    return shown;
}


static void
show(lun_acme_flow *f)
{
    lun_acme_authorization  *a = &f->authorization;

    if (a->challenge == LUN_ACME_PENDING) {
        f->challenges[f->index] = a->url;
    }

    switch (publish(f)) {

    case LUN_ACME_SHOWN:
        go_to_next_authorization(f);
        break;

    case LUN_ACME_SHOWN_LATER:
        f->showing = true;
        break;

    case LUN_ACME_NOT_SHOWN:
        lun_flow_fail(f, LUN_STR("there is no room for challenges: "
                        "\"acme_shared_zone\" is too small"));
        break;
    }
}


void
lun_acme_flow_shown(lun_acme_flow *f, const char *fault)
{
    if (!f->showing) {
        return;
    }

    f->showing = false;

    if (fault == NULL) {
        go_to_next_authorization(f);
    } else {
        lun_flow_fail(f, lun_pool_fmt(f->pool, "no record could be set for "
                                      "\"%.*s\": %s",
                                      LUN_S(f->authorization.identifier),
                                      fault));
    }
}


void
lun_acme_on_authorization(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_acme_authorization  *a = &f->authorization;

    if (!read_authorization(f, reply)) {
        return;
    }

    f->challenges[f->index] = LUN_STR_NULL;

    if (a->status == LUN_ACME_VALID) {
        go_to_next_authorization(f);

    } else if (!was_ordered(f, a->identifier)) {
        lun_flow_fail(f, lun_pool_fmt(f->pool, "nobody has ordered \"%.*s\"",
                             LUN_S(a->identifier)));

    } else if (a->url.len == 0) {
        lun_flow_refuse(f, lun_pool_fmt(f->pool, "\"%.*s\" cannot be validated "
                                        "by %.*s there", LUN_S(a->identifier),
                                        LUN_S(f->challenge)));

    } else {
        show(f);
    }
}


void
lun_acme_ask_challenge(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->challenges[f->index], LUN_STR("{}"));
}


void
lun_acme_on_challenge(lun_acme_flow *f, const lun_acme_reply *reply)
{
    f->index++;
    go_to_challenge(f);
}


void
lun_acme_on_validation(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!read_authorization(f, reply)) {
        return;
    }

    if (f->authorization.status != LUN_ACME_VALID) {
        lun_flow_look_later(f, reply);

    } else if (++f->index < f->order.count) {
        lun_flow_go(f, LUN_FLOW_VALIDATION);

    } else {
        f->index = 0;
        lun_flow_go(f, LUN_FLOW_POLL);
    }
}

/*
 * acme_accounts.c -- a flow's questions about an account: a new one, or the one
 * that has this key; another key for it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/escape.h"
#include "modules/http/acme/order/acme_flow_priv.h"


void
lun_acme_ask_account(lun_acme_flow *f)
{
    lun_acme_account_wish  w = {
        .contacts = f->contacts, .contact_count = f->contact_count,
        .agrees = f->agrees
    };

    if (f->directory.terms.len != 0 && !f->agrees) {
        lun_flow_refuse(f, lun_pool_fmt(f->pool, "the terms of service have to"
                            " be accepted (\"accept_terms_of_service\"): %.*s",
                            LUN_S(f->directory.terms)));
        return;
    }

    if (f->binding_kid.len != 0) {
        w.binding = lun_acme_binding(f->pool, f->key, f->binding_kid,
                                     f->binding_key,
                                     f->directory.new_account);

    } else if (f->directory.wants_binding) {
        lun_flow_refuse(f, LUN_STR("an account needs an "
                                   "\"external_account_key\" there"));
        return;
    }

    lun_flow_ask_signed(f, f->directory.new_account,
                        lun_acme_new_account(f->pool, &w));
}


void
lun_acme_on_account_reply(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!lun_acme_may_follow(f->uri, reply->location)) {
        lun_flow_fail(f, LUN_STR("a new account has no good URL"));
        return;
    }

    f->kid = lun_pool_str(f->pool, reply->location);
    f->user->account(f, f->kid);
    lun_flow_have_account(f);
}


/* --- another key of the account ------------------------------------------ */

/* Whoever asked before us may not have heard the answer. */
void
lun_acme_ask_rolled(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->directory.new_account,
                        LUN_STR("{\"onlyReturnExisting\":true}"));
}


void
lun_acme_on_rolled(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (lun_str_eq(reply->location, f->kid)) {
        lun_flow_end(f);
    } else {
        lun_flow_go(f, LUN_FLOW_ROLL);
    }
}


/* Signed with both (RFC 8555, 7.3.5). */
void
lun_acme_ask_roll(lun_acme_flow *f)
{
    lun_str  payload, url = f->directory.key_change;

    if (url.len == 0) {
        lun_flow_refuse(f, LUN_STR("no key can be changed there"));
        return;
    }

    payload = lun_pool_fmt(f->pool, "{\"account\":\"%.*s\",\"oldKey\":%.*s}",
                           LUN_S(lun_escape_json_new(f->pool, f->kid)),
                           LUN_S(f->key->jwk));
    lun_flow_ask_signed(f, url, lun_acme_jws(f->pool, f->next_key,
                                             LUN_STR(""), LUN_STR(""), url,
                                             payload));
}


void
lun_acme_on_roll(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_flow_end(f);
}

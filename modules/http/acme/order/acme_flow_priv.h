/*
 * acme_flow_priv.h -- what the files of a flow share: acme_flow.c (its course,
 * orders), acme_accounts.c, acme_names.c (how it is shown that names are ours).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_FLOW_PRIV_H
#define LUN_ACME_FLOW_PRIV_H

#include "modules/http/acme/order/acme_flow.h"

typedef enum {
    LUN_FLOW_DIRECTORY, LUN_FLOW_ACCOUNT, LUN_FLOW_WINDOW, LUN_FLOW_ORDER,
    LUN_FLOW_AUTHORIZATION, LUN_FLOW_CHALLENGE, LUN_FLOW_VALIDATION,
    LUN_FLOW_POLL, LUN_FLOW_FINALIZE, LUN_FLOW_CERTIFICATE,
    LUN_FLOW_ALTERNATE, LUN_FLOW_REVOKE, LUN_FLOW_ROLLED, LUN_FLOW_ROLL,
    LUN_FLOW_END
} lun_flow_stage;

/* Another stage, whose question is the next. */
void lun_flow_go(lun_acme_flow *f, lun_flow_stage s);
/* The same again, later and later; `reply` may say when, or be NULL. */
void lun_flow_look_later(lun_acme_flow *f, const lun_acme_reply *reply);
/* payload.data NULL: nothing is sent, which reads. */
void lun_flow_ask_signed(lun_acme_flow *f, lun_str url, lun_str payload);

/* It is done. */
void lun_flow_end(lun_acme_flow *f);
/* There is one: what the flow is for comes next. */
void lun_flow_have_account(lun_acme_flow *f);

/* It is over; the second: by the authority's will, and so is the order. */
void lun_flow_fail(lun_acme_flow *f, lun_str why);
void lun_flow_refuse(lun_acme_flow *f, lun_str why);

/* --- acme_accounts.c --- */

void lun_acme_ask_account(lun_acme_flow *f);
void lun_acme_on_account_reply(lun_acme_flow *f, const lun_acme_reply *reply);
void lun_acme_ask_rolled(lun_acme_flow *f);
void lun_acme_on_rolled(lun_acme_flow *f, const lun_acme_reply *reply);
void lun_acme_ask_roll(lun_acme_flow *f);
void lun_acme_on_roll(lun_acme_flow *f, const lun_acme_reply *reply);

/* --- acme_names.c: questions and answers of three stages --- */

void lun_acme_ask_authorization(lun_acme_flow *f);
void lun_acme_on_authorization(lun_acme_flow *f, const lun_acme_reply *reply);
void lun_acme_ask_challenge(lun_acme_flow *f);
void lun_acme_on_challenge(lun_acme_flow *f, const lun_acme_reply *reply);
void lun_acme_on_validation(lun_acme_flow *f, const lun_acme_reply *reply);

#endif

/*
 * upreq_stage.c -- the stages of an upstream request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_stage.h"

#include "base/check.h"
#include "http/upstream/upreq_priv.h"


static const struct {
    const char  *name;             /* of the debug log */
    void       (*enter)(lun_upreq *x);
} stages[LUN_UPREQ_STAGES] = {
    [LUN_UPREQ_NEW]       = { "new", NULL },
    [LUN_UPREQ_LOOK_UP]   = { "look-up", lun_upreq_look_up },
    [LUN_UPREQ_RESOLVE]   = { "resolve", lun_upreq_resolve },
    [LUN_UPREQ_CHOOSE]    = { "choose", lun_upreq_choose },
    [LUN_UPREQ_CONNECT]   = { "connect", lun_upreq_connect },
    [LUN_UPREQ_HANDSHAKE] = { "handshake", lun_upreq_handshake },
    [LUN_UPREQ_SEND]      = { "send", lun_upreq_send },
    [LUN_UPREQ_HEADER]    = { "header", NULL },
    [LUN_UPREQ_JUDGE]     = { "judge", lun_upreq_judge },
    [LUN_UPREQ_BODY]      = { "body", lun_upreq_pass },
    [LUN_UPREQ_TUNNEL]    = { "tunnel", lun_upreq_upgrade },
    [LUN_UPREQ_END]       = { "end", NULL },
};


const char *
lun_upreq_stage_name(const lun_upreq *x)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    return stages[x->stage].name;
}


void
lun_upreq_go(lun_upreq *x, lun_upreq_stage stage)
{
    LUN_CHECK_MARK(x, LUN_MARK_UPREQ);
    LUN_CHECK(stage > x->stage
              || (stage == LUN_UPREQ_CHOOSE && x->stage < LUN_UPREQ_BODY));

    lun_debug(x->r->log, "upstream request: %s -> %s", stages[x->stage].name,
              stages[stage].name);
    x->stage = stage;

    if (stages[stage].enter != NULL) {
        stages[stage].enter(x);
    }
}

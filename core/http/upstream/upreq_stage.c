/*
 * upreq_stage.c -- the stages of an upstream request.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/upreq_stage.h"

#include "base/check.h"
#include "http/upstream/upreq_priv.h"


/* What has to be there, or not, when a stage is entered. */
enum {
    CONN    = 0x01,                /* a connection, x's alone or shared */
    NO_CONN = 0x02,
    TRY     = 0x04,                /* what is said of a server: the last try */
    ADDRESS = 0x08,                /* of one that was chosen */
    TLS     = 0x10,                /* settings of it */
    HEAD    = 0x20                 /* the request, as it is sent */
};

static const struct {
    const char  *name;             /* of the debug log */
    void       (*enter)(lun_upreq *x);
    unsigned     needs;
} stages[LUN_UPREQ_STAGES] = {
    [LUN_UPREQ_NEW]       = { "new", NULL, 0 },
    [LUN_UPREQ_LOOK_UP]   = { "look-up", lun_upreq_look_up, NO_CONN },
    [LUN_UPREQ_RESOLVE]   = { "resolve", lun_upreq_resolve, NO_CONN },
    [LUN_UPREQ_CHOOSE]    = { "choose", lun_upreq_choose, NO_CONN },
    [LUN_UPREQ_CONNECT]   = { "connect", lun_upreq_connect,
                              NO_CONN | TRY | ADDRESS },
    [LUN_UPREQ_HANDSHAKE] = { "handshake", lun_upreq_handshake,
                              CONN | TRY | TLS },
    [LUN_UPREQ_SEND]      = { "send", lun_upreq_send, CONN | TRY | HEAD },
    [LUN_UPREQ_HEADER]    = { "header", NULL, CONN | TRY },
    [LUN_UPREQ_JUDGE]     = { "judge", lun_upreq_judge, CONN | TRY },
    [LUN_UPREQ_BODY]      = { "body", lun_upreq_pass, CONN | TRY },
    [LUN_UPREQ_TUNNEL]    = { "tunnel", lun_upreq_upgrade, CONN | TRY },
    [LUN_UPREQ_END]       = { "end", NULL, 0 },
};


/* What most stages need comes first: this is done eight times a request. */
static inline bool
has_all(const lun_upreq *x, unsigned needs)
{
    if (((needs & CONN) && x->conn == NULL)
        || ((needs & NO_CONN) && x->conn != NULL)
        || ((needs & TRY) && x->try == NULL))
    {
        return false;
    }

    return needs < ADDRESS
           || (((needs & ADDRESS) == 0 || x->balance.addr != NULL)
               && ((needs & TLS) == 0 || x->target.tls != NULL)
               && ((needs & HEAD) == 0 || x->head != NULL));
}


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
    LUN_CHECK(has_all(x, stages[stage].needs));

    lun_debug(x->r->log, "upstream request: %s -> %s", stages[x->stage].name,
              stages[stage].name);
    x->stage = stage;

    if (stages[stage].enter != NULL) {
        stages[stage].enter(x);
    }
}

/*
 * h2_account.c -- what frames cost (../mux/account.h).
 *
 * A client with too much debt is told to calm down, and left.  Streams that are
 * refused have a limit besides (h2_block.c), as nginx has it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


/*
 * What a frame costs beside its bytes.  A WINDOW_UPDATE is paid for by the
 * DATA that it was sent for; SETTINGS may change the windows of all streams.
 */
static const uint16_t  prices[] = {
    [LUN_FRAME_PRIORITY]      = 256,
    [LUN_FRAME_RST_STREAM]    = 256,
    [LUN_FRAME_SETTINGS]      = 2048,
    [LUN_FRAME_PING]          = 512,
    [LUN_FRAME_GOAWAY]        = 256,
    [LUN_FRAME_WINDOW_UPDATE] = 64,
    [LUN_FRAME_CONTINUATION]  = 256,
    [LUN_FRAME_PRIORITY_UPDATE] = 256,
};

enum { EMPTY_DATA = 256 };

static uint32_t  floods_at;

const lun_metric  lun_h2_metrics[] = {
    { .name = "http2_floods", .kind = LUN_COUNTER, .at = &floods_at,
      .help = "Connections of HTTP/2 that were ended for what they asked for" },
    { 0 }
};


void
lun_h2_flood(lun_h2 *h2, const char *what)
{
    LUN_CHECK(what != NULL);
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (h2->ended) {
        return;
    }

    lun_log(LUN_LOG_INFO, &h2->mux.c->log, 0, "%s", what);
    h2->flooded = 1;
    lun_metric_add(floods_at, 1);
    lun_h2_end(h2, LUN_H2_ENHANCE_YOUR_CALM);
}


void
lun_h2_charge(lun_h2 *h2, uint64_t cost)
{
    LUN_CHECK_MARK(&h2->mux, LUN_MARK_MUX);

    if (lun_account_charge(&h2->account, cost)) {
        lun_h2_flood(h2, "http2 flood detected");
    }
}


void
lun_h2_charge_frame(lun_h2 *h2, const lun_frames *f)
{
    if (f->type == LUN_FRAME_DATA) {
        if (f->length == 0 && (f->flags & LUN_FRAME_END_STREAM) == 0) {
            lun_h2_charge(h2, EMPTY_DATA);
        }

    } else if (f->type < LUN_ARRAY_LEN(prices) && prices[f->type] != 0) {
        lun_h2_charge(h2, prices[f->type]);
    }
}


void
lun_h2_credit(lun_h2 *h2, size_t payload)
{
    lun_account_credit(&h2->account, payload);
}

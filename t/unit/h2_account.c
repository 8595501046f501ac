/*
 * h2_account.c -- what makes a flood of an HTTP/2 client, and what does not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/h2/h2_account.c"

#include "tap.h"


static unsigned  floods;


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    floods += strstr(line, "http2 flood detected") != NULL;
}


static lun_log_target  ear = { .level = LUN_LOG_INFO, .write = hear };


/* What is queued for the client is of no interest here. */
static void
begin(lun_h2 *h2, lun_conn *c)
{
    *c = (lun_conn) { .log = { .level = LUN_LOG_INFO, .targets = &ear } };
    *h2 = (lun_h2) { .mux = { .mark = LUN_MARK_MUX, .c = c }, .busy = 1 };
    lun_list_init(&h2->mux.streams);
    h2->account.charged = lun_clock.mono;
    floods = 0;
}


static void
end(lun_h2 *h2)
{
    lun_h2_output_fini(h2);
}


static void
has_a_limit(lun_h2 *h2, lun_conn *c)
{
    int  i;

    begin(h2, c);
    lun_h2_charge(h2, LUN_ACCOUNT_LIMIT);
    ok(!h2->flooded && floods == 0, "8 MB of debt are borne");
    lun_h2_charge(h2, 1);
    ok(h2->flooded && h2->ended && floods == 1, "a byte more is a flood");

    for (i = 0; i < 10; i++) {
        lun_h2_charge(h2, LUN_ACCOUNT_LIMIT);
    }

    ok(floods == 1, "which is said once");
    end(h2);

    begin(h2, c);
    lun_h2_charge(h2, UINT64_MAX);
    ok(!h2->flooded && h2->account.debt == LUN_ACCOUNT_LIMIT,
       "no cost is more than the limit");
    end(h2);
}


static void
is_paid(lun_h2 *h2, lun_conn *c)
{
    begin(h2, c);
    lun_h2_charge(h2, LUN_ACCOUNT_LIMIT);
    lun_h2_credit(h2, 1000);
    lun_h2_charge(h2, 8000);
    ok(!h2->flooded && h2->account.debt == LUN_ACCOUNT_LIMIT,
       "a byte of payload pays for 8");

    lun_clock.mono += 1000;
    lun_h2_charge(h2, 64000);
    ok(!h2->flooded && h2->account.debt == LUN_ACCOUNT_LIMIT,
       "a second pays for 64,000");

    lun_clock.mono += 3600 * 1000;
    lun_h2_charge(h2, 0);
    ok(h2->account.debt == 0, "time pays debts, it saves nothing up");

    end(h2);

    begin(h2, c);
    lun_h2_credit(h2, SIZE_MAX);
    ok(h2->account.debt == -LUN_ACCOUNT_SAVED, "savings have a limit");
    end(h2);
}


static uint64_t
price_of(lun_h2 *h2, lun_conn *c, uint8_t type, size_t length, uint8_t flags)
{
    lun_frames  f = { .type = type, .length = length, .flags = flags };
    uint64_t    price;

    begin(h2, c);
    lun_h2_charge_frame(h2, &f);
    price = (uint64_t) h2->account.debt;
    end(h2);

    return price;
}


int
main(void)
{
    lun_h2    h2;
    lun_conn  c;

    lun_clock.mono = 100 * 1000 * 1000;
    has_a_limit(&h2, &c);
    is_paid(&h2, &c);

    ok(price_of(&h2, &c, LUN_FRAME_PING, 8, 0) == 512, "PING has a price");
    ok(price_of(&h2, &c, LUN_FRAME_HEADERS, 8, 0) == 0, "a request has none");
    ok(price_of(&h2, &c, LUN_FRAME_DATA, 8, 0) == 0, "nor has a body");
    ok(price_of(&h2, &c, LUN_FRAME_DATA, 0, 1) == 0, "nor its end");
    ok(price_of(&h2, &c, LUN_FRAME_DATA, 0, 0) == 256, "an empty part has");
    ok(price_of(&h2, &c, 200, 8, 0) == 0, "what nobody knows is only bytes");

    return done_testing();
}

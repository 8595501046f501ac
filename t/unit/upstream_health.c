/*
 * upstream_health.c -- what checks say of a server, and what it comes to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/upstream/upstream_health.c"
#include "tap.h"


static lun_upstream         upstream;
static lun_upstream_group   group;
static lun_upstream_state   state;
static lun_upstream_server  server = { .state = &state };
static bool                 failing;


static lun_health_verdict
found(uint32_t bit, lun_health_verdict verdict)
{
    return lun_upstream_note_check(&group, &server, bit,
                                   verdict == LUN_HEALTH_WELL, verdict,
                                   &failing);
}


static void
test_bits(void)
{
    int       i;
    uint32_t  bit = 0;

    upstream.peers = &group;
    is_int(lun_upstream_add_check(&upstream, false, false), 1, "a bit");
    is_int(lun_upstream_add_check(&upstream, true, false), 2, "another");
    is_int(lun_upstream_add_check(&upstream, true, true), 4, "a third");
    is_int(group.checks.all, 7, "the groups know them");

    lun_upstream_begin_checks(&group, &state, true);
    is_int(state.checking, 6, "a new server has to pass what is mandatory");
    state.checking = 0;
    lun_upstream_begin_checks(&group, &state, false);
    is_int(state.checking, 2, "... one that is known not what is persistent");
    ok(!lun_upstream_is_well(&group, &state), "it is not asked before");

    for (i = 3; i < 32; i++) {
        bit = lun_upstream_add_check(&upstream, false, false);
    }

    ok(bit == UINT32_C(1) << 31, "there are 32");
    is_int(lun_upstream_add_check(&upstream, false, false), 0, "and no more");
}


static void
test_verdicts(void)
{
    state.checking = 0;
    lun_clock.sec = 1000;

    is_int(found(1, LUN_HEALTH_AS_BEFORE), LUN_HEALTH_AS_BEFORE, "not yet");
    ok(lun_upstream_is_well(&group, &state), "it is well until it is not");
    is_int(found(1, LUN_HEALTH_UNWELL), LUN_HEALTH_UNWELL, "now it is unwell");
    ok(failing, "which is counted");
    is_int(state.down_since, 1000000, "... from then on");
    is_int(found(2, LUN_HEALTH_UNWELL), LUN_HEALTH_AS_BEFORE,
           "another check says nothing new");
    state.fails = 5;
    is_int(found(2, LUN_HEALTH_WELL), LUN_HEALTH_AS_BEFORE,
           "one that passes is not enough");
    is_int(state.fails, 5, "... to forget anything");
    is_int(found(1, LUN_HEALTH_WELL), LUN_HEALTH_WELL, "all of them are");
    ok(state.fails == 0 && state.down_since == 0, "it begins anew");
    ok(state.back == (int64_t) lun_clock.mono, "slowly, if it is to");
    ok(!failing, "nothing fails");

    found(8, LUN_HEALTH_UNWELL);
    group.checks.all = 7;
    ok(lun_upstream_is_well(&group, &state),
       "what only another generation checks is not asked");
}


int
main(void)
{
    test_bits();
    test_verdicts();
    return done_testing();
}

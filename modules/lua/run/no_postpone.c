/*
 * no_postpone.c -- rewrite_by_lua_no_postpone and its like: the second place
 * of a phase, before other modules instead of after them.
 *
 * A module of its own, so that a configuration without these directives does
 * not ask twice.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/phases.h"

extern lun_http_module  lun_http_lua_no_postpone;


static lun_verdict
on_rewrite(lun_session *s)
{
    return lun_lua_at_rewrite(lun_request_of(s), true);
}


static lun_verdict
on_access(lun_session *s)
{
    return lun_lua_at_access(lun_request_of(s), true);
}


static lun_verdict
on_precontent(lun_session *s)
{
    return lun_lua_at_precontent(lun_request_of(s), true);
}


static lun_rc
set_flag(lun_conf *cf, const lun_directive *d, void *conf)
{
    return lun_set_flag(cf, d, lun_lua_main_of(cf->engine));
}


#define NO_POSTPONE(phase_)                                                   \
    { .name = #phase_ "_by_lua_no_postpone", .where = LUN_HTTP, .args = 1,    \
      .set = set_flag,                                                        \
      .field = offsetof(lun_lua_main, phase_##_no_postpone),                  \
      .values = "on | off",                                                   \
      .help = "runs it in its place, before other modules" }

static const lun_directive  directives[] = {
    NO_POSTPONE(rewrite),
    NO_POSTPONE(access),
    NO_POSTPONE(precontent),
    { 0 }
};

lun_http_module  lun_http_lua_no_postpone = {
    .name = "lua_no_postpone",
    .directives = directives,
    .on[LUN_REWRITE] = on_rewrite,
    .on[LUN_ACCESS] = on_access,
    .on[LUN_PRECONTENT] = on_precontent,
};

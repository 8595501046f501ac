-- timer.lua -- ngx.timer.* and ngx.sleep.
--
-- C side: modules/lua/api/timer.c, sleep.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"

local ngx = ngx

ngx.sleep = native.sleep

ngx.timer = {
    at = native.timer_at,
    every = native.timer_every,
    running_count = native.timer_running_count,
    pending_count = native.timer_pending_count,
}

return { version = base.version }

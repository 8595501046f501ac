-- thread.lua -- ngx.thread.*, and ngx.run_worker_thread.
--
-- C side: modules/lua/run/thread_lib.c, worker_thread.c. All yield to the
-- scheduler.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"

ngx.thread = {
    spawn = native.thread_spawn,
    wait = native.thread_wait,
    kill = native.thread_kill,
}

ngx.run_worker_thread = native.run_worker_thread

return { version = base.version }

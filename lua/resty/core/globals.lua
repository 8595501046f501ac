-- globals.lua -- says so when a handler makes a new global variable: requests
-- share them.
--
-- The guard is loaded under a name of its own because logs and traces show it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local guard = [[
local log, WARN, rawset, traceback, phase_of = ...

return function (tb, key, value)
    rawset(tb, key, value)

    local phase = phase_of()

    if phase == "init_worker" or phase == "init" then
        return
    end

    log(WARN, "writing a global Lua variable ('", tostring(key), "') which "
        .. "may lead to race conditions between concurrent requests, so "
        .. "prefer the use of 'local' variables", traceback("", 2))
end
]]

local WARN = 5
local newindex = assert(loadstring(guard, "=_G write guard"))(
    ngx.log, WARN, rawset, debug.traceback, ngx.get_phase)

setmetatable(_G, { __newindex = newindex })

return {}

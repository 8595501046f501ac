-- exdata.lua -- a pointer per coroutine, for thread.exdata and its second.
--
-- LuaJIT of OpenResty keeps it in the thread; here it is in a weak table.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local cast = ffi.cast
local running = coroutine.running
local select, setmetatable = select, setmetatable

-- `default`: what a coroutine has that was not given anything.
return function(default)
    local of = setmetatable({}, { __mode = "k" })
    local none = cast("void *", 0)
    local main = {}

    return function(...)
        local co = running() or main
        if select("#", ...) == 0 then
            local data = of[co]
            if data == nil then
                data = cast("void *", default and default() or none)
            end
            return data
        end
        of[co] = cast("void *", (...))
    end
end

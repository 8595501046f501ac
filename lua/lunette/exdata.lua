-- exdata.lua -- a pointer per coroutine, for thread.exdata and its second.
--
-- LuaJIT of OpenResty keeps it in the thread, and compiles both. lua-resty-core
-- reads it in nearly every function of the API, and nobody gives one: until
-- somebody does, what is read is that of the context whose turn it is, which
-- compiles. What was given is in a weak table, and running() does not compile.
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
    local given = false

    return function(...)
        if select("#", ...) == 0 then
            return given and of[running() or main]
                   or default and default() or none
        end
        given = true
        of[running() or main] = cast("void *", (...))
    end
end

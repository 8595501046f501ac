-- coroutine.lua -- coroutine.*: the scheduler's where it runs, else LuaJIT's.
--
-- C side: modules/lua/run/thread_lib.c. LuaJIT's own functions remain as
-- coroutine._create and so on, which lua-resty-core puts together with those of
-- coroutine.__create; its _yield is where it waits.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local native = require "lunette.native"

local band = require("bit").band
local error, tonumber, type = error, tonumber, type
local now, p = base.now, base.phases

-- Phases whose handlers run in one piece and may have none, as in nginx.
local NONE = p.set + p.log + p.balancer
local coroutine = coroutine

local function check_phase()
    if band(now.phase, NONE) ~= 0 then
        error("API disabled in the context of "
              .. base.labels[tonumber(now.phase)], 3)
    end
end

local ours = {
    create = native.co_create,
    resume = native.co_resume,
    yield = native.co_yield,
    status = native.co_status,
    running = native.co_running,
}

for name, our in pairs(ours) do
    local std = coroutine[name]

    coroutine["_" .. name] = std
    coroutine[name] = function (...)
        if now.co == nil then
            if name ~= "running" then
                check_phase()
            end
            return std(...)
        end
        return our(...)
    end
    coroutine["__" .. name] = coroutine[name]
end

coroutine._yield = require("lunette.capi_jobs").make_yield(coroutine._yield)

local create, resume = coroutine.create, coroutine.resume
local std_wrap = coroutine.wrap

local function pass(co, ok, ...)
    if ok then
        return ...
    end
    if type(...) == "string" and now.co ~= nil then
        native.co_fallen(co, ...)
    end
    error((...), 0)
end

coroutine._wrap = std_wrap

function coroutine.wrap(f)
    if now.co == nil then
        check_phase()
        return std_wrap(f)
    end

    if type(f) ~= "function" then
        error("bad argument #1 to 'wrap' (Lua function expected)", 2)
    end

    local co = create(f)

    return function (...)
        return pass(co, resume(co, ...))
    end
end

coroutine.__wrap = coroutine.wrap

return { version = base.version }

-- semaphore.lua -- light threads of one worker wait for each other.
--
-- C side: modules/lua/api/sema.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"

local C = ffi.C
local error, tonumber = error, tonumber
local getmetatable, setmetatable = getmetatable, setmetatable
local type = type
local to_int, INT_MAX = base.to_int, base.INT_MAX
local sema_wait = native.sema_wait

base.cdef [[
void lun_ffi_sema_post(void *box, int n);
double lun_ffi_sema_count(void *box);
]]

local _M = { version = base.version }
local mt = { __index = _M }
local box_mt = false               -- of a box, once there was one

-- Any phase; n is how much there is at first.
function _M.new(n)
    n = tonumber(n) or 0
    if n < 0 then
        error("no negative number", 2)
    end
    local sem = native.sema_new(n)
    box_mt = box_mt or getmetatable(sem)
    return setmetatable({ sem = sem }, mt)
end

local function check(self)
    local sem = type(self) == "table" and self.sem

    if type(sem) ~= "userdata" or getmetatable(sem) ~= box_mt then
        error("not a semaphore instance", 3)
    end
    return sem
end

-- Yields, where handlers may wait: true, or nil and why not. When its time is
-- over that is false and "timeout", but nil for one of 0 seconds.
function _M.wait(self, seconds)
    local sem = check(self)

    seconds = tonumber(seconds)
    if not seconds then
        error("number of seconds expected", 2)
    end
    if seconds < 0 then
        error("no negative number", 2)
    end
    return sema_wait(sem, seconds)
end

-- Any phase.
function _M.post(self, n)
    local sem = check(self)

    n = tonumber(n) or 1
    if n < 1 then
        error("positive number required", 2)
    end
    C.lun_ffi_sema_post(sem, to_int(n, 1, INT_MAX))
    return true
end

-- Any phase; below zero: so many wait.
function _M.count(self)
    return C.lun_ffi_sema_count(check(self))
end

return _M

-- semaphore.lua -- light threads of one worker wait for each other.
--
-- C side: modules/lua/sema.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "resty.core.base"
local native = require "lunette.native"

local C = ffi.C
local error, setmetatable, tonumber = error, setmetatable, tonumber
local type = type
local sema_wait = native.sema_wait

ffi.cdef [[
void lun_ffi_sema_post(void *box, double n);
double lun_ffi_sema_count(void *box);
]]

local _M = { version = base.version }
local mt = { __index = _M }

-- Any phase; n is how much there is at first.
function _M.new(n)
    n = tonumber(n) or 0
    if n < 0 then
        error("no negative number", 2)
    end
    return setmetatable({ sem = native.sema_new(n) }, mt)
end

local function check(self)
    if type(self) ~= "table" or type(self.sem) ~= "userdata" then
        error("not a semaphore instance", 3)
    end
    return self.sem
end

-- Yields, where handlers may wait: true, or nil and "timeout".
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
        error("no negative number", 2)
    end
    C.lun_ffi_sema_post(sem, n)
    return true
end

-- Any phase; below zero: so many wait.
function _M.count(self)
    return C.lun_ffi_sema_count(check(self))
end

return _M

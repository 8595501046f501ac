-- log.lua -- ngx.log and print.
--
-- C side: ffi_log.c. Any phase; nothing yields. A line that is too
-- talkative for the log costs one FFI call, inside the trace.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"

local C = ffi.C
local error, type = error, type
local ngx = ngx
local write = native.log

base.cdef [[
int lun_ffi_log_level(void);
]]

-- As in core/base/log.h: LUN_LOG_...
local NOTICE, DEBUG = 6, 8

-- Compiled on its own, also when its caller is only interpreted.
local function is_wanted(level)
    return level <= C.lun_ffi_log_level()
end

-- Both end in a tail call: the caller is the first level above native.log.
function ngx.log(level, ...)
    if type(level) ~= "number" then
        error("bad argument #1 to 'log' (number expected, got "
              .. (level == nil and "no value" or type(level)) .. ")", 2)
    end

    if not (level >= 0 and level <= DEBUG) then
        error("bad argument #1 to 'log' (bad log level: " .. level .. ")", 2)
    end

    if not is_wanted(level) then
        return
    end
    return write(1, level, ...)
end

base.std_print = print

function print(...)
    if not is_wanted(NOTICE) then
        return
    end
    return write(1, NOTICE, ...)
end

return { version = base.version }

-- errlog.lua -- ngx.errlog: the lines that lua_capture_error_log keeps, and
-- lines without a place.
--
-- C side: modules/lua/api/errlog.c. Any phase; nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, tostring, type = error, tostring, type
local min = math.min
local ffi_new, ffi_string = ffi.new, ffi.string
local ERROR = base.ERROR
local to_int, INT_MAX = base.to_int, base.INT_MAX

base.cdef [[
int lun_ffi_errlog_set_level(int level);
int lun_ffi_errlog_take(char *room, int *level, double *when);
void lun_ffi_errlog_raw(int level, const char *text, size_t len);
int lun_ffi_log_level(void);
]]

-- As in core/base/log.h: LUN_LOG_...
local STDERR, DEBUG = 0, 8
local LINE = 4096

local MOST_PLACES = 1000          -- made before there is something for them
local NOT_SET = 'directive "lua_capture_error_log" is not set'

local level_ptr, time_ptr = ffi_new("int[1]"), ffi_new("double[1]")

local _M = { version = base.version }

-- Less urgent lines than that are not kept from now on.
function _M.set_filter_level(level)
    if not level then
        return nil, 'missing "level" argument'
    end
    if type(level) ~= "number" or not (level >= STDERR and level <= DEBUG)
    then
        return nil, "bad log level: " .. tostring(level)
    end
    if C.lun_ffi_errlog_set_level(to_int(level, STDERR, DEBUG)) == ERROR then
        return nil, NOT_SET
    end
    return true
end

-- Takes up to `max` lines, the oldest first: level, time, text, level, ...
function _M.get_logs(max, logs)
    max = to_int(max or 10, 0, INT_MAX)
    logs = logs or base.new_tab(min(max, MOST_PLACES) * 3 + 1, 0)

    local room = base.get_string_buf(LINE)
    local n = 0

    for _ = 1, max do
        local len = C.lun_ffi_errlog_take(room, level_ptr, time_ptr)

        if len < 0 then
            return nil, NOT_SET
        end
        if len == 0 then
            break
        end

        logs[n + 1] = level_ptr[0]
        logs[n + 2] = time_ptr[0]
        logs[n + 3] = ffi_string(room, len)
        n = n + 3
    end

    -- A table that is used again ends here.
    logs[n + 1] = nil
    return logs
end

-- That of the error_log in force.
function _M.get_sys_filter_level()
    return C.lun_ffi_log_level()
end

-- As ngx.log, without "[lua] file:line:".
function _M.raw_log(level, msg)
    if type(level) ~= "number" then
        error("bad argument #1 to 'raw_log' (must be a number)", 2)
    end
    if type(msg) ~= "string" then
        error("bad argument #2 to 'raw_log' (must be a string)", 2)
    end
    if not (level >= STDERR and level <= DEBUG) then
        error("bad log level", 2)
    end
    C.lun_ffi_errlog_raw(to_int(level, STDERR, DEBUG), msg, #msg)
end

return _M

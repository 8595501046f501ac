-- time.lua -- ngx.now, time, update_time, today, localtime, utctime,
-- cookie_time, http_time, parse_http_time; the monotonic clock.
--
-- C side: ffi_time.c. Nothing here yields; every phase may use it.
-- The time is that of the loop's last wake-up, or of ngx.update_time().
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_new, ffi_string = ffi.new, ffi.string
local error, tonumber, type = error, tonumber, type
local to_int = base.to_int

base.cdef [[
typedef struct {
    uint64_t   mono;
    int64_t    sec;
    uint32_t   msec;
} lun_clock_time;

const lun_clock_time *lun_ffi_clock(void);
void lun_ffi_clock_update(void);
size_t lun_ffi_time_text(int is_local, int what, char *dst);
size_t lun_ffi_http_time(int64_t sec, char *dst);
size_t lun_ffi_cookie_time(int64_t sec, char *dst);
int lun_ffi_parse_http_time(const char *s, size_t len, int64_t *sec);
]]

local _M = { version = base.version }

-- Seconds that a double holds exactly.
local LAST = 2 ^ 53

-- lun_ffi_time_text's second argument.
-- As in modules/lua/ffi/ffi.h: LUN_FFI_...
local DAY, DAY_AND_TIME = 0, 1

local clock = C.lun_ffi_clock()
local text = ffi_new("char[?]", 32)
local parsed = ffi_new("int64_t[1]")

function ngx.now()
    return tonumber(clock.sec) + clock.msec / 1000
end

function ngx.time()
    return tonumber(clock.sec)
end

function ngx.update_time()
    C.lun_ffi_clock_update()
end

function ngx.today()
    return ffi_string(text, C.lun_ffi_time_text(1, DAY, text))
end

function ngx.localtime()
    return ffi_string(text, C.lun_ffi_time_text(1, DAY_AND_TIME, text))
end

function ngx.utctime()
    return ffi_string(text, C.lun_ffi_time_text(0, DAY_AND_TIME, text))
end

function ngx.cookie_time(sec)
    if type(sec) ~= "number" then
        error("number argument only", 2)
    end
    sec = to_int(sec, -LAST, LAST)
    return ffi_string(text, C.lun_ffi_cookie_time(sec, text))
end

function ngx.http_time(sec)
    if type(sec) ~= "number" then
        error("number argument only", 2)
    end
    sec = to_int(sec, -LAST, LAST)
    return ffi_string(text, C.lun_ffi_http_time(sec, text))
end

function ngx.parse_http_time(s)
    if type(s) ~= "string" then
        error("string argument only", 2)
    end
    if C.lun_ffi_parse_http_time(s, #s, parsed) ~= base.OK then
        return nil
    end
    return tonumber(parsed[0])
end

function _M.monotonic_msec()
    return tonumber(clock.mono)
end

function _M.monotonic_time()
    return tonumber(clock.mono) / 1000
end

for _, name in ipairs { "now", "time", "update_time", "today", "localtime",
                        "utctime", "cookie_time", "http_time",
                        "parse_http_time" } do
    _M[name] = ngx[name]
end

return _M

-- request_body.lua -- ngx.req: reading, looking at, and replacing the body.
--
-- C side: modules/lua/api/read_body.c (which waits) and ffi_body.c (which does
-- not).
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"

local C = ffi.C
local check_request, check_phase = base.check_request, base.check_phase
local str, str_ptr = base.str, base.get_str_ptr()
local to_int, INT_MAX = base.to_int, base.INT_MAX
local ffi_new, ffi_string = ffi.new, ffi.string
local error, select, type = error, select, type
local tonumber, tostring = tonumber, tostring
local req = ngx.req or {}

ngx.req = req

base.cdef [[
int lun_ffi_body_state(void *r);
int lun_ffi_body_text(void *r, lun_str *text);
int lun_ffi_body_file(void *r, lun_str *path);
int lun_ffi_body_set(void *r, const char *data, size_t len);
int lun_ffi_body_set_file(void *r, const char *path, size_t len, int clean,
    char *error, size_t room);
int lun_ffi_body_may_begin(void *r);
void lun_ffi_body_init(void *r, int64_t limit);
int lun_ffi_body_append(void *r, const char *data, size_t len);
int lun_ffi_body_finish(void *r);
]]

local p = base.phases
local READ = p.rewrite + p.server_rewrite + p.access + p.precontent
             + p.content
local LOOK = p.set + READ + p.log + p.header_filter + p.body_filter + p.balancer

-- As in modules/lua/ffi/ffi_body.c: BODY_...
local THERE, NOT_READ, DISCARDED, NOT_BEGUN, FAILED = 0, 1, 2, 3, 4

local messages = {
    [NOT_READ] = "request body not read yet",
    [DISCARDED] = "request body already discarded asynchronously",
    [NOT_BEGUN] = "request_body not initialized",
    [FAILED] = "fail to write file",
}

local ERROR_ROOM = 1024
local error_room = ffi_new("char[?]", ERROR_ROOM)

local _M = { version = base.version, THERE = THERE }

function _M.state(r)
    return C.lun_ffi_body_state(r)
end

function _M.text(r, text)
    return C.lun_ffi_body_text(r, text) == base.OK
end

function _M.in_file(r)
    return C.lun_ffi_body_file(r, str_ptr) == base.OK
end

req.read_body = native.read_body
req.discard_body = native.discard_body

local function check_count(n, least, most, words)
    if n < least or n > most then
        error("expecting " .. words .. " but seen " .. n, 3)
    end
end

function req.get_body_data(max)
    local r = check_request("request object not found")
    check_phase(LOOK)
    if max ~= nil then
        max = tonumber(max)
        if not max or not (max >= 0) then
            error("bad argument #1 to 'get_body_data' (bad max_bytes)", 2)
        end
        max = to_int(max, 0, INT_MAX)
    end
    if C.lun_ffi_body_text(r, str_ptr) ~= base.OK then
        return nil
    end
    local text = str_ptr[0]
    if max and max > 0 and max < text.len then
        return ffi_string(text.data, max)
    end
    return str(text)
end

function req.get_body_file(...)
    check_count(select("#", ...), 0, 0, "0 arguments")
    local r = check_request("request object not found")
    check_phase(LOOK)
    if C.lun_ffi_body_file(r, str_ptr) ~= base.OK then
        return nil
    end
    return str(str_ptr[0])
end

-- A string, or a throw at the API's caller.
local function string_of(value, name)
    local t = type(value)
    if t == "string" then
        return value
    end
    if t == "number" then
        return tostring(value)
    end
    error("bad argument #1 to '" .. name .. "' (string expected, got "
          .. (value == nil and "nil" or t) .. ")", 3)
end

local function check(rc)
    if rc ~= THERE then
        error(messages[rc], 3)
    end
end

local CHANGE = READ + p.balancer

function req.set_body_data(...)
    check_count(select("#", ...), 1, 1, "1 arguments")
    local data = string_of((...), "set_body_data")
    local r = check_request("request object not found")
    check_phase(CHANGE)
    check(C.lun_ffi_body_set(r, data, #data))
end

function req.set_body_file(...)
    local n, path, clean = select("#", ...), ...
    check_count(n, 1, 2, "1 or 2 arguments")
    path = string_of(path, "set_body_file")
    local r = check_request()
    check_phase(CHANGE)
    check(C.lun_ffi_body_state(r))
    if n == 2 and type(clean) ~= "boolean" then
        error("bad argument #2 to 'set_body_file' (boolean expected, got "
              .. type(clean) .. ")", 2)
    end
    local rc = C.lun_ffi_body_set_file(r, path, #path, clean and 1 or 0,
                                       error_room, ERROR_ROOM)
    if rc == FAILED then
        error(ffi_string(error_room), 2)
    end
    check(rc)
end

local BUILD = p.set + READ
local INT_MIN, MOST_BYTES = base.INT_MIN, 2 ^ 53

function req.init_body(...)
    local n, size = select("#", ...), ...
    check_count(n, 0, 1, "0 or 1 argument")
    local r = check_request()
    check_phase(BUILD)
    check(C.lun_ffi_body_may_begin(r))
    if n == 1 then
        size = tonumber(size)
        if not size then
            error("bad argument #1 to 'init_body' (number expected, got "
                  .. type((...)) .. ")", 2)
        end
        size = to_int(size, INT_MIN, MOST_BYTES)
        if size < 0 then
            error("bad size argument: " .. size, 2)
        end
    end
    C.lun_ffi_body_init(r, size or -1)
end

function req.append_body(...)
    check_count(select("#", ...), 1, 1, "1 arguments")
    local data = string_of((...), "append_body")
    local r = check_request()
    check_phase(BUILD)
    check(C.lun_ffi_body_append(r, data, #data))
end

function req.finish_body(...)
    check_count(select("#", ...), 0, 0, "0 argument")
    local r = check_request()
    check_phase(BUILD)
    check(C.lun_ffi_body_finish(r))
end

return _M

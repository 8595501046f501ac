-- request_headers.lua -- ngx.req.get_headers, set_header, clear_header.
--
-- C side: ffi_headers.c. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local headers = require "resty.core.headers"

local C = ffi.C
local check_request, now = base.check_request, base.now
local collect = headers.collect
local to_limit, DEFAULT_LIMIT = base.to_limit, base.DEFAULT_LIMIT
local error, tostring, type = error, tostring, type
local req = ngx.req or {}

ngx.req = req

base.cdef [[
int lun_ffi_req_headers(void *r, lun_str *pairs, int max);
int lun_ffi_req_set_header(void *r, const char *name, size_t name_len,
    const char *value, size_t value_len, int override);
]]

local _M = { version = base.version }

local function list(r, pairs_buf, max)
    return C.lun_ffi_req_headers(r, pairs_buf, max)
end

function req.get_headers(max, raw)
    return collect(list, check_request(), to_limit(max, DEFAULT_LIMIT), raw,
                   "request header")
end

-- `level` as error() has it, seen from the caller.
local function put(r, name, value, override, level)
    if C.lun_ffi_req_set_header(r, name, #name, value, value and #value or 0,
                                override and 1 or 0) ~= base.OK
    then
        error("failed to set header", level + 1)
    end
end

-- Errors are those of the caller of the function that calls this.
local function set_header(name, value, override)
    local r = now.request
    if r == nil then
        base.no_request(3)
    end
    if name == nil then
        error("bad 'name' argument: string expected, got nil", 3)
    end
    if type(name) ~= "string" then
        name = tostring(name)
    end

    if value == nil then
        if not override then
            error("bad 'value' argument: string or table expected, got nil",
                  3)
        end
        put(r, name, nil, true, 3)
        return
    end

    if type(value) ~= "table" then
        put(r, name, tostring(value), override, 3)
        return
    end

    local n = #value
    if n == 0 then
        if not override then
            error("bad 'value' argument: non-empty table expected", 3)
        end
        put(r, name, nil, true, 3)
    end
    for i = 1, n do
        put(r, name, tostring(value[i]), override and i == 1, 3)
    end
end
_M.set_req_header = set_header

function req.set_header(name, value)
    set_header(name, value, true)
end

function req.clear_header(name)
    set_header(name, nil, true)
end

return _M

-- response.lua -- ngx.header and ngx.resp.get_headers.
--
-- C side: ffi_response.c. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local headers = require "resty.core.headers"

local C = ffi.C
local check_request, now = base.check_request, base.now
local ffi_string = ffi.string
local collect = headers.collect
local new_array, to_limit = base.new_array, base.to_limit
local error, tostring, type = error, tostring, type
local gsub, setmetatable = string.gsub, setmetatable

base.cdef [[
int lun_ffi_resp_set_header(void *r, const char *name, size_t name_len,
    const char *value, size_t value_len, int override);
int lun_ffi_resp_get_header(void *r, const char *name, size_t len,
    lun_str *values, int max);
int lun_ffi_resp_headers(void *r, lun_str *pairs, int max);
int lun_ffi_resp_underscores(void);
void lun_ffi_bypass_if_checks(void);
]]

local _M = { version = base.version }

local room = 16
local values = new_array("lun_str[?]", room)

-- Names behind the keys that code has used; keys may also come from outside,
-- so that there is an end to it.
local names, names_left = {}, 1000

local function name_of(key)
    if type(key) ~= "string" then
        key = tostring(key)
    end
    if C.lun_ffi_resp_underscores() == 0 then
        return key
    end
    local name = names[key]
    if name then
        return name
    end
    name = gsub(key, "_", "-")
    if names_left > 0 then
        names_left = names_left - 1
        names[key] = name
    end
    return name
end

-- Returns false when it is too late. Errors are those of the caller's caller's
-- caller.
local function put(r, name, value, override)
    local rc = C.lun_ffi_resp_set_header(r, name, #name, value, #value,
                                         override and 1 or 0)
    if rc == base.DECLINED then
        error("failed to set header " .. name .. " (error: -1)", 4)
    end
    return rc == base.OK
end

-- Errors are those of the caller of the function that calls this.
local function set_header(r, key, value, add)
    local name = name_of(key)

    if value == nil then
        if add then
            error("invalid header value", 4)
        end
        C.lun_ffi_resp_set_header(r, name, #name, nil, 0, 1)
        return
    end

    if type(value) ~= "table" then
        put(r, name, tostring(value), not add)
        return
    end

    local n = #value
    if n == 0 and not add then
        C.lun_ffi_resp_set_header(r, name, #name, nil, 0, 1)
    end
    for i = 1, n do
        if not put(r, name, tostring(value[i]), not add and i == 1) then
            return
        end
    end
end

function _M.set_resp_header(_, key, value, add)
    set_header(check_request(), key, value, add)
end

local function text(s)
    if s.len == 0 then
        return ""
    end
    return ffi_string(s.data, s.len)
end

local function get_header(r, key)
    local name = name_of(key)
    local n = C.lun_ffi_resp_get_header(r, name, #name, values, room)
    if n == 0 then
        return nil
    end
    if n == 1 then
        return text(values[0])
    end
    if n > room then
        values = new_array("lun_str[?]", n)
        room = n
        C.lun_ffi_resp_get_header(r, name, #name, values, room)
    end
    local all = {}
    for i = 1, n do
        all[i] = text(values[i - 1])
    end
    return all
end

function _M.get_resp_header(_, key)
    return get_header(check_request(), key)
end

function _M.__index(_, key)
    local r = now.request
    if r == nil then
        base.no_request(2)
    end
    return get_header(r, key)
end

function _M.__newindex(_, key, value)
    local r = now.request
    if r == nil then
        base.no_request(2)
    end
    set_header(r, key, value)
end

ngx.header = setmetatable({}, { __index = _M.__index,
                                __newindex = _M.__newindex })

-- If-Modified-Since and its like are not looked at for this answer.
function _M.bypass_if_checks()
    check_request()
    C.lun_ffi_bypass_if_checks()
end

local function list(r, pairs_buf, max)
    return C.lun_ffi_resp_headers(r, pairs_buf, max)
end

ngx.resp = ngx.resp or {}

function ngx.resp.get_headers(max, raw)
    local r = check_request("no request object found")
    return collect(list, r, to_limit(max, 0), raw, "response header")
end

return _M

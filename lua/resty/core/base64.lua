-- base64.lua -- ngx.encode_base64, decode_base64, decode_base64mime.
--
-- C side: ffi_base64.c. Nothing here yields; every phase may use
-- it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_string = ffi.string
local get_string_buf, get_size_ptr = base.get_string_buf, base.get_size_ptr
local error, tostring, type = error, tostring, type
local floor = math.floor

base.cdef [[
size_t lun_ffi_base64_encode(const char *s, size_t len, int url, int padding,
    char *dst);
int lun_ffi_base64_decode(const char *s, size_t len, int url, int mime,
    char *dst, size_t *used);
]]

local _M = { version = base.version }

-- Both alphabets; ngx/base64.lua has the other one.
function _M.encode(s, url, padding)
    local len = #s
    local dst = get_string_buf(floor((len + 2) / 3) * 4)
    return ffi_string(dst, C.lun_ffi_base64_encode(s, len, url, padding, dst))
end

function _M.decode(s, url, mime)
    local len = #s
    local dst = get_string_buf(floor(len / 4) * 3 + 3)
    local used = get_size_ptr()
    if C.lun_ffi_base64_decode(s, len, url, mime, dst, used) ~= base.OK then
        return nil
    end
    return ffi_string(dst, used[0])
end

local encode, decode = _M.encode, _M.decode

function ngx.encode_base64(s, no_padding)
    if type(s) ~= "string" then
        s = s and tostring(s) or ""
    end
    if no_padding ~= nil and type(no_padding) ~= "boolean" then
        error("bad no_padding: boolean expected, got " .. type(no_padding), 2)
    end
    return encode(s, 0, no_padding and 0 or 1)
end

function ngx.decode_base64(s)
    if type(s) ~= "string" then
        error("string argument only", 2)
    end
    return decode(s, 0, 0)
end

function ngx.decode_base64mime(s)
    if type(s) ~= "string" then
        error("string argument only", 2)
    end
    return decode(s, 0, 1)
end

return _M

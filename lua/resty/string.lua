-- string.lua -- bytes as hex digits, digits as a number.
--
-- C side: ffi_ngx.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_string = ffi.string
local tonumber = tonumber
local get_string_buf = base.get_string_buf

base.cdef [[
typedef unsigned char u_char;

u_char *ngx_hex_dump(u_char *dst, const u_char *src, size_t len);
intptr_t ngx_atoi(const unsigned char *line, size_t n);
]]

local _M = { _VERSION = "0.16" }

function _M.to_hex(s)
    local size = #s * 2
    local hex = get_string_buf(size)
    C.ngx_hex_dump(hex, s, #s)
    return ffi_string(hex, size)
end

-- -1: it is no number.
function _M.atoi(s)
    return tonumber(C.ngx_atoi(s, #s))
end

return _M

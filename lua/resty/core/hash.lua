-- hash.lua -- ngx.md5, md5_bin, sha1_bin, hmac_sha1, crc32_short, crc32_long.
--
-- C side: ffi_hash.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_new, ffi_string = ffi.new, ffi.string
local text_of = base.text_of
local error, tostring, type, select = error, tostring, type, select

base.cdef [[
void lun_ffi_md5(const char *s, size_t len, char *hex);
void lun_ffi_md5_bin(const char *s, size_t len, unsigned char *out);
void lun_ffi_sha1_bin(const char *s, size_t len, unsigned char *out);
void lun_ffi_hmac_sha1(const char *key, size_t key_len, const char *s,
    size_t len, unsigned char *out);
uint32_t lun_ffi_crc32(const char *s, size_t len);
]]

local MD5_SIZE = 16
local SHA1_SIZE = 20

local hex = ffi_new("char[?]", 2 * MD5_SIZE)
local sum = ffi_new("unsigned char[?]", SHA1_SIZE)

function ngx.md5(s)
    s = text_of(s)
    C.lun_ffi_md5(s, #s, hex)
    return ffi_string(hex, 2 * MD5_SIZE)
end

function ngx.md5_bin(s)
    s = text_of(s)
    C.lun_ffi_md5_bin(s, #s, sum)
    return ffi_string(sum, MD5_SIZE)
end

function ngx.sha1_bin(s)
    s = text_of(s)
    C.lun_ffi_sha1_bin(s, #s, sum)
    return ffi_string(sum, SHA1_SIZE)
end

local function hmac_arg(s, n)
    local t = type(s)
    if t == "string" then
        return s
    end
    if t == "number" then
        return tostring(s)
    end
    error("bad argument #" .. n .. " to 'hmac_sha1' (string expected, got "
          .. t .. ")", 3)
end

function ngx.hmac_sha1(...)
    local n = select("#", ...)
    if n ~= 2 then
        error("expecting 2 arguments, but got " .. n, 2)
    end
    local key, s = ...
    key, s = hmac_arg(key, 1), hmac_arg(s, 2)
    C.lun_ffi_hmac_sha1(key, #key, s, #s, sum)
    return ffi_string(sum, SHA1_SIZE)
end

-- Both names give the same number: nginx's two differ in speed only.
local function crc32(s)
    s = text_of(s)
    return C.lun_ffi_crc32(s, #s)
end

ngx.crc32_short = crc32
ngx.crc32_long = crc32

return { version = base.version }

-- hmac.lua -- HMAC of what comes in parts.
--
-- C side: ffi_digest.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local digest = require "lunette.digest"
local str = require "resty.string"

local C = ffi.C
local ffi_gc, ffi_new, ffi_string = ffi.gc, ffi.new, ffi.string
local numbers = digest.numbers
local pairs, setmetatable = pairs, setmetatable

base.cdef [[
void *lun_ffi_hmac_new(int which, const char *key, size_t len);
int lun_ffi_hmac_reset(void *ctx);
int lun_ffi_hmac_update(void *ctx, const char *data, size_t len);
int lun_ffi_hmac_final(void *ctx, unsigned char *out);
void lun_ffi_hmac_free(void *ctx);
]]

local _M = {
    _VERSION = "0.06",

    ALGOS = {
        MD5 = numbers.md5,
        SHA1 = numbers.sha1,
        SHA224 = numbers.sha224,
        SHA256 = numbers.sha256,
        SHA384 = numbers.sha384,
        SHA512 = numbers.sha512,
    },
}
local mt = { __index = _M }

local out = ffi_new("unsigned char[64]")

local known = {}
for _, algo in pairs(_M.ALGOS) do
    known[algo] = true
end

function _M.new(_, key, algo)
    algo = algo or numbers.md5
    local ctx = known[algo] and C.lun_ffi_hmac_new(algo, key, #key) or nil
    if ctx == nil then
        return nil
    end
    return setmetatable({ _ctx = ffi_gc(ctx, C.lun_ffi_hmac_free) }, mt)
end

function _M.update(self, s)
    return C.lun_ffi_hmac_update(self._ctx, s, #s) == 1
end

function _M.final(self, s, as_hex)
    if s ~= nil and not self:update(s) then
        return nil
    end
    local size = C.lun_ffi_hmac_final(self._ctx, out)
    if size == 0 then
        return nil
    end
    local sum = ffi_string(out, size)
    return as_hex and str.to_hex(sum) or sum
end

-- The same key again.
function _M.reset(self)
    return C.lun_ffi_hmac_reset(self._ctx) == 1
end

return _M

-- digest.lua -- what resty.md5, resty.sha1, ... are made of: an object that
-- is fed in parts.
--
-- C side: ffi_digest.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_gc, ffi_new, ffi_string = ffi.gc, ffi.new, ffi.string
local setmetatable = setmetatable

base.cdef [[
void *lun_ffi_digest_new(int which);
int lun_ffi_digest_reset(void *ctx, int which);
int lun_ffi_digest_update(void *ctx, const char *data, size_t len);
int lun_ffi_digest_final(void *ctx, unsigned char *out);
void lun_ffi_digest_free(void *ctx);
]]

-- The order of ffi_digest.c.
local numbers = { md5 = 0, sha1 = 1, sha224 = 2, sha256 = 3, sha384 = 4,
                  sha512 = 5 }

local out = ffi_new("unsigned char[64]")

-- The module of one digest.
local function module_of(name)
    local number = numbers[name]
    local _M = { _VERSION = "0.16" }
    local mt = { __index = _M }

    function _M.new(_)
        local ctx = C.lun_ffi_digest_new(number)
        if ctx == nil then
            return nil
        end
        return setmetatable({ _ctx = ffi_gc(ctx, C.lun_ffi_digest_free) }, mt)
    end

    -- `len`: only so many bytes of it; more than it has would be others'.
    function _M.update(self, s, len)
        if not (len and len >= 0 and len <= #s) then
            len = #s
        end
        return C.lun_ffi_digest_update(self._ctx, s, len) == 1
    end

    function _M.final(self)
        local size = C.lun_ffi_digest_final(self._ctx, out)
        if size == 0 then
            return nil
        end
        return ffi_string(out, size)
    end

    function _M.reset(self)
        return C.lun_ffi_digest_reset(self._ctx, number) == 1
    end

    return _M
end

return { module_of = module_of, numbers = numbers }

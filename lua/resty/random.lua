-- random.lua -- random bytes.
--
-- C side: ffi_cipher.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_string = ffi.string
local get_string_buf = base.get_string_buf

base.cdef [[
int lun_ffi_random_bytes(unsigned char *out, size_t len);
]]

local _M = { _VERSION = "0.16" }

-- `strong` makes no difference: all of them are.
function _M.bytes(len, strong)
    local bytes = get_string_buf(len)
    if C.lun_ffi_random_bytes(bytes, len) == 0 then
        return nil
    end
    return ffi_string(bytes, len)
end

return _M

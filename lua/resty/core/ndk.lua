-- ndk.lua -- ndk.set_var.DIRECTIVE(text): what `DIRECTIVE $v text` would set.
--
-- C side: ffi_ndk.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_string = ffi.string
local now, OK = base.now, base.OK
local text = base.get_str_ptr()
local error, rawset, tostring, type = error, rawset, tostring, type

base.cdef [[
const void *lun_ffi_ndk_find(const char *name, size_t len);
int lun_ffi_ndk_run(const void *f, const char *s, size_t len, lun_str *out);
]]

local function caller_of(name, f)
    return function (s)
        if now.ctx == nil then
            error("no request found", 2)
        end
        if type(s) ~= "string" then
            s = tostring(s)
        end

        local rc = C.lun_ffi_ndk_run(f, s, #s, text)
        if rc ~= OK then
            error("calling directive " .. name .. " failed with code " .. rc,
                  2)
        end
        return ffi_string(text[0].data, text[0].len)
    end
end

-- Found once, then kept.
local function find(self, name)
    local f = type(name) == "string" and C.lun_ffi_ndk_find(name, #name)

    if not f or f == nil then
        error('ndk.set_var: directive "' .. tostring(name)
              .. '" not found or does not use ndk_set_var_value', 2)
    end

    local call = caller_of(name, f)
    rawset(self, name, call)
    return call
end

local function refuse()
    error("not allowed", 2)
end

ndk = { set_var = setmetatable({}, { __index = find, __newindex = refuse }) }
package.loaded.ndk = ndk

return { version = base.version, __index = find, __newindex = refuse }

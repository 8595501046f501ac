-- misc.lua -- ngx.status, ngx.headers_sent, ngx.is_subrequest.
--
-- C side: ffi_misc.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, tonumber, type = error, tonumber, type
local now = base.now
local to_int, INT_MIN, STATUS_MAX = base.to_int, base.INT_MIN, base.STATUS_MAX

base.cdef [[
int lun_ffi_status(void);
int lun_ffi_set_status(int status);
int lun_ffi_headers_sent(void);
int lun_ffi_is_subrequest(void);
]]

-- These are tail calls of the metamethods of `ngx`: the caller is one up.
local function check_request()
    if now.request ~= nil then
        return
    end

    base.no_request(3)
end

base.register_ngx_magic_key_getter("status", function ()
    check_request()
    return C.lun_ffi_status()
end)

base.register_ngx_magic_key_setter("status", function (status)
    check_request()

    if type(status) ~= "number" then
        status = tonumber(status)
        if not status then
            error("bad argument #1 to 'status' (number expected)", 2)
        end
    end
    C.lun_ffi_set_status(to_int(status, INT_MIN, STATUS_MAX))
end)

base.register_ngx_magic_key_getter("headers_sent", function ()
    check_request()
    return C.lun_ffi_headers_sent() == 1
end)

base.register_ngx_magic_key_getter("is_subrequest", function ()
    check_request()
    return C.lun_ffi_is_subrequest() == 1
end)

return {
    _VERSION = base.version,
    register_ngx_magic_key_getter = base.register_ngx_magic_key_getter,
    register_ngx_magic_key_setter = base.register_ngx_magic_key_setter,
}

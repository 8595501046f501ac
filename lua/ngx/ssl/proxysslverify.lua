-- proxysslverify.lua -- ngx.ssl.proxysslverify: the certificate that a server
-- of an upstream has shown, in proxy_ssl_verify_by_lua.
--
-- C side: modules/lua/ssl/ffi_proxy_ssl.c. Nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
require "ngx.ssl"

local C, ffi_gc, ffi_string = ffi.C, ffi.gc, ffi.string
local check_session, now, ERROR = base.check_session, base.now, base.ERROR
local to_int, INT_MAX = base.to_int, base.INT_MAX
local VERIFY = base.phases.proxy_ssl_verify
local error = error

base.cdef [[
int lun_ffi_proxy_ssl_set_result(int result, const char **why);
int lun_ffi_proxy_ssl_result(const char **why);
void *lun_ffi_proxy_ssl_cert(const char **why);
]]

local why = ffi.new("const char *[1]")

local _M = { version = base.version }

local function check()
    if now.session ~= nil and now.phase ~= VERIFY then
        error("API disabled in the current context", 3)
    end
end

-- A number of OpenSSL's: 0 is good, any other why not.
function _M.set_verify_result(result)
    check_session()
    check()
    result = to_int(result, 0, INT_MAX)
    if C.lun_ffi_proxy_ssl_set_result(result, why) == ERROR then
        return nil, ffi_string(why[0])
    end
    return true
end

function _M.get_verify_result()
    check_session()
    check()
    local result = C.lun_ffi_proxy_ssl_result(why)
    if result == ERROR then
        return nil, ffi_string(why[0])
    end
    return result
end

-- As those that ngx.ssl parses.
function _M.get_verify_cert()
    check_session()
    check()
    local chain = C.lun_ffi_proxy_ssl_cert(why)
    if chain == nil then
        return nil, ffi_string(why[0])
    end
    return ffi_gc(chain, C.lun_ffi_ssl_free_cert)
end

return _M

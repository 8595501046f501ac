-- proxysslcert.lua -- ngx.ssl.proxysslcert: what a server of an upstream is
-- shown, in proxy_ssl_certificate_by_lua.
--
-- C side: modules/lua/ssl/ffi_proxy_ssl.c. Nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local ssl = require "ngx.ssl"

local C, ffi_string = ffi.C, ffi.string
local check_session, ERROR = base.check_session, base.ERROR
local type = type

base.cdef [[
int lun_ffi_proxy_ssl_clear(const char **why);
int lun_ffi_proxy_ssl_set_cert(void *chain, const char **why);
int lun_ffi_proxy_ssl_set_key(void *key, const char **why);
]]

local why = ffi.new("const char *[1]")

local _M = { version = base.version }

local function result(rc)
    if rc == ERROR then
        return nil, ffi_string(why[0])
    end
    return true
end

-- FFI would take any userdata for a pointer as well.
local function pointer_of(value)
    return type(value) == "cdata" and value or nil
end

-- What the configuration says is forgotten.
function _M.clear_certs()
    check_session()
    return result(C.lun_ffi_proxy_ssl_clear(why))
end

function _M.set_cert(chain)
    check_session()
    return result(C.lun_ffi_proxy_ssl_set_cert(pointer_of(chain), why))
end

function _M.set_priv_key(key)
    check_session()
    return result(C.lun_ffi_proxy_ssl_set_key(pointer_of(key), why))
end

function _M.set_der_cert(der)
    check_session()
    local chain, err = ssl.parse_der_cert(der)
    if not chain then
        return nil, err
    end
    return result(C.lun_ffi_proxy_ssl_set_cert(chain, why))
end

function _M.set_der_priv_key(der)
    check_session()
    local key, err = ssl.parse_der_priv_key(der)
    if not key then
        return nil, err
    end
    return result(C.lun_ffi_proxy_ssl_set_key(key, why))
end

return _M

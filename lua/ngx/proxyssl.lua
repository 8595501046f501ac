-- proxyssl.lua -- ngx.proxyssl: the version of TLS that is spoken to a server
-- of an upstream, in proxy_ssl_certificate_by_lua and proxy_ssl_verify_by_lua.
--
-- C side: modules/lua/ssl/ffi_proxy_ssl.c. Nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local ssl = require "ngx.ssl"

local C, ffi_string = ffi.C, ffi.string
local check_session, ERROR = base.check_session, base.ERROR

base.cdef [[
int lun_ffi_proxy_ssl_version(const char **why);
]]

local why = ffi.new("const char *[1]")

local _M = {
    version = base.version,
    SSL3_VERSION = ssl.SSL3_VERSION,
    TLS1_VERSION = ssl.TLS1_VERSION,
    TLS1_1_VERSION = ssl.TLS1_1_VERSION,
    TLS1_2_VERSION = ssl.TLS1_2_VERSION,
    TLS1_3_VERSION = ssl.TLS1_3_VERSION,
}

local names = {
    [_M.SSL3_VERSION] = "SSLv3",
    [_M.TLS1_VERSION] = "TLSv1",
    [_M.TLS1_1_VERSION] = "TLSv1.1",
    [_M.TLS1_2_VERSION] = "TLSv1.2",
    [_M.TLS1_3_VERSION] = "TLSv1.3",
}

local function version()
    local n = C.lun_ffi_proxy_ssl_version(why)
    if n == ERROR then
        return nil, ffi_string(why[0])
    end
    return n
end

function _M.get_tls1_version()
    check_session()
    return version()
end

function _M.get_tls1_version_str()
    check_session()
    local n, err = version()
    if not n then
        return nil, err
    end
    local name = names[n]
    if not name then
        return nil, "unknown version"
    end
    return name
end

return _M

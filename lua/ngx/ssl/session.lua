-- session.lua -- ngx.ssl.session: sessions of TLS 1.2 that a script keeps, in
-- ssl_session_fetch_by_lua and ssl_session_store_by_lua.
--
-- C side: modules/lua/ssl/ffi_ssl_session.c. Nothing yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
require "ngx.ssl"

local C = ffi.C
local error, type = error, type
local ffi_string = ffi.string
local now, INIT = base.now, base.phases.init
local ERROR = base.ERROR

base.cdef [[
int lun_ffi_session_id(char *room, const char **why);
int lun_ffi_session_get(lun_str *der, const char **why);
int lun_ffi_session_set(const char *der, size_t len, const char **why);
]]

-- As in modules/lua/ssl/ffi_ssl.h: LUN_FFI_SESSION_...
local ID = 64

local why = ffi.new("const char *[1]")
local der = ffi.new("lun_str[1]")
local room = ffi.new("char[?]", ID)

local _M = { version = base.version }

local function check()
    if now.phase == INIT then
        error("no request found", 3)
    end
end

-- In hex: what a session is kept under.
function _M.get_session_id()
    check()
    local len = C.lun_ffi_session_id(room, why)
    if len == ERROR then
        return nil, ffi_string(why[0])
    end
    return ffi_string(room, len)
end

-- The new session, to be kept: it has secrets.
function _M.get_serialized_session()
    check()
    if C.lun_ffi_session_get(der, why) == ERROR then
        return nil, ffi_string(why[0])
    end
    local session = ffi_string(der[0].data, der[0].len)
    C.lun_ffi_ssl_free_der(der)
    return session
end

-- The one that the client has: the handshake is a short one.
function _M.set_serialized_session(session)
    check()
    if type(session) ~= "string" then
        error("bad argument #1 to 'set_serialized_session' (string expected, "
              .. "got " .. type(session) .. ")", 2)
    end
    if C.lun_ffi_session_set(session, #session, why) == ERROR then
        return nil, ffi_string(why[0])
    end
    return true
end

return _M

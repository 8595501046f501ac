-- control.lua -- ngx.exit, ngx.exec, ngx.redirect, ngx.on_abort.
--
-- C side: ffi_control.c notes what is wanted; the yield here gives
-- control back, and the handler never goes on.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"
local encode_args = require("resty.core.uri").encode_args

local C = ffi.C
local error, find, format = error, string.find, string.format
local floor = math.floor
local byte, gsub, tostring = string.byte, string.gsub, tostring
local ffi_string, tonumber, type = ffi.string, tonumber, type
local select = select
local yield = coroutine.yield
local check_phase = base.check_phase
local to_int, INT_MIN, STATUS_MAX = base.to_int, base.INT_MIN, base.STATUS_MAX
local ngx = ngx

base.cdef [[
int lun_ffi_exit(int status, const char **why);
int lun_ffi_exec(const char *uri, size_t uri_len, const char *args,
    size_t args_len, const char **why);
int lun_ffi_redirect(const char *uri, size_t len, int status,
    const char **why);
]]

-- As in modules/lua/ffi/ffi_control.c:
local LEAVE, ERROR, BUSY = 0, -1, -2

local p = base.phases
local REQUEST = p.server_rewrite + p.rewrite + p.access + p.precontent
                + p.content
local EXIT = REQUEST + p.preread + p.header_filter + p.timer + p.tool
             + p.balancer + p.ssl_cert + p.ssl_client_hello
             + p.ssl_session_fetch + p.ssl_session_store + p.proxy_ssl_cert
             + p.proxy_ssl_verify

local why = ffi.new("const char *[1]")

function ngx.exit(status)
    local code = tonumber(status)

    check_phase(EXIT)

    if not code then
        error("bad argument #1 to 'exit' (number expected, got "
              .. (status == nil and "nil" or type(status)) .. ")", 2)
    end

    local rc = C.lun_ffi_exit(to_int(code, INT_MIN, STATUS_MAX), why)

    if rc == LEAVE then
        return yield()
    end
    if rc == ERROR or rc == BUSY then
        error(ffi_string(why[0]), 2)
    end
end

-- A control character would end a header line; a tab would not.
local function check_unsafe(what, uri)
    local at = find(uri, "[%z\1-\8\10-\31\127]")

    if at then
        local shown = gsub(uri, "[%z\1-\31\127-\255\"\\]", function (c)
            return format("\\x%02X", byte(c))
        end)

        error(format('unsafe byte "0x%02x" in %s "%s"', byte(uri, at), what,
                     shown), 3)
    end
end

local function check_string(name, n, value)
    local kind = type(value)

    if kind == "number" then
        return tostring(value)
    end
    if kind ~= "string" then
        error("bad argument #" .. n .. " to '" .. name
              .. "' (string expected, got "
              .. (value == nil and "nil" or kind) .. ")", 3)
    end
    return value
end

function ngx.exec(...)
    local n, uri, args = select("#", ...), ...

    if n ~= 1 and n ~= 2 then
        error("expecting one or two arguments, but got " .. n, 2)
    end

    uri = check_string("exec", 1, uri)
    if uri == "" then
        error("The uri argument is empty", 2)
    end
    check_phase(REQUEST, "no request object found")

    if args ~= nil then
        local kind = type(args)

        if kind == "table" then
            args = encode_args(args)
        elseif kind == "number" then
            args = tostring(args)
        elseif kind ~= "string" then
            error("bad argument #2 to 'exec' (string, number, or table "
                  .. "expected, but got " .. kind .. ")", 2)
        end
    end

    if C.lun_ffi_exec(uri, #uri, args, args and #args or 0, why) == ERROR then
        error(ffi_string(why[0]), 2)
    end
    return yield()
end

-- Not C's: statuses of HTTP.
local statuses = {
    [301] = true, [302] = true, [303] = true, [307] = true, [308] = true,
}

function ngx.redirect(...)
    local n, uri, status = select("#", ...), ...

    if n ~= 1 and n ~= 2 then
        error("expecting one or two arguments", 2)
    end

    uri = check_string("redirect", 1, uri)

    if n == 1 then
        status = 302
    elseif tonumber(status) == nil then
        error("bad argument #2 to 'redirect' (number expected, got "
              .. type(status) .. ")", 2)
    else
        status = floor(tonumber(status))
    end
    if not statuses[status] then
        error("only ngx.HTTP_MOVED_TEMPORARILY, ngx.HTTP_MOVED_PERMANENTLY, "
              .. "ngx.HTTP_PERMANENT_REDIRECT, ngx.HTTP_SEE_OTHER, and "
              .. "ngx.HTTP_TEMPORARY_REDIRECT are allowed", 2)
    end

    check_phase(REQUEST, "no request object found")
    check_unsafe("redirect uri", uri)

    if C.lun_ffi_redirect(uri, #uri, status, why) == ERROR then
        error(ffi_string(why[0]), 2)
    end
    return yield()
end

ngx.on_abort = native.on_abort

if base.subsystem ~= "http" then
    ngx.exec, ngx.redirect = nil, nil
end

return { version = base.version }

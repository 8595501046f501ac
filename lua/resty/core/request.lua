-- request.lua -- ngx.req: the method, the uri, and what else the request line
-- says. Its other areas: request_args, request_headers, request_body.
--
-- C side: ffi_request.c. Only ngx.req.set_uri(uri, true) does not
-- return.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local check_request, check_phase = base.check_request, base.check_phase
local str, str_ptr = base.str, base.get_str_ptr()
local to_int, INT_MAX = base.to_int, base.INT_MAX
local now, phases, labels = base.now, base.phases, base.labels
local error, tostring, type = error, tostring, type
local select = select
local byte, format, gsub = string.byte, string.format, string.gsub
local band = require("bit").band
local yield = coroutine.yield
local req = ngx.req or {}

ngx.req = req

base.cdef [[
void lun_ffi_req_method(void *r, lun_str *name);
int lun_ffi_req_set_method(void *r, int method);
int lun_ffi_req_set_uri(void *r, const char *s, size_t len, int jump);
int lun_ffi_req_unsafe_byte(const char *s, size_t len);
void lun_ffi_req_raw_header(void *r, int no_line, lun_str *text);
unsigned lun_ffi_req_version(void *r);
unsigned lun_ffi_req_upgrades(void *r);
double lun_ffi_req_start_time(void *r);
int lun_ffi_req_is_internal(void *r);
]]

-- Where the location is still to be found again.
local JUMP = phases.rewrite + phases.server_rewrite
local CHANGE = phases.set + JUMP + phases.access + phases.precontent
               + phases.content + phases.header_filter + phases.body_filter
               + phases.balancer + phases.log

-- Not C's: its r->version, as a number of HTTP.
local versions = { [9] = 0.9, [1000] = 1.0, [1001] = 1.1, [2000] = 2.0,
                   [3000] = 3.0 }

function req.get_method()
    C.lun_ffi_req_method(check_request(), str_ptr)
    return str(str_ptr[0])
end

function req.set_method(method)
    local r = check_request()
    if type(method) ~= "number" then
        error("bad method number", 2)
    end
    if C.lun_ffi_req_set_method(r, to_int(method, 0, INT_MAX)) ~= base.OK then
        error("unsupported HTTP method: " .. method, 2)
    end
end

function req.http_version()
    local r = check_request("no request object found")
    -- A WebSocket of HTTP/2 or HTTP/3 looks as one of HTTP/1.1 does: its
    -- handshake is that, and libraries ask for it.
    if C.lun_ffi_req_upgrades(r) ~= 0 then
        return 1.1
    end
    return versions[C.lun_ffi_req_version(r)]
end

function req.start_time()
    return C.lun_ffi_req_start_time(check_request())
end

-- The text that is thrown has a place in it even if pcall() is the caller.
function req.is_internal()
    if now.request == nil then
        base.no_request(1)
    end
    return C.lun_ffi_req_is_internal(check_request()) == 1
end

function req.raw_header(no_line)
    local r = check_request("no request object found")
    if C.lun_ffi_req_version(r) >= 2000 then
        error("http2 requests not supported yet", 2)
    end
    C.lun_ffi_req_raw_header(r, no_line and 1 or 0, str_ptr)
    return str(str_ptr[0])
end

local function escaped(c)
    return format("\\x%02X", byte(c))
end

local function check_uri(uri)
    local c = C.lun_ffi_req_unsafe_byte(uri, #uri)
    if c >= 0 then
        error(format("unsafe byte \"0x%02x\" in uri \"%s\" (maybe you want "
                     .. "to set the 'binary' argument?)", c,
                     (gsub(uri, "[%z\1-\31\127-\255]", escaped))), 3)
    end
end

-- Every phase that may change the request; `jump` in rewrite only, where the
-- location is then looked for again and the handler does not go on.
function req.set_uri(...)
    local n = select("#", ...)
    if n < 1 or n > 3 then
        error("expecting 1, 2 or 3 arguments but seen " .. n, 2)
    end

    local uri, jump, binary = ...
    local r = check_request()
    check_phase(CHANGE)

    if type(uri) ~= "string" then
        if type(uri) ~= "number" then
            error("bad argument #1 to 'set_uri' (string expected, got "
                  .. type(uri) .. ")", 2)
        end
        uri = tostring(uri)
    end
    if uri == "" then
        error("attempt to use zero-length uri", 2)
    end
    if n >= 2 and type(jump) ~= "boolean" then
        error("bad argument #2 to 'set_uri' (boolean expected, got "
              .. type(jump) .. ")", 2)
    end
    if n >= 3 and type(binary) ~= "boolean" then
        error("bad argument #3 to 'set_uri' (boolean expected, got "
              .. type(binary) .. ")", 2)
    end
    if not binary then
        check_uri(uri)
    end

    if not jump then
        C.lun_ffi_req_set_uri(r, uri, #uri, 0)
        return
    end

    if band(now.phase, JUMP) == 0 then
        error("API disabled in the context of "
              .. (labels[now.phase] or "(unknown)"), 2)
    end
    if C.lun_ffi_req_set_uri(r, uri, #uri, 1) ~= base.OK then
        error("attempt to abort with pending subrequests", 2)
    end
    return yield()
end

require "resty.core.request_body"
require "resty.core.request_args"

return {
    version = base.version,
    set_req_header = require("resty.core.request_headers").set_req_header,
}

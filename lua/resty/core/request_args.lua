-- request_args.lua -- ngx.req.get_uri_args, set_uri_args, get_post_args.
--
-- C side: ffi_request.c. Nothing here yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local uri = require "resty.core.uri"
local body = require "resty.core.request_body"

local C = ffi.C
local check_request, check_phase = base.check_request, base.check_phase
local str_ptr, clear_tab = base.get_str_ptr(), base.clear_tab
local decode_args, encode_args = uri.decode_args, uri.encode_args
local to_limit, DEFAULT_LIMIT = base.to_limit, base.DEFAULT_LIMIT
local error, select, tostring, type = error, select, tostring, type
local tonumber = tonumber
local req = ngx.req or {}

ngx.req = req

base.cdef [[
void lun_ffi_req_args(void *r, lun_str *args);
void lun_ffi_req_set_args(void *r, const char *s, size_t len);
]]

local p = base.phases
local CHANGE = p.set + p.rewrite + p.server_rewrite + p.access + p.precontent
               + p.content + p.header_filter + p.body_filter + p.log
               + p.balancer

function req.get_uri_args(max, tab)
    C.lun_ffi_req_args(check_request(), str_ptr)
    if tab then
        clear_tab(tab)
    end
    local args = str_ptr[0]
    return decode_args(args.data, args.len, to_limit(max, DEFAULT_LIMIT),
                       tab)
end

function req.set_uri_args(...)
    if select("#", ...) ~= 1 then
        error("expecting 1 argument but seen " .. select("#", ...), 2)
    end
    local r = check_request("no request object found")
    check_phase(CHANGE)

    local args = ...
    local t = type(args)
    if t == "table" then
        args = encode_args(args)
    elseif t == "number" then
        args = tostring(args)
    elseif t ~= "string" then
        error("bad argument #1 to 'set_uri_args' (string, number, or table "
              .. "expected, but got " .. t .. ")", 2)
    end
    C.lun_ffi_req_set_args(r, args, #args)
end

-- The body has to be read before: nil and why not, when it is in a file.
function req.get_post_args(...)
    local n, max = select("#", ...), ...
    if n > 1 then
        error("expecting 0 or 1 arguments but seen " .. n, 2)
    end
    if n == 1 and not tonumber(max) then
        error("bad argument #1 to 'get_post_args' (number expected, got "
              .. type(max) .. ")", 2)
    end
    local r = check_request("no request object found")
    if body.state(r) ~= body.THERE then
        error("no request body found; maybe you should turn on "
              .. "lua_need_request_body?", 2)
    end
    if body.in_file(r) then
        return nil, "request body in temp file not supported"
    end
    if not body.text(r, str_ptr) then
        return {}
    end
    local text = str_ptr[0]
    return decode_args(text.data, text.len, to_limit(max, 0))
end

return { version = base.version }

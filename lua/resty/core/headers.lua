-- headers.lua -- tables of headers, as ngx.req.get_headers and
-- ngx.resp.get_headers give them.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C, ffi_string = ffi.C, ffi.string
local rawget, setmetatable, type = rawget, setmetatable, type
local gsub, lower = string.gsub, string.lower
local add_value, new_array = base.add_value, base.new_array

local _M = { version = base.version }

base.cdef [[
void lun_ffi_log_limit(const char *what, int seen, int max);
]]

-- Names are kept in lower case; any other spelling is looked up by this. An
-- underscore stands for itself first, then for a dash.
local any_case = {
    __index = function (headers, name)
        if type(name) ~= "string" then
            return nil
        end
        name = lower(name)
        local value = rawget(headers, name)
        if value == nil then
            value = rawget(headers, (gsub(name, "_", "-")))
        end
        return value
    end
}

local room = base.DEFAULT_LIMIT
local pairs_buf = new_array("lun_str[?]", 2 * room)

-- A table of what `list(r, pairs, max)` gives: at most `max`, a whole number
-- (0: no limit), and "truncated" if there were more. `raw`: names as they are.
-- `what`: "request header" or "response header", for the log.
function _M.collect(list, r, max, raw, what)
    local n, err = list(r, pairs_buf, room), nil
    if n > room and (max <= 0 or max > room) then
        pairs_buf = new_array("lun_str[?]", 2 * n)
        room = n
        list(r, pairs_buf, room)
    end
    if max > 0 and n > max then
        C.lun_ffi_log_limit(what, n, max)
        n, err = max, "truncated"
    end

    local headers = {}
    for i = 0, 2 * n - 2, 2 do
        local name, value = pairs_buf[i], pairs_buf[i + 1]
        local k, v = ffi_string(name.data, name.len), ""
        if value.len > 0 then
            v = ffi_string(value.data, value.len)
        end
        if not raw then
            k = lower(k)
        end
        add_value(headers, k, v)
    end

    if raw then
        return headers, err
    end
    return setmetatable(headers, any_case), err
end

return _M

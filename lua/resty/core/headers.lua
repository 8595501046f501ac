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
local get_string_buf, new_tab = base.get_string_buf, base.new_tab

local _M = { version = base.version }

base.cdef [[
size_t lun_ffi_header_names_len(const lun_str *pairs, int n);
void lun_ffi_header_names_lower(lun_str *pairs, int n, char *room);
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

    if not raw then
        local names = get_string_buf(C.lun_ffi_header_names_len(pairs_buf, n))
        C.lun_ffi_header_names_lower(pairs_buf, n, names)
    end

    local headers = new_tab(0, n)
    for i = 0, 2 * n - 2, 2 do
        local name, value, v = pairs_buf[i], pairs_buf[i + 1], ""
        if value.len > 0 then
            v = ffi_string(value.data, value.len)
        end
        add_value(headers, ffi_string(name.data, name.len), v)
    end

    if raw then
        return headers, err
    end
    return setmetatable(headers, any_case), err
end

return _M

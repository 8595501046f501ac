-- uri.lua -- ngx.escape_uri, unescape_uri, encode_args, decode_args, and
-- quote_sql_str.
--
-- C side: ffi_uri.c. Nothing here yields; every phase may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_new, ffi_string = ffi.new, ffi.string
local get_string_buf = base.get_string_buf
local text_of, add_value = base.text_of, base.add_value
local to_int, to_limit = base.to_int, base.to_limit
local INT_MAX = base.INT_MAX
local error, tonumber, tostring = error, tonumber, tostring
local pairs, type = pairs, type
local concat = table.concat

base.cdef [[
size_t lun_ffi_uri_escaped_len(const char *s, size_t len, int type);
void lun_ffi_uri_escape(const char *s, size_t len, int type, char *dst);
size_t lun_ffi_uri_unescape(const char *s, size_t len, char *dst);
size_t lun_ffi_sql_quoted_len(const char *s, size_t len);
void lun_ffi_sql_quote(const char *s, size_t len, char *dst);
typedef struct {
    size_t    at;
    int32_t   left;
    int32_t   rest;
} lun_args_split;

int lun_ffi_args_split(const char *s, size_t len, lun_args_split *state,
    char *room, lun_str *pairs, int places);
void lun_ffi_log_limit(const char *what, int seen, int max);
]]

local _M = { version = base.version }

-- As in modules/lua/ffi/ffi_uri.c: TYPE_...
local COMPONENT, MAIL_AUTH = 2, 6

-- lun_args_split.rest
-- As in modules/lua/ffi/ffi_uri.c:
local MORE, CUT = 1, 2

-- In a thread nothing is logged.
local log_limit = base.apart and function () end or C.lun_ffi_log_limit

local function escape(s, kind)
    local len = #s
    local size = C.lun_ffi_uri_escaped_len(s, len, kind)
    if size == len then
        return s
    end
    local dst = get_string_buf(size)
    C.lun_ffi_uri_escape(s, len, kind, dst)
    return ffi_string(dst, size)
end

function ngx.escape_uri(s, kind)
    s = text_of(s)
    if kind == nil then
        kind = COMPONENT
    elseif type(kind) ~= "number" then
        error("\"type\" is not a number", 3)
    elseif not (kind >= 0 and kind <= MAIL_AUTH) then
        error("\"type\" " .. kind .. " out of range", 3)
    end
    return escape(s, to_int(kind, 0, MAIL_AUTH))
end

function ngx.unescape_uri(s)
    s = text_of(s)
    local len = #s
    local dst = get_string_buf(len)
    return ffi_string(dst, C.lun_ffi_uri_unescape(s, len, dst))
end

function ngx.quote_sql_str(s)
    if type(s) ~= "string" then
        if type(s) ~= "number" then
            error("bad argument #1 to 'quote_sql_str' (string expected, got "
                  .. type(s) .. ")", 2)
        end
        s = tostring(s)
    end
    local len = #s
    local size = C.lun_ffi_sql_quoted_len(s, len)
    local dst = get_string_buf(size)
    C.lun_ffi_sql_quote(s, len, dst)
    return ffi_string(dst, size)
end

-- `level`: of its error.
local function encode_one(parts, n, key, value, level)
    local t = type(value)
    if t == "boolean" then
        if not value then
            return n
        end
        parts[n + 1] = key
    elseif t == "string" or t == "number" then
        parts[n + 1] = key .. "=" .. escape(tostring(value), COMPONENT)
    else
        -- What is C data here is no Lua type elsewhere.
        error("attempt to use " .. (t == "cdata" and "userdata" or t)
              .. " as query arg value", level)
    end
    return n + 1
end

-- The query of a table. Errors are those of whoever called its caller; with
-- `bare` they say no place.
local function encode_args(args, bare)
    local parts, n, level = {}, 0, bare and 0 or 4
    for key, value in pairs(args) do
        if type(key) ~= "string" then
            error("attempt to use a non-string key in the \"args\" option "
                  .. "table", bare and 0 or 3)
        end
        key = escape(key, COMPONENT)
        if type(value) == "table" then
            for i = 1, #value do
                n = encode_one(parts, n, key, value[i], level)
            end
        else
            n = encode_one(parts, n, key, value, level)
        end
    end
    return concat(parts, "&", 1, n)
end
_M.encode_args = encode_args

function ngx.encode_args(args)
    if type(args) ~= "table" then
        error("bad argument #1 to 'encode_args' (table expected, got "
              .. (args == nil and "no value" or type(args)) .. ")", 2)
    end
    local text = encode_args(args)         -- no tail call: errors count levels
    return text
end

-- What C takes apart at a time: its size is nobody's to choose.
local PLACES = 100
local split = ffi_new("lun_str[?]", 2 * PLACES)
local state = ffi_new("lun_args_split")

-- A table of a query's arguments (into `args` if given), and "truncated" when
-- there were more than `max`, a whole number (0: no limit).
local function decode_args(s, len, max, args)
    args = args or {}
    if len == 0 then
        return args
    end

    local room = get_string_buf(len)
    state.at, state.left = 0, max > 0 and max or INT_MAX

    repeat
        local n = C.lun_ffi_args_split(s, len, state, room, split, PLACES)
        for i = 0, 2 * n - 2, 2 do
            local name, value = split[i], split[i + 1]
            local k, v = ffi_string(name.data, name.len), true
            if value.data ~= nil then
                v = ffi_string(value.data, value.len)
            end
            add_value(args, k, v)
        end
    until state.rest ~= MORE

    if state.rest == CUT then
        log_limit("query args", 0, max)
        return args, "truncated"
    end
    return args
end
_M.decode_args = decode_args

function ngx.decode_args(s, max)
    local t = type(s)
    if t == "number" then
        s = tostring(s)
    elseif t ~= "string" then
        error("bad argument #1 to 'decode_args' (string expected, got "
              .. (s == nil and "no value" or t) .. ")", 2)
    end
    if max ~= nil and not tonumber(max) then
        error("bad argument #2 to 'decode_args' (number expected, got "
              .. type(max) .. ")", 2)
    end
    return decode_args(s, #s, to_limit(max, 0))
end

return _M

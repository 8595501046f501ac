-- arg.lua -- ngx.arg: the arguments of set_by_lua, the chunk of body_filter.
--
-- C side: modules/lua/run/filters.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, setmetatable, tostring = error, setmetatable, tostring
local type, pairs, concat = type, pairs, table.concat
local floor, max = math.floor, math.max
local now, str = base.now, base.str
local to_int, INT_MAX = base.to_int, base.INT_MAX
local str_ptr = base.get_str_ptr()
local ngx = ngx

base.cdef [[
void lun_ffi_arg_body(lun_str *text);
void lun_ffi_arg_set_body(const char *data, size_t len);
int lun_ffi_arg_eof(void);
void lun_ffi_arg_set_eof(int eof);
int lun_ffi_arg_set(unsigned n, lun_str *text);
]]

local SET, BODY_FILTER = base.phases.set, base.phases.body_filter

local function wrong_phase()
    error("API disabled in the context of "
          .. (base.labels[tonumber(now.phase)] or "(unknown)"), 3)
end

-- The strings of an array, and of those in it: what is wrong with it, or nil.
local function gather(array, out)
    local n = 0

    for key in pairs(array) do
        if type(key) ~= "number" or key < 1 or key ~= floor(key) then
            return "non-array table found"
        end
        n = max(n, key)
    end

    for i = 1, n do
        local value = array[i]
        local kind = type(value)
        local wrong

        if kind == "table" then
            wrong = gather(value, out)
        elseif kind == "string" or kind == "number" then
            out[#out + 1] = value
        else
            wrong = "bad data type " .. kind .. " found"
        end
        if wrong then
            return wrong
        end
    end
end

local function get(_, n)
    local phase = now.phase

    if phase == BODY_FILTER then
        if n == 1 then
            C.lun_ffi_arg_body(str_ptr)
            return str(str_ptr[0]) or ""
        end
        if n == 2 then
            return C.lun_ffi_arg_eof() == 1
        end
        return nil
    end

    if phase ~= SET then
        error(phase == base.phases.init and "no request found"
              or "API disabled in the current context", 2)
    end

    if type(n) == "number" and n > 0
       and C.lun_ffi_arg_set(to_int(n, 0, INT_MAX), str_ptr) == 1
    then
        return str(str_ptr[0]) or ""
    end
end

local function set(_, n, value)
    if now.phase ~= BODY_FILTER then
        wrong_phase()
    end

    if n == 1 then
        local kind = type(value)

        if kind == "table" then
            local out = {}
            local wrong = gather(value, out)

            if wrong then
                error("bad argument #3 to '__newindex' (" .. wrong .. ")", 2)
            end
            value = concat(out)
        elseif kind == "number" then
            value = tostring(value)
        elseif value == nil then
            value = ""
        elseif kind ~= "string" then
            error("bad chunk data type: " .. kind, 2)
        end
        C.lun_ffi_arg_set_body(value, #value)

    elseif n == 2 then
        C.lun_ffi_arg_set_eof(value and 1 or 0)

    else
        error("bad index: " .. tostring(n), 2)
    end
end

ngx.arg = setmetatable({}, { __index = get, __newindex = set })

return { version = base.version }

-- var.lua -- ngx.var.
--
-- C side: ffi_var.c. Nothing here yields; every phase of a request
-- may use it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local now, OK = base.now, base.OK
local ffi_string = ffi.string
local to_int, INT_MAX = base.to_int, base.INT_MAX
local value = base.get_str_ptr()
local error, setmetatable, tostring, type = error, setmetatable, tostring, type

base.cdef [[
int lun_ffi_var_get(void *s, const char *name, size_t len, lun_str *value);
int lun_ffi_var_capture(void *s, int n, lun_str *value);
int lun_ffi_var_set(void *s, const char *name, size_t len, const char *value,
    size_t value_len);
]]

-- As in core/session/variables.h: LUN_VAR_...
local UNKNOWN, READ_ONLY = 1, 2

local function check_session()
    local s = now.session
    if s == nil then
        base.no_request(3)
    end
    return s
end

local function get(_, name)
    local s, rc = check_session(), nil
    local t = type(name)
    if t == "string" then
        rc = C.lun_ffi_var_get(s, name, #name, value)
    elseif t == "number" then
        rc = C.lun_ffi_var_capture(s, to_int(name, 0, INT_MAX), value)
    else
        error("bad variable name", 2)
    end
    if rc ~= OK then
        return nil
    end
    local v = value[0]
    if v.len == 0 then
        return ""
    end
    return ffi_string(v.data, v.len)
end

local function set(_, name, v)
    local s, rc = check_session(), nil
    if type(name) ~= "string" then
        error("bad variable name", 2)
    end
    if v == nil then
        rc = C.lun_ffi_var_set(s, name, #name, nil, 0)
    else
        v = tostring(v)
        rc = C.lun_ffi_var_set(s, name, #name, v, #v)
    end
    if rc == READ_ONLY then
        error("variable \"" .. name .. "\" not changeable", 2)
    end
    if rc == UNKNOWN then
        error("variable \"" .. name .. "\" not found for writing; maybe it is "
              .. "a built-in variable that is not changeable or you forgot to "
              .. "use \"set $" .. name .. " '';\" in the config file to "
              .. "define it first", 2)
    end
end

ngx.var = setmetatable({}, { __index = get, __newindex = set })

return { version = base.version, __index = get, __newindex = set }

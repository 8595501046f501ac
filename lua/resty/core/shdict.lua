-- shdict.lua -- ngx.shared.DICT.
--
-- C side: ffi_shdict.c. Nothing here yields; every phase may use
-- it. Times cross the border as int64_t milliseconds.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_new, ffi_string, ffi_cast = ffi.new, ffi.string, ffi.cast
local ffi_istype = ffi.istype
local error, tonumber, tostring, type = error, tonumber, tostring, type
local getmetatable, setmetatable = getmetatable, setmetatable
local next, pairs = next, pairs
local rawget, rawset = rawget, rawset
local str = base.str
local to_int, INT_MIN, INT_MAX = base.to_int, base.INT_MIN, base.INT_MAX
local UINT_MAX = 2 ^ 32 - 1

base.cdef [[
typedef struct {
    int32_t    type;
    int32_t    flags;
    double     number;
    char      *data;
    size_t     len;
    char      *buf;
    size_t     room;
    char      *own;
    size_t     own_size;
    int32_t    stale;
} lun_shdict_value;

typedef struct lun_shdict  lun_shdict;

lun_shdict *lun_ffi_shdict_find(const char *name, size_t len);
lun_shdict *lun_ffi_shdict_at(size_t i, lun_str *name);
int lun_ffi_shdict_get(lun_shdict *d, const char *key, size_t len, int stale,
    lun_shdict_value *v);
void lun_ffi_shdict_forget(lun_shdict_value *v);
int lun_ffi_shdict_store(lun_shdict *d, int op, const char *key, size_t len,
    int type, const char *data, size_t size, double number, int64_t ttl,
    int32_t flags, int *forcible);
int lun_ffi_shdict_incr(lun_shdict *d, const char *key, size_t len,
    double *value, int has_init, double init, int64_t init_ttl,
    int *forcible);
int lun_ffi_shdict_ttl(lun_shdict *d, const char *key, size_t len,
    int64_t *msec);
int lun_ffi_shdict_expire(lun_shdict *d, const char *key, size_t len,
    int64_t msec);
int lun_ffi_shdict_push(lun_shdict *d, const char *key, size_t len, int left,
    int type, const char *data, size_t size, double number, uint32_t *count);
int lun_ffi_shdict_pop(lun_shdict *d, const char *key, size_t len, int left,
    lun_shdict_value *v);
int lun_ffi_shdict_llen(lun_shdict *d, const char *key, size_t len,
    uint32_t *count);
void lun_ffi_shdict_flush_all(lun_shdict *d);
double lun_ffi_shdict_flush_expired(lun_shdict *d, uint32_t max);
double lun_ffi_shdict_capacity(lun_shdict *d);
double lun_ffi_shdict_free_space(lun_shdict *d);
char *lun_ffi_shdict_keys(lun_shdict *d, uint32_t max, size_t *size,
    uint32_t *count);
void lun_ffi_shdict_keys_free(char *keys);
]]

local ZONE = ffi.typeof("lun_shdict *")

-- As in core/shm/shdict.h: LUN_SHDICT_...
local NIL, BOOLEAN, NUMBER, STRING = 0, 1, 3, 4
local OK, NOT_FOUND, EXISTS, NO_MEMORY = 0, 1, 2, 3
local NOT_NUMBER, NOT_LIST, IS_LIST = 4, 5, 6
local ADD, REPLACE, SAFE = 1, 2, 4

local verdicts = {
    [NOT_FOUND] = "not found",
    [EXISTS] = "exists",
    [NO_MEMORY] = "no memory",
    [NOT_NUMBER] = "not a number",
    [NOT_LIST] = "value not a list",
    [IS_LIST] = "value is a list",
}

-- Scratch: nothing in this file yields between filling and reading it.
local ROOM = 4096
local room = ffi_new("char[?]", ROOM)
local value = ffi.gc(ffi_new("lun_shdict_value"), C.lun_ffi_shdict_forget)
local forcible = ffi_new("int[1]")
local number = ffi_new("double[1]")
local msec = ffi_new("int64_t[1]")
local count = ffi_new("uint32_t[1]")
local size = ffi_new("size_t[1]")

-- The zone behind a dictionary object; else a throw at `level` (3: whoever
-- calls the function that calls this).
local function zone_of(dict, level)
    local zone = type(dict) == "table" and dict[1]
    if not ffi_istype(ZONE, zone) then
        zone = type(dict) == "table" and dict[2]
    end
    if not ffi_istype(ZONE, zone) then
        error("bad \"zone\" argument", level or 3)
    end
    return zone
end

-- The key as a string, or nil and why not.
local function key_of(key)
    if key == nil then
        return nil, "nil key"
    end
    if type(key) ~= "string" then
        key = tostring(key)
    end
    local len = #key
    if len == 0 then
        return nil, "empty key"
    end
    if len > 65535 then
        return nil, "key too long"
    end
    return key
end

-- The struct with its room. The room is named here, at each use, because a
-- pointer inside a C struct does not keep it from the collector.
local function empty_value()
    value.buf, value.room = room, ROOM
    return value
end

local function result(v)
    local t = v.type
    if t == STRING then
        return ffi_string(v.data, v.len)
    end
    if t == NUMBER then
        return tonumber(v.number)
    end
    if t == BOOLEAN then
        return v.number ~= 0
    end
    return nil
end

local _M = {}

local function get(dict, key, stale)
    local zone = zone_of(dict, 4)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    local rc = C.lun_ffi_shdict_get(zone, k, #k, stale, empty_value())
    if rc ~= OK then
        if rc == IS_LIST then
            return nil, "value is a list"
        end
        return nil
    end
    local flags = value.flags
    if flags ~= 0 then
        return result(value), flags, value.stale ~= 0
    end
    return result(value), nil, value.stale ~= 0
end

function _M.get(dict, key)
    local val, flags = get(dict, key, 0)
    if flags == nil then
        return val
    end
    return val, flags
end

function _M.get_stale(dict, key)
    local val, flags, stale = get(dict, key, 1)
    if val == nil then
        return nil, flags
    end
    return val, flags, stale
end

-- Seconds as milliseconds for C. What an int64_t does not hold (and NaN) is 0,
-- for ever, as what is over.
local function msec_of(seconds)
    local ms = tonumber(seconds) * 1000
    return ms > 0 and ms < 2 ^ 63 and ms or 0
end

-- 32 bits: those of a number that only fits without a sign have one in C, and
-- when they come back.
local function flags_of(n)
    n = to_int(n, INT_MIN, UINT_MAX)
    return n > INT_MAX and n - 2 ^ 32 or n
end

-- The API's functions call it in a tail position: errors are their caller's.
local function store(dict, op, key, val, exptime, flags)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end

    if exptime == nil then
        exptime = 0
    elseif exptime < 0 then
        error("bad \"exptime\" argument", 2)
    end

    local t, data, len, num = type(val), nil, 0, 0
    if t == "string" then
        t, data, len = STRING, val, #val
    elseif t == "number" then
        t, num = NUMBER, val
    elseif t == "boolean" then
        t, num = BOOLEAN, val and 1 or 0
    elseif t == "nil" then
        if op == ADD or op == REPLACE or op == ADD + SAFE then
            return false, "attempt to add or replace nil values", false
        end
        t = NIL
    else
        return nil, "bad value type"
    end

    local rc = C.lun_ffi_shdict_store(zone, op, k, #k, t, data, len, num,
                                      msec_of(exptime), flags_of(flags or 0),
                                      forcible)
    if rc == OK then
        return true, nil, forcible[0] == 1
    end
    return false, verdicts[rc], forcible[0] == 1
end

function _M.set(dict, key, val, exptime, flags)
    return store(dict, 0, key, val, exptime, flags)
end

function _M.safe_set(dict, key, val, exptime, flags)
    return store(dict, SAFE, key, val, exptime, flags)
end

function _M.add(dict, key, val, exptime, flags)
    return store(dict, ADD, key, val, exptime, flags)
end

function _M.safe_add(dict, key, val, exptime, flags)
    return store(dict, ADD + SAFE, key, val, exptime, flags)
end

function _M.replace(dict, key, val, exptime, flags)
    return store(dict, REPLACE, key, val, exptime, flags)
end

function _M.delete(dict, key)
    return store(dict, 0, key, nil)
end

-- A number, or a throw that names the argument.
local function number_of(arg, name)
    local n = tonumber(arg)
    if not n then
        error("bad " .. name .. " arg: number expected, got " .. type(arg), 3)
    end
    return n
end

function _M.incr(dict, key, by, init, init_ttl)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end

    local has_init, ttl = 0, 0
    number[0] = type(by) == "number" and by or tonumber(by)
        or error("cannot convert 'nil' to 'double'", 2)

    if init ~= nil then
        if type(init) ~= "number" then
            init = number_of(init, "init")
        end
        has_init = 1
    end

    if init_ttl ~= nil then
        if type(init_ttl) ~= "number" then
            init_ttl = number_of(init_ttl, "init_ttl")
        end
        if init_ttl < 0 then
            error("bad \"init_ttl\" argument", 2)
        end
        if has_init == 0 then
            error("must provide \"init\" when providing \"init_ttl\"", 2)
        end
        ttl = msec_of(init_ttl)
    end

    local rc = C.lun_ffi_shdict_incr(zone, k, #k, number, has_init,
                                     init or 0, ttl, forcible)
    if rc ~= OK then
        return nil, verdicts[rc]
    end
    if has_init == 0 then
        return tonumber(number[0])
    end
    return tonumber(number[0]), nil, forcible[0] == 1
end

-- Of a list's function, which counts what it is given.
local function check_count(n, want)
    if n ~= want then
        error("expecting " .. want .. " arguments, but only seen " .. n, 3)
    end
end

local function push(left, dict, key, val)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end

    local t, data, len, num = type(val), nil, 0, 0
    if t == "string" then
        t, data, len = STRING, val, #val
    elseif t == "number" then
        t, num = NUMBER, val
    else
        return nil, "bad value type"
    end

    local rc = C.lun_ffi_shdict_push(zone, k, #k, left, t, data, len, num,
                                     count)
    if rc ~= OK then
        return nil, verdicts[rc]
    end
    return tonumber(count[0])
end

function _M.lpush(...)
    check_count(select("#", ...), 3)
    return push(1, ...)
end

function _M.rpush(...)
    check_count(select("#", ...), 3)
    return push(0, ...)
end

local function pop(left, dict, key)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    local rc = C.lun_ffi_shdict_pop(zone, k, #k, left, empty_value())
    if rc == OK then
        return result(value)
    end
    if rc == NOT_FOUND then
        return nil
    end
    return nil, verdicts[rc]
end

function _M.lpop(...)
    check_count(select("#", ...), 2)
    return pop(1, ...)
end

function _M.rpop(...)
    check_count(select("#", ...), 2)
    return pop(0, ...)
end

function _M.llen(...)
    check_count(select("#", ...), 2)
    local dict, key = ...
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    local rc = C.lun_ffi_shdict_llen(zone, k, #k, count)
    if rc ~= OK then
        return nil, verdicts[rc]
    end
    return tonumber(count[0])
end

function _M.ttl(dict, key)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    if C.lun_ffi_shdict_ttl(zone, k, #k, msec) ~= OK then
        return nil, "not found"
    end
    return tonumber(msec[0]) / 1000
end

function _M.expire(dict, key, exptime)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    if not exptime then
        error("bad \"exptime\" argument", 2)
    end
    if C.lun_ffi_shdict_expire(zone, k, #k, msec_of(exptime)) ~= OK then
        return nil, "not found"
    end
    return true
end

-- Of a synced dictionary: what the store has. Yields.
function _M.fetch(dict, key)
    local zone = zone_of(dict)
    local k, err = key_of(key)
    if not k then
        return nil, err
    end
    return require("lunette.native").shdict_fetch(zone, k)
end

function _M.flush_all(dict)
    C.lun_ffi_shdict_flush_all(zone_of(dict))
end

-- (dictionary, the most keys or nothing), of the function `name`.
local function limit_of(name, fallback, ...)
    local n, dict, max = select("#", ...), ...
    if n ~= 1 and n ~= 2 then
        error("expecting 1 or 2 argument(s), but saw " .. n, 3)
    end
    local zone = zone_of(dict, 4)
    if n == 1 then
        return zone, fallback
    end
    if not tonumber(max) then
        base.bad_argument(2, name, "number expected, got " .. type(max), 3)
    end
    return zone, to_int(max, 0, UINT_MAX)
end

function _M.flush_expired(...)
    local zone, max = limit_of("flush_expired", 0, ...)
    return C.lun_ffi_shdict_flush_expired(zone, max)
end

function _M.capacity(dict)
    return C.lun_ffi_shdict_capacity(zone_of(dict))
end

function _M.free_space(dict)
    return C.lun_ffi_shdict_free_space(zone_of(dict))
end

-- At most `max` keys (1024 by default, 0: all), in no order.
function _M.get_keys(...)
    local zone, max = limit_of("get_keys", 1024, ...)
    local bytes = C.lun_ffi_shdict_keys(zone, max, size, count)
    local n, keys, at = tonumber(count[0]), {}, 0
    for i = 1, n do
        local len = ffi_cast("uint32_t *", bytes + at)[0]
        keys[i] = ffi_string(bytes + at + 4, len)
        at = at + 4 + len
    end
    if n > 0 then
        C.lun_ffi_shdict_keys_free(bytes)
    end
    return keys
end

-- Libraries replace a method in the metatable.
_M.__index = _M

-- Where lua-resty-core looks for it, and its own functions look first.
local registry = debug.getregistry()

registry.__shdict_mt = _M

local function object(zone)
    if registry["lunette.stock_core"] then
        local box = require("lunette.native").capi_dict_box(zone)
        return setmetatable({ box, zone }, _M)
    end
    return setmetatable({ zone }, _M)
end

-- ngx.shared: dictionaries are found by name when they are first used, since
-- the machine may be older than its worker's zones.
local shared_mt = {}

function shared_mt.__index(shared, name)
    if type(name) ~= "string" then
        return nil
    end
    local zone = C.lun_ffi_shdict_find(name, #name)
    if zone == nil then
        return nil
    end
    local dict = object(zone)
    rawset(shared, name, dict)
    return dict
end

local name_ptr = base.get_str_ptr()

function shared_mt.__pairs(shared)
    local i = 0
    while true do
        local zone = C.lun_ffi_shdict_at(i, name_ptr)
        local name = str(name_ptr[0])
        if not name then
            break
        end
        if zone ~= nil and rawget(shared, name) == nil then
            rawset(shared, name, object(zone))
        end
        i = i + 1
    end
    return next, shared, nil
end

if not getmetatable(ngx.shared) then
    ngx.shared = setmetatable(ngx.shared or {}, shared_mt)
end

-- The methods, and what else the module is asked for.
local module = { version = base.version }
for name, method in pairs(_M) do
    if name ~= "__index" then
        module[name] = method
    end
end
return module

-- base.lua -- what every API area shares: whose turn it is, phases, codes,
-- numbers on their way to C, and scratch buffers. What libraries of others
-- take from it is resty.core.base.
--
-- C side: modules/lua/lua.h. `current()` is a pointer to a C struct that the
-- scheduler keeps true, so reading it is one load inside a trace.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local bit = require "bit"

local C = ffi.C
local band = bit.band
local error, tonumber, tostring, type = error, tonumber, tostring, type
local getinfo = debug.getinfo
local ceil, floor = math.ceil, math.floor
local ffi_new, ffi_string = ffi.new, ffi.string
local gmatch = string.gmatch

ffi.cdef [[
typedef struct {
    void      *session;
    void      *request;
    void      *ctx;
    void      *co;
    uint32_t   phase;
} lun_lua_current;

typedef struct {
    size_t        len;
    const char   *data;
} lun_str;

lun_lua_current *lun_ffi_current(void);
const char *lun_ffi_subsystem(void);
]]

local now = C.lun_ffi_current()

-- Declares functions of C, and looks each of them up: a trace takes a name only
-- if it has been looked up outside of one.
local function cdef(text)
    ffi.cdef(text)
    for name in gmatch(text, "([%w_]+)%(") do
        local _ = C[name]
    end
end
jit.off(cdef)

local _M = {
    version = "0.1.28",        -- the lua-resty-core whose interface this is
    subsystem = ffi.string(C.lun_ffi_subsystem()),     -- "http", "stream"

    -- As in modules/lua/ssl/ffi_ssl.h: LUN_FFI_...
    OK = 0,
    ERROR = -1,
    BUSY = -3,

    -- Not C's: ngx.AGAIN, ngx.DONE, ngx.DECLINED.
    AGAIN = -2,
    DONE = -4,
    DECLINED = -5,

    now = now,
    cdef = cdef,
}

-- What some of the API takes for text: nil and false are empty.
function _M.text_of(s)
    if type(s) == "string" then
        return s
    end
    return s and tostring(s) or ""
end

-- A name that comes again has a table of values.
function _M.add_value(values, name, value)
    local old = values[name]
    if old == nil then
        values[name] = value
    elseif type(old) == "table" then
        old[#old + 1] = value
    else
        values[name] = { old, value }
    end
end

-- As in modules/lua/lua.h: LUN_LUA_...
local phases = {
    set = 0x00001,
    rewrite = 0x00002,
    access = 0x00004,
    content = 0x00008,
    log = 0x00010,
    header_filter = 0x00020,
    body_filter = 0x00040,
    timer = 0x00080,
    init_worker = 0x00100,
    balancer = 0x00200,
    ssl_cert = 0x00400,
    ssl_session_store = 0x00800,
    ssl_session_fetch = 0x01000,
    exit_worker = 0x02000,
    ssl_client_hello = 0x04000,
    server_rewrite = 0x08000,
    proxy_ssl_verify = 0x10000,
    precontent = 0x20000,
    proxy_ssl_cert = 0x40000,
    init = 0x80000,
    tool = 0x100000,
    preread = 0x200000,
}

_M.phases = phases

-- How an error text names a phase.
local labels = {
    [phases.set] = "set_by_lua*",
    [phases.rewrite] = "rewrite_by_lua*",
    [phases.access] = "access_by_lua*",
    [phases.content] = "content_by_lua*",
    [phases.log] = "log_by_lua*",
    [phases.header_filter] = "header_filter_by_lua*",
    [phases.body_filter] = "body_filter_by_lua*",
    [phases.timer] = "ngx.timer",
    [phases.init_worker] = "init_worker_by_lua*",
    [phases.balancer] = "balancer_by_lua*",
    [phases.ssl_cert] = "ssl_certificate_by_lua*",
    [phases.ssl_session_store] = "ssl_session_store_by_lua*",
    [phases.ssl_session_fetch] = "ssl_session_fetch_by_lua*",
    [phases.exit_worker] = "exit_worker_by_lua*",
    [phases.ssl_client_hello] = "ssl_client_hello_by_lua*",
    [phases.server_rewrite] = "server_rewrite_by_lua*",
    [phases.precontent] = "precontent_by_lua*",
    [phases.init] = "init_by_lua*",
    [phases.tool] = "ngx.timer",
    [phases.preread] = "preread_by_lua*",
    [phases.proxy_ssl_cert] = "proxy_ssl_certificate_by_lua*",
    [phases.proxy_ssl_verify] = "proxy_ssl_verify_by_lua*",
}
_M.labels = labels

-- Why there is no request: thrown, `level` as error() has it. While there can
-- be none yet, some functions have `words` of their own.
local function no_request(level, words)
    if now.phase == phases.init then
        error(words or "no request found", level + 1)
    end
    error("API disabled in the current context", level + 1)
end
_M.no_request = no_request

-- As luaL_argerror() of C: the n-th argument of the function at `level` (as
-- error() has it, seen from here) is wrong; of a method the object counts not.
function _M.bad_argument(n, name, words, level)
    if getinfo(level, "n").namewhat == "method" then
        n = n - 1
    end
    error("bad argument #" .. n .. " to '" .. name .. "' (" .. words .. ")",
          level + 1)
end

-- The request whose turn it is, or a throw at the API's caller.
function _M.check_request(words)
    local r = now.request
    if r == nil then
        no_request(3, words)
    end
    return r
end

-- Throws unless there is a session, of whatever protocol.
function _M.check_session()
    if now.session == nil then
        no_request(3)
    end
end

-- Throws unless the present phase is one of `allowed` (bits).
function _M.check_phase(allowed, words)
    local phase = now.phase
    if band(phase, allowed) == 0 then
        if phase == phases.init then
            error(words or "no request found", 3)
        end
        error("API disabled in the context of "
              .. (labels[phase] or "(unknown)"), 3)
    end
end

-- --- numbers on their way to C
--
-- A number of Lua may be NaN, endless, or more than a type of C holds, and
-- what becomes of such a one is undefined: LuaJIT's interpreter and its traces
-- differ in it, and so do size_t and the count of an array. Every size, count,
-- time and index that a script chooses passes here first; number.h of
-- modules/lua/run is for those that go to a lua_CFunction.

-- Not C's: the least and the largest int.
local INT_MIN, INT_MAX = -2 ^ 31, 2 ^ 31 - 1

_M.INT_MIN, _M.INT_MAX = INT_MIN, INT_MAX

-- Of a status, which C adds LUN_STATUS to.
_M.STATUS_MAX = 2 ^ 30

-- The whole part of n, or the nearer end of low ... high, which are whole;
-- NaN is `low`. What is no number throws at the caller's caller.
local function to_int(n, low, high)
    local x = tonumber(n)
    if not x then
        error("number expected, got " .. type(n), 3)
    end
    if x >= high then
        return high
    end
    if x > low then
        return x < 0 and ceil(x) or floor(x)
    end
    return low
end
_M.to_int = to_int

-- How many arguments or headers a script asks for: nil is 100, 0 no limit. Of
-- less than 0 (and NaN) nginx's Lua makes 100 where FFI takes it, else 0.
_M.DEFAULT_LIMIT = 100

function _M.to_limit(max, below)
    if max == nil then
        return _M.DEFAULT_LIMIT
    end
    local n = to_int(max, -1, INT_MAX)
    return n >= 0 and n or below
end

-- An array of C, zeroed. LuaJIT counts in 32 bits: what is more wraps there,
-- so it throws here.
local function new_array(ctype, n)
    if not (n >= 0 and n <= INT_MAX) then
        error("bad buffer size: " .. tostring(n), 3)
    end
    return ffi_new(ctype, n)
end
_M.new_array = new_array

-- --- scratch memory
--
-- Nothing that yields may be called between getting it and being done with
-- it: the next taker gets the same bytes.

local buf_size = 4096
local buf = ffi_new("char[?]", buf_size)

-- What is no size is passed over.
function _M.set_string_buf_size(size)
    if size > 0 then
        buf = new_array("char[?]", ceil(size))
        buf_size = ceil(size)
    end
end

function _M.get_string_buf_size()
    return buf_size
end

function _M.get_string_buf(size, must_alloc)
    if size <= buf_size and size >= 0 and not must_alloc then
        return buf
    end
    return new_array("char[?]", size)
end

local size_ptr = ffi_new("size_t[1]")
local str_ptr = ffi_new("lun_str[1]")

function _M.get_size_ptr()
    return size_ptr
end

function _M.get_str_ptr()
    return str_ptr
end

-- A place for `value` in an array whose free places are a list, in the manner
-- of luaL_ref: C gives them back with luaL_unref.
function _M.ref_in_table(tb, value)
    if value == nil then
        return -1
    end
    local ref = tb[0]
    if ref and ref ~= 0 then
        tb[0] = tb[ref]
    else
        ref = #tb + 1
    end
    tb[ref] = value
    return ref
end

-- Keys of `ngx` that are computed: ngx.status, ngx.ctx, ... Setters return
-- nothing; both throw at the level above them, which is theirs.
_M.magic_getters = {}
_M.magic_setters = {}

function _M.register_ngx_magic_key_getter(key, get)
    _M.magic_getters[key] = get
end

function _M.register_ngx_magic_key_setter(key, set)
    _M.magic_setters[key] = set
end

-- A lun_str as a Lua string; nil for one without data.
function _M.str(s)
    if s.data == nil then
        return nil
    end
    return ffi_string(s.data, s.len)
end

_M.new_tab = require "table.new"
_M.clear_tab = require "table.clear"

return _M

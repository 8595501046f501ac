-- base.lua -- what every API area shares: whose turn it is, phases, codes,
-- and scratch buffers.
--
-- C side: modules/lua/lua.h. `current()` is a pointer to a C struct that the
-- scheduler keeps true, so reading it is one load inside a trace.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local bit = require "bit"

local C = ffi.C
local band = bit.band
local error, tostring, type = error, tostring, type
local ffi_new, ffi_string = ffi.new, ffi.string

ffi.cdef [[
typedef struct {
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
]]

local now = C.lun_ffi_current()

local _M = {
    version = "0.1.28",        -- the lua-resty-core whose interface this is

    -- Result codes of the C side.
    OK = 0,
    ERROR = -1,
    AGAIN = -2,
    DONE = -4,
    DECLINED = -5,

    -- The same as lua-resty-core's users know them.
    FFI_OK = 0,
    FFI_ERROR = -1,
    FFI_AGAIN = -2,
    FFI_BUSY = -3,
    FFI_DONE = -4,
    FFI_DECLINED = -5,
    FFI_ABORT = -6,
    FFI_NO_REQ_CTX = -100,
    FFI_BAD_CONTEXT = -101,

    now = now,
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

function _M.allows_subsystem(...)
    for i = 1, select("#", ...) do
        if select(i, ...) == "http" then
            return
        end
    end
    error("unsupported subsystem: http", 2)
end

-- Phases: the bits of modules/lua/lua.h.
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
    precontent = 0x10000,
    init = 0x20000,
    tool = 0x40000,
}
_M.phases = phases

-- How an error text names a phase.
local labels = {
    [0x00001] = "set_by_lua*",
    [0x00002] = "rewrite_by_lua*",
    [0x00004] = "access_by_lua*",
    [0x00008] = "content_by_lua*",
    [0x00010] = "log_by_lua*",
    [0x00020] = "header_filter_by_lua*",
    [0x00040] = "body_filter_by_lua*",
    [0x00080] = "ngx.timer",
    [0x00100] = "init_worker_by_lua*",
    [0x00200] = "balancer_by_lua*",
    [0x00400] = "ssl_certificate_by_lua*",
    [0x00800] = "ssl_session_store_by_lua*",
    [0x01000] = "ssl_session_fetch_by_lua*",
    [0x02000] = "exit_worker_by_lua*",
    [0x04000] = "ssl_client_hello_by_lua*",
    [0x08000] = "server_rewrite_by_lua*",
    [0x10000] = "precontent_by_lua*",
    [0x20000] = "init_by_lua*",
    [0x40000] = "ngx.timer",
}
_M.labels = labels

-- Why there is no request: thrown, `level` as error() has it.
local function no_request(level)
    if now.phase == phases.init then
        error("no request found", level + 1)
    end
    error("API disabled in the current context", level + 1)
end
_M.no_request = no_request

-- The request whose turn it is, or a throw at the API's caller.
function _M.get_request()
    local r = now.request
    if r == nil then
        no_request(3)
    end
    return r
end

-- Throws unless the present phase is one of `allowed` (bits).
function _M.check_phase(allowed)
    local phase = now.phase
    if band(phase, allowed) == 0 then
        if phase == phases.init then
            error("no request found", 3)
        end
        error("API disabled in the context of "
              .. (labels[phase] or "(unknown)"), 3)
    end
end

-- Scratch memory. Nothing that yields may be called between getting it and
-- being done with it: the next taker gets the same bytes.
local buf_size = 4096
local buf = ffi_new("char[?]", buf_size)

function _M.set_string_buf_size(size)
    buf_size = size
    buf = ffi_new("char[?]", size)
end

function _M.get_string_buf_size()
    return buf_size
end

function _M.get_string_buf(size, must_alloc)
    if size > buf_size or must_alloc then
        return ffi_new("char[?]", size)
    end
    return buf
end

local size_ptr = ffi_new("size_t[1]")
local str_ptr = ffi_new("lun_str[1]")

function _M.get_size_ptr()
    return size_ptr
end

function _M.get_str_ptr()
    return str_ptr
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

-- output.lua -- ngx.say, ngx.print, ngx.flush, ngx.eof, ngx.send_headers.
--
-- C side: ffi_output.c gathers text inside the trace; output.c
-- has the C functions for what may run other Lua code, or yields (flush).
-- All need a request in a phase that can answer.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"
local buffer = require "string.buffer"

local C = ffi.C
local band = bit.band
local error, pairs, select, tostring = error, pairs, select, tostring
local floor, type = math.floor, type
local now, check_phase = base.now, base.check_phase
local output_send = native.output_send
local ngx = ngx
local null = ngx.null

base.cdef [[
int lun_ffi_output(const char *data, size_t len, int newline);
]]

-- As in modules/lua/ffi/ffi_output.c:
local DONE, SEND, EOF, RAW, HEAD = 0, 1, -2, -3, -4

local p = base.phases
local ALLOWED = p.server_rewrite + p.rewrite + p.access + p.precontent
                + p.content + p.preread

-- Filled and read without a yield in between.
local gathered = buffer.new()

-- These take a fixed number of arguments: LuaJIT compiles them on their own,
-- also when they are called from code that it only interprets.
local function send(data, len, newline)
    local rc = C.lun_ffi_output(data, len, newline)

    if rc == DONE then
        return 1
    end
    if rc == SEND then
        return output_send()
    end
    if rc == EOF then
        return nil, "seen eof"
    end
    if rc == RAW then
        return nil, "raw request socket acquired"
    end
    if rc == HEAD then
        return nil, "header only"
    end
    return nil, "nginx output filter error"
end

local function send_text(text, newline)
    if band(now.phase, ALLOWED) == 0 then
        check_phase(ALLOWED, "no request object found")
    end
    return send(text, #text, newline)
end

local function put(value, kind)
    if kind == "string" or kind == "number" then
        gathered:put(value ~= 0 and value or "0")       -- not "-0"
    elseif kind == "boolean" or kind == "nil" then
        gathered:put(tostring(value))
    elseif value == null then
        gathered:put("null")
    else
        return false
    end
    return true
end

-- Holes in a table are said as nil; one with more of them is no array.
local MOST_HOLES = 2 ^ 20

-- Returns what is wrong with it.
local function put_table(tb)
    local n, max = 0, 0

    for key in pairs(tb) do
        if type(key) ~= "number" or key < 1 or floor(key) ~= key then
            return "non-array table found"
        end
        if key > max then
            max = key
        end
        n = n + 1
    end

    if max - n > MOST_HOLES then
        return "non-array table found"
    end

    for i = 1, max do
        local value = tb[i]
        local kind = type(value)

        if kind == "table" then
            local wrong = put_table(value)

            if wrong then
                return wrong
            end
        elseif not put(value, kind) then
            return "bad data type " .. kind .. " found"
        end
    end
end

local function put_any(value)
    local kind = type(value)

    if kind == "table" then
        return put_table(value)
    end
    if not put(value, kind) then
        return "string, number, boolean, nil, ngx.null, or array table "
               .. "expected, but got " .. kind
    end
end

-- The i-th argument, for gather(): a throw at the caller of ngx.say.
local function put_argument(name, i, value)
    local wrong = put_any(value)

    if wrong then
        error("bad argument #" .. i .. " to '" .. name .. "' (" .. wrong
              .. ")", 4)
    end
end

-- A loop of few turns would keep the JIT compiler trying to make a trace of
-- it, so that the first arguments have none.
local function put_all(name, n, a, b, c, d, ...)
    gathered:reset()

    if n > 0 then
        put_argument(name, 1, a)
        if n > 1 then
            put_argument(name, 2, b)
            if n > 2 then
                put_argument(name, 3, c)
                if n > 3 then
                    put_argument(name, 4, d)
                    for i = 5, n do
                        put_argument(name, i, (select(i - 4, ...)))
                    end
                end
            end
        end
    end
end

local function gather(name, newline, n, ...)
    if band(now.phase, ALLOWED) == 0 then
        check_phase(ALLOWED, "no request object found")
    end

    put_all(name, n, ...)

    local data, len = gathered:ref()
    return send(data, len, newline)
end

-- What ngx.say or ngx.print makes of its arguments.
local function text_of(name, n, ...)
    put_all(name, n, ...)
    return gathered:tostring()
end

function ngx.say(...)
    local n, text = select("#", ...), ...

    if n == 1 and type(text) == "string" then
        return send_text(text, 1)
    end
    return gather("say", 1, n, ...)
end

function ngx.print(...)
    local n, text = select("#", ...), ...

    if n == 1 and type(text) == "string" then
        return send_text(text, 0)
    end
    return gather("print", 0, n, ...)
end

ngx.flush = native.output_flush
ngx.eof = native.output_eof

if base.subsystem == "http" then
    ngx.send_headers = native.output_send_headers
end

return { version = base.version, text_of = text_of }

-- trace.lua -- ngx.trace: the trace that a request is a part of, and spans of
-- what a script does.
--
--     local trace = require "ngx.trace"
--     local span = trace.start_span("check", { kind = "client" })
--
--     span:set_attribute("tenant", "acme")
--     headers.traceparent = span:traceparent()
--     span:finish()
--
-- Words are those of OpenTelemetry. Where nobody samples, spans are there to be
-- called, and nothing is kept.
--
-- C side: trace.c. A span is known by its id and looked for in the request
-- at hand, so that one which was kept for longer does nothing.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local error, pairs, setmetatable = error, pairs, setmetatable
local tostring, type = tostring, type
local now, OK = base.now, base.OK

base.cdef [[
int lun_ffi_trace_root(const void *r, char *id);
int lun_ffi_trace_parent(const void *r, const char *id, char *text);
int lun_ffi_trace_start(void *r, const char *parent, const char *name,
    size_t len, int kind, char *id);
void lun_ffi_span_text(void *r, const char *id, const char *key, size_t len,
    const char *text, size_t text_len);
void lun_ffi_span_number(void *r, const char *id, const char *key,
    size_t len, double n);
void lun_ffi_span_flag(void *r, const char *id, const char *key, size_t len,
    int flag);
void lun_ffi_span_name(void *r, const char *id, const char *name,
    size_t len);
void lun_ffi_span_fail(void *r, const char *id, const char *why, size_t len);
void lun_ffi_span_finish(void *r, const char *id);
]]

-- As in core/format/otlp.h: LUN_SPAN_...
local INTERNAL, SERVER, CLIENT = 1, 2, 3

local KINDS = { internal = INTERNAL, server = SERVER, client = CLIENT }

-- As in core/format/trace_context.h: LUN_...
local TRACE_ID, SPAN_ID, TRACE_PARENT = 16, 8, 55

local _M = {}

local id_room = ffi.new("char[?]", SPAN_ID)
local parent_room = ffi.new("char[?]", TRACE_PARENT)

local function check_text(value, what)
    if type(value) ~= "string" then
        error(what .. " is to be a string", 3)
    end
end

local span_methods = {}
span_methods.__index = span_methods

-- id: its bytes; nil: nobody samples it. above: the id of what it is inside of.
local function new_span(id, above)
    return setmetatable({ id = id, above = above or id }, span_methods)
end

-- Texts, numbers and booleans are what they are; all else is made a text.
function span_methods:set_attribute(key, value)
    check_text(key, "the name of an attribute")

    local r, id = now.request, self.id

    if not id or r == nil then
        return
    end

    local kind = type(value)

    if kind == "number" then
        C.lun_ffi_span_number(r, id, key, #key, value)
    elseif kind == "boolean" then
        C.lun_ffi_span_flag(r, id, key, #key, value and 1 or 0)
    else
        local text = tostring(value)
        C.lun_ffi_span_text(r, id, key, #key, text, #text)
    end
end

function span_methods:set_name(name)
    check_text(name, "the name of a span")

    if self.id and now.request ~= nil then
        C.lun_ffi_span_name(now.request, self.id, name, #name)
    end
end

-- It has failed, and why.
function span_methods:set_error(why)
    why = why == nil and "" or tostring(why)

    if self.id and now.request ~= nil then
        C.lun_ffi_span_fail(now.request, self.id, why, #why)
    end
end

function span_methods:finish()
    if self.id and now.request ~= nil then
        C.lun_ffi_span_finish(now.request, self.id)
    end
end

-- The header for who is asked from within it; nil: there is no trace.
function span_methods:traceparent()
    if now.request == nil
       or C.lun_ffi_trace_parent(now.request, self.above, parent_room) ~= OK
    then
        return nil
    end

    return ffi.string(parent_room, TRACE_PARENT)
end

-- One inside of it.
function span_methods:start_span(name, options)
    return _M.start_span(name, options, self)
end

-- The request's own span; nil: it is in no trace.
function _M.current()
    if now.request == nil
       or C.lun_ffi_trace_root(now.request, id_room) ~= OK
    then
        return nil
    end

    return new_span(ffi.string(id_room, SPAN_ID))
end

-- start_span(name [, { kind =, attributes = }]): one inside of the request's,
-- from now on. In no trace, or nobody samples it: one that does nothing.
function _M.start_span(name, options, parent)
    check_text(name, "the name of a span")

    local kind = KINDS[options and options.kind or "internal"]

    if not kind then
        error("a span is internal, server or client", 2)
    end

    parent = parent or _M.current()

    if not parent then
        return new_span(nil, ("\0"):rep(SPAN_ID))
    end

    local rc = C.lun_ffi_trace_start(now.request, parent.above, name, #name,
                                     kind, id_room)
    local span = rc == OK and new_span(ffi.string(id_room, SPAN_ID))
                 or new_span(nil, parent.above)

    for key, value in pairs(options and options.attributes or {}) do
        span:set_attribute(key, value)
    end

    return span
end

-- The trace's id in hex; nil: there is none.
function _M.trace_id()
    local span = _M.current()
    local text = span and span:traceparent()

    return text and text:sub(4, 3 + 2 * TRACE_ID)
end

-- Whether spans of this request are wanted.
function _M.is_sampled()
    local span = _M.current()
    local text = span and span:traceparent()

    return text ~= nil and text:sub(-2) == "01"
end

return _M

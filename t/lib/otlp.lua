-- otlp.lua -- for specs: a collector of traces (OTLP over HTTP), and what has
-- come to it. It needs `lua_shared_dict spans 1m`.
--
-- SPDX-License-Identifier: BSD-2-Clause

local json = require "cjson"

local _M = {}

local byte, sub = string.byte, string.sub


-- ---- protobuf ---------------------------------------------------------------

local function varint(s, at)
    local n, shift = 0, 1

    while true do
        local c = byte(s, at)

        at = at + 1
        n = n + (c % 128) * shift
        shift = shift * 128
        if c < 128 then return n, at end
    end
end

-- Fields of a message: lists of values by number.
local function fields(s)
    local found, at = {}, 1

    while at <= #s do
        local tag, value, len

        tag, at = varint(s, at)

        if tag % 8 == 0 then
            value, at = varint(s, at)
        elseif tag % 8 == 1 then
            value, at = sub(s, at, at + 7), at + 8
        elseif tag % 8 == 2 then
            len, at = varint(s, at)
            assert(at + len - 1 <= #s, "a field is longer than what it is in")
            value, at = sub(s, at, at + len - 1), at + len
        else
            error("wire type " .. tag % 8)
        end

        local number = (tag - tag % 8) / 8

        found[number] = found[number] or {}
        table.insert(found[number], value)
    end
    return found
end

local function number_of(s)
    local n = 0

    for i = 8, 1, -1 do n = n * 256 + byte(s, i) end
    return n
end

local function hex(s)
    return (s:gsub(".", function(c) return ("%02x"):format(byte(c)) end))
end

-- AnyValue.
local function value_of(s)
    local f = fields(s)

    if f[1] then return f[1][1] end
    if f[2] then return f[2][1] == 1 end
    if f[3] then return f[3][1] end
    if f[5] then return { value_of(fields(f[5][1])[1][1]) } end
end

local function attributes(list)
    local attrs = {}

    for _, s in ipairs(list or {}) do
        local f = fields(s)

        assert(not attrs[f[1][1]], "twice: " .. f[1][1])
        attrs[f[1][1]] = value_of(f[2][1])
    end
    return attrs
end

local function span_of(s, resource)
    local f = fields(s)
    local status = f[15] and fields(f[15][1]) or {}

    return {
        trace = hex(f[1][1]), id = hex(f[2][1]), state = f[3] and f[3][1],
        parent = f[4] and hex(f[4][1]), name = f[5][1], kind = f[6][1],
        first = number_of(f[7][1]), last = number_of(f[8][1]),
        failed = status[3] and status[3][1] == 2,
        why = status[2] and status[2][1],
        attrs = attributes(f[9]), resource = resource
    }
end

local function from_protobuf(body)
    local spans = {}

    for _, rs in ipairs(fields(body)[1]) do
        local f = fields(rs)
        local resource = attributes(fields(f[1][1])[1])

        for _, s in ipairs(fields(f[2][1])[2] or {}) do
            table.insert(spans, span_of(s, resource))
        end
    end
    return spans
end


-- ---- JSON -------------------------------------------------------------------

local function json_value(v)
    if v.arrayValue then return { json_value(v.arrayValue.values[1]) } end
    if v.intValue then return tonumber(v.intValue) end
    if v.boolValue ~= nil then return v.boolValue end
    return v.stringValue or v.doubleValue
end

local function json_attributes(list)
    local attrs = {}

    for _, a in ipairs(list) do attrs[a.key] = json_value(a.value) end
    return attrs
end

local function from_json(body)
    local spans = {}

    for _, rs in ipairs(json.decode(body).resourceSpans) do
        local resource = json_attributes(rs.resource.attributes)

        for _, s in ipairs(rs.scopeSpans[1].spans) do
            table.insert(spans, {
                trace = s.traceId, id = s.spanId, state = s.traceState,
                parent = s.parentSpanId, name = s.name, kind = s.kind,
                first = tonumber(s.startTimeUnixNano),
                last = tonumber(s.endTimeUnixNano),
                failed = s.status and s.status.code == 2,
                why = s.status and s.status.message,
                attrs = json_attributes(s.attributes), resource = resource
            })
        end
    end
    return spans
end


-- ---- the collector ----------------------------------------------------------

-- A request with spans: answers it as a collector does.
function _M.collect()
    local dict = ngx.shared.spans
    local kind = ngx.var.content_type

    ngx.req.read_body()

    local body = ngx.req.get_body_data()

    if kind == "application/grpc" then
        local len = byte(body, 4) * 256 + byte(body, 5)

        assert(byte(body, 1) == 0 and #body == 5 + len, "no message of gRPC")
        body = body:sub(6)
    end

    for _, span in ipairs(kind == "application/json" and from_json(body)
                          or from_protobuf(body)) do
        span.content_type = kind
        span.key = ngx.var.http_x_key
        dict:rpush("spans", json.encode(span))
    end

    dict:incr("batches", 1, 0)
    ngx.header.content_type = kind
end

-- n of them, as they came; waits, and is an error if they do not come.
function _M.spans(n)
    local dict, spans = ngx.shared.spans, {}

    for _ = 1, 200 do
        if dict:llen("spans") >= n then break end
        ngx.sleep(0.02)
    end

    assert(dict:llen("spans") == n, dict:llen("spans") .. " spans are there")

    for i = 1, n do
        spans[i] = json.decode(dict:lpop "spans")
    end
    return spans
end

-- The names that a span's attributes have, in order.
function _M.names(span)
    local names = {}

    for name in pairs(span.attrs) do table.insert(names, name) end
    table.sort(names)
    return table.concat(names, " ")
end

return _M

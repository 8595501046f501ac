-- lunette/spec/request.lua -- from `--- request` to bytes for the wire
--
-- A request is a list of packets, { text, delay }; a block has one request
-- or several, each on a connection of its own. Lines, Host, Connection and
-- Content-Length are completed as Test::Nginx does it; raw_request is sent
-- as it stands.
--
-- SPDX-License-Identifier: BSD-2-Clause

local error, type = error, type

local _M = {}

local function array_of(value)
    return type(value) == "table" and value.kind == "array" and value or nil
end

-- Header lines with CRLF, and whether they say the body is chunked or give
-- its length. Lines that begin with # are comments.
local function headers_of(text)
    local out, sized = {}, false

    for line in (text or ""):gmatch("[^\n]+") do
        line = line:gsub("\r$", "")
        if not line:find("^%s*#") then
            local name, value = line:match("^([^:]*):%s*(.*)$")
            name, value = name or line, value or ""
            if (name:lower() == "transfer-encoding" and value == "chunked")
               or name:lower() == "content-length"
            then
                sized = true
            end
            out[#out + 1] = name .. ": " .. value .. "\r\n"
        end
    end
    return table.concat(out), sized
end

local function has_header(headers, name)
    return ("\n" .. headers:lower()):find("\n" .. name, 1, true) ~= nil
end

-- Leading blank lines and comments before the request line.
local function without_comments(text)
    while true do
        local rest = text:gsub("^%s+", ""):gsub("^#[^\n]*\n?", "")

        if rest == text then
            return text
        end
        text = rest
    end
end

local function parse_line(text)
    local line, body = text:match("^([^\n]*)\n(.*)$")
    local method, uri, version

    line, body = line or text, body or ""
    method, uri, version = line:match("^%s*(%S+) *(%S*) *(%S*)%s*$")
    if not method then
        error("not a request line: " .. line, 0)
    end
    return {
        method = method, uri = uri ~= "" and uri or "/", body = body,
        version = version ~= "" and version or "HTTP/1.1",
        line_size = #text - #body,
    }
end

-- The head and the body of one request.
local function complete(text, more, connection)
    local headers, sized = headers_of(more)
    local parsed, extra = parse_line(text), ""

    if not has_header(headers, "host:") then
        extra = "Host: localhost\r\n"
    end
    if not has_header(headers, "connection") then
        extra = extra .. "Connection: " .. connection .. "\r\n"
    end
    if not sized and parsed.body ~= "" then
        parsed.cut = #parsed.body:match("^%s*")
        parsed.body = parsed.body:gsub("^%s+", ""):gsub("%s+$", "")
        headers = headers .. "Content-Length: " .. #parsed.body .. "\r\n"
    end
    parsed.head = parsed.method .. " " .. parsed.uri .. " " .. parsed.version
                  .. "\r\n" .. extra .. headers .. "\r\n"
    return parsed
end

-- A request given in pieces: what was split in the body stays split there.
local function in_packets(pieces, more)
    local texts, delays, full = {}, {}, ""

    for i = 1, pieces.n do
        local piece = pieces[i]
        if type(piece) == "table" and piece.kind == "hash" then
            texts[i] = piece.map.value or ""
            delays[i] = tonumber(piece.map.delay_before)
        elseif type(piece) == "string" then
            texts[i] = piece
        else
            error("--- request: a packet is text or { value, delay_before }",
                  0)
        end
        full = full .. texts[i]
    end

    local parsed = complete(full, more, "close")
    local all, packets, at = parsed.head .. parsed.body, {}, 0
    local sent, from = parsed.line_size + (parsed.cut or 0), 1

    for i = 1, pieces.n do
        at = at + #texts[i]
        local to = i == pieces.n and #all
                   or math.max(at - sent, 0) + #parsed.head
        packets[i] = { text = all:sub(from, to),
                       delay = delays[i] and delays[i] * 1000 }
        from = to + 1
    end
    return { packets = packets, methods = { parsed.method } }
end

local function nth(value, index)
    local list = array_of(value)

    if not list then
        return value
    end
    if list[index] == nil then
        error("--- more_headers has nothing for request " .. index, 0)
    end
    return list[index]
end

local function single(text, more)
    local parsed = complete(without_comments(text), more, "close")

    return { packets = { { text = parsed.head .. parsed.body } },
             methods = { parsed.method } }
end

-- All in one write; every one but the last keeps the connection.
local function pipelined(value, more)
    local list = array_of(value)
    local out, methods = {}, {}

    if not list then
        error("--- pipelined_requests must be a list", 0)
    end
    for i = 1, list.n do
        local parsed = complete(list[i], nth(more, i),
                                i == list.n and "close" or "keep-alive")
        out[i] = parsed.head .. parsed.body
        methods[i] = parsed.method
    end
    return { { packets = { { text = table.concat(out) } },
               methods = methods } }
end

local function raw(value)
    local list, packets = array_of(value), {}

    if list then
        for i = 1, list.n do
            packets[i] = { text = list[i] }
        end
    else
        packets[1] = { text = value }
    end
    return { { packets = packets, raw = true,
               methods = { packets[1].text:match("^%s*(%S+)") or "" } } }
end

local function from_request(value, more)
    local list, out = array_of(value), {}

    if not list then
        return { single(value, nth(more, 1)) }
    end
    for i = 1, list.n do
        if array_of(list[i]) then
            out[i] = in_packets(list[i], nth(more, i))
        else
            out[i] = single(list[i], nth(more, i))
        end
    end
    return out
end

-- The requests of a block, and whether its expectations are lists.
function _M.of(block)
    local more, requests = block:value("more_headers"), nil

    if block:has("raw_request") then
        return raw(block:value("raw_request")), false
    end
    if block:has("pipelined_requests") then
        return pipelined(block:value("pipelined_requests"), more), true
    end
    requests = from_request(block:value("request") or "GET /t", more)
    return requests, #requests > 1
end

return _M

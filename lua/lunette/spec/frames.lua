-- lunette/spec/frames.lua -- the frames of an HTTP/2 connection
--
-- `--- http2_frames` sends a block's raw_request and shows the answer so:
--
--     SETTINGS 0
--     RST_STREAM 1 PROTOCOL_ERROR
--     GOAWAY 0 last 1 NO_ERROR
--
-- A client that does more than to send and to read is Lua code of a block's
-- own, in the server under test: it makes its frames here.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local TYPES = { [0] = "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS",
                "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
                "CONTINUATION" }
TYPES[16] = "PRIORITY_UPDATE"
local ERRORS = { [0] = "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR",
                 "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
                 "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
                 "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
                 "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED" }
local ACKED = { SETTINGS = true, PING = true }

local function number(text, from, size)
    local n = 0

    for i = from, from + size - 1 do
        n = n * 256 + (text:byte(i) or 0)
    end
    return n
end

local function describe(kind, flags, id, payload)
    local line = (TYPES[kind] or "type " .. kind) .. " " .. id

    if kind == 3 then
        return line .. " " .. (ERRORS[number(payload, 1, 4)] or "?")
    elseif kind == 7 then
        return line .. " last " .. number(payload, 1, 4) % 0x80000000 .. " "
               .. (ERRORS[number(payload, 5, 4)] or "?")
    elseif kind == 0 then
        line = line .. " " .. #payload
    end
    if ACKED[TYPES[kind]] then
        return line .. (flags % 2 == 1 and " ack" or "")
    end
    return line .. (kind < 2 and flags % 2 == 1 and " end" or "")
end

function _M.show(raw)
    local out, at = {}, 1

    while at + 8 <= #raw do
        local size = number(raw, at, 3)
        out[#out + 1] = describe(raw:byte(at + 3), raw:byte(at + 4),
                                 number(raw, at + 5, 4) % 0x80000000,
                                 raw:sub(at + 9, at + 8 + size)) .. "\n"
        at = at + 9 + size
    end
    return table.concat(out)
end

---------------------------------------------------------------------------
-- What a client sends

local CODES = {}
for code, name in pairs(TYPES) do
    CODES[name] = code
end

local function bytes(n, size)
    local out = {}

    for i = size, 1, -1 do
        out[i] = string.char(n % 256)
        n = math.floor(n / 256)
    end
    return table.concat(out)
end

function _M.frame(kind, flags, id, payload)
    payload = payload or ""
    return bytes(#payload, 3) .. bytes(CODES[kind] or kind, 1)
           .. bytes(flags, 1) .. bytes(id, 4) .. payload
end

-- The payload of a SETTINGS frame: { [4] = 0 } is a window of nothing.
function _M.settings(values)
    local out = {}

    for id, value in pairs(values) do
        out[#out + 1] = bytes(id, 2) .. bytes(value, 4)
    end
    return table.concat(out)
end

-- What a client says first; it agrees to whatever the server's SETTINGS say.
function _M.hello(values)
    return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
           .. _M.frame("SETTINGS", 0, 0, _M.settings(values or {}))
           .. _M.frame("SETTINGS", 1, 0)
end

local function field(name, value)
    return "\0" .. bytes(#name, 1) .. name .. bytes(#value, 1) .. value
end

-- A header block of at most 127 bytes a value; `more` are names and values.
function _M.block(method, path, more)
    local out = field(":method", method) .. field(":scheme", "http")
                .. field(":path", path) .. field(":authority", "localhost")

    for i = 1, #(more or {}), 2 do
        out = out .. field(more[i], more[i + 1])
    end
    return out
end

-- `count` requests without a body, the first of them on stream `id`.
function _M.gets(path, count, id)
    local out, block = {}, _M.block("GET", path)

    for i = 0, count - 1 do
        out[i + 1] = _M.frame("HEADERS", 5, (id or 1) + 2 * i, block)
    end
    return table.concat(out)
end

-- A connection to the server that this runs in, after `first` was sent.
function _M.open(first)
    local sock = ngx.socket.tcp()

    sock:settimeout(10000)
    assert(sock:connect("127.0.0.1", ngx.var.server_port))
    assert(sock:send(first))
    return sock
end

-- Sends `text` again and again until the server has had enough, or `most`
-- bytes: how many went.
function _M.flood(sock, text, most)
    local chunk = text:rep(math.ceil(16384 / #text))
    local sent = 0

    while sent < most and sock:send(chunk) do
        sent = sent + #chunk
    end
    return sent
end

-- Waits until the server has so many clients' connections and requests, which
-- the block's own are part of, but no more than half a minute: how many it has.
function _M.await(connections, requests)
    local want, have = connections .. " " .. requests

    for i = 1, 600 do
        have = ngx.var.connections_active .. " " .. ngx.var.connections_writing
        if have == want then break end
        ngx.sleep(0.05)
    end
    return have
end

-- What the server says, as lines: until one matches `want`, or the end, or
-- for half a minute; without `want`, what comes within a moment.
function _M.receive(sock, want)
    local raw, shown = "", ""
    local data, _, rest

    sock:settimeout(want and 30000 or 50)
    repeat
        data, _, rest = sock:receiveany(65536)
        raw = raw .. (data or rest or "")
        shown = _M.show(raw)
    until not data or want and shown:find(want)
    return shown
end

return _M

-- h2_tunnel.lua -- a client of HTTP/2 that asks for tunnels: WebSockets by
-- extended CONNECT, and CONNECT itself.
--
--     local client = require("h2_tunnel").connect(port)
--     local id = client:ask("/chat")
--     ngx.say(client:status(id))
--     client:send(id, "bytes")
--     ngx.say(client:receive(id, 5), " ", client:over(id))
--
-- SPDX-License-Identifier: BSD-2-Clause

local frames = require "lunette.spec.frames"

local band, byte, concat = bit.band, string.byte, table.concat

local M = {}
local mt = { __index = M }

local DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
local END_STREAM = 1
-- Of the static table of HPACK.
local STATUS = { [0x88] = 200, [0x89] = 204, [0x8b] = 304, [0x8c] = 400,
                 [0x8d] = 404, [0x8e] = 500 }

local function number(text, from, to)
    local n = 0
    for i = from, to do
        n = n * 256 + byte(text, i)
    end
    return n
end

local function u32(n)
    return string.char(math.floor(n / 16777216) % 256,
                       math.floor(n / 65536) % 256, math.floor(n / 256) % 256,
                       n % 256)
end

local function field(name, value)
    return "\0" .. string.char(#name) .. name .. string.char(#value) .. value
end

-- `settings`: what the client says of itself. With `narrow` it opens no
-- window for what it has received.
function M.connect(port, settings, narrow)
    local sock = ngx.socket.tcp()

    sock:settimeout(20000)
    assert(sock:connect("127.0.0.1", port or ngx.var.server_port))
    assert(sock:send(frames.hello(settings or { [1] = 0 })))
    return setmetatable({ sock = sock, next_id = 1, streams = {}, said = {},
                          narrow = narrow }, mt)
end

-- HEADERS of these fields, { name, value, ... }: the stream's number.
function M:open(fields, flags)
    local id, out = self.next_id, {}

    for i = 1, #fields, 2 do
        out[#out + 1] = field(fields[i], fields[i + 1])
    end
    self.next_id = id + 2
    self.streams[id] = { bytes = "", window = 65536 }
    assert(self.sock:send(frames.frame("HEADERS", flags or 4, id,
                                       concat(out))))
    return id
end

-- A WebSocket there.
function M:ask(path, more, flags)
    local fields = { ":method", "CONNECT", ":protocol", "websocket",
                     ":scheme", "http", ":path", path,
                     ":authority", "localhost",
                     "sec-websocket-version", "13" }

    for i = 1, #(more or {}) do
        fields[#fields + 1] = more[i]
    end
    return self:open(fields, flags)
end

-- Three digits in Huffman's code: 0, 1 and 2 have five bits, the others six.
local function unpacked(block, at)
    local bits, digits = number(block, at, at + 2), 0
    local left = 24

    for _ = 1, 3 do
        local size = math.floor(bits / 2 ^ (left - 5)) % 32 < 3 and 5 or 6
        local code = math.floor(bits / 2 ^ (left - size)) % 2 ^ size
        digits = digits * 10 + (size == 5 and code or code - 22)
        left = left - size
    end
    return digits
end

local function status_of(block)
    local at = 1

    while band(byte(block, at), 0xe0) == 0x20 do   -- the table's size
        at = at + 1
    end
    local first = byte(block, at)
    if STATUS[first] then
        return STATUS[first]
    end
    local size = byte(block, at + 1)
    return size < 128 and tonumber(block:sub(at + 2, at + 1 + size))
           or unpacked(block, at + 2)
end

local function take_data(self, s, id, payload)
    s.bytes = s.bytes .. payload
    if #payload ~= 0 and not self.narrow then
        self.sock:send(frames.frame("WINDOW_UPDATE", 0, 0, u32(#payload))
                       .. frames.frame("WINDOW_UPDATE", 0, id, u32(#payload)))
    end
end

-- Reads a frame; false: the connection has ended.
function M:turn()
    local head = self.sock:receive(9)
    if not head then
        self.closed = true
        return false
    end

    local size, kind, flags = number(head, 1, 3), byte(head, 4), byte(head, 5)
    local id = number(head, 6, 9) % 0x80000000
    local payload = size ~= 0 and self.sock:receive(size) or ""
    local s = self.streams[id]

    if kind == SETTINGS and flags == 0 then
        for i = 1, size, 6 do
            self.said[number(payload, i, i + 1)] =
                number(payload, i + 2, i + 5)
        end
    elseif kind == GOAWAY then
        self.goaway = number(payload, 5, 8)
    elseif kind == WINDOW and s then
        s.window = s.window + number(payload, 1, 4)
    elseif kind == HEADERS and s then
        s.status = s.status or status_of(payload)
    elseif kind == DATA and s then
        take_data(self, s, id, payload)
    elseif kind == RST and s then
        s.reset = number(payload, 1, 4)
    end
    if (kind == HEADERS or kind == DATA) and s
       and band(flags, END_STREAM) ~= 0
    then
        s.ended = true
    end
    return true
end

-- Reads until `done` says so, or the end: what it says.
local function wait(self, done)
    local result = done()
    while not result and self:turn() do
        result = done()
    end
    return result
end

function M:status(id)
    local s = self.streams[id]
    return wait(self, function() return s.status or s.reset and "reset" end)
end

-- DATA, as far as the server's window goes; flags: 1 ends the stream.
function M:send(id, data, flags)
    local s, at = self.streams[id], 1

    repeat
        local n = math.min(#data - at + 1, 16384)
        if wait(self, function() return s.window >= n or s.reset end)
           == nil or s.reset
        then
            return nil, "closed"
        end
        local last = at + n > #data
        assert(self.sock:send(frames.frame("DATA", last and flags or 0, id,
                                           data:sub(at, at + n - 1))))
        s.window = s.window - n
        at = at + n
    until at > #data
    return true
end

-- So many bytes of it, or what there is until it ends.
function M:receive(id, n)
    local s = self.streams[id]

    wait(self, function() return #s.bytes >= n or s.ended or s.reset end)
    local bytes = s.bytes:sub(1, n)
    s.bytes = s.bytes:sub(n + 1)
    return bytes
end

-- How it ends: "end", "reset CODE"; "closed" with the connection.
function M:over(id)
    local s = self.streams[id]

    return wait(self, function()
        return s.reset and "reset " .. s.reset or s.ended and "end"
    end) or "closed"
end

function M:reset(id, code)
    assert(self.sock:send(frames.frame("RST_STREAM", 0, id, u32(code or 8))))
end

return M

-- lunette/spec/client.lua -- sends a request and reads all that comes
--
-- One connection per request, read to its end, as Test::Nginx does it: a
-- server that forgets to close shows up as a time-out. The time-out is of
-- silence, not of the whole exchange.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local min = math.min

-- How long the mock may wait for its turn.
local SLICE = 2
-- A server that was just started may need a moment to answer.
local CONNECT_LIMIT = 5000

local _M = {}

-- Waits, and lets the mock work meanwhile.
function _M.pause(msec, mock)
    local deadline = io.now() + msec

    while mock do
        mock:step()
        if io.now() >= deadline then
            return
        end
        io.sleep(SLICE)
    end
    io.sleep(msec)
end

local function connect(address)
    local deadline = io.now() + CONNECT_LIMIT
    local pause = 1

    while true do
        local sock, err = io.connect(address, CONNECT_LIMIT)
        if sock then
            return sock
        end
        if io.now() > deadline then
            return nil, "connect to " .. address .. ": " .. err
        end
        io.sleep(pause)
        pause = min(pause * 2, 50)
    end
end

local function send_packets(sock, packets, options)
    for i, packet in ipairs(packets) do
        local delay = packet.delay or (i > 1 and options.middle_delay)
        if delay and delay > 0 then
            _M.pause(delay, options.mock)
        end
        local ok, err = sock:send(packet.text, options.timeout)
        if not ok then
            return nil, err
        end
    end
    return true
end

-- Everything up to the end of the stream, and why it stopped if not there.
local function receive_all(sock, options)
    local parts, last, mock = {}, io.now(), options.mock

    while true do
        if mock then
            mock:step()
        end
        local left = last + options.timeout - io.now()
        local data, err = sock:receive(mock and min(SLICE, left)
                                       or math.max(left, 0))
        if data == "" then
            return table.concat(parts)
        elseif data then
            parts[#parts + 1] = data
            last = io.now()
        elseif err ~= "timed out" then
            return table.concat(parts), err
        elseif io.now() >= last + options.timeout then
            return table.concat(parts), "timed out"
        end
    end
end

-- The bytes of the answer, and an error when the exchange did not end with
-- the stream: "timed out", or the system's words. `options`: address,
-- timeout, middle_delay (ms), shutdown, mock.
function _M.exchange(request, options)
    local sock, err = connect(options.address)
    local ok, raw, sent

    if not sock then
        return "", err
    end
    ok, sent = send_packets(sock, request.packets, options)
    if ok and options.shutdown then
        sock:shutdown()
    end
    raw, err = receive_all(sock, options)
    sock:close()
    if raw == "" and not ok then
        err = sent
    end
    return raw, err
end

return _M

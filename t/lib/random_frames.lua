-- random_frames.lua -- frames of WebSocket as a hostile other end would send
-- them, and what they mean, read from the bytes by the words of RFC 6455 and
-- by nothing that the server has.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"

local band, bxor = bit.band, bit.bxor
local byte, char, rep, sub = string.byte, string.char, string.rep, string.sub

local _M = {}

local NAMES = { [0] = "continuation", "text", "binary", [8] = "close",
                [9] = "ping", [10] = "pong" }
local LENGTHS = { 0, 0, 1, 2, 2, 3, 124, 125, 125, 126, 127, 300, 4092, 4095,
                  4096, 4097, 8191, 65535, 65536, 70000 }

-- A function that gives 0 to n - 1, the same ones for the same seed.
function _M.generator(seed)
    local state = seed * 7919 + 1
    return function (n)
        state = (state * 1103515245 + 12345) % 2147483648
        return math.floor(state / 65536) % n
    end
end

local function length_bytes(len, random, masked)
    local flag = masked and 128 or 0
    local form = random(16)                -- of 16 one is longer than needed
    if len < 126 and form ~= 0 then
        return char(flag + len)
    end
    if len < 65536 and form ~= 1 then
        return char(flag + 126, math.floor(len / 256), len % 256)
    end
    return char(flag + 127, random(40) == 0 and 128 or 0, 0, 0,
                random(40) == 0 and 1 or 0, 0, math.floor(len / 65536) % 256,
                math.floor(len / 256) % 256, len % 256)
end

local function one_frame(random, masked)
    local opcodes = { 0, 1, 1, 2, 2, 8, 9, 10 }
    local opcode = random(24) == 0 and random(16)
                   or opcodes[random(#opcodes) + 1]
    local reserved = random(24) == 0 and random(8) * 16 or 0
    local fin = (opcode < 8 and random(3) == 0 or random(40) == 0) and 0 or 128
    local len = LENGTHS[random(opcode >= 8 and random(12) > 0 and 9
                               or #LENGTHS) + 1]
    local key = masked and char(random(256), random(256), random(256),
                                random(256)) or ""
    local unit = char(random(256), random(256), random(256))
    return char(fin + reserved + opcode) .. length_bytes(len, random, masked)
           .. key .. sub(rep(unit, math.ceil(len / 3)), 1, len)
end

-- What that other end says; cut off at times, or with a byte changed.
function _M.bytes(seed)
    local random = _M.generator(seed)
    local all, usual = {}, random(2) == 0
    for i = 1, 1 + random(6) do
        local masked = usual
        if random(24) == 0 then masked = not usual end
        all[i] = one_frame(random, masked)
    end
    local text = table.concat(all)
    if random(4) == 0 then
        text = sub(text, 1, random(#text + 1))
    end
    if #text > 0 and random(8) == 0 then
        local at = random(#text < 20 and #text or 20) + 1
        text = sub(text, 1, at - 1) .. char(random(256)) .. sub(text, at + 1)
    end
    return text, random
end

local function unmask(key, data)
    local out = {}
    for i = 1, #data do
        out[i] = char(bxor(byte(data, i), byte(key, (i - 1) % 4 + 1)))
    end
    return table.concat(out)
end

-- What the frame at that place is: payload, name, third result, the place of
-- the next one; or nil and what is wrong with it.
function _M.read(text, at, most, force_masking)
    local function missing(n)
        return at + n - 1 > #text
    end
    if missing(2) then
        return nil, "failed to receive the first 2 bytes"
    end
    local first, second = byte(text, at, at + 1)
    local opcode, len = band(first, 15), band(second, 127)
    if band(first, 112) ~= 0 then
        return nil, "bad RSV1, RSV2, or RSV3 bits"
    end
    if not NAMES[opcode] then
        return nil, opcode < 8 and "reserved non-control frames"
                    or "reserved control frames"
    end
    local masked = second >= 128
    if force_masking and not masked then
        return nil, "frame unmasked"
    end
    at = at + 2
    if len >= 126 then
        local count = len == 126 and 2 or 8
        if missing(count) then
            return nil, "failed to receive the " .. count
                        .. " byte payload length"
        end
        len = 0
        for i = at, at + count - 1 do
            len = len * 256 + byte(text, i)
        end
        at = at + count
        if len > 0x7fffffff then
            return nil, "payload len too large"
        end
    end
    if opcode >= 8 and len > 125 then
        return nil, "too long payload for control frame"
    end
    if opcode >= 8 and first < 128 then
        return nil, "fragmented control frame"
    end
    if len > most then
        return nil, "exceeding max payload len"
    end
    if opcode == 8 and len == 1 then
        return nil, "close frame with a body must carry a 2-byte status code"
    end
    if missing((masked and 4 or 0) + len) then
        return nil, "failed to read masking-len and payload"
    end
    local data
    if masked then
        data = unmask(sub(text, at, at + 3), sub(text, at + 4, at + 3 + len))
        at = at + 4 + len
    else
        data = sub(text, at, at + len - 1)
        at = at + len
    end
    if opcode ~= 8 then
        return data, NAMES[opcode], first < 128 and "again" or nil, at
    end
    if len == 0 then
        return "", "close", nil, at
    end
    return sub(data, 3), "close", byte(data, 1) * 256 + byte(data, 2), at
end

-- The other end, in pieces.
function _M.say(sock, seed)
    local text, random = _M.bytes(seed)
    local at = 1
    while at <= #text do
        local size = 1 + random(random(3) == 0 and 3 or 9000)
        sock:send(sub(text, at, at + size - 1))
        at = at + size
        if random(4) == 0 then
            ngx.sleep(0)
        end
    end
end

-- Reads that seed's frames from the socket and compares; what differs, or nil.
function _M.differs(sock, seed, recv_frame)
    local text, random = _M.bytes(seed)
    local masked, at = random(3) == 0, 1
    local most = ({ 65535, 65535, 100, 4096, 70000 })[random(5) + 1]
    while true do
        local data, what, more, after = _M.read(text, at, most, masked)
        local ok, got, name, err = pcall(recv_frame, sock, most, masked)
        if not ok then
            return seed .. ": throws " .. tostring(got)
        end
        if data == nil then
            if got ~= nil or sub(tostring(err), 1, #what) ~= what then
                return seed .. ": " .. what .. " is " .. tostring(name) .. " "
                       .. tostring(err)
            end
            return nil
        end
        if got ~= data or name ~= what or err ~= more then
            return seed .. ": " .. what .. " of " .. #data .. " at " .. at
                   .. " is " .. tostring(name) .. " of "
                   .. tostring(got and #got) .. " " .. tostring(err)
        end
        at = after
    end
end

return _M

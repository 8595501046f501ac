-- mysql_packet.lua -- packets of MySQL's protocol, and what is in them.
--
-- A packet is its length in three bytes, its number in one, and the payload;
-- one of the greatest length goes on in the next. Numbers have their lowest
-- byte first. Whatever is not whole is nil.
--
-- SPDX-License-Identifier: BSD-2-Clause

local byte, char, find, sub =
    string.byte, string.char, string.find, string.sub
local concat, unpack = table.concat, unpack
local floor = math.floor
local null = ngx.null

local _M = {}

-- Not C's: the protocol's. A text's first byte is its length, or one of these.
local NULL, LENGTH_2, LENGTH_3, LENGTH_8 = 0xfb, 0xfc, 0xfd, 0xfe
local MAX_PAYLOAD = 0xffffff

-- --- writing ---

function _M.put_int(n, size)
    local bytes = {}
    for i = 1, size do
        bytes[i] = n % 0x100
        n = floor(n / 0x100)
    end
    return char(unpack(bytes))
end
local put_int = _M.put_int

-- With its length, which is below 251.
function _M.put_text(s)
    return char(#s) .. s
end

-- The number of the last packet, and the bytes sent or nil and why.
function _M.send(sock, number, payload)
    local parts = {}
    repeat
        local piece = #payload < MAX_PAYLOAD and payload
                      or sub(payload, 1, MAX_PAYLOAD)
        number = (number + 1) % 0x100
        parts[#parts + 1] = put_int(#piece, 3)
        parts[#parts + 1] = char(number)
        parts[#parts + 1] = piece
        payload = sub(payload, #piece + 1)
    until #piece < MAX_PAYLOAD
    return number, sock:send(concat(parts))
end

-- --- reading ---

-- The number that `size` bytes make, and where the next thing begins.
function _M.get_int(data, at, size)
    local n = 0
    for i = at + size - 1, at, -1 do
        n = n * 0x100 + (byte(data, i) or 0)
    end
    return n, at + size
end
local get_int = _M.get_int

local sizes = { [LENGTH_2] = 2, [LENGTH_3] = 3, [LENGTH_8] = 8 }

-- A number that says itself how long it is; null: there is none.  Behind what
-- was not whole (`at` is nil) nothing is.
function _M.get_lenenc(data, at)
    local first = at and byte(data, at)
    if not first then
        return nil
    end
    if first < NULL then
        return first, at + 1
    end
    if first == NULL then
        return null, at + 1
    end
    local size = sizes[first]
    if not size or at + size > #data then
        return nil
    end
    return get_int(data, at + 1, size)
end
local get_lenenc = _M.get_lenenc

-- A text behind its length; null: there is none.
function _M.get_text(data, at)
    local len
    len, at = get_lenenc(data, at)
    if not len or len == null then
        return len, at
    end
    if len > #data - at + 1 then
        return nil
    end
    return sub(data, at, at + len - 1), at + len
end

function _M.get_to_nul(data, at)
    local nul = find(data, "\0", at, true)
    if not nul then
        return nil
    end
    return sub(data, at, nul - 1), nul + 1
end

-- A payload and its last packet's number; nil and why.
function _M.receive(sock, max, number)
    local parts, size = {}, 0
    repeat
        local head, err = sock:receive(4)
        if not head then
            return nil, "failed to receive packet header: " .. (err or "")
        end
        local len = get_int(head, 1, 3)
        size = size + len
        if size == 0 then
            return nil, "empty packet"
        end
        if size > max then
            return nil, "packet size too big: " .. size
        end
        if byte(head, 4) ~= (number + 1) % 0x100 then
            return nil, "packets out of order"
        end
        number = byte(head, 4)
        local piece = ""
        if len > 0 then
            piece, err = sock:receive(len)
        end
        if not piece then
            return nil, "failed to read packet content: " .. (err or "")
        end
        parts[#parts + 1] = piece
    until len < MAX_PAYLOAD
    return parts[2] and concat(parts) or parts[1], number
end

return _M

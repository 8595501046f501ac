-- protocol.lua -- frames of WebSocket (RFC 6455), for client and server.
--
-- C side: ffi_lib.c, masks and frames. What sends or receives yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local ffi = require "ffi"
local base = require "lunette.base"
local native = require "lunette.native"
local random = require "resty.random"

local C = ffi.C
local ffi_string = ffi.string
local band, bor, rshift = bit.band, bit.bor, bit.rshift
local byte, char, sub = string.byte, string.char, string.sub
local concat = table.concat
local tostring, type = tostring, type
local get_string_buf = base.get_string_buf
local sock_receive, sock_send = native.sock_receive, native.sock_send
local sock_receive_frame, sock_send_frame = native.sock_receive_frame,
                                            native.sock_send_frame

base.cdef [[
void lun_ffi_mask(unsigned char *out, const char *data, size_t len,
    const char *key);
void lun_ffi_unmask(unsigned char *out, const char *data, size_t len);
size_t lun_ffi_frame(unsigned char *out, int first, const char *data,
    size_t len);
]]

local _M = { _VERSION = "0.13", new_tab = base.new_tab }

-- Not C's: RFC 6455, section 5.2.
local FIN, RESERVED, RSV1, OPCODE = 0x80, 0x70, 0x40, 0x0f
local MASKED, LENGTH = 0x80, 0x7f
local LENGTH_16, LENGTH_64 = 126, 127      -- what follows is the length
local SHORT = 4096                         -- payloads that C takes
local MAX_CONTROL = 125                    -- of a control frame's payload
local MAX_PAYLOAD = 0x7fffffff
local HEAD_MOST = 10                       -- bytes before a payload
local CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
local types = {
    [CONTINUATION] = "continuation",
    [TEXT] = "text",
    [BINARY] = "binary",
    [CLOSE] = "close",
    [PING] = "ping",
    [PONG] = "pong",
}

local function mask(data, len, key)
    local out = get_string_buf(len)
    C.lun_ffi_mask(out, data, len, key)
    return ffi_string(out, len)
end

-- The payload behind its key.
local function unmask(data, len)
    local out = get_string_buf(len)
    C.lun_ffi_unmask(out, data, len)
    return ffi_string(out, len)
end

-- --- receiving ---

-- The number that `count` bytes make, or nil and why.
local function receive_length(sock, count)
    local data, err = sock:receive(count)
    if not data then
        return nil, "failed to receive the " .. count
                    .. " byte payload length: " .. (err or "unknown")
    end
    if count == 2 then
        local high, low = byte(data, 1, 2)
        return high * 0x100 + low
    end
    if sub(data, 1, 4) ~= "\0\0\0\0" or byte(data, 5) > 0x7f then
        return nil, "payload len too large"
    end
    local a, b, c, d = byte(data, 5, 8)
    return ((a * 0x100 + b) * 0x100 + c) * 0x100 + d
end

-- The opcode, or nil and why. RSV1 is for the first frame of a message, where
-- both sides have agreed on what it means.
local function check_first(first, second, force_masking, has_rsv1)
    local opcode = band(first, OPCODE)
    local reserved = band(first, RESERVED)
    if reserved ~= 0 and not (has_rsv1 and reserved == RSV1
                              and (opcode == TEXT or opcode == BINARY))
    then
        return nil, "bad RSV1, RSV2, or RSV3 bits"
    end
    if not types[opcode] then
        return nil, opcode < CLOSE and "reserved non-control frames"
                    or "reserved control frames"
    end
    if force_masking and band(second, MASKED) == 0 then
        return nil, "frame unmasked"
    end
    return opcode
end

local function check_length(len, opcode, fin, max_payload_len)
    if opcode >= CLOSE then
        if len > MAX_CONTROL then
            return "too long payload for control frame"
        end
        if not fin then
            return "fragmented control frame"
        end
    end
    if len > max_payload_len then
        return "exceeding max payload len"
    end
end

local function receive_payload(sock, len, masked)
    local size = len + (masked and 4 or 0)
    if size == 0 then
        return ""
    end
    local data, err = sock:receive(size)
    if not data then
        return nil, "failed to read masking-len and payload: "
                    .. (err or "unknown")
    end
    if masked then
        return unmask(data, len)
    end
    return data
end

-- What has come, when no more does: `part`, or nil of it.
local function fail_receive(err, part)
    err = err or "unknown"
    local len = part and #part or 0
    if len < 2 then
        err = "failed to receive the first 2 bytes: " .. err
        if len > 0 then
            return nil, nil, err, part
        end
        return nil, nil, err
    end
    if len < 4 and band(byte(part, 2), LENGTH) == LENGTH_16 then
        return nil, nil, "failed to receive the 2 byte payload length: " .. err
    end
    return nil, nil, "failed to read masking-len and payload: " .. err
end

-- Of a frame of which these two bytes have been read: as recv_frame().
local function read_on(sock, start, max_payload_len, force_masking, has_rsv1)
    local first, second = byte(start, 1, 2)
    local opcode, err = check_first(first, second, force_masking, has_rsv1)
    if not opcode then
        return nil, nil, err
    end

    local len = band(second, LENGTH)
    if len >= LENGTH_16 then
        len, err = receive_length(sock, len == LENGTH_16 and 2 or 8)
        if not len then
            return nil, nil, err
        end
    end
    local fin = band(first, FIN) ~= 0
    err = check_length(len, opcode, fin, max_payload_len)
    if err then
        return nil, nil, err
    end
    if opcode == CLOSE and len == 1 then
        return nil, nil,
               "close frame with a body must carry a 2-byte status code"
    end

    local data
    data, err = receive_payload(sock, len, band(second, MASKED) ~= 0)
    if not data then
        return nil, nil, err
    end
    if opcode == CLOSE then
        if len == 0 then
            return "", "close", nil
        end
        local high, low = byte(data, 1, 2)
        return sub(data, 3), "close", high * 0x100 + low
    end
    return data, types[opcode], not fin and "again" or nil, nil,
           band(first, RSV1) ~= 0
end

-- Its payload, the name of its type, and "again" if more of the message
-- follows; of a close frame the text, "close" and the status, if there is one.
-- After a failure nil, nil and why; and the first byte, if no more has come.
-- `has_rsv1`: the frame may have that bit; whether it has is the fifth result.
function _M.recv_frame(sock, max_payload_len, force_masking, has_rsv1)
    if sock.receive ~= sock_receive then
        local start, err, part = sock:receive(2)
        if not start then
            return fail_receive(err, part)
        end
        return read_on(sock, start, max_payload_len, force_masking, has_rsv1)
    end

    -- A short one of text or data comes whole, of others two bytes.
    local most = max_payload_len < SHORT and max_payload_len or SHORT
    local data, opcode, part = sock_receive_frame(sock, most, force_masking)
    if not data then
        return fail_receive(opcode, part)
    end
    if opcode then
        return data, types[opcode]
    end
    return read_on(sock, data, max_payload_len, force_masking, has_rsv1)
end

-- --- sending ---

local function put_length(len, masked)
    local flag = masked and MASKED or 0
    if len < LENGTH_16 then
        return char(bor(len, flag))
    end
    if len <= 0xffff then
        return char(bor(LENGTH_16, flag), rshift(len, 8), band(len, 0xff))
    end
    return char(bor(LENGTH_64, flag), 0, 0, 0, 0, rshift(len, 24),
                band(rshift(len, 16), 0xff), band(rshift(len, 8), 0xff),
                band(len, 0xff))
end

-- The bytes of one frame. A key for the mask nobody can guess: what a client
-- sends must not be chosen by those who made the payload.
local function build_frame(fin, opcode, payload_len, payload, masking)
    if payload_len > MAX_PAYLOAD then
        return nil, "payload too big"
    end
    local bits = fin and bor(FIN, opcode) or opcode
    if not masking and payload_len == #payload then
        local out = get_string_buf(payload_len + HEAD_MOST)
        return ffi_string(out, C.lun_ffi_frame(out, bits, payload,
                                               payload_len))
    end
    local first = char(bits)
    if not masking then
        return concat { first, put_length(payload_len, false), payload }
    end
    local key = random.bytes(4)
    if not key then
        return nil, "no random bytes"
    end
    return concat { first, put_length(payload_len, true), key,
                    mask(payload, payload_len, key) }
end
_M.build_frame = build_frame

-- The number of bytes sent, or nil and why.
local function send_frame(sock, fin, opcode, payload, max_payload_len, masking)
    if not payload then
        payload = ""
    elseif type(payload) ~= "string" then
        payload = tostring(payload)
    end
    local len = #payload
    if len > max_payload_len then
        return nil, "payload too big"
    end
    if band(opcode, CLOSE) ~= 0 then
        if len > MAX_CONTROL then
            return nil, "too much payload for control frame"
        end
        if not fin then
            return nil, "fragmented control frame"
        end
    end

    local bytes, err
    if not masking and len <= SHORT and sock.send == sock_send then
        bytes, err = sock_send_frame(sock, fin and bor(FIN, opcode) or opcode,
                                     payload)
    else
        local frame
        frame, err = build_frame(fin, opcode, len, payload, masking)
        if not frame then
            return nil, "failed to build frame: " .. err
        end
        bytes, err = sock:send(frame)
    end
    if not bytes then
        return nil, "failed to send frame: " .. err
    end
    return bytes
end
_M.send_frame = send_frame

return _M

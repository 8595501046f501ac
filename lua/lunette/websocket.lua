-- websocket.lua -- what resty.websocket.client and .server have in common.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local message_deflate = require "lunette.message_deflate"
local protocol = require "resty.websocket.protocol"

local band, rshift = bit.band, bit.rshift
local char = string.char
local tostring, type = tostring, type
local deflate, inflate = message_deflate.deflate, message_deflate.inflate
local recv_frame, send_frame = protocol.recv_frame, protocol.send_frame

local _M = {}

local CONTINUATION, TEXT, BINARY = 0x0, 0x1, 0x2
local CLOSE, PING, PONG = 0x8, 0x9, 0xa
local COMPRESSED = 0x40            -- RSV1, beside the opcode

-- What recv_frame() says when none has come in time: protocol.lua.
local NO_FRAME = "failed to receive the first 2 bytes: timeout"

-- What either's `options` say, with their defaults: the fields of an object
-- that frames are sent and received by.
function _M.new_options(options)
    local max = options.max_payload_len or 65535
    return {
        max_recv_len = options.max_recv_len or max,
        max_send_len = options.max_send_len or max,
    }
end

-- Adds the methods of both. `receives_masked` and `sends_masked` name the
-- fields that say whether frames are.
function _M.add_methods(class, receives_masked, sends_masked)
    function class.set_timeout(self, time)
        local sock = self.sock
        if not sock then
            return nil, "not initialized yet"
        end
        return sock:settimeout(time)
    end

    -- After a time-out between frames the connection goes on; anything else
    -- ends it: the rest of a frame would be taken for one.
    function class.recv_frame(self)
        if self.fatal then
            return nil, nil, "fatal error already happened"
        end
        local sock = self.sock
        if not sock then
            return nil, nil, "not initialized yet"
        end
        local agreed = self.deflate
        local data, typ, err, part, compressed =
            recv_frame(sock, self.max_recv_len, self[receives_masked],
                       agreed and not agreed.inflater)
        if not data and (part or err ~= NO_FRAME) then
            self.fatal = true
        end
        if compressed or agreed and agreed.inflater and typ == "continuation"
        then
            local more = err
            data, err = inflate(agreed, data, compressed, not more,
                                self.max_recv_len)
            if not data then
                self.fatal = true
                return nil, nil, err
            end
            err = more
        end
        return data, typ, err
    end

    local function send(self, fin, opcode, payload)
        if self.fatal then
            return nil, "fatal error already happened"
        end
        if self.closed then
            return nil, "already closed"
        end
        local sock = self.sock
        if not sock then
            return nil, "not initialized yet"
        end
        local agreed = self.deflate
        if agreed and agreed.window and fin
           and (opcode == TEXT or opcode == BINARY)
        then
            payload = payload and tostring(payload) or ""
            local short = #payload <= self.max_send_len
                          and deflate(agreed, payload)
            if short then
                payload, opcode = short, opcode + COMPRESSED
            end
        end
        local bytes, err = send_frame(sock, fin, opcode, payload,
                                      self.max_send_len, self[sends_masked])
        if not bytes then
            self.fatal = true
        end
        return bytes, err
    end
    class.send_frame = send

    function class.send_text(self, data)
        return send(self, true, TEXT, data)
    end

    function class.send_binary(self, data)
        return send(self, true, BINARY, data)
    end

    -- A part of a message that is neither its first nor its last.
    function class.send_continue(self, data)
        return send(self, false, CONTINUATION, data)
    end

    function class.send_close(self, code, msg)
        local payload
        if code then
            if type(code) ~= "number" or not (code >= 0 and code <= 0x7fff)
            then
                return nil, "bad status code"
            end
            payload = char(rshift(code, 8), band(code, 0xff)) .. (msg or "")
        end
        return send(self, true, CLOSE, payload)
    end

    function class.send_ping(self, data)
        return send(self, true, PING, data)
    end

    function class.send_pong(self, data)
        return send(self, true, PONG, data)
    end
end

return _M

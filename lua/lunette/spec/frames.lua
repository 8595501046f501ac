-- lunette/spec/frames.lua -- the frames of an HTTP/2 connection, as lines
--
-- `--- http2_frames` sends a block's raw_request and shows the answer so:
--
--     SETTINGS 0
--     RST_STREAM 1 PROTOCOL_ERROR
--     GOAWAY 0 last 1 NO_ERROR
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local TYPES = { [0] = "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS",
                "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
                "CONTINUATION" }
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

return _M

-- message_deflate.lua -- permessage-deflate of WebSocket (RFC 7692): what is
-- agreed on, and messages.
--
-- Neither side keeps its window from one message to the next, which either may
-- ask of both: an idle connection has no memory for it.
--
-- C side: ffi_deflate.c.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"

local C = ffi.C
local ffi_gc, ffi_string = ffi.gc, ffi.string
local find, lower, match = string.find, string.lower, string.match
local concat = table.concat
local tonumber, type = tonumber, type
local get_string_buf = base.get_string_buf
local to_int, INT_MAX = base.to_int, base.INT_MAX

base.cdef [[
typedef struct lun_inflater  lun_inflater;
lun_inflater *lun_ffi_inflater_new(void);
void lun_ffi_inflater_free(lun_inflater *in);
int lun_ffi_inflate(lun_inflater *in, const char *data, size_t len, int last,
    size_t most, lun_str *out);
size_t lun_ffi_deflate_room(size_t len);
ptrdiff_t lun_ffi_deflate(const char *data, size_t len, int window, char *out,
    size_t room);
]]

local _M = {}

local NAME = "permessage-deflate"

-- As in modules/lua/lib/ffi_deflate.c: INFLATE_...
local TOO_LONG = 1

-- Not C's: windows of RFC 7692; of 8 bits zlib makes none. What is shorter than
-- SHORTEST is not worth it.
local LEAST, MOST, WINDOW, SHORTEST = 8, 15, 13, 64

-- --- what is agreed on

local NONE, BITS, MAYBE_BITS = 0, 1, 2
local known = {
    server_no_context_takeover = NONE,
    client_no_context_takeover = NONE,
    server_max_window_bits = BITS,
    client_max_window_bits = MAYBE_BITS,
}

-- The value of a parameter (true: it has none); nil: it may not be so.
local function value_of(name, text)
    local kind = known[name]
    if kind == nil or kind == NONE and text or kind == BITS and not text then
        return nil
    end
    if not text then
        return true
    end
    local bits = match(text, '^"?([1-9]%d?)"?$')
    bits = bits and tonumber(bits)
    return bits and bits >= LEAST and bits <= MOST and bits or nil
end

-- The parameters of one element of Sec-WebSocket-Extensions; nil: it is not
-- this extension, or they are not its.
local function parse(element)
    local name, rest = match(element, "^%s*([^%s;]+)%s*(.*)$")
    if not name or lower(name) ~= NAME then
        return nil
    end
    local params = {}
    while rest ~= "" do
        local param, more = match(rest, "^;%s*([^;]-)%s*(;.*)$")
        if not param then
            param, more = match(rest, "^;%s*([^;]-)%s*$"), ""
        end
        local key, text = match(param or "", "^([^%s=]+)%s*=%s*(%S+)$")
        key = lower(key or param or "")
        if params[key] ~= nil then
            return nil
        end
        params[key] = value_of(key, text)
        if params[key] == nil then
            return nil
        end
        rest = more
    end
    return params
end

-- The server's answer to what a client offers, and the agreement; or nil. The
-- first offer that can be met is.
function _M.accept(offers)
    if type(offers) == "table" then
        offers = concat(offers, ",")
    end
    for element in (offers or ""):gmatch("[^,]+") do
        local params = parse(element)
        local bits = params and params.server_max_window_bits
        if params and bits ~= LEAST then
            return NAME .. "; server_no_context_takeover"
                   .. "; client_no_context_takeover"
                   .. (bits and "; server_max_window_bits=" .. bits or ""),
                   { window = bits and bits < WINDOW and bits or WINDOW }
        end
    end
end

_M.OFFER = "Sec-WebSocket-Extensions: " .. NAME
           .. "; server_no_context_takeover; client_no_context_takeover"

-- The agreement that a server's header names, false if it names none; or nil
-- and why it can't be.
function _M.agree(header)
    local value
    for line in header:gmatch("\n([^\r\n]*)") do
        local name, text = match(line, "^([^:%s]+):%s*(.-)%s*$")
        if name and lower(name) == "sec-websocket-extensions" then
            if value or find(text, ",", 1, true) then
                return nil, "more than one extension in the response"
            end
            value = text
        end
    end
    if not value then
        return false
    end
    local params = parse(value)
    if not params or params.client_max_window_bits
       or not params.server_no_context_takeover
    then
        return nil, "bad extension in the response: " .. value
    end
    return { window = WINDOW }
end

-- --- messages

-- The payload of a whole message, shorter than it was; or nil: as it is.
function _M.deflate(agreement, payload)
    local len = #payload
    if len < SHORTEST or len > INT_MAX / 2 then
        return nil
    end
    local room = tonumber(C.lun_ffi_deflate_room(len))
    local out = get_string_buf(room)
    local n = tonumber(C.lun_ffi_deflate(payload, len, agreement.window, out,
                                         room))
    return n >= 0 and ffi_string(out, n) or nil
end

local view = base.get_str_ptr()

local function forget(agreement)
    local inflater = agreement.inflater
    if inflater then
        agreement.inflater = nil
        C.lun_ffi_inflater_free(ffi_gc(inflater, nil))
    end
end

-- What a frame's payload was, `first` and `last` of its message, of at most
-- `most` bytes; nil and why.
function _M.inflate(agreement, payload, first, last, most)
    if first then
        forget(agreement)
        local made = C.lun_ffi_inflater_new()
        if made == nil then
            return nil, "no memory"
        end
        agreement.inflater = ffi_gc(made, C.lun_ffi_inflater_free)
    end
    local rc = C.lun_ffi_inflate(agreement.inflater, payload, #payload,
                                 last and 1 or 0,
                                 to_int(most, 0, INT_MAX), view)
    local data = rc == 0 and ffi_string(view[0].data, view[0].len)
    if last or not data then
        forget(agreement)
    end
    if not data then
        return nil, rc == TOO_LONG and "exceeding max payload len"
                    or "bad compressed payload"
    end
    return data
end

return _M

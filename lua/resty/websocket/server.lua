-- server.lua -- the server's side of a WebSocket, in a content handler.
--
-- new() answers the client's handshake and takes the connection over. All of
-- it yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local message_deflate = require "lunette.message_deflate"
local websocket = require "lunette.websocket"

local find, lower = string.find, string.lower
local setmetatable, tostring, type =
    setmetatable, tostring, type
local encode_base64, flush, req, send_headers, sha1_bin =
    ngx.encode_base64, ngx.flush, ngx.req, ngx.send_headers, ngx.sha1_bin
local ngx = ngx

local _M = { _VERSION = "0.13" }
local mt = { __index = _M }

-- RFC 6455, section 1.3: what is put behind a client's key.
local GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

-- The first field of that name.
local function field(headers, name)
    local value = headers[name]
    if type(value) == "table" then
        return value[1]
    end
    return value
end

local function refuse(name, value)
    return nil, 'bad "' .. name .. '" request header: ' .. tostring(value)
end

-- The key of the client's handshake, or nil and what is wrong with it.
local function check_request(headers)
    if (req.http_version() or 0) < 1.1 then     -- HTTP/1.3 has no number
        return nil, "bad http version"
    end
    local value = field(headers, "upgrade")
    if not value or lower(value) ~= "websocket" then
        return refuse("upgrade", value)
    end
    value = field(headers, "connection")
    if not value or not find(lower(value), "upgrade", 1, true) then
        return refuse("connection", value)
    end
    local key = field(headers, "sec-websocket-key")
    if not key then
        return refuse("sec-websocket-key", key)
    end
    value = field(headers, "sec-websocket-version")
    if value ~= "13" then
        return refuse("sec-websocket-version", value)
    end
    return key
end

local function answer(headers, key, extension)
    local wanted = field(headers, "sec-websocket-protocol")
    local out = ngx.header
    if wanted then
        out["Sec-WebSocket-Protocol"] = wanted
    end
    if extension then
        out["Sec-WebSocket-Extensions"] = extension
    end
    out["Sec-WebSocket-Accept"] = encode_base64(sha1_bin(key .. GUID))
    out["Upgrade"] = "websocket"
    out["Content-Type"] = nil
    ngx.status = 101

    local ok, err = send_headers()
    if not ok then
        return nil, "failed to send response header: " .. (err or "unknown")
    end
    ok, err = flush(true)
    if not ok then
        return nil, "failed to flush response header: " .. (err or "unknown")
    end
    return true
end

function _M.new(_, options)
    if ngx.headers_sent then
        return nil, "response header already sent"
    end
    req.read_body()

    local headers = req.get_headers()
    local key, err = check_request(headers)
    if not key then
        return nil, err
    end
    options = options or {}
    local extension, agreed
    if options.permessage_deflate then
        extension, agreed =
            message_deflate.accept(headers["sec-websocket-extensions"])
    end
    local ok
    ok, err = answer(headers, key, extension)
    if not ok then
        return nil, err
    end
    local sock
    sock, err = req.socket(true)
    if not sock then
        return nil, err
    end

    local self = websocket.new_options(options)
    self.sock = sock
    self.deflate = agreed
    self.send_masked = options.send_masked
    self.only_masked = true
    if options.timeout then
        sock:settimeout(options.timeout)
    end
    return setmetatable(self, mt)
end

websocket.add_methods(_M, "only_masked", "send_masked")

return _M

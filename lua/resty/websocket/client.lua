-- client.lua -- the client's side of a WebSocket, over a cosocket.
--
-- connect() makes the handshake, unless the connection comes from the pool
-- with one behind it. All of it yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local message_deflate = require "lunette.message_deflate"
local websocket = require "lunette.websocket"
local random = require "resty.random"

local concat, insert = table.concat, table.insert
local ipairs, setmetatable, tonumber, type =
    ipairs, setmetatable, tonumber, type
local encode_base64, re_find, re_match, tcp =
    ngx.encode_base64, ngx.re.find, ngx.re.match, ngx.socket.tcp

local _M = { _VERSION = "0.13" }
local mt = { __index = _M }

-- Scheme, host, port, path and query.
local URI = [=[^(wss?)://(\[[^\]]+\]|[^:/?\[]+)(?::(\d+))?([/?].*)?$]=]

-- Scheme, socket, and path and query behind another colon.
local UNIX_URI = "^(wss?)://(unix:[^:]+)(?::([/?].*)?)?$"

local MAX_HEADER = 1048576         -- of the answer to the handshake

function _M.new(_, options)
    local sock, err = tcp()
    if not sock then
        return nil, err
    end
    options = options or {}
    local self = websocket.new_options(options)
    self.sock = sock
    self.send_masked = not options.send_unmasked
    self.permessage_deflate = options.permessage_deflate
    if options.timeout then
        sock:settimeout(options.timeout)
    end
    return setmetatable(self, mt)
end

-- Scheme, host, port and path of a URI; nil and why it is none.
local function split_uri(uri)
    local unix = re_match(uri, UNIX_URI, "jos")
    local m, err = unix, nil
    if not m then
        m, err = re_match(uri, URI, "jos")
    end
    if not m then
        return nil, err and "failed to match the uri: " .. err
                    or "bad websocket uri"
    end
    local path = m[unix and 3 or 4] or "/"
    return {
        tls = m[1] == "wss",
        unix = unix and m[2],
        host = unix and "localhost" or m[2],
        port = not unix and m[3] and tonumber(m[3]) or nil,
        path = path:sub(1, 1) == "?" and "/" .. path or path,
    }
end

-- Connections that may have agreed on compression have a pool of their own.
local function pool_of(at, opts, compresses)
    if not compresses then
        return opts.pool
    end
    return (opts.pool or at.unix or at.host .. ":" .. (at.port or ""))
           .. " permessage-deflate"
end

local function connect(sock, at, opts, compresses)
    local pool = {
        pool = pool_of(at, opts, compresses),
        pool_size = opts.pool_size,
        backlog = opts.backlog,
    }
    if at.unix then
        return sock:connect(at.unix, pool)
    end
    return sock:connect(at.host, at.port or (at.tls and 443 or 80), pool)
end

-- What of connect()'s options is wrong, or nothing.
local function check_options(opts)
    if opts.headers and type(opts.headers) ~= "table" then
        return "custom headers must be a table"
    end
    if opts.client_cert and not opts.client_priv_key then
        return "client certificate supplied without corresponding private key"
    end
end

local function handshake_tls(sock, at, opts)
    if opts.client_cert then
        local ok, err = sock:setclientcert(opts.client_cert,
                                           opts.client_priv_key)
        if not ok then
            return nil, "failed to set TLS client certificate: " .. err
        end
    end
    local ok, err = sock:sslhandshake(false, opts.server_name or at.host,
                                      opts.ssl_verify)
    if not ok then
        return nil, "ssl handshake failed: " .. err
    end
    return true
end

local function make_request(at, opts, compresses)
    local key = opts.key or encode_base64(random.bytes(16))
    local host = opts.host or at.host .. (at.port and ":" .. at.port or "")
    local lines = {
        "GET " .. at.path .. " HTTP/1.1",
        "Upgrade: websocket",
        "Host: " .. host,
        "Sec-WebSocket-Key: " .. key,
        "Sec-WebSocket-Version: 13",
        "Connection: Upgrade",
    }
    local protocols = opts.protocols
    if protocols then
        insert(lines, "Sec-WebSocket-Protocol: "
                      .. (type(protocols) == "table" and concat(protocols, ",")
                          or protocols))
    end
    if compresses then
        insert(lines, message_deflate.OFFER)
    end
    if opts.origin then
        insert(lines, "Origin: " .. opts.origin)
    end
    for _, line in ipairs(opts.headers or {}) do
        insert(lines, line)
    end
    return concat(lines, "\r\n") .. "\r\n\r\n"
end

local function handshake(self, at, opts)
    local sock, compresses = self.sock, self.permessage_deflate
    local ok, err = sock:send(make_request(at, opts, compresses))
    if not ok then
        return nil, "failed to send the handshake request: " .. err
    end
    local read_header
    read_header, err = sock:receiveuntil("\r\n\r\n")
    if not read_header then
        return nil, "failed to receive response header: " .. err
    end
    local header, cut
    header, err, cut = read_header(MAX_HEADER)
    if not header then
        return nil, "failed to receive response header: " .. err, cut
    end
    if #header >= MAX_HEADER then
        return nil, "failed to receive response header: too long"
    end
    if not re_find(header, [[^\s*HTTP/1\.1\s+]], "jo") then
        return nil, "bad HTTP response status line: " .. header
    end
    if compresses then
        self.deflate, err = message_deflate.agree(header)
        if err then
            return nil, err
        end
    end
    return 1, nil, header .. "\r\n\r\n"
end

-- 1, nil and the header of the answer ("connection reused" for one that came
-- from the pool), or nil and why.
function _M.connect(self, uri, opts)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    local at, err = split_uri(uri)
    if not at then
        return nil, err
    end
    opts = opts or {}
    err = check_options(opts)
    if err then
        return nil, err
    end

    local ok
    ok, err = connect(sock, at, opts, self.permessage_deflate)
    if not ok then
        return nil, "failed to connect: " .. err
    end
    self.fatal, self.closed, self.deflate = nil, nil, nil

    local reused
    reused, err = sock:getreusedtimes()
    if not reused then
        return nil, "failed to get reused times: " .. err
    end
    if reused > 0 then
        -- What was agreed on went with another object: messages may come
        -- compressed, and are sent as they are.
        self.deflate = self.permessage_deflate and {} or nil
        return 1, nil, "connection reused"
    end
    if at.tls then
        ok, err = handshake_tls(sock, at, opts)
        if not ok then
            return nil, err
        end
    end
    return handshake(self, at, opts)
end

websocket.add_methods(_M, "only_masked", "send_masked")

-- Into the pool, for another connect() to the same place.
function _M.set_keepalive(self, ...)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    if self.fatal then
        return nil, "fatal error already happened"
    end
    if self.closed then
        return nil, "already closed"
    end
    return sock:setkeepalive(...)
end

-- Says goodbye if nobody has, and closes.
function _M.close(self)
    if self.fatal then
        return nil, "fatal error already happened"
    end
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    if not self.closed then
        local bytes, err = self:send_close()
        if not bytes then
            return nil, "failed to send close frame: " .. err
        end
        self.closed = true
    end
    return sock:close()
end

return _M

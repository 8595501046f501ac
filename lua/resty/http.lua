-- http.lua -- a client of HTTP/1, over a cosocket.
--
-- What asks the server yields. A connection that may not be used again, or
-- whose answer was not read to its end, does not go back to the pool.
--
-- SPDX-License-Identifier: BSD-2-Clause

local body = require "lunette.http_body"
local connect = require "lunette.http_connect"
local message = require "lunette.http_message"
local sock_methods = require "lunette.sock_methods"

local lower, upper = string.lower, string.upper
local ipairs, next, pairs, pcall, rawget, rawset, setmetatable, tonumber,
    tostring, type = ipairs, next, pairs, pcall, rawget, rawset,
    setmetatable, tonumber, tostring, type
local ngx = ngx
local has_token = message.has_token
local re_match = ngx.re.match

local _M = { _VERSION = "0.17.2", _USER_AGENT = message.USER_AGENT }
local mt = { __index = _M }

local HOP_BY_HOP = {
    ["connection"] = true, ["keep-alive"] = true,
    ["proxy-authenticate"] = true, ["proxy-authorization"] = true,
    ["te"] = true, ["trailers"] = true, ["transfer-encoding"] = true,
    ["upgrade"] = true, ["content-length"] = true,
}

function _M.new(_)
    local sock, err = ngx.socket.tcp()
    if not sock then
        return nil, err
    end
    return setmetatable({ sock = sock, keepalive = true, unread = 0 }, mt)
end

-- --- the connection ---

sock_methods(_M, {
    set_timeout = "settimeout",
    set_timeouts = "settimeouts",
    get_reused_times = "getreusedtimes",
    close = "close",
})

-- A table of options, or the old way: host, port, options of the socket.
function _M.connect(self, options, ...)
    if type(options) == "table" then
        return connect.open(self, options)
    end
    return self:tcp_only_connect(options, ...)
end

function _M.tcp_only_connect(self, host, port, ...)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    self.host = host
    self.port = tonumber(port)
    self.keepalive, self.broken, self.ssl = true, false, false
    self.unread = 0
    self.http_proxy_auth, self.path_prefix = nil, nil
    if port == nil then
        return sock:connect(host)
    end
    return sock:connect(host, port, ...)
end

function _M.connect_proxy(self, proxy_uri, scheme, host, port, authorization)
    local proxy, err = self:parse_uri(proxy_uri)
    if not proxy then
        return nil, err
    end
    if proxy[1] ~= "http" then
        return nil, "protocol " .. tostring(proxy[1])
                    .. " not supported for proxy connections"
    end
    local ok
    ok, err = self:connect(proxy[2], proxy[3])
    if not ok then
        return nil, err
    end
    if scheme == "https" then
        local where = port and host .. ":" .. port or host
        local res
        res, err = self:request {
            method = "CONNECT",
            path = where,
            headers = { ["Host"] = where,
                        ["Proxy-Authorization"] = authorization },
        }
        if not res then
            return nil, err
        end
        if res.status < 200 or res.status > 299 then
            return nil, "failed to establish a tunnel through a proxy: "
                        .. res.status
        end
    end
    return ok
end

function _M.ssl_handshake(self, ...)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    self.ssl = true
    return sock:sslhandshake(...)
end

function _M.set_proxy_options(self, opts)
    self.proxy_opts = {}
    for name, value in pairs(opts) do
        self.proxy_opts[name] = value
    end
end

-- The proxy that a request would go through, or nil.
function _M.get_proxy_uri(self, scheme, host)
    return connect.proxy_uri(self.proxy_opts, scheme, host)
end

-- 1: it is in the pool; 2: it had to be closed.  What was asked for and not
-- read to its end would be the answer to somebody else.
function _M.set_keepalive(self, ...)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    if self.keepalive and not self.broken and self.unread == 0 then
        return sock:setkeepalive(...)
    end
    local ok, err = sock:close()
    if not ok then
        return nil, err
    end
    return 2, "connection must be closed"
end

local URI = [[^(?:(http[s]?):)?//((?:[^\[\]:/\?]+)|(?:\[.+\]))]]
            .. [[(?::(\d+))?([^\?]*)\??(.*)]]

-- {scheme, host, port, path, query}; `query_in_path` unless it is false.
function _M.parse_uri(_, uri, query_in_path)
    if query_in_path == nil then
        query_in_path = true
    end
    local m, err = re_match(uri, URI, "jo")
    if not m then
        if err then
            return nil, "failed to match the uri: " .. uri .. ", " .. err
        end
        return nil, "bad uri: " .. uri
    end

    local scheme, port, path, query = m[1], m[3], m[4], m[5]
    if not scheme then
        -- "//host/path": as the request that this one is made for.
        local ok, ours = pcall(function()
            return ngx.var.scheme
        end)
        scheme = ok and ours or "http"
    end
    port = port and tonumber(port) or (scheme == "https" and 443 or 80)
    if not path or path == "" then
        path = "/"
    end
    query = query or ""
    if query_in_path and query ~= "" then
        path = path .. "?" .. query
    end
    return { scheme, m[2], port, path, query }
end

_M.transfer_encoding_is_chunked = body.is_chunked

-- Headers that are sent are logged, at the level of debug.
local debugging = false

function _M.debug(on)
    debugging = on == true
end

-- --- requests ---

local defaults = { method = "GET", version = 1.1, path = "/" }

-- The caller's table stays as it is.
local function with_defaults(params)
    local own = {}
    for name, value in pairs(defaults) do
        own[name] = value
    end
    for name, value in pairs(params or {}) do
        own[name] = value
    end
    return own
end

-- Passes a result on. What failed may have broken off: the rest of an answer
-- would be the next one's, and the next request the rest of a body.
local function note(self, result, ...)
    if not result and (...) then
        self.broken = true
    end
    return result, ...
end

-- A reader of an answer's body, which is one less to be read at its end.
local function noting(self, reader, is_over)
    local counted = false
    local function count(...)
        if not counted and is_over() then
            counted = true
            self.unread = self.unread - 1
        end
        return ...
    end
    count()
    return function(max)
        return count(note(self, reader(max)))
    end
end

local function send_request(self, params)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    local headers, err = message.request_headers(self, params)
    if not headers then
        return nil, err
    end
    params.headers = headers
    local text
    text, err = message.request_text(self, params, headers)
    if not text then
        return nil, err
    end
    if debugging then
        ngx.log(ngx.DEBUG, "\n", text)
    end
    self.unread = self.unread + 1
    local ok
    ok, err = sock:send(text)
    if not ok then
        return note(self, nil, err)
    end
    -- Else the answer to the header says whether it is wanted.
    if headers["Expect"] ~= "100-continue" then
        return note(self, message.send_body(sock, params.body))
    end
    return true
end

-- The caller's headers are made whole, as the text that is sent has them.
function _M.send_request(self, params)
    local own = with_defaults(params)
    local ok, err, rest = send_request(self, own)
    params.headers, params.method = own.headers, own.method
    return ok, err, rest
end

local function read_body(res)
    local reader = res.body_reader
    if not reader then
        return nil, "no body to be read"
    end
    return body.read_all(reader)
end

-- Those that came with the last chunk; some servers send them behind it.
local function read_trailers(res)
    local trailers, err = res._trailers
    if not next(trailers) then
        if not res.headers["Trailer"] then
            return nil, "no trailers"
        end
        trailers, err = message.receive_headers(res._sock)
        if not trailers then
            res._sock:close()
            return nil, err
        end
    end
    for name, value in pairs(trailers) do
        res.headers[name] = value
    end
    return true
end

local function has_no_body(method, status)
    return method == "HEAD" or status == 204 or status == 304
           or status == 101 or method == "CONNECT" and status < 300
end

-- What reads its body, and tells whether that was read; nil and an error if
-- nobody can know where it ends.
local function find_body(self, res, method)
    local headers, sock = res.headers, self.sock
    res.has_body = not has_no_body(method, res.status)
    if not res.has_body then
        return body.none()
    end
    if res.version == 1.1 and body.is_chunked(headers) then
        return body.chunked(sock, nil, res._trailers)
    end
    local length, err = message.length_from(headers)
    if err then
        self.keepalive = false
        return nil, err
    end
    if not length then
        self.keepalive = false
    end
    return body.plain(sock, length)
end

function _M.read_response(self, params)
    local sock = self.sock
    if not sock then
        return nil, "not initialized"
    end
    local sent = params.headers or {}
    local go_on
    if sent["Expect"] == "100-continue" and params.body ~= nil then
        go_on = function()
            return message.send_body(sock, params.body)
        end
    end
    local res, err, unsent = message.receive_head(sock, go_on)
    if not res then
        return note(self, nil, err)
    end

    local connection = res.headers["Connection"]
    -- Behind a 101 another protocol is spoken; and a server that waits for a
    -- body, though it has answered, would take the next request for it.
    self.keepalive = res.status ~= 101 and not unsent
                     and not has_token(connection, "close")
                     and not has_token(sent["Connection"], "close")
                     and (res.version ~= 1
                          or has_token(connection, "keep-alive"))

    res._sock, res._trailers = sock, {}
    res.read_body, res.read_trailers = read_body, read_trailers
    local reader, is_over = find_body(self, res,
                                      upper(params.method or "GET"))
    if not reader then
        return nil, is_over
    end
    res.body_reader = noting(self, reader, is_over)
    return res
end

function _M.request(self, params)
    params = with_defaults(params)
    local ok, err = send_request(self, params)
    if not ok then
        return nil, err
    end
    return self:read_response(params)
end

-- An answer is read when one of its fields is asked for.
local function later(self, params)
    return setmetatable({ params = params, response_read = false }, {
        __index = function(t, name)
            if rawget(t, "response_read") then
                return nil
            end
            rawset(t, "response_read", true)
            local res, err = self:read_response(params)
            if not res then
                ngx.log(ngx.ERR, err)
                return nil
            end
            for field, value in pairs(res) do
                rawset(t, field, value)
            end
            return rawget(t, name)
        end,
    })
end

function _M.request_pipeline(self, requests)
    local responses = {}
    for i, params in ipairs(requests) do
        params = with_defaults(params)
        if params.headers and params.headers["Expect"] == "100-continue" then
            return nil, "Cannot pipeline request specifying Expect: "
                        .. "100-continue"
        end
        local ok, err = send_request(self, params)
        if not ok then
            return nil, err
        end
        responses[i] = later(self, params)
    end
    return responses
end

function _M.request_uri(self, uri, params)
    local given_path = params and params.path
    params = with_defaults(params)
    local parsed, err = self:parse_uri(uri, false)
    if not parsed then
        return nil, err
    end
    params.scheme, params.host, params.port =
        parsed[1], parsed[2], parsed[3]
    params.path = given_path or parsed[4]
    if params.query == nil then
        params.query = parsed[5]
    end
    local ok
    ok, err = self:connect(params)
    if not ok then
        return nil, err
    end
    local res
    res, err = self:request(params)
    if not res then
        self:close()
        return nil, err
    end
    local text
    text, err = res:read_body()
    if not text then
        self:close()
        return nil, err
    end
    res.body = text

    if params.keepalive == false then
        ok, err = self:close()
    else
        ok, err = self:set_keepalive(params.keepalive_timeout,
                                     params.keepalive_pool)
    end
    if not ok then
        ngx.log(ngx.ERR, err)
    end
    return res
end

-- --- the client's request, for another server ---

function _M.get_client_body_reader(_, chunksize, sock, headers)
    chunksize = chunksize or 65536
    if not sock then
        local ok, err
        ok, sock, err = pcall(ngx.req.socket)
        if not ok then
            return nil, sock
        end
        if not sock then
            if err == "no body" then
                return nil
            end
            return nil, err
        end
    end
    headers = headers or ngx.req.get_headers()
    local length = headers["Content-Length"]
    if length then
        return (body.plain(sock, tonumber(length), chunksize))
    end
    if body.is_chunked(headers) then
        return (body.chunked(sock, chunksize, {}))
    end
    return nil
end

function _M.proxy_request(self, chunksize)
    return self:request {
        method = ngx.req.get_method(),
        path = ngx.re.gsub(ngx.var.uri, "\\s", "%20", "jo")
               .. ngx.var.is_args .. (ngx.var.query_string or ""),
        body = self:get_client_body_reader(chunksize),
        headers = ngx.req.get_headers(),
    }
end

function _M.proxy_response(_, res, chunksize)
    if not res then
        ngx.log(ngx.ERR, "no response provided")
        return
    end
    ngx.status = res.status
    for name, value in pairs(res.headers) do
        if not HOP_BY_HOP[lower(name)] then
            ngx.header[name] = value
        end
    end
    while true do
        local part, err = res.body_reader(chunksize)
        if err then
            ngx.log(ngx.ERR, err)
            return
        end
        if not part then
            return
        end
        local ok
        ok, err = ngx.print(part)
        if not ok then
            ngx.log(ngx.ERR, err)
            return
        end
    end
end

return _M

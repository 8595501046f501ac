-- http_message.lua -- requests and answers of resty.http as text: made and
-- sent, received and taken apart.
--
-- `client` is an object of resty.http, whose host, port, ssl, path_prefix and
-- http_proxy_auth count. What sends or receives yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local body = require "lunette.http_body"
local http_headers = require "resty.http_headers"

local concat, insert = table.concat, table.insert
local find, gmatch, lower, match, sub, upper = string.find, string.gmatch,
    string.lower, string.match, string.sub, string.upper
local ipairs, pairs, pcall, tonumber, tostring, type =
    ipairs, pairs, pcall, tonumber, tostring, type
local ngx = ngx
local encode_args = ngx.encode_args
local receive_line = body.receive_line

local _M = {
    USER_AGENT = "lua-resty-http/0.17.2 (Lua) ngx_lua/"
                 .. ngx.config.ngx_lua_version,
}

-- Methods whose request has a body, if only an empty one.
local WANTS_BODY = { POST = true, PUT = true, PATCH = true }

local MAX_HEADERS = 1000
local MAX_INTERIM = 100            -- answers before the one that counts

-- --- requests ---

local function host_header(client)
    if find(client.host, "^unix:") then
        return nil, "Unable to generate a useful Host header for a unix "
                    .. "domain socket. Please provide one."
    end
    if client.port and client.port ~= (client.ssl and 443 or 80) then
        return client.host .. ":" .. client.port
    end
    return client.host
end

local function query_of(query)
    if type(query) == "table" then
        return "?" .. encode_args(query)
    end
    if query ~= "" and sub(query, 1, 1) ~= "?" then
        return "?" .. query
    end
    return query
end

-- Neither a name nor a value may end the line that it is in.
local function check_text(text, what)
    if find(text, "[\r\n%z]") then
        return nil, "invalid character found in " .. what
    end
    return text
end

function _M.request_text(client, params, headers)
    local version = params.version
    if version ~= 1.1 and version ~= 1 then
        return nil, "unknown HTTP version"
    end
    local method, err = check_text(upper(params.method), "method")
    if not method then
        return nil, err
    end
    local target
    target, err = check_text((client.path_prefix or "") .. params.path
                             .. query_of(params.query or ""), "path")
    if not target then
        return nil, err
    end

    local parts = { method, " ", target, version == 1 and " HTTP/1.0\r\n"
                                         or " HTTP/1.1\r\n" }
    for name, values in pairs(headers) do
        if type(values) ~= "table" then
            values = { values }
        end
        for _, value in ipairs(values) do
            local line
            line, err = check_text(tostring(name) .. ": " .. tostring(value),
                                   "header")
            if not line then
                return nil, err
            end
            insert(parts, line)
            insert(parts, "\r\n")
        end
    end
    insert(parts, "\r\n")
    return concat(parts)
end

local function get_trace_parent()
    return ngx.var.http_traceparent
end

-- What this request is part of, if it was told so and there is a request.
local function trace_parent()
    local ok, id = pcall(get_trace_parent)
    return ok and id or nil
end

-- What a socket sends: texts, and tables of texts.
local function texts_of(what)
    if type(what) ~= "table" then
        return tostring(what)
    end
    local parts = {}
    for i, part in ipairs(what) do
        parts[i] = texts_of(part)
    end
    return concat(parts)
end

function _M.request_headers(client, params)
    local headers, given = http_headers.new(), params.headers or {}
    for name, value in pairs(given) do
        headers[name] = value
    end

    if not headers["Proxy-Authorization"] then
        headers["Proxy-Authorization"] = client.http_proxy_auth
    end
    local method = upper(params.method)
    if params.body ~= nil and type(params.body) ~= "function" then
        params.body = texts_of(params.body)
    end
    if params.version == 1.1 and body.is_chunked(headers) then
        headers["Content-Length"] = nil
    elseif not headers["Content-Length"] then
        if type(params.body) == "function" then
            return nil, "Request body is a function but a length or chunked "
                        .. "encoding is not specified"
        end
        if params.body ~= nil then
            headers["Content-Length"] = #params.body
        elseif WANTS_BODY[method] then
            return nil, "Request body is nil but " .. method .. " method "
                        .. "expects a body. Use an empty string \"\" if you "
                        .. "want to send an empty body."
        end
    end
    if not headers["Host"] then
        local host, err = host_header(client)
        if not host then
            return nil, err
        end
        headers["Host"] = host
    end
    if not headers["User-Agent"] then
        headers["User-Agent"] = client._USER_AGENT
    end
    if not headers["traceparent"] then
        headers["traceparent"] = trace_parent()
    end
    if params.version == 1 and not headers["Connection"] then
        headers["Connection"] = "Keep-Alive"
    end
    return headers
end

local function send_body(sock, what)
    if type(what) ~= "function" then
        if what == nil then
            return true
        end
        return sock:send(what)
    end
    while true do
        local part, err, rest = what()
        if not part then
            if err then
                return nil, err, rest
            end
            return true
        end
        local ok
        ok, err = sock:send(part)
        if not ok then
            return nil, err
        end
    end
end

_M.send_body = send_body

-- --- answers ---

local function receive_status(sock)
    local line, err = receive_line(sock)
    if not line then
        return nil, nil, nil, err
    end
    local version = tonumber(match(line, "^HTTP/(%d%.%d)"))
    if not version then
        return nil, nil, nil, "couldn't parse HTTP version from response "
                              .. "status line: " .. line
    end
    local status = tonumber(match(line, "^HTTP/%d%.%d (%d%d%d)"))
    if not status then
        return nil, nil, nil, "couldn't parse status code from response "
                              .. "status line: " .. line
    end
    return status, version, match(line, "^HTTP/%d%.%d %d%d%d ?(.*)$") or ""
end

local function receive_headers(sock)
    local headers, size = http_headers.new(), 0
    for _ = 1, MAX_HEADERS do
        local line, err = receive_line(sock)
        if not line then
            return nil, err
        end
        size = size + #line
        if size > body.MAX_LINE then
            return nil, "headers too large"
        end
        if line == "" then
            return headers
        end
        local name, value = match(line, "^([^:%s]+):%s*(.-)%s*$")
        if name then
            local old = headers[name]
            if old == nil then
                headers[name] = value
            elseif type(old) == "table" then
                insert(old, tostring(value))
            else
                headers[name] = { old, tostring(value) }
            end
        end
    end
    return nil, "too many headers"
end

function _M.has_token(value, token)
    if type(value) == "table" then
        value = concat(value, ",")
    end
    for part in gmatch(lower(value or ""), "[^%s,]+") do
        if part == token then
            return true
        end
    end
    return false
end

-- One length, whatever the server says of it.
function _M.length_from(headers)
    local text = headers["Content-Length"]
    if type(text) == "table" then
        for _, other in ipairs(text) do
            if other ~= text[1] then
                return nil, "several lengths"
            end
        end
        text = text[1]
    end
    if text == nil then
        return nil
    end
    local n = match(text, "^%d+$") and tonumber(text)
    if not n or n > 2 ^ 53 then
        return nil, "invalid Content-Length: " .. text
    end
    return n
end

-- The status line and the headers. Interim answers are passed over, but 101,
-- which is the last. `go_on`: called when the server wants the body.
function _M.receive_head(sock, go_on)
    for _ = 1, MAX_INTERIM do
        local status, version, reason, err = receive_status(sock)
        if not status then
            return nil, err
        end
        local headers
        headers, err = receive_headers(sock)
        if not headers then
            return nil, err
        end
        if status >= 200 or status == 101 then
            return { status = status, version = version, reason = reason,
                     headers = headers }, nil, go_on ~= nil
        end
        if status == 100 and go_on then
            local ok
            ok, err = go_on()
            if not ok then
                return nil, err
            end
            go_on = nil
        end
    end
    return nil, "too many interim answers"
end

_M.receive_headers = receive_headers

return _M

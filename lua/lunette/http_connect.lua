-- http_connect.lua -- the connection of resty.http: TCP, a proxy, TLS, and a
-- name of the pool that tells connections apart which are not the same.
--
-- Yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat = table.concat
local find, gmatch, gsub, lower, sub =
    string.find, string.gmatch, string.gsub, string.lower, string.sub
local setmetatable, tonumber, tostring, type =
    setmetatable, tonumber, tostring, type
local ngx = ngx

local _M = {}

-- "a.com, .b.com, 10.0.0.1" -- each with what is below it; "*": everybody.
local function is_exempt(host, list)
    if not list then
        return false
    end
    host = lower(host)
    for name in gmatch(lower(list), "[^%s,]+") do
        local bare = gsub(name, "^%.", "")
        if name == "*" or host == bare
           or sub(host, -#bare - 1) == "." .. bare
        then
            return true
        end
    end
    return false
end

-- The proxy for a host, if it has one.
function _M.proxy_uri(opts, scheme, host)
    if not opts or is_exempt(host, opts.no_proxy) then
        return nil
    end
    if scheme == "https" then
        return opts.https_proxy
    end
    return scheme == "http" and opts.http_proxy or nil
end

-- The proxy's uri, taken apart, or nil; an error if it is none.
local function find_proxy(client, scheme, host, opts)
    local uri = _M.proxy_uri(opts, scheme, host)
    if not uri then
        return nil
    end
    local parsed, err = client:parse_uri(uri, false)
    if not parsed then
        return nil, err
    end
    if parsed[1] ~= "http" then
        return nil, "protocol " .. tostring(parsed[1])
                    .. " not supported for proxy connections"
    end
    return parsed
end

-- What it wants to see: of the request, or of the options.
local function authorization_for(scheme, options, opts)
    local headers = scheme == "https" and options.headers or nil
    return headers and headers["Proxy-Authorization"]
           or opts[scheme .. "_proxy_authorization"]
end

-- Asks the proxy for a tunnel.
local function open_tunnel(client, host, port, authorization)
    local where = host .. ":" .. port
    local res, err = client:request {
        method = "CONNECT",
        path = where,
        headers = { ["Host"] = where,
                    ["Proxy-Authorization"] = authorization },
    }
    if not res then
        return nil, "failed to issue CONNECT to proxy: " .. err
    end
    if res.status < 200 or res.status > 299 then
        return nil, "failed to establish a tunnel through a proxy: "
                    .. res.status
    end
    return true
end

-- A number for each certificate or key that never means another one: an
-- address may.
local numbers = setmetatable({}, { __mode = "k" })
local last = 0

local function number_of(cdata)
    if cdata == nil then
        return ""
    end
    if not numbers[cdata] then
        last = last + 1
        numbers[cdata] = last
    end
    return numbers[cdata]
end

local function pool_name(options, scheme, host, port, proxy, authorization)
    local ssl = scheme == "https"
    local parts = {
        scheme or "", host, port or "",
        ssl and tostring(options.ssl_server_name) or "",
        ssl and tostring(options.ssl_verify ~= false) or "",
        proxy and concat({ proxy[1], proxy[2], proxy[3] }, ":") or "",
        ssl and proxy and authorization or "",
        ssl and number_of(options.ssl_client_cert) or "",
        ssl and number_of(options.ssl_client_priv_key) or "",
    }
    return concat(parts, ":")
end

-- nil and why, if an option of that name is there and is no cdata.
local function check_cdata(options, name)
    local value = options[name]
    if value ~= nil and type(value) ~= "cdata" then
        return nil, "bad " .. name .. ": cdata expected, got " .. type(value)
    end
    return true
end

local function set_certificate(sock, options)
    local ok, err = check_cdata(options, "ssl_client_cert")
    if ok then
        ok, err = check_cdata(options, "ssl_client_priv_key")
    end
    if not ok then
        return nil, err
    end
    ok, err = sock:setclientcert(options.ssl_client_cert,
                                 options.ssl_client_priv_key)
    if not ok then
        return nil, "could not set client certificate: " .. err
    end
    return true
end

local function shake_hands(sock, options, host)
    if options.ssl_client_cert then
        local ok, err = set_certificate(sock, options)
        if not ok then
            return nil, err
        end
    end
    local name = options.ssl_server_name
    if name == nil or name == true then
        name = not find(host, "^unix:") and host
    end
    return sock:sslhandshake(options.ssl_reused_session, name or nil,
                             options.ssl_verify ~= false,
                             options.ssl_send_status_req)
end

-- ok, err, session
function _M.open(client, options)
    local sock = client.sock
    if not sock then
        return nil, "not initialized"
    end

    local scheme, host = options.scheme, options.host
    local port = options.port
    if scheme then
        scheme = lower(scheme)
    end
    if type(host) ~= "string" then
        return nil, "no host given"
    end
    local is_unix = find(host, "^unix:") ~= nil
    if is_unix then
        port = nil
    elseif scheme then
        port = tonumber(port) or (scheme == "https" and 443 or 80)
    elseif not port then
        host, is_unix = "unix:" .. host, true
    end

    local proxy_opts = options.proxy_opts or client.proxy_opts
    local proxy, why = find_proxy(client, scheme, host, proxy_opts)
    if why then
        return nil, why
    end
    local authorization = proxy
                          and authorization_for(scheme, options, proxy_opts)

    local pool = options.pool
                 or pool_name(options, scheme, host, port, proxy,
                              authorization)
    if options.pool_debug then
        ngx.log(ngx.DEBUG, "poolname: ", pool)
    end
    local sock_opts = { pool = pool, pool_size = options.pool_size,
                        backlog = options.backlog }

    local ok, err
    if proxy then
        ok, err = sock:connect(proxy[2], proxy[3], sock_opts)
        if not ok then
            return nil, "failed to connect to: " .. (proxy[2] or "") .. ":"
                        .. (proxy[3] or "") .. ": " .. err
        end
    elseif port then
        ok, err = sock:connect(host, port, sock_opts)
    else
        ok, err = sock:connect(host, sock_opts)
    end
    if not ok then
        return nil, err
    end

    client.keepalive, client.broken, client.unread = true, false, 0
    client.host, client.port = host, port
    client.ssl = scheme == "https"
    client.http_proxy_auth, client.path_prefix = nil, nil

    local session
    if scheme == "https" then
        local reused
        reused, err = sock:getreusedtimes()
        if not reused then
            return nil, err
        end
        if reused == 0 then
            if proxy then
                ok, err = open_tunnel(client, host, port, authorization)
                if not ok then
                    sock:close()
                    return nil, err
                end
            end
            session, err = shake_hands(sock, options, host)
            if not session then
                sock:close()
                return nil, err
            end
        end
    elseif proxy then
        client.http_proxy_auth = authorization
        client.path_prefix = scheme .. "://" .. host
                           .. (port ~= 80 and ":" .. port or "")
    end

    return true, nil, session
end

return _M

-- https.lua -- a request over TLS to a server of the block itself.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

-- Returns the answer's status and body, and the session; or nil and why.
function _M.get(port, options)
    local o = options or {}
    local sock = ngx.socket.tcp()
    assert(sock:connect("127.0.0.1", port))
    if o.cert then
        assert(sock:setclientcert(o.cert, o.key))
    end
    local session, err = sock:sslhandshake(o.session, o.name, o.verify)
    if not session then
        return nil, err
    end
    sock:send("GET " .. (o.path or "/") .. " HTTP/1.0\r\nHost: "
              .. (o.host or o.name or "localhost") .. "\r\n\r\n")
    local answer = sock:receive("*a")
    if not answer then
        return nil, "no answer"
    end
    return answer:match("^HTTP/1.1 (%d+)"),
           (answer:gsub("^.-\r\n\r\n", "")), session
end

return _M

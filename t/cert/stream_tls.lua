-- stream_tls.lua -- what a server of stream { } says over TLS.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

-- Returns all that it said, and the session; or nil and why.
function _M.get(port, options)
    local o = options or {}
    local sock = ngx.socket.tcp()
    assert(sock:connect("127.0.0.1", port))
    if o.first then
        assert(sock:send(o.first))
    end
    if o.cert then
        assert(sock:setclientcert(o.cert, o.key))
    end
    local session, err = sock:sslhandshake(o.session, o.name, o.verify)
    if not session then
        return nil, err
    end
    local text, why = sock:receive("*a")
    if not text then
        return nil, why
    end
    return text, session
end

return _M

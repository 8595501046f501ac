-- keep.lua -- a client that keeps its connection to a server of the block.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}
local mt = { __index = _M }

-- `tls`: options of sslhandshake's client certificate, or true.
function _M.connect(port, tls)
    local sock = ngx.socket.tcp()
    sock:settimeout(20000)
    assert(sock:connect("127.0.0.1", port))
    if type(tls) == "table" then
        assert(sock:setclientcert(tls.cert, tls.key))
    end
    if tls then
        assert(sock:sslhandshake(nil, "localhost", false))
    end
    return setmetatable({ sock = sock }, mt)
end

-- Returns the values of X-C, and the body; `more` are lines of the header.
function _M.ask(self, method, uri, more, body)
    local sock, length, status = self.sock, 0, nil
    assert(sock:send(method .. " " .. uri .. " HTTP/1.1\r\nHost: localhost\r\n"
                     .. (more or "")
                     .. (body and "Content-Length: " .. #body .. "\r\n" or "")
                     .. "\r\n" .. (body or "")))
    repeat
        local line = assert(sock:receive())
        length = tonumber(line:match("^[Cc]ontent%-[Ll]ength: (%d+)")) or length
        status = line:match("^X%-C: (%S+)") or status
    until line == ""
    return status, method == "HEAD" and "" or assert(sock:receive(length))
end

-- Asks until it is a hit; returns its body.
function _M.hit(self, uri, method, body)
    for _ = 1, 400 do
        local status, text = self:ask(method or "GET", uri, nil, body)
        if status == "HIT" then
            return text
        end
        ngx.sleep(0.05)
    end
end

return _M

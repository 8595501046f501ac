-- A client of WebDAV for specs: dav.ask(PORT, METHOD, uri, fields, body) gives
-- the status, the token of a Lock-Token field, and the whole answer.
--
-- SPDX-License-Identifier: BSD-2-Clause

local dav = {}

local INFO = "<D:lockinfo xmlns:D='DAV:'><D:lockscope><D:%s/></D:lockscope>" ..
             "<D:locktype><D:write/></D:locktype><D:owner>" ..
             "<D:href>me&amp;</D:href></D:owner></D:lockinfo>"

function dav.info(scope)
    return INFO:format(scope)
end

function dav.ask(port, method, uri, fields, body)
    local sock = ngx.socket.tcp()
    body = body or ""
    assert(sock:connect("127.0.0.1", port))
    assert(sock:send(method .. " " .. uri .. " HTTP/1.0\r\nHost: a\r\n" ..
                     (fields or "") .. "Content-Length: " .. #body ..
                     "\r\n\r\n" .. body))
    local answer = sock:receive("*a")
    sock:close()
    return answer:match(" (%d+)"), answer:match("Lock%-Token: <(.-)>"), answer
end

return dav

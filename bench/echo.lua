-- echo.lua -- the load of a WebSocket echo: so many connections send a text of
-- 100 bytes and wait until it is back, for so many seconds. Prints how many
-- came back.
--
--     lunette run bench/echo.lua URI CONNECTIONS SECONDS
--
-- SPDX-License-Identifier: BSD-2-Clause

local client = require "resty.websocket.client"

local uri, connections, seconds = arg[1], tonumber(arg[2]), tonumber(arg[3])
local text = ("x"):rep(100)
local count, stop_at = 0, ngx.now() + seconds

local function speak()
    local ws = client:new { timeout = 10000 }
    assert(ws:connect(uri))
    while ngx.now() < stop_at do
        assert(ws:send_text(text))
        local data, kind, err = ws:recv_frame()
        assert(kind == "text" and data == text, err)
        count = count + 1
        ngx.update_time()
    end
    ws:close()
end

local threads = {}
for i = 1, connections do
    threads[i] = ngx.thread.spawn(speak)
end
for i = 1, connections do
    assert(ngx.thread.wait(threads[i]))
end
print(count)

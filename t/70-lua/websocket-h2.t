# WebSockets of HTTP/2 that end in Lua: resty.websocket.server, and raw sockets
# of requests.
#
# SPDX-License-Identifier: BSD-2-Clause

__DATA__


=== resty.websocket.server needs not know
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                local ws, err = require("resty.websocket.server"):new { timeout = 20000, max_payload_len = 300000 }
                if not ws then ngx.log(ngx.ERR, err) return ngx.exit(400) end
                ws:send_text(table.concat({ ngx.req.get_method(), ngx.req.http_version(),
                    ngx.var.server_protocol, ngx.var.http2 }, " "))
                while true do
                    local data, typ, err = ws:recv_frame()
                    if typ == "close" then return ws:send_close(err, "bye") end
                    if not data then return ngx.log(ngx.ERR, err) end
                    if typ == "ping" then ws:send_pong(data) else ws:send_binary(data) end
                end
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local build = require("resty.websocket.protocol").build_frame
            local id = c:ask("/", { "sec-websocket-protocol", "chat" })
            ngx.say(c:status(id), " ", c:receive(id, 22):sub(3))
            c:send(id, build(true, 9, 4, "ping", true))
            ngx.say(c:receive(id, 6):byte(1), " ", c.streams[id].bytes)
            local big = ("x"):rep(200000)
            c:send(id, build(true, 2, #big, big, true))
            local answer = c:receive(id, #big + 10)
            ngx.say(answer:sub(11) == big, " ", answer:byte(1), " ", answer:byte(2))
            c:send(id, build(true, 8, 5, "\3\232bye", true))
            ngx.say(c:receive(id, 7):sub(3) == "\3\232bye", " ", c:over(id))
        }
    }
--- response_body
200 GET 1.1 HTTP/2.0 h2c
138 
true 130 127
true end
--- access_log eval
qr{"GET / HTTP/2.0" 101 }
--- no_error_log
[error]



=== a raw socket comes behind the header, and only of a tunnel
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                local ok, a = pcall(ngx.req.socket, true)
                if ngx.var.uri == "/get" then return ngx.say(ok, " ", (a:gsub("^.*: ", ""))) end
                local _, b = ngx.req.socket(true)
                local _, c = ngx.req.socket()
                ngx.status = 101
                ngx.send_headers()
                ngx.flush(true)
                local s = assert(ngx.req.socket(true))
                s:send(table.concat({ b, c, select(2, ngx.req.socket(true)) }, ", ") .. "\n")
                s:send(tostring(s:receive("*l")) .. "\n")
                ngx.log(ngx.WARN, "then: ", s:receive("*a"))
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:open({ ":method", "GET", ":scheme", "http", ":path", "/get", ":authority", "a" }, 5)
            ngx.print(c:over(id), " ", c.streams[id].bytes)
            id = c:ask("/")
            c:send(id, "line\nand more", 1)
            ngx.print(c:status(id), " ", c:over(id), " ", c.streams[id].bytes)
        }
    }
--- response_body
end false http v2 not supported yet
200 end response header not sent yet, no body, duplicate call
line
--- error_log
then: nilclient abortedand more



=== a client that resets the stream, and a worker that goes on
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location = /ws {
            content_by_lua_block {
                ngx.status = 101
                ngx.send_headers()
                ngx.flush(true)
                local s = assert(ngx.req.socket(true))
                s:settimeout(20000)
                local reader = ngx.thread.spawn(function()
                    ngx.log(ngx.WARN, "reader: ", select(2, s:receive(1)))
                end)
                ngx.log(ngx.WARN, "writer: ", select(2, s:send(("x"):rep(300000))))
                ngx.thread.wait(reader)
                ngx.log(ngx.WARN, "again: ", select(2, s:send("x")))
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1, nil, true)
            local id = c:ask("/ws")
            ngx.say(#c:receive(id, 65535))
            c:reset(id)
            id = c:open({ ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a" }, 5)
            ngx.say(c:status(id))
        }
    }
--- response_body
65535
200
--- error_log
reader: connection reset by peer
writer: connection reset by peer
again: closed
--- no_error_log
[alert]
--- wait: 0.1

# WebSockets over HTTP/2 (RFC 8441) to a server of HTTP/1.1, and CONNECT
# itself.  The client is Lua that says frames: t/lib/h2_tunnel.lua.
#
# SPDX-License-Identifier: BSD-2-Clause

__DATA__


=== a server of HTTP/1.1 sees a handshake of its own kind
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    log_format f "[$request] $status $request_method";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        access_log logs/access.log f;
        location /p/ {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2/q/;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        location / {
            content_by_lua_block {
                local v = ngx.var
                local seen = table.concat({ v.request, v.http_upgrade, v.http_connection,
                    #ngx.decode_base64(v.http_sec_websocket_key), v.http_sec_websocket_version,
                    v.http_content_length or "no length" }, ",")
                local s = ngx.req.socket(true)
                s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                       .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n" .. #seen .. " " .. seen)
                repeat
                    local line = s:receive()
                    s:send("got " .. (line or "the end") .. "\n")
                until not line or line == "bye"
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/p/a?b=c")
            c:send(id, "early\n")
            ngx.say(c:status(id), " ", c.said[8])
            ngx.say(c:receive(id, tonumber(c:receive(id, 3))))
            ngx.print(c:receive(id, 10))
            for i = 1, 3 do
                c:send(id, "line " .. i .. "\n")
                ngx.print(c:receive(id, 11))
            end
            c:send(id, "bye\n")
            ngx.print(c:receive(id, 8))
            ngx.say(c:over(id))
        }
    }
--- response_body
200 1
GET /q/a?b=c HTTP/1.1,websocket,Upgrade,16,13,no length
got early
got line 1
got line 2
got line 3
got bye
end
--- access_log
[GET /p/a?b=c HTTP/2.0] 101 GET



=== much goes both ways, as far as windows open
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                upgrade()
                repeat
                    local data = s:receiveany(100000)
                until not data or not s:send(data)
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/")
            local text = ("0123456789"):rep(30000)
            ngx.say(c:status(id))
            for i = 1, 3 do
                c:send(id, text)
                ngx.say(c:receive(id, #text) == text)
            end
            c:send(id, "end", 1)
            ngx.say(c:over(id))
        }
    }
--- response_body
200
true
true
true
end



=== a client that does not take what it gets holds the server back, for its time
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
            proxy_read_timeout 300ms;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                upgrade()
                local n = 0
                while n < 20000000 do
                    if not s:send(("x"):rep(100000)) then break end
                    n = n + 100000
                end
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1, nil, true)
            local id = c:ask("/")
            ngx.say(c:over(id), " ", #c.streams[id].bytes)
        }
    }
--- response_body
reset 8 65535
--- error_log
upstream timed out
--- no_error_log
[alert]



=== a client that resets the stream leaves the server alone
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ws_reset 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                if not ngx.var.http_upgrade then
                    s:send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                end
                upgrade()
                local data, err = s:receive(1)
                ngx.shared.ws_reset:set("seen", tostring(data) .. " " .. err)
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.ws_reset
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/")
            c:status(id)
            c:reset(id)
            for i = 1, 100 do
                if dogs:get("seen") then break end
                ngx.sleep(0.05)
            end
            ngx.say(dogs:get("seen"))
            id = c:open({ ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a" }, 5)
            ngx.say(c:status(id))
        }
    }
--- response_body
nil client aborted
403
--- no_error_log
[alert]
--- access_log eval
qr{"GET / HTTP/2.0" 101 }



=== a server that ends, and one that never spoke of an upgrade
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                local uri = ngx.var.uri
                if uri == "/end" then
                    upgrade()
                    s:send("last")
                elseif uri == "/wrong" then
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n")
                elseif uri ~= "/none" then
                    s:send("HTTP/1.1 " .. (uri == "/no" and "404 Not Found" or "200 OK")
                           .. "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
                end
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/end")
            ngx.say(c:status(id), " ", c:receive(id, 4), " ", c:over(id))
            id = c:ask("/no")
            ngx.say(c:status(id), " ", c:receive(id, 2), " ", c:over(id))
            id = c:ask("/page")
            ngx.say(c:status(id), " ", c:over(id))
            id = c:ask("/none")
            ngx.say(c:status(id), " ", c:over(id))
            id = c:ask("/wrong")
            ngx.say(c:status(id), " ", c:over(id))
        }
    }
--- response_body
200 last end
404 no end
501 end
502 end
502 end
--- error_log
upstream sent no valid "Sec-WebSocket-Accept" header
client asked for a tunnel where there is none, the answer would be 200
upstream prematurely closed connection



=== what is no request for a WebSocket
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { return 200 page; }
        error_page 501 =200 /page;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        http2 on;
        http2_websockets off;
    }
--- config
    location = /t {
        content_by_lua_block {
            local h2 = require "h2_tunnel"
            local c = h2.connect($TEST_NGINX_RAND_PORT_1)
            local function ask(...)
                local id = c:open { ":scheme", "http", ":path", "/", ":authority", "localhost", ... }
                ngx.say(c:status(id), " ", c:over(id))
            end
            ask(":method", "CONNECT", ":protocol", "connect-udp")
            ask(":method", "GET", ":protocol", "websocket")
            ask(":method", "CONNECT", ":protocol", "websocket", ":protocol", "websocket")
            ask(":method", "CONNECT", ":protocol", "websocket", "content-length", "5")
            ask(":method", "CONNECT", ":protocol", "websocket", "upgrade", "websocket")
            ask(":method", "CONNECT")
            ask(":method", "CONNECT", ":protocol", "websocket")
            c = h2.connect($TEST_NGINX_RAND_PORT_2)
            ngx.say(c.said[8])
            ask(":method", "CONNECT", ":protocol", "websocket")
            ngx.say(c.said[8])
        }
    }
--- response_body
501 end
400 reset 1
400 reset 1
400 reset 1
400 reset 1
405 end
501 end
nil
400 reset 1
nil
--- error_log
client sent unknown protocol in :protocol header: "connect-udp"
client sent :protocol header without CONNECT
client sent duplicate :protocol header
client sent "Content-Length" header with CONNECT
client sent unknown pseudo-header: ":protocol"



=== a window of nothing is opened when there is a tunnel
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        http2_body_preread_size 0;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                upgrade()
                s:send(s:receive(5))
                s:receive(1)
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/")
            c.streams[id].window = 0
            ngx.say(c:status(id))
            c:send(id, "hello")
            ngx.say(c:receive(id, 5), " ", c.streams[id].window)
        }
    }
--- response_body
200
hello 65531



=== frames that bring nothing are counted in a tunnel as well
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                           .. "Sec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                upgrade()
                s:receive(1)
            }
        }
    }
--- config
    location = /t {
        content_by_lua_block {
            local frames = require "lunette.spec.frames"
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:ask("/")
            c:status(id)
            frames.flood(c.sock, frames.frame("DATA", 0, id, ""), 10000000)
            ngx.say(c:over(id))
        }
    }
--- response_body
closed
--- error_log
http2 flood



=== CONNECT itself, over HTTP/2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        tunnel_pass;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        http2 on;
        location / { return 200 "through $request_uri"; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_1)
            local id = c:open { ":method", "CONNECT", ":authority", "127.0.0.1:$TEST_NGINX_RAND_PORT_2" }
            ngx.say(c:status(id))
            c:send(id, "GET /x HTTP/1.0\r\n\r\n")
            ngx.say(c:over(id), " ", c.streams[id].bytes:match("\r\n\r\n(.*)"))
            id = c:open { ":method", "CONNECT", ":authority", "127.0.0.1" }
            ngx.say(c:status(id), " ", c:over(id))
            id = c:open { ":method", "CONNECT", ":authority", "127.0.0.1:1", ":path", "/", ":scheme", "http" }
            ngx.say(c:status(id), " ", c:over(id))
            id = c:open { ":method", "CONNECT", ":authority", "127.0.0.1:1" }
            ngx.say(c:status(id), " ", c:over(id))
            c = require("h2_tunnel").connect($TEST_NGINX_RAND_PORT_2)
            id = c:open { ":method", "CONNECT", ":authority", "127.0.0.1:1" }
            ngx.say(c:status(id), " ", c:over(id))
        }
    }
--- response_body
200
end through /x
400 reset 1
405 end
502 end
405 end
--- access_log eval
qr{"CONNECT 127.0.0.1:\d+ HTTP/2.0" 200 }

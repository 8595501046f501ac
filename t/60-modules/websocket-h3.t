# WebSockets over HTTP/3 (RFC 9220) to a server of HTTP/1.1 and to Lua, and
# CONNECT itself; websocket-h2.t has more of what both share.
#
# SPDX-License-Identifier: BSD-2-Clause

no_root_location();

__DATA__


=== a server of HTTP/1.1 sees a handshake of its own kind
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nX-A: b\r\nSec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                local v = ngx.var
                local seen = table.concat({ v.request, v.http_upgrade, v.http_connection,
                    #ngx.decode_base64(v.http_sec_websocket_key), v.http_content_length or "no length" }, ",")
                upgrade()
                s:send(seen .. "\n" .. s:receive(5) .. "\nbye")
            }
        }
    }
--- config
    location /p {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $http_connection;
    }
--- request
GET /p?a
early
--- curl_options: --websocket websocket --hold --show-end
--- response_headers
! Upgrade
! Connection
! Sec-WebSocket-Accept
X-A: b
--- response_body
GET /p?a HTTP/1.1,websocket,Upgrade,16,no length
early
byeended 0x0
connection: open
--- access_log eval
qr{"GET /p\?a HTTP/3.0" 101 }



=== much goes both ways
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        lua_check_client_abort on;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                local function upgrade()
                    s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nX-A: b\r\nSec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                end
                upgrade()
                repeat
                    local data = s:receiveany(100000)
                until not data or not s:send(data) or data:find("bye")
            }
        }
    }
--- config
    location /p {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $http_connection;
    }
--- request eval
"GET /p\r\n" . ("0123456789" x 20000) . "bye"
--- curl_options: --websocket websocket --hold --no-body
--- response_body
200003 bytes



=== a client that has said all ends the tunnel, behind what it has said
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                local data, err, rest = s:receive("*a")
                ngx.log(ngx.WARN, "seen: ", data, err, #rest)
            }
        }
    }
--- config
    location /p {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $http_connection;
    }
--- request eval
"GET /p\n" . ("x" x 100000)
--- curl_options: --websocket websocket --show-end
--- response_body
ended 0x0
connection: open
--- error_log
seen: nilclient aborted100000



=== a server that dies
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                s:send("last")
                return ngx.exit(444)
            }
        }
    }
--- config
    location /p {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $http_connection;
    }
--- request
GET /p
x
--- curl_options: --websocket websocket --hold --show-end
--- response_body
lastended 0x0
connection: open



=== a client that resets the stream leaves the server alone
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local s = ngx.req.socket(true)
                s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: " .. ngx.encode_base64(ngx.sha1_bin(ngx.var.http_sec_websocket_key .. "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) .. "\r\n\r\n")
                ngx.log(ngx.WARN, "seen: ", select(2, s:receive(2)))
            }
        }
    }
--- config
    location = /p {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $http_connection;
    }
--- request
GET /p
x
--- curl_options: --websocket websocket --hold --show-end --cancel --pause 300
--- response_body_like: ^closed 0x10c
--- error_log
seen: client aborted
--- no_error_log
[alert]
--- access_log eval
qr{"GET /p HTTP/3.0" 101 }



=== resty.websocket.server needs not know
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t {
        content_by_lua_block {
            local ws = assert(require("resty.websocket.server"):new { timeout = 20000 })
            local data, typ = ws:recv_frame()
            ws:send_text(ngx.req.http_version() .. " " .. ngx.var.server_protocol .. " " .. typ .. " " .. data)
            ws:send_close()
        }
    }
--- request eval
"GET /t\n\x81\x85\x00\x00\x00\x00hello"
--- curl_options: --websocket websocket --hold
--- more_headers: Sec-WebSocket-Version: 13
--- response_body eval
"\x81\x171.1 HTTP/3.0 text hello\x88\x00"
--- no_error_log
[error]



=== what is no request for a WebSocket
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t { return 200 page; }
--- curl_options: --websocket connect-udp
--- error_code: 501
--- response_body_like: 501 Not Implemented
--- error_log
client sent unknown protocol in :protocol header: "connect-udp"



=== a page where a WebSocket was asked for
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t { return 200 page; }
--- curl_options: --websocket websocket
--- error_code: 501
--- response_body_like: 501 Not Implemented



=== where there is none for anybody
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    http3_websockets off;
--- config
    location = /t { return 200 page; }
--- curl_options: --websocket websocket
--- error_code: 400
--- response_body_like: 400 Bad Request
--- error_log
client sent unknown pseudo-header: ":protocol"



=== CONNECT itself, over HTTP/3
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { return 200 "through $request_uri"; }
    }
--- config
    tunnel_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- request eval
"GET /t\nGET /x HTTP/1.0\r\n\r\n."
--- curl_options: --connect a:80 --hold
--- response_body_like: \r\n\r\nthrough /x$
--- access_log eval
qr{"CONNECT a:80 HTTP/3.0" 200 }

# proxy_http_version 2; the server is HTTP/2 of our own, or Lua that says frames.

__DATA__


=== what a server gets, and an answer
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.header["X-A"] = ngx.var.http_x_a
                ngx.say(ngx.var.server_protocol, " ", ngx.var.request_method, " ", ngx.var.request_uri,
                        " ", ngx.var.http_host == "127.0.0.1:$TEST_NGINX_RAND_PORT_1",
                        " ", ngx.var.http_te, " ", ngx.var.http_connection, " ", ngx.var.http_content_length,
                        " ", ngx.req.get_body_data())
            }
        }
    }
--- config
    location /t {
        proxy_http_version 2;
        proxy_set_header Connection upgrade;
        proxy_set_header Upgrade $http_upgrade;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/x;
    }
--- more_headers
TE: gzip, trailers
X-A: b
Upgrade: websocket
--- request
POST /t?a=%20b
hello
--- response_headers
X-A: b
--- response_body
HTTP/2.0 POST /x?a=%20b true nil nil 5 hello
--- no_error_log
[error]



=== connections are kept, and not shared with HTTP/1
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { return 200 "$connection $connection_requests $server_protocol"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    location = /two { proxy_http_version 2; proxy_pass http://u; }
    location = /one { proxy_pass http://u; }
    location = /grpc { grpc_pass u; }
    location = /t {
        content_by_lua_block {
            local seen = {}
            for _, uri in ipairs { "/two", "/one", "/two", "/one", "/grpc", "/two" } do
                local conn, n, version = ngx.location.capture(uri).body:match("(%S+) (%S+) (%S+)")
                seen[version] = seen[version] or conn
                ngx.say(seen[version] == conn, " ", n, " ", version)
            end
        }
    }
--- response_body
true 1 HTTP/2.0
true 1 HTTP/1.1
true 2 HTTP/2.0
true 2 HTTP/1.1
true 3 HTTP/2.0
true 4 HTTP/2.0



=== over TLS, by ALPN
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        http2 on;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$server_protocol $ssl_alpn_protocol $scheme "; }
    }
--- config
    location = /two { proxy_http_version 2; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /one { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t { echo_location /two; echo_location /one; }
--- response_body eval: "HTTP/2.0 h2 https HTTP/1.1  https "



=== a body that is larger than all windows, both ways, streamed or not
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        client_max_body_size 10m;
        location / {
            client_body_buffer_size 10m;
            content_by_lua_block {
                ngx.req.read_body()
                local data = ngx.req.get_body_data()
                ngx.say(#data, " ", ngx.crc32_long(data))
                ngx.print(data)
            }
        }
    }
--- config
    proxy_http_version 2;
    location /p { client_max_body_size 10m; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /q { client_max_body_size 10m; proxy_request_buffering off; proxy_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local data = ("0123456789abcdef"):rep(200000)
            for _, uri in ipairs { "/p", "/q" } do
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                assert(sock:send("POST " .. uri .. " HTTP/1.0\r\nContent-Length: " .. #data .. "\r\n\r\n" .. data))
                local text = assert(sock:receive("*a"))
                local line, body = text:match("\r\n\r\n([^\n]*)\n(.*)")
                ngx.say(line == #data .. " " .. ngx.crc32_long(data), " ", body == data)
            end
        }
    }
--- response_body
true true
true true



=== trailers, where they are wanted
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { add_trailer X-T $http_te; return 200 "ok"; }
    }
--- config
    proxy_http_version 2;
    location = /p { proxy_pass_trailers on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /q { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/p", "/q" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: close\r\n\r\n")
                local all = sock:receive("*a")
                ngx.say((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
            end
        }
    }
--- response_body
2|ok|0|x-t: trailers||
ok



=== no body, though its length is passed on
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { return 200 "$request_method $http_content_length $http_x_a"; }
    }
--- config
    location = /t {
        proxy_http_version 2;
        proxy_pass_request_body off;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- more_headers
X-A: b
--- request
POST /t
hello
--- response_body eval: "POST  b"



=== a body of its own
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { content_by_lua_block { ngx.req.read_body() ngx.say(ngx.req.get_body_data()) } }
    }
--- config
    location = /t {
        proxy_http_version 2;
        proxy_set_body "<$arg_a>";
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request: GET /t?a=b
--- response_body
<b>



=== hints, and the next server
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; http2 on; return 500; }
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_STREAM_PORT backup;
    }
--- stream_server_config
    content_by_lua_block {
        ngx.req.socket(true):receive(60)
        ngx.print("\0\0\0\4\0\0\0\0\0",
                  "\0\0\13\1\4\0\0\0\1\8\003103\0\4link\1x",
                  "\0\0\1\1\4\0\0\0\1\136\0\0\2\0\1\0\0\0\1ok")
        ngx.sleep(1)
    }
--- config
    location = /p {
        early_hints 1;
        proxy_http_version 2;
        proxy_next_upstream http_500;
        proxy_pass http://u;
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.say(all:match("^(.-)\r\n"), all:match("\n(link: x)\r\n\r\nHTTP/1.1 200 OK"), all:match("ok"))
        }
    }
--- request: GET /t
--- response_body
HTTP/1.1 103 Early Hintslink: xok



=== what a server says while nobody asks is answered
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local acks, streams = "", 0
        sock:settimeout(20000)
        sock:receive(24)
        repeat
            local head = sock:receive(9)
            if not head then return end
            local a, b, c, kind, flags = head:byte(1, 5)
            local n = a * 65536 + b * 256 + c
            local data = n ~= 0 and sock:receive(n) or ""
            if kind == 6 and flags == 1 then acks = acks .. data:sub(1, 1) end
            if kind == 4 and flags == 1 then acks = acks .. "s" end
            if kind == 1 then
                streams = streams + 1
                local body = streams .. acks
                local id = head:sub(6, 9)
                ngx.print(streams == 1 and "\0\0\0\4\0\0\0\0\0" or "",
                          "\0\0\1\1\4", id, "\136\0\0", string.char(#body), "\0\1", id, body)
                -- In pieces, when the answer has gone on.
                ngx.flush(true)
                ngx.sleep(0.05)
                ngx.print("\0\0\8\6\0\0\0\0\0p234")
                ngx.flush(true)
                ngx.sleep(0.05)
                ngx.print("5678\0\0\4\8\0\0\0\0\0\0\0\0\1\0\0\6\4\0\0\0\0\0\0\3\0\0\0\1",
                          "\0\0\4\3\0", id, "\0\0\0\0")
            end
        until streams == 2
        sock:receive(9)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 1; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/p").body)
            ngx.sleep(0.5)
            ngx.say(ngx.location.capture("/p").body)
        }
    }
--- request: GET /t
--- response_body
1
2sps



=== a server that says goodbye is not asked again
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:receive(60)
        ngx.print("\0\0\0\4\0\0\0\0\0\0\0\8\7\0\0\0\0\0\0\0\0\1\0\0\0\0",
                  "\0\0\1\1\4\0\0\0\1\136\0\0\2\0\1\0\0\0\1ok")
        ngx.flush(true)
        sock:settimeout(20000)
        repeat until not sock:receive(1)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 1; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/p").body)
            ngx.say(ngx.location.capture("/p").body)
        }
    }
--- request: GET /t
--- response_body
ok
ok



=== frames that bring nothing are counted
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local said = sock:receive(140)
        local what = said:match("/(%l%l%l%l)")
        local frames = { ping = "\0\0\8\6\0\0\0\0\00012345678", wind = "\0\0\4\8\0\0\0\0\0\0\0\0\0",
                         sett = "\0\0\0\4\0\0\0\0\0", none = "\0\0\0\99\0\0\0\0\0",
                         data = "\0\0\0\0\0\0\0\0\1", prio = "\0\0\5\2\0\0\0\0\1\0\0\0\0\0",
                         hint = "\0\0\6\1\4\0\0\0\1\8\003103\32" }
        ngx.print("\0\0\0\4\0\0\0\0\0", what == "data" and "\0\0\1\1\4\0\0\0\1\136" or "",
                  frames[what]:rep(1300))
        ngx.flush(true)
        sock:settimeout(20000)
        repeat until not sock:receive(1)
    }
--- config
    location ~ ^/....$ {
        proxy_http_version 2;
        proxy_set_header X-Padding 0123456789012345678901234567890123456789012345678901234567890123456789;
        proxy_pass http://127.0.0.1:$TEST_NGINX_STREAM_PORT;
    }
    location = /t {
        content_by_lua_block {
            for _, what in ipairs { "ping", "wind", "sett", "none", "prio", "hint" } do
                ngx.print(what, " ", ngx.location.capture("/" .. what).status, " ")
            end
            ngx.say(ngx.location.capture("/data").body)
        }
    }
--- request: GET /t
--- timeout: 60
--- ignore_response
--- error_log
upstream sent too many frames while reading response header from upstream
upstream sent too many interim responses
upstream sent too many frames while reading upstream



=== empty frames of a block are counted as well
--- config
    location /t { proxy_http_version 2; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x01\x88" . ("\x00\x00\x00\x09\x00\x00\x00\x00\x01" x 1300)
--- error_code: 502
--- error_log
upstream sent too many frames



=== a frame of a stream that is over
--- config
    location /t { proxy_http_version 2; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88\x00\x00\x02\x00\x01\x00\x00\x00\x01ok"
--- ignore_response
--- error_log
upstream sent frame for closed stream

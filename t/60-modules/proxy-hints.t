# The backend is a mock, or Lua that speaks for itself; the client is a socket
# where it matters what comes before the answer.

__DATA__


=== hints are passed on before there is an answer
--- http_config
    init_worker_by_lua_block { seen = false }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\nX: y\r\n\r\n")
                while not seen do ngx.sleep(0.01) end
                sock:send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }
--- config
    location = /p { early_hints 1; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:settimeout(20000)
            sock:send("GET /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            seen = sock:receiveuntil("\r\n\r\n")()
            ngx.say(seen)
            ngx.say(sock:receive())
            ngx.print(sock:receiveuntil("\r\n\r\n")() and sock:receive("*a"))
        }
    }
--- response_body eval
"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\nX: y\nHTTP/1.1 200 OK\nok"



=== where a condition says so
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                ngx.req.socket(true):send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                    .. "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            }
        }
    }
    proxy_http_version 1.1;
--- config
    location = /p { early_hints $arg_a $arg_b; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /none { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/none", "/p", "/p?a=0", "/p?a=0&b=0", "/p?a=1",
                                   "/p?b=x", "/p?a=0&b=00", "/p HTTP/1.0" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. (uri:find(" ") and "" or " HTTP/1.1")
                          .. "\r\nHost: a\r\n\r\n")
                ngx.say(uri, ": ", sock:receive())
            end
        }
    }
--- response_body
/none: HTTP/1.1 204 No Content
/p: HTTP/1.1 204 No Content
/p?a=0: HTTP/1.1 204 No Content
/p?a=0&b=0: HTTP/1.1 204 No Content
/p?a=1: HTTP/1.1 103 Early Hints
/p?b=x: HTTP/1.1 103 Early Hints
/p?a=0&b=00: HTTP/1.1 103 Early Hints
/p HTTP/1.0: HTTP/1.1 204 No Content



=== not those that are hidden, nor what speaks of the connection
--- config
    location = /p {
        early_hints 1;
        proxy_hide_header X-Secret;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p HTTP/1.1\r\nHost: a\r\n\r\n")
            ngx.say(sock:receiveuntil("\r\n\r\n")())
            ngx.say(sock:receive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 103 Early Hints\r\nX-Secret: a\r\nDate: b\r\nServer: c\r\nX-Accel-Expires: 1\r\n\r\n"
. "HTTP/1.1 100 Continue\r\nX: z\r\n\r\n"
. "HTTP/1.1 103 Early Hints\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nKeep-Alive: d\r\nX: y\r\n\r\n"
. "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
--- response_body eval
"HTTP/1.1 103 Early Hints\r\nX: y\nHTTP/1.1 200 OK\n"



=== each of several, as long as they fit into proxy_buffer_size together
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                for i = 1, 30 do
                    sock:send("HTTP/1.1 103 Early Hints\r\nLink: " .. ("x"):rep(100) .. "\r\n\r\n")
                    ngx.sleep(i % 7 == 0 and 0.001 or 0)
                end
                sock:send("HTTP/1.1 200 OK\r\nX: " .. ("y"):rep(800)
                          .. "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
        }
    }
--- config
    location = /p {
        early_hints 1;
        proxy_buffer_size 1k;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local text = sock:receive("*a")
            ngx.say(select(2, text:gsub("HTTP/1.1 103 Early Hints\r\nLink: x+\r\n\r\n", "")))
            ngx.say(#text:match("X: (y+)"), " ", text:sub(-2))
        }
    }
--- response_body
7
800 ok
--- error_log eval
qr/\[info\].* upstream sent too big early hints while reading response header from upstream/
--- no_error_log
[error]



=== a slow client gets all of them, and the answer behind
--- http_config
    proxy_buffer_size 4m;
    proxy_buffers 8 4m;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 103 Early Hints\r\nLink: " .. ("x"):rep(3000000) .. "\r\n\r\n")
                ngx.sleep(0.1)
                sock:send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
        }
    }
--- config
    location = /p { early_hints 1; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            ngx.sleep(0.5)
            local text = sock:receive("*a")
            ngx.say(#text:match("^HTTP/1.1 103 Early Hints\r\nLink: (x+)\r\n\r\nHTTP/1.1 200 OK\r\n"))
            ngx.say(text:sub(-2))
        }
    }
--- response_body
3000000
ok
--- timeout: 10



=== nobody gets those of a subrequest
--- config
    location = /p { early_hints 1; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /s {
        early_hints 1;
        content_by_lua_block { ngx.print(ngx.location.capture("/p").status) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
            ngx.say(sock:receive())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
--- response_body
HTTP/1.1 200 OK



=== with HTTP/2
--- http2_frames
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: close\r\n\r\n")
                ngx.sleep(0.1)
                sock:send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\n\r\nok")
            }
        }
    }
--- config
    keepalive_timeout 100ms;
    location = /t { early_hints 1; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
. "\0\0\x09\1\5\0\0\0\1\x82\x86\4\2/t\x41\1a"
--- response_body
SETTINGS 0
SETTINGS 0 ack
WINDOW_UPDATE 0
HEADERS 1
HEADERS 1
DATA 1 2 end
GOAWAY 0 last 1 NO_ERROR



=== whose fields are those of the hints
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        http2 on;
        location / { early_hints 1; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            sock:send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
                      .. "\0\0\6\1\5\0\0\0\1\x82\x86\x84\x41\1a")
            local text = sock:receiveuntil("ok!")()
            ngx.say(text:find("</a>", 1, true) ~= nil, " ", text:find("</b>", 1, true))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 103 Early Hints\r\nLINK: </a>\r\nConnection: </b>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok!"
--- response_body
true nil



=== what is sent of the body is counted without them
--- config
    location = /t {
        early_hints 1;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        log_by_lua_block { print("body ", ngx.var.body_bytes_sent) }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
--- ignore_response
--- error_log
body 2

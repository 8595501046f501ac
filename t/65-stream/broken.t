__DATA__


=== a PROXY header may be cut at any byte
--- stream_listen: proxy_protocol
--- stream_server_config
    return "$proxy_protocol_addr";
--- config
    location = /t {
        content_by_lua_block {
            local function ask(text)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
                assert(sock:send(text))
                return sock
            end
            local header = "PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n"
            for i = 1, #header - 1 do
                ask(header:sub(1, i)):close()
            end
            local sock = ask(header:sub(1, 7))
            for i = 8, #header do
                assert(sock:send(header:sub(i, i)))
            end
            ngx.say(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body
192.0.2.1



=== a version 2 header may be cut at any byte
--- stream_listen: proxy_protocol
--- stream_server_config
    return "$proxy_protocol_addr";
--- config
    location = /t {
        content_by_lua_block {
            local header = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"
                           .. "\xc0\0\2\1\xc0\0\2\2\x04\xd2\0\x50"
            local function ask(text)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
                assert(sock:send(text))
                return sock
            end
            for i = 1, #header - 1 do
                ask(header:sub(1, i)):close()
            end
            ngx.say(ask(header):receive("*a"))
        }
    }
--- request
GET /t
--- response_body
192.0.2.1



=== a client that leaves while a server is connected to takes it along
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             proxy_timeout 20s;
             proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 20 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
                if i % 2 == 0 then
                    assert(sock:send("GET / HT"))
                end
                assert(sock:close())
            end
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            assert(sock:send("GET /x HTTP/1.0\r\n\r\n"))
            ngx.say((sock:receive("*l")))
        }
    }
    location = /x { return 204; }
--- request
GET /t
--- response_body
HTTP/1.1 204 No Content
--- error_log
client disconnected, bytes from/to client:



=== a server that hangs up in the middle ends the session
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t {
        content_by_lua_block { ngx.print("some") ngx.flush(true) ngx.exit(444) }
    }
--- stream_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- stream_response_like: some\r\n$
--- error_log
upstream disconnected, bytes from/to client:



=== a name that stops resolving is a line in the log, and no session
--- stream_config
    lua_shared_dict asked 64k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local s = assert(ngx.req.socket())
            local q = assert(s:receive())
            if ngx.shared.asked:incr("n", 1, 0) == 1 then
                s:send(q:sub(1, 2) .. "\x81\x80\0\1\0\1\0\0\0\0" .. q:sub(13)
                       .. "\xc0\x0c\0\1\0\1\0\0\0\1\0\4\127\0\0\1")
            else
                s:send(q:sub(1, 2) .. "\x81\x83" .. q:sub(5))
            end
        }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return there; }
--- stream_server_config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 valid=1s ipv6=off;
    set $back back.example:$TEST_NGINX_RAND_PORT_2;
    proxy_pass $back;
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
                ngx.say(i, " ", sock:receive("*a"))
                ngx.sleep(1.3)
            end
        }
    }
--- request
GET /t
--- response_body eval
"1 there\n2 \n"
--- error_log eval
qr/\[error\] .*back.example could not be resolved \(3: Host not found\)( while [a-z ]+)?, client: 127.0.0.1, server: /



=== an answer larger than proxy_buffer_size is cut off, and the next is whole
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        content_by_lua_block {
            local s = assert(ngx.req.socket(true))
            s:send(("x"):rep(tonumber(s:receive())))
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
        proxy_buffer_size 1k;
        proxy_responses 1;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /t {
        content_by_lua_block {
            for _, size in ipairs { 1024, 3000, 10, 60000 } do
                local s = ngx.socket.udp()
                s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_2)
                s:send(tostring(size))
                ngx.say(#(s:receive() or ""))
            end
        }
    }
--- request
GET /t
--- response_body
1024
1024
10
1024

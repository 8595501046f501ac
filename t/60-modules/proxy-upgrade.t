__DATA__


=== after 101 bytes go both ways
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
    location /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        s:settimeout(20000)
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        s:send("GET /t HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly\n")
        repeat local line = s:receive(); ngx.say(line) until line == ""
        ngx.say(s:receive())
        for i = 1, 3 do s:send("line " .. i .. "\n"); ngx.say(s:receive()) end
        local big = ("x"):rep(1000000)
        ngx.thread.spawn(function() s:send(big .. "\nend\n") end)
        ngx.say(#s:receive(), " ", s:receive())
        ngx.say(s:receive())
    } }
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        local s = ngx.req.socket(true)
        s:send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: " .. ngx.var.http_upgrade .. "\r\nConnection: upgrade\r\n\r\n")
        repeat local line = s:receive(); s:send("got " .. line .. "\n") until line == "end"
    } } }
--- request
GET /client
--- response_body_like eval
qr{^HTTP/1.1 101 Switching Protocols\n(?:.+\n)*Connection: upgrade\n(?:.+\n)*\ngot early\ngot line 1\ngot line 2\ngot line 3\n1000004 got end\nnilclosed\n$}



=== not before the server has the whole request
--- http_config
    client_body_buffer_size 20m;
    client_max_body_size 20m;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
                ngx.sleep(0.5)
            }
        }
    }
--- config
    location = /p {
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection upgrade;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send { "POST /p HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n",
                        "Content-Length: 16000000\r\n\r\n", ("x"):rep(16000000), "more" }
            ngx.say(sock:receive())
        }
    }
--- response_body
HTTP/1.1 502 Bad Gateway
--- error_log
upstream sent unexpected 101 response
--- timeout: 10


=== nor while what the client calls a body is dropped
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
                sock:receive()
            }
        }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        access_by_lua_block { ngx.req.discard_body() }
        tunnel_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /p {
        access_by_lua_block { ngx.req.discard_body() }
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection upgrade;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local function ask(port, line)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:send { line, " HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n",
                            "Content-Length: 16\r\n\r\n", "more" }
                ngx.say(sock:receive())
            end
            ask(ngx.var.server_port, "POST /p")
            ask($TEST_NGINX_RAND_PORT_2, "CONNECT a:80")
        }
    }
--- response_body
HTTP/1.1 502 Bad Gateway
HTTP/1.1 400 Bad Request
--- error_log
upstream sent unexpected 101 response
client sent body before a tunnel


=== a 101 that nobody has asked for is a header and the end
--- http_config
    log_format f "$status $body_bytes_sent";
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nmore")
                sock:receive()
            }
        }
    }
--- config
    access_log logs/access.log f;
    location /t {
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection upgrade;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n"
--- raw_response_headers_like: ^HTTP/1.1 101 Switching Protocols\r\n.*Upgrade: x\r\n
--- error_code: 101
--- response_body
--- access_log
101 0
--- no_error_log
[error]



=== and nothing to a client of HTTP/2
--- http2
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nmore")
                sock:receive()
            }
        }
    }
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log
upstream sent unexpected 101 response

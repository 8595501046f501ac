__DATA__


=== a datagram is answered by return
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        return "$protocol $remote_addr $server_addr $bytes_received";
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say(s:receive())
        }
    }
--- request
GET /t
--- response_body
UDP 127.0.0.1 127.0.0.1 5
--- error_log eval
qr/\[info\] .* udp client 127\.0\.0\.1:\d+ connected to 127\.0\.0\.1:\d+/



=== each datagram of a client is answered
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        return "$remote_port";
    }
--- config
    location /t {
        content_by_lua_block {
            local s, ports = ngx.socket.udp(), {}
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for i = 1, 20 do
                s:send("hello")
                ports[s:receive()] = true
            end
            local only = next(ports)
            ngx.say(tonumber(only) ~= nil, " ", next(ports, only))
        }
    }
--- request
GET /t
--- response_body
true nil



=== a wildcard answers from the address that was asked
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 udp;
        return $server_addr;
    }
--- config
    location /t {
        content_by_lua_block {
            for _, to in ipairs { "127.0.0.1", "127.0.0.2" } do
                local s = ngx.socket.udp()
                s:setpeername(to, $TEST_NGINX_RAND_PORT_1)
                s:send("")
                ngx.say(s:receive())
            end
        }
    }
--- request
GET /t
--- response_body
127.0.0.1
127.0.0.2
--- skip_windows: Wine sends from where it likes



=== an address of its own is told apart from the wildcard
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 udp;
        return wildcard;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        return own;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say(s:receive())
        }
    }
--- request
GET /t
--- response_body
own



=== a port may be both
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return $protocol;
    }
--- config
    location /t {
        content_by_lua_block {
            for _, kind in ipairs { "udp", "tcp" } do
                local s = ngx.socket[kind]()
                local to = s.setpeername or s.connect
                to(s, "127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                if kind == "udp" then s:send("hello") end
                ngx.say(s:receive(3))
            end
        }
    }
--- request
GET /t
--- response_body
UDP
TCP



=== workers share the port, or have each their own
--- workers: 3
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp reuseport rcvbuf=64k;
        return $protocol;
    }
--- config
    location /t {
        content_by_lua_block {
            local good = 0
            for i = 1, 40 do
                local s = ngx.socket.udp()
                s:setpeername("127.0.0.1", i % 2 == 0
                    and $TEST_NGINX_RAND_PORT_1 or $TEST_NGINX_RAND_PORT_2)
                s:send("hello")
                good = good + (s:receive() == "UDP" and 1 or 0)
                s:close()
            end
            ngx.say(good)
        }
    }
--- request
GET /t
--- response_body
40



=== access is refused, and logged
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        deny all;
        return never;
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:settimeout(100)
            s:send("hello")
            ngx.say(s:receive())
        }
    }
--- request
GET /t
--- response_body
niltimeout
--- error_log
access forbidden by rule while initializing session, udp client: 127.0.0.1, server: 127.0.0.1:



=== what is of connections alone is refused
--- stream_config
    server { listen 127.0.0.1:8000 udp ssl; return ""; }
--- must_die
--- error_log
"listen" directive "ssl" parameter is incompatible with "udp" in



=== a PROXY header is none of datagrams
--- stream_config
    server { listen 127.0.0.1:8000 proxy_protocol udp; return ""; }
--- must_die
--- error_log
"listen" directive "proxy_protocol" parameter is incompatible with "udp" in



=== unix sockets have no datagrams
--- stream_config
    server { listen unix:/tmp/nothing.sock udp; return ""; }
--- must_die
--- error_log
no datagrams come to "unix:/tmp/nothing.sock" in
--- skip_windows: no unix sockets



=== http has no datagrams
--- http_config
    server { listen 127.0.0.1:8000 udp; }
--- must_die
--- error_log
invalid parameter "udp" in



=== pass gives a session to another server for datagrams
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
        return "passed $protocol";
    }
--- config
    location /t {
        content_by_lua_block {
            local s = ngx.socket.udp()
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("hello")
            ngx.say(s:receive())
        }
    }
--- request
GET /t
--- response_body
passed UDP

What connect() and setpeername() take for a host.

__DATA__


=== a port behind the host is the one that counts
--- config
    location = /t {
        content_by_lua_block {
            local port = ngx.var.server_port
            ngx.say(ngx.socket.tcp():connect("127.0.0.1:" .. port, 1))
            ngx.say(ngx.socket.udp():setpeername("127.0.0.1:" .. port, 1))
        }
    }
--- response_body
1
1



=== what is no host is told, and how it is none
--- config
    location = /t {
        content_by_lua_block {
            for _, host in ipairs { "", ":1", "127.0.0.1:", "127.0.0.1:x",
                                    "127.0.0.1:0", "127.0.0.1:65536", "a:b:c",
                                    "::1", "a/b", "a?b", "http://a", "[",
                                    "[]", "[::1]x", "[::1]:", "[x]", "unix:" }
            do
                local _, err = ngx.socket.tcp():connect(host, 1)
                local _, again = ngx.socket.udp():setpeername(host, 1)
                ngx.say(err, again == err and "" or again)
            end
        }
    }
--- response_body
failed to parse host name "": no host
failed to parse host name ":1": no host
failed to parse host name "127.0.0.1:": invalid port
failed to parse host name "127.0.0.1:x": invalid port
failed to parse host name "127.0.0.1:0": invalid port
failed to parse host name "127.0.0.1:65536": invalid port
failed to parse host name "a:b:c": invalid port
failed to parse host name "::1": invalid port
failed to parse host name "a/b": invalid host
failed to parse host name "a?b": invalid host
failed to parse host name "http://a": invalid host
failed to parse host name "[": invalid host
failed to parse host name "[]": no host
failed to parse host name "[::1]x": invalid host
failed to parse host name "[::1]:": invalid port
failed to parse host name "[x]": invalid IPv6 address
failed to parse host name "unix:": no path in the unix domain socket



=== behind a NUL there is no port: the pool would have another's connection
--- config
    location = /t {
        content_by_lua_block {
            local port = ngx.var.server_port
            for _, host in ipairs { "127.0.0.1\0:" .. port, "127.0.0.1\0",
                                    "[::1\0]:" .. port }
            do
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", port)
                sock:setkeepalive()
                local ok, err = ngx.socket.tcp():connect(host, port)
                ngx.say(ok, err and err:match(" [^:]*$"))
                ok, err = ngx.socket.udp():setpeername(host, 1)
                ngx.say(ok, err and err:match(" [^:]*$"))
            end
        }
    }
--- response_body
nil invalid host
nil invalid host
nil invalid host
nil invalid host
nil invalid IPv6 address
nil invalid IPv6 address



=== names are not asked for where there is no resolver
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.socket.tcp():connect("a.example", 80))
            ngx.say(ngx.socket.tcp():connect("localhost:1", 80))
            ngx.say(ngx.socket.udp():setpeername("a.example", 80))
            ngx.say(ngx.socket.udp():setpeername("127.0.0.1", 80))
        }
    }
--- response_body
nilno resolver defined to resolve "a.example"
nilno resolver defined to resolve "localhost"
nilno resolver defined to resolve "a.example"
1



=== nor in a stream
--- stream_server_config
    content_by_lua_block {
        ngx.say(ngx.socket.tcp():connect("a.example", 80))
    }
--- stream_response
nilno resolver defined to resolve "a.example"



=== a resolver of the block is a timer's as well
--- http_config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    resolver_timeout 20ms;
--- config
    location = /t {
        content_by_lua_block {
            local err
            ngx.timer.at(0, function ()
                err = select(2, ngx.socket.tcp():connect("a.example", 80))
            end)
            for _ = 1, 500 do
                if err then break end
                ngx.sleep(0.01)
            end
            ngx.say(err)
        }
    }
--- response_body_like: ^a.example could not be resolved



=== a connection from an address that is not ours, where the system lets it be
--- config
    location = /t {
        content_by_lua_block {
            local port = ngx.var.server_port
            local sock = ngx.socket.tcp()

            ngx.say(sock:setoption("ip-transparent", true))
            sock:bind("127.0.0.77")
            local ok, err = sock:connect("127.0.0.1", port)
            ngx.say(ok or "refused: " .. err)
            if ok then
                sock:send("GET /who HTTP/1.0\r\n\r\n")
                ngx.say((sock:receive("*a"):match("127%.0%.0%.%d+")))
            end

            sock = ngx.socket.tcp()
            sock:setoption("ip-transparent", false)
            ngx.say(sock:connect("127.0.0.1", port))
        }
    }
    location = /who { return 200 $remote_addr; }
--- response_body_like
^true
(1
127\.0\.0\.77|refused: .+)
1$
--- grep_error_log: lua set TCP upstream with IP_TRANSPARENT
--- grep_error_log_out
lua set TCP upstream with IP_TRANSPARENT

# A socket that several threads have, and whose thread is killed.

__DATA__


=== while one thread reads, another may write, but neither read nor connect
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local t = ngx.thread.spawn(function () return sock:receive(5) end)
            for _, call in ipairs { { "receive" }, { "receiveany", 1 },
                                    { "connect", "127.0.0.1", 1 },
                                    { "setkeepalive" }, { "close" },
                                    { "setoption", "keepalive", 1 },
                                    { "getreusedtimes" }, { "send", "q" } }
            do
                ngx.say(call[1], " ", sock[call[1]](sock, unpack(call, 2)))
            end
            ngx.say(ngx.thread.wait(t))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query: q
--- tcp_reply: reply
--- response_body
receive nilsocket busy reading
receiveany nilsocket busy reading
connect nilsocket busy reading
setkeepalive nilsocket busy reading
close nilsocket busy reading
setoption true
getreusedtimes 0
send 1
truereply



=== while one thread writes, another may read, but not write
--- config
    lua_socket_send_timeout 20s;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("POST /sleep HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n")
            local t = ngx.thread.spawn(function ()
                return sock:send(string.rep("x", 30 * 1024 * 1024))
            end)
            sock:settimeouts(1000, 20000, 1)
            for _, call in ipairs { { "send", "y" }, { "shutdown", "send" },
                                    { "connect", "127.0.0.1", 1 },
                                    { "setkeepalive" }, { "close" },
                                    { "receive", 1 } }
            do
                ngx.say(call[1], " ", sock[call[1]](sock, unpack(call, 2)))
            end
            ngx.say(coroutine.status(t), ngx.thread.kill(t))
            ngx.say(sock:receive(1))
            ngx.say(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        }
    }
    location = /sleep {
        client_max_body_size 100m;
        content_by_lua_block { ngx.sleep(2) }
    }
--- response_body
send nilsocket busy writing
shutdown nilsocket busy writing
connect nilsocket busy writing
setkeepalive nilsocket busy writing
close nilsocket busy writing
receive niltimeout
running1
nilclosed
1



=== a killed thread does not ask for its name any more
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    location = /t {
        content_by_lua_block {
            local tcp, udp = ngx.socket.tcp(), ngx.socket.udp()
            local port = $TEST_NGINX_SERVER_PORT
            local t = ngx.thread.spawn(function () tcp:connect("example.invalid", port) end)
            local u = ngx.thread.spawn(function () udp:setpeername("example.invalid", 53) end)
            ngx.say(udp:setpeername("127.0.0.1", 53))
            ngx.say(ngx.thread.kill(t), ngx.thread.kill(u))
            ngx.say(udp:send("x"))
            ngx.say(tcp:connect("127.0.0.1", port), udp:setpeername("127.0.0.1", 53))
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: nonsense
--- log_level: debug
--- response_body
nilsocket busy
11
nilclosed
11
--- error_log
lua tcp socket abort resolver



=== a thread is killed in a handshake
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local t = ngx.thread.spawn(sock.sslhandshake, sock)
            ngx.say(sock:receive(1))
            ngx.say(sock:send("x"))
            ngx.say(sock:connect("127.0.0.1", 1))
            ngx.say(ngx.thread.kill(t))
            ngx.say(sock:getreusedtimes())
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: x
--- response_body
nilsocket busy connecting
nilsocket busy connecting
nilsocket busy connecting
1
nilclosed



=== shutdown wants to know which side, once
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:shutdown("send"))
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(pcall(sock.shutdown, sock))
            ngx.say(pcall(sock.shutdown, sock, "send", 1))
            ngx.say(pcall(sock.shutdown, sock, "receive"))
            ngx.say(sock:shutdown("send"))
            ngx.say(sock:shutdown("send"))
            sock:close()
            ngx.say(sock:shutdown("send"))
        }
    }
--- response_body
nilclosed
falseexpecting 2 arguments (including the object) but seen 1
falseexpecting 2 arguments (including the object) but seen 3
falsebad argument #2 to '?' (bad shutdown argument: receive)
1
nilalready shutdown
nilclosed



=== tables that are sent have a depth
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            local deep = {}
            deep[1] = deep
            ngx.say(pcall(sock.send, sock, deep))
            deep = "x"
            for _ = 1, 50 do deep = { deep } end
            ngx.say(sock:send(deep))
            ngx.say(sock:setoption("keepalive"))
            ngx.say(sock:getoption())
        }
    }
--- response_body
falsebad argument #2 to '?' (table nested too deep)
1
nilmissing the "value" argument
nilmissing the "option" argument



=== datagrams come from the address that the socket is bound to
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            for _, addr in ipairs { "localhost", "unix:x", "", "127.0.0.1" } do
                ngx.say(addr, " ", sock:bind(addr))
            end
            ngx.say(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say(sock:send("x"), sock:receive())
            sock = ngx.socket.udp()
            ngx.say(sock:bind("::1"), sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say(sock:send("x"), sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: got
--- response_body
localhost nilbad address
unix:x nilbad address
 nilbad address
127.0.0.1 true
1
1got
true1
1got



=== a UDP socket is of no use to another request
--- config
    location = /other {
        content_by_lua_block {
            local sock = package.loaded.udp_of_t
            for _, call in ipairs { { "send", "x" }, { "receive" }, { "close" },
                                    { "setpeername", "127.0.0.1", 53 } } do
                ngx.say(call[1], " ", pcall(sock[call[1]], sock, unpack(call, 2)))
            end
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            assert(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            package.loaded.udp_of_t = sock
            ngx.print(ngx.location.capture("/other").body)
            ngx.say(sock:send("x"), sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: got
--- response_body
send falsebad request
receive falsebad request
close falsebad request
setpeername falsebad request
1got



=== names that a UDP socket does not find
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    resolver_timeout 50ms;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            ngx.say(sock:setpeername("example.invalid", 53))
            ngx.say((sock:setpeername("unix:/tmp/lunette-none.sock")))
            ngx.say(pcall(sock.receive, sock, 1, 2))
            ngx.say(sock:send("x"))
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: nonsense
--- response_body
nilexample.invalid could not be resolved (110: Operation timed out)
nil
falseexpecting 1 or 2 arguments (including the object), but got 3
nilclosed



=== a UDP socket cannot be bound to an address that is not ours
--- skip_windows: Wine lets it
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            ngx.say(sock:bind("198.51.100.1"))
            ngx.say(sock:setpeername("127.0.0.1", 53))
            ngx.say((sock:send("x")))
        }
    }
--- response_body
true
nilcannot assign requested address
nil
--- error_log
closed socket

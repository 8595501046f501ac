UDP cosockets, and names.

__DATA__


=== datagrams go out and come back
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            ngx.say(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say(sock:send("one"), " ", sock:receive())
            ngx.say(sock:send({"t", {"w", "o"}}), " ", sock:receive(6))
            ngx.say(sock:send("three"), " [", sock:receive(0), "]")
            ngx.say(sock:close(), " ", sock:close())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
sub { my $query = shift; return "got $query" }
--- response_body
1
1 got one
1 got tw
1 []
1 nilclosed



=== a socket without a peer is closed
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            ngx.say(sock:send("x"))
            ngx.say(sock:receive())
            ngx.say(sock:close())
        }
    }
--- response_body
nilclosed
nilclosed
nilclosed
--- error_log
attempt to send data on a closed socket
attempt to receive data on a closed socket



=== nobody there
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            assert(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("x"))
            sock:settimeout(20000)
            ngx.say(sock:receive())
        }
    }
--- response_body
nilconnection refused
--- error_log
recv() failed



=== a time-out leaves the socket open, and a late datagram is not lost
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            assert(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:settimeout(10)
            ngx.say(sock:receive())
            assert(sock:send("x"))
            ngx.sleep(0.2)
            ngx.say(sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: late
--- response_body
niltimeout
late
--- error_log
lua udp socket read timed out



=== two may not receive at the same time
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            assert(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            local t = ngx.thread.spawn(function () return sock:receive() end)
            ngx.say(sock:receive())
            ngx.thread.kill(t)
        }
    }
--- response_body
nilsocket busy



=== wrong arguments are told
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            ngx.say(pcall(sock.setpeername, sock))
            ngx.say(sock:setpeername("127.0.0.1", 65536))
            ngx.say(pcall(sock.settimeout, sock))
            ngx.say(pcall(ngx.socket.udp, 1))
        }
    }
--- response_body
falsengx.socket.udp setpeername: expecting 2 or 3 arguments (including the object), but seen 1
nilbad port number: 65536
falsengx.socket settimeout: expecting at least 2 arguments (including the object) but seen 1
falseexpecting zero arguments, but got 1



=== localhost is known without a name server where local=on says so
--- config
    resolver local=on 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("localhost", $TEST_NGINX_RAND_PORT_1))
            sock:send("q")
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply: home
--- response_body
home



=== a name is asked for, over UDP
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    location = /t {
        content_by_lua_block {
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                ngx.say(sock:connect("Some.Example", $TEST_NGINX_SERVER_PORT))
            end
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x80\0\1\0\1\0\0\0\0" . substr($q, 12)
        . "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1";
}
--- response_body
1
1



=== a name server says that there is no such name
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            ngx.say(sock:connect("none.example", 80))
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x83" . substr($q, 4);
}
--- response_body
nilnone.example could not be resolved (3: Host not found)

=== a datagram comes whole
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("x")
            ngx.say(#sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply eval
"y" x 20000
--- response_body
20000



=== the log says which of its functions waits
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("x")
            ngx.say(sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply: y
--- response_body
y
--- log_level: debug
--- error_log
 for udpsock:receive
--- no_error_log
 for udpsock:setpeername

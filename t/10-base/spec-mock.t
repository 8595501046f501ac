__DATA__


=== a mock answers the server, and its query is checked
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("ping\n"))
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query eval: "ping\n"
--- tcp_reply eval
["pong", ", twice"]
--- response_body
pong, twice



=== a mock's answer may depend on the query, and be late
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("abc"))
            ngx.sleep(0.01)
            assert(sock:send("def"))
            ngx.say(sock:receive("*a"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_query_len: 6
--- tcp_reply_delay: 10ms
--- tcp_reply eval
sub { my $query = shift; return scalar reverse $query }
--- response_body
fedcba



=== a mock may speak in datagrams
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.udp()
            assert(sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:send("one"))
            ngx.say(sock:receive())
            assert(sock:send("two"))
            ngx.say(sock:receive())
        }
    }
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_query: two
--- udp_reply eval
sub { my $query = shift; return "got $query" }
--- response_body
got one
got two

__DATA__


=== trailers are passed on when that is wanted
--- config
    location = /x { proxy_pass_trailers on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.print((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nServer: x\r\nContent-Length: 7\r\nX-Sum: 2\r\n\r\n"
--- response_body chomp
3|abc|0|X-Sum: 1|X-Sum: 2||



=== which it is not by itself
--- config
    location = /x {  proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.print((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"
--- response_body chomp
3|abc|0||



=== nor when they are hidden
--- config
    location = /x { proxy_pass_trailers on; proxy_hide_header X-Sum; proxy_pass_header Server; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.print((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nServer: s\r\n\r\n"
--- response_body chomp
3|abc|0|Server: s||



=== they come piece by piece
--- config
    location = /x { proxy_pass_trailers on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.print((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r", "\nX-S", "um: 1\r\n", "X-T: 2\r", "\n\r", "\n"]
--- response_body chomp
3|abc|0|X-Sum: 1|X-T: 2||



=== a variable has them, and connections are kept
--- config
    location = /s { add_trailer X-Sum "$connection_requests"; content_by_lua_block { ngx.print "ab" } }
    location = /t {
        proxy_pass_trailers on;
        proxy_buffering off;
        proxy_pass http://kept/s;
        body_filter_by_lua_block { if ngx.arg[2] then ngx.arg[1] = ngx.arg[1] .. ngx.var.upstream_trailer_x_sum end }
    }
--- http_config
    upstream kept { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["ab1", "ab2"]
--- no_error_log
[error]



=== a line that is none ends the answer too early
--- config
    location = /t { proxy_pass_trailers on; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX\x01y: 1\r\n\r\n"
--- ignore_response
--- error_log
upstream sent invalid trailer: "X\x01..."



=== and so do too many
--- config
    location = /t { proxy_pass_trailers on; proxy_buffer_size 1k; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n" . ("X-A: 12345\r\n" x 100) . "\r\n"
--- ignore_response
--- error_log
upstream sent too big trailers

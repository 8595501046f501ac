__DATA__


=== who is not known, or has a wrong password, has to wait the same time
--- config
    location = /t {
        auth_delay 400ms;
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
        add_header X "$request_time $status" always;
        echo in;
    }
--- user_files
>>> users
plain:{PLAIN}secret
slow:$apr1$r31TWj20$q6kj7lbgVlcnitVu5GciF.
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["A: b", "Authorization: Basic cGxhaW46U2VjcmV0", "Authorization: Basic c2xvdzpTZWNyZXQ=", "Authorization: Basic cGxhaW46c2VjcmV0"]
--- error_code eval
[401, 401, 401, 200]
--- response_headers_like eval
["X: (0\\.39|0\\.[4-9]|[1-9]).* 401", "X: (0\\.39|0\\.[4-9]|[1-9]).* 401", "X: (0\\.39|0\\.[4-9]|[1-9]).* 401", "X: .* 200"]



=== who is known has not to wait
--- config
    location = /t {
        auth_delay 400ms;
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
        echo in;
    }
--- user_files
>>> users
plain:{PLAIN}secret
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- response_body
in
--- no_error_log
delaying unauthorized request



=== which is said
--- config
    location = /t {
        auth_delay 1ms;
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
--- error_code: 401
--- error_log eval
qr/\[info\].* delaying unauthorized request/



=== a refusal comes at once
--- config
    auth_delay 1s;
    location = /t { deny all; }
--- error_code: 403
--- no_error_log
delaying unauthorized request



=== it counts where any of several would do, and for a subrequest's verdict
--- config
    auth_delay 300ms;
    location = /ask { return 401; }
    location = /a { satisfy any; deny all; auth_request /ask; echo in; }
    location = /b { auth_request /ask; echo in; }
    add_header X "$request_time" always;
--- request eval
["GET /a", "GET /b"]
--- error_code eval
[401, 401]
--- response_headers_like eval
["X: (0\\.29|0\\.[3-9]|[1-9]).*", "X: (0\\.29|0\\.[3-9]|[1-9]).*"]



=== the code's own 401 has to wait, too, and its page is an error_page
--- config
    auth_delay 300ms;
    location = /t {
        error_page 401 /page;
        access_by_lua_block { ngx.sleep(0.001) ngx.exit(401) }
        echo in;
    }
    location = /page { auth_delay 0; add_header X "$request_time" always; return 200 "no"; }
--- error_code: 401
--- response_body: no
--- response_headers_like
X: (0\.29|0\.[3-9]|[1-9]).*



=== a client that leaves has waited enough
--- config
    location = /s {
        auth_delay 50s;
        access_by_lua_block { ngx.exit(401) }
        log_by_lua_block { print("status ", ngx.status, " after ", ngx.var.request_time) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
            ngx.sleep(0.1)
            sock:close()
            ngx.sleep(0.1)
            ngx.print("left")
        }
    }
--- response_body: left
--- error_log eval
qr/status 499 after [0-3]?\d\./



=== with HTTP/2
--- http2
--- config
    auth_delay 300ms;
    location = /t {
        access_by_lua_block { ngx.exit(401) }
        add_header X "$request_time" always;
    }
--- error_code: 401
--- response_headers_like
X: (0\.29|0\.[3-9]|[1-9]).*



=== its value is a time
--- config
    auth_delay soon;
--- must_die
--- error_log
"auth_delay" directive invalid value

__DATA__


=== chunks, a length, the end of the connection
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_no_close
--- tcp_reply eval
["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX: y\r\n\r\n"]
--- response_body chomp
hello world
--- response_headers
Transfer-Encoding: chunked



=== a body larger than all buffers
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/big; }
    location /unbuffered { proxy_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/big; }
    location /len { content_by_lua_block {
        local a = ngx.location.capture("/t")
        local b = ngx.location.capture("/unbuffered")
        ngx.say(a.status, " ", #a.body, " ", ngx.md5(a.body) == ngx.md5(("0123456789abcdef"):rep(65536)), " ", #b.body)
    } }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location /big { content_by_lua_block {
        for i = 1, 64 do ngx.print(("0123456789abcdef"):rep(1024)) end
    } } }
--- request eval
["GET /len", "GET /t", "GET /unbuffered"]
--- response_body eval
["200 1048576 true 1048576\n", "0123456789abcdef" x 65536, "0123456789abcdef" x 65536]



=== a file of another server, which goes from socket to socket, is counted
--- http_config
    upstream files { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 1; }
    server { listen $TEST_NGINX_RAND_PORT_1; root html; }
--- config
    location /big.txt {
        proxy_pass http://files;
        log_by_lua_block {
            local v = ngx.var
            ngx.log(ngx.WARN, "sent ", v.body_bytes_sent, " of ", v.upstream_response_length)
        }
    }
--- user_files eval
[["big.txt", "0123456789abcdef" x 65536]]
--- request eval
["GET /big.txt", "GET /big.txt"]
--- response_body eval
["0123456789abcdef" x 65536, "0123456789abcdef" x 65536]
--- error_log
sent 1048576 of 1048576



=== who looks at the bytes of such a file has all of them
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; root html; }
--- config
    location /upper/ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
    }
    location /sub/ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        sub_filter "abc" "ABC";
        sub_filter_types *;
        sub_filter_once off;
    }
    location /sub/once/ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        sub_filter "0" "1";
        sub_filter_types *;
    }
--- user_files eval
[["big.txt", "0123456789abcdef" x 65536]]
--- request eval
["GET /upper/big.txt", "GET /sub/big.txt", "GET /sub/once/big.txt"]
--- response_body eval
["0123456789ABCDEF" x 65536, "0123456789ABCdef" x 65536, "1" . substr("0123456789abcdef" x 65536, 1)]



=== a request's body is passed on, from memory and from a file
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; client_body_buffer_size 1k; }
    location /file { client_body_in_file_only clean; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        ngx.req.read_body()
        local data = ngx.req.get_body_data()
        ngx.print(ngx.var.http_content_length, " ", data)
    } } }
--- request eval
["POST /t\nhello", "POST /t\n" . "x" x 3000, "POST /file\nin a file"]
--- response_body eval
["5 hello", "3000 " . "x" x 3000, "9 in a file"]



=== HEAD, 204 and 304 have no body
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1;
        location /t/200 { return 200 "hello"; }
        location /t/204 { return 204; }
        location /t/304 { return 304; } }
--- request eval
["HEAD /t/200", "GET /t/204", "GET /t/304", "GET /t/200"]
--- error_code eval
[200, 204, 304, 200]
--- response_body eval
["", "", "", "hello"]



=== interim answers are passed over
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
--- response_body chomp
ok
--- response_headers
!Link



=== a body that ends too early ends the connection
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /sub { content_by_lua_block {
        local res = ngx.location.capture("/t")
        ngx.say(res.status, " ", res.body, " ", res.truncated)
    } }
--- request
GET /sub
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"
--- response_body
200 abc true
--- error_log
upstream prematurely closed connection while reading upstream, client:



=== a body that is sent while it comes, with a length
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; client_body_buffer_size 1m; location / { content_by_lua_block {
        ngx.req.read_body()
        local data = ngx.req.get_body_data()
        ngx.print(ngx.var.http_content_length, " ", #data, " ", data == ("0123456789"):rep(20000))
    } } }
--- request eval
"POST /t\n" . "0123456789" x 20000
--- response_body: 200000 200000 true



=== a body that is sent while it comes, in chunks
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        ngx.req.read_body()
        ngx.print(ngx.var.http_transfer_encoding, " ", ngx.req.get_body_data())
    } } }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n6;a\r\nhel", "lo \r\n5\r\nworld\r\n", "0\r\nX: y\r\n\r\n"]
--- raw_request_middle_delay
0.05
--- response_body: chunked hello world



=== the server has it before its end
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        s:settimeout(20000)
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        s:send("POST /t HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\none\n")
        while not ngx.shared.seen:get("line") do ngx.sleep(0.01) end
        ngx.say(ngx.shared.seen:get("line"))
        s:send("two")
        ngx.say(s:receive())
    } }
--- http_config
    lua_shared_dict seen 1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        ngx.shared.seen:set("line", ngx.req.socket():receive())
    } } }
--- request
GET /client
--- response_body
one
HTTP/1.1 200 OK



=== a client that is too slow with it
--- config
    location /t { proxy_request_buffering off; client_body_timeout 100ms; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.req.read_body() } } }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\none"
--- ignore_response
--- error_log
client timed out



=== a client that is slow gets what a file has kept for it
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        s:settimeout(20000)
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        s:send("GET /t HTTP/1.0\r\nHost: h\r\n\r\n")
        while not ngx.shared.seen:get("all") do ngx.sleep(0.01) end
        local all = s:receive("*a")
        ngx.say(all:sub(-12000000) == ("0123456789"):rep(1200000))
    } }
--- http_config
    lua_shared_dict seen 1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        for i = 1, 1200 do ngx.print(("0123456789"):rep(1000)) end
        ngx.shared.seen:set("all", ngx.flush(true))
    } } }
--- request
GET /client
--- response_body
true
--- error_log
an upstream response is buffered to a temporary file



=== a body that has come whole is no stream, and is there to be looked at
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; add_header X-Body $request_body; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$http_transfer_encoding-$http_content_length"; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"]
--- response_body: -5
--- response_headers
X-Body: hello



=== small chunks that come together go on as one
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n", "2\r\nde\r\n3\r\nfgh\r\n0\r\n\r\n"]
--- raw_request_middle_delay: 0.3
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        ngx.req.read_body()
        ngx.say(ngx.req.get_body_data(), " in ", ngx.var.request_length - #ngx.req.raw_header())
    } } }
--- response_body
abcdefgh in 23



=== a body that is malformed before its request goes anywhere
--- config
    location /t { proxy_request_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx"]
--- error_code: 400
--- error_log
client sent invalid chunked body



=== a body that was dropped has no length
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.print(ngx.var.http_content_length or "none", " ", ngx.req.get_body_data() or "-", ";")
            }
        }
    }
--- config
    access_by_lua_block { if ngx.var.uri ~= "/t" then ngx.req.discard_body() end }
    location = /one { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /two { proxy_http_version 2; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /grpc { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/one", "/two", "/grpc" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:settimeout(10000)
                sock:send("POST " .. uri .. " HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello")
                ngx.print((sock:receive("*a") or "nothing"):match("[^\n]*$"))
            end
        }
    }
--- request: GET /t
--- timeout: 40
--- response_body eval: "0 -;0 -;none -;"



=== a server that has answered need not read the rest
--- config
    client_body_buffer_size 20m;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_STREAM_PORT; }
    location /t/unbuffered { proxy_buffering off; proxy_pass http://127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:receiveuntil("\r\n\r\n")()
        sock:send("HTTP/1.1 413 Enough\r\nContent-Length: 5\r\n\r\nsorry")
    }
--- request eval
["POST /t\n" . ("x" x 9000000), "POST /t/unbuffered\n" . ("x" x 9000000)]
--- error_code eval
[413, 413]
--- response_body eval
["sorry", "sorry"]

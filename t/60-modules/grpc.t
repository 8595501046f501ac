# grpc_pass; the server is HTTP/2 of our own, or a mock that says frames.

__DATA__


=== what a server gets, and an answer
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.header["X-A"] = ngx.var.http_x_a
                ngx.say(ngx.var.server_protocol, " ", ngx.var.request_method, " ", ngx.var.request_uri,
                        " ", ngx.var.http_host, " ", ngx.var.http_te, " ", ngx.req.get_body_data())
            }
        }
    }
--- config
    location /t { grpc_set_header Host me; grpc_pass grpc://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- more_headers
TE: gzip, trailers
X-A: b
Connection: close
--- request
POST /t?a=%20b
hello
--- response_headers
X-A: b
--- response_body
HTTP/2.0 POST /t?a=%20b me trailers hello
--- no_error_log
[error]



=== a body that is larger than all windows, both ways
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        client_max_body_size 10m;
        location / {
            client_body_buffer_size 10m;
            content_by_lua_block {
                ngx.req.read_body()
                local data = ngx.req.get_body_data()
                ngx.say(#data, " ", ngx.crc32_long(data))
                ngx.print(data)
            }
        }
    }
--- config
    location /p { client_max_body_size 10m; grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local data = ("0123456789abcdef"):rep(200000)
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /p HTTP/1.0\r\nContent-Length: " .. #data .. "\r\n\r\n" .. data))
            local text = assert(sock:receive("*a"))
            local line, body = text:match("\r\n\r\n([^\n]*)\n(.*)")
            ngx.say(line == #data .. " " .. ngx.crc32_long(data), " ", body == data)
        }
    }
--- response_body
true true



=== trailers
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { add_trailer grpc-status 0; return 200 "ok"; }
    }
--- config
    location /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- raw_request eval: "GET /t HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: close\r\n\r\n"
--- raw_response_headers_like: Transfer-Encoding: chunked
--- response_body eval: "ok"



=== over TLS
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        http2 on;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$server_protocol $ssl_protocol $ssl_alpn_protocol $scheme"; }
    }
--- config
    location /t { grpc_pass grpcs://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- response_body eval: "HTTP/2.0 TLSv1.3 h2 https"



=== frames
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x04\x01\x00\x00\x00\x00\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x02\x00\x00\x00\x00\x00\x01he\x00\x00\x07\x00\x08\x00\x00\x00\x01\x03llo\x00\x00\x00\x00\x00\x0f\x01\x05\x00\x00\x00\x01\x00\x0bgrpc-status\x010"
--- response_body eval: "hello"



=== a header in pieces
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x01\x00\x00\x00\x00\x01\x88\x00\x03x-\x00\x00\x03\x09\x00\x00\x00\x00\x01a\x01b\x00\x00\x00\x09\x04\x00\x00\x00\x01\x00\x00\x02\x00\x01\x00\x00\x00\x01ok"
--- response_body eval: "ok"
--- response_headers
x-a: b



=== an answer that is all header
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x05\x00\x00\x00\x01\x8d"
--- error_code: 404



=== what is not HTTP/2
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\x0d\x0a\x0d\x0a"
--- error_code: 502
--- error_log
upstream sent too large http2 frame



=== a frame of another stream
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x04\x00\x00\x00\x03\x88"
--- error_code: 502
--- error_log
upstream sent frame for unknown stream 3



=== a stream that is refused
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07"
--- error_code: 502
--- error_log
upstream rejected request with error 7



=== a server that goes away
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"
--- error_code: 502
--- error_log
upstream sent goaway with error 2



=== a server that goes away later
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x0b\x07\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00bye\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x02\x00\x01\x00\x00\x00\x01ok"
--- response_body eval: "ok"



=== a body before a header
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01\x00\x00\x00\x01ok"
--- error_code: 502
--- error_log
upstream sent unexpected data frame



=== no status
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x07\x01\x05\x00\x00\x00\x01\x00\x03x-a\x01b"
--- error_code: 502
--- error_log
upstream sent no :status header



=== a name in capitals
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x01\x05\x00\x00\x00\x01\x88\x00\x03X-a\x01b"
--- error_code: 502
--- error_log
upstream sent invalid header: "X-a: b"



=== a value with a line end
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x0b\x01\x05\x00\x00\x00\x01\x88\x00\x03x-a\x04b\x0d\x0ac"
--- error_code: 502
--- error_log
upstream sent invalid header: "x-a: b



=== a header that is too big
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x10\xbd\x01\x04\x00\x00\x00\x01\x88\x00\x03x-a\x7f\xa9\x1dyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\x00\x03x-b~zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\x00\x03x-b~zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\x00\x03x-b~zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
--- error_code: 502
--- error_log
upstream sent too big header



=== a block that means nothing
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x01\x05\x00\x00\x00\x01\xff\xff\xff\xff\xff"
--- error_code: 502
--- error_log
upstream sent invalid http2 header block



=== a frame within a block
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x01\x88\x00\x00\x00\x04\x00\x00\x00\x00\x00"
--- error_code: 502
--- error_log
upstream sent http2 frame inside of a header block



=== too much padding
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x01\x0c\x00\x00\x00\x01\x09\x88"
--- error_code: 502
--- error_log
upstream sent http2 frame with too long padding



=== windows without an end
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\xff\xff\xff"
--- error_code: 502
--- error_log
upstream sent too large window update



=== a push
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x05\x04\x00\x00\x00\x01\x00\x00\x00\x02\x82"
--- error_code: 502
--- error_log
upstream sent unexpected push promise frame



=== trailers that are not the end
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x05\x01\x04\x00\x00\x00\x01\x00\x01a\x01b"
--- ignore_response
--- error_log
upstream sent trailers without end stream flag



=== more of a body than was promised
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x13\x01\x04\x00\x00\x00\x01\x88\x00\x0econtent-length\x011\x00\x00\x02\x00\x01\x00\x00\x00\x01ok"
--- ignore_response
--- error_log
upstream sent response body larger than indicated content length



=== a connection that ends before the stream
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x02\x00\x00\x00\x00\x00\x01ok"
--- ignore_response
--- error_log
while reading upstream



=== a server that opens its windows once, and wide
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        local got, flags = 0, 0
        sock:settimeout(20000)
        assert(sock:receive(24))
        repeat
            local head = assert(sock:receive(9))
            local a, b, c, kind = head:byte(1, 4)
            local n = a * 65536 + b * 256 + c
            if n ~= 0 then assert(sock:receive(n)) end
            if kind == 0 then
                local before = got
                got, flags = got + n, head:byte(5)
                if before < 65535 and got >= 65535 then
                    assert(ngx.print("\0\0\6\4\0\0\0\0\0\0\4\127\255\255\255\0\0\4\8\0\0\0\0\0\127\0\0\0"))
                    assert(ngx.flush(true))
                end
            end
        until flags % 2 == 1
        ngx.print("\0\0\1\1\4\0\0\0\1\136\0\0\7\0\1\0\0\0\1", got)
    }
--- config
    location = /t {
        client_max_body_size 2m;
        grpc_send_timeout 5s;
        grpc_read_timeout 5s;
        grpc_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT;
    }
--- request eval: "POST /t\n" . ("x" x 1000000)
--- response_body eval: "1000000"



=== a status that is no answer's
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x01\x05\x00\x00\x00\x01\x08\x03101"
--- error_code: 502
--- error_log
upstream sent unexpected :status "101"



=== nothing but an interim answer
--- config
    location = /t { grpc_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x01\x05\x00\x00\x00\x01\x08\x03103"
--- error_code: 502
--- error_log
upstream sent interim response with end stream flag



=== connections are kept, and have a stream for each request
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { return 200 "$connection $connection_requests"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 1; }
--- config
    location = /p { grpc_pass u; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p").body
            for i = 2, 4 do
                local n = ngx.location.capture("/p").body
                ngx.say(n:match("%d+") == first:match("%d+"), n:match(" .*"))
            end
        }
    }
--- response_body
true 2
true 3
true 4



=== the authority is the Host that the configuration says, and there is no other
--- config
    location = /t { grpc_set_header Host me; grpc_pass 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:settimeout(20000)
        sock:receive(24)
        repeat
            local head = sock:receive(9)
            local a, b, c, kind = head:byte(1, 4)
            local n = a * 65536 + b * 256 + c
            local data = n ~= 0 and sock:receive(n) or ""
            if kind == 1 then
                local text = data:find("\1\2me", 1, true) and "authority" or "none"
                text = text .. (data:find("\4host", 1, true) and " host" or "")
                ngx.print("\0\0\0\4\0\0\0\0\0\0\0\1\1\4\0\0\0\1\136\0\0", string.char(#text),
                          "\0\1\0\0\0\1", text)
            end
        until kind == 1
    }
--- request: GET /t
--- response_body eval: "authority"

__DATA__


=== the header has its lines in the usual order
--- config
    location = /t {
        add_header X-A b;
        return 200 "ok";
    }
--- raw_response_headers_like: ^HTTP/1\.1 200 OK\r\nServer: [^\r]+\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\nX-A: b\r\n



=== HEAD has the header alone
--- config
    location = /t { return 200 "hello"; }
--- request
HEAD /t
--- response_headers
Content-Length: 5
--- response_body:



=== 204 has neither length nor type
--- config
    location = /t { return 204; }
--- error_code: 204
--- response_headers
! Content-Length
! Content-Type
! Transfer-Encoding
--- response_body:



=== a status without a name is sent as its number
--- config
    location = /t { return 460 "x"; }
--- error_code: 460
--- raw_response_headers_like: ^HTTP/1\.1 460 ?\r\n
--- response_body: x



=== a body of unknown length is chunked
--- config
    location = /t { content_by_lua_block { ngx.say("hello") } }
--- response_headers
Transfer-Encoding: chunked
! Content-Length
--- response_body
hello



=== in HTTP/1.0 it ends with the connection
--- config
    lua_http10_buffering off;
    location = /t { content_by_lua_block { ngx.print("hello") } }
--- raw_request eval
"GET /t HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
--- response_headers
! Transfer-Encoding
Connection: close
--- response_body: hello



=== chunked_transfer_encoding off does the same
--- config
    chunked_transfer_encoding off;
    location = /t { content_by_lua_block { ngx.print("hello") } }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- response_headers
! Transfer-Encoding
! Content-Length
Connection: close
--- response_body: hello



=== chunks are what was flushed
--- config
    location = /a {
        content_by_lua_block {
            ngx.print("abc") ngx.flush(true)
            ngx.print(("x"):rep(26)) ngx.flush(true)
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("GET /a HTTP/1.1\r\nHost: a\r\n"
                             .. "Connection: close\r\n\r\n"))
            ngx.print(sock:receive("*a"):match("\r\n\r\n(.*)"))
        }
    }
--- response_body eval
"3\r\nabc\r\n1a\r\n" . ("x" x 26) . "\r\n0\r\n\r\n"



=== a large answer arrives whole
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 300 do ngx.print(("x"):rep(10000)) end
        }
    }
--- response_body eval
"x" x 3000000



=== and so does one that is flushed on the way
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 100 do
                ngx.print(("y"):rep(10000))
                ngx.flush(true)
            end
        }
    }
--- response_body eval
"y" x 1000000



=== a file goes through memory or straight from the disk
--- user_files eval
[[ "big" => "0123456789" x 200000 ]]
--- config
    location /off/ { sendfile off; alias html/; }
    location /on/ { sendfile on; alias html/; }
    location /step/ { sendfile on; sendfile_max_chunk 64k; alias html/; }
    location /small/ { sendfile off; output_buffers 1 1k; alias html/; }
--- request eval
["GET /off/big", "GET /on/big", "GET /step/big", "GET /small/big"]
--- response_body eval
["0123456789" x 200000, "0123456789" x 200000,
 "0123456789" x 200000, "0123456789" x 200000]



=== an empty file is an empty body
--- user_files
>>> empty
--- config
--- request
GET /empty
--- response_headers
Content-Length: 0
--- response_body:



=== server_tokens off leaves the version out
--- config
    location = /t { server_tokens off; return 404; }
--- error_code: 404
--- raw_response_headers_like: Server: [a-z]+\r\n
--- response_body_unlike: \d\.\d\.\d



=== server_tokens can be a text
--- config
    location = /t { server_tokens "something else"; return 200; }
--- response_headers
Server: something else



=== postpone_output gathers what is said
--- config
    location = /t {
        postpone_output 1460;
        content_by_lua_block {
            for i = 1, 10 do ngx.print(i, ",") end
        }
    }
--- response_body: 1,2,3,4,5,6,7,8,9,10,
--- no_error_log
[error]



=== limit_rate lets the answer through in the end
--- config
    location = /t {
        limit_rate 1m;
        return 200 "slow";
    }
--- response_body: slow



=== the first second's bytes go at once
--- user_files eval
[[ "big" => "z" x 150000 ]]
--- config
    location = /big { limit_rate 200k; }
--- request
GET /big
--- response_body eval
"z" x 150000



=== the debug log of a request is in nginx's words, for who looks for them
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 204; }
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- log_level: debug
--- request: GET /t?a=b
--- error_code: 204
--- error_log eval
['[debug]', 'http request line: "GET /t?a=b HTTP/1.1"', 'http uri: "/t"', 'http args: "a=b"',
'http header: "Host: localhost"', 'http header done', 'using configuration "=/t"', 'connect to 127.0.0.1:',
'http finalize request: 0, "/t?a=b" a:1, c:', 'finalize http upstream request: 0', 'close http connection']

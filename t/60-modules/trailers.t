Fields behind the last chunk.

__DATA__


=== trailers follow the last chunk, with the values of that moment
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            local all = sock:receive("*a")
            ngx.print((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
        }
    }
    location = /x {
        add_trailer X-Sum $sum;
        add_trailer X-None "";
        add_trailer X-Status $status always;
        set $sum early;
        content_by_lua_block { ngx.print("abc") ngx.var.sum = "late" }
    }
--- response_body chomp
3|abc|0|X-Sum: late|X-Status: 200||


=== a body of known length is sent in chunks for their sake
--- config
    location = /t { add_trailer X-A 1; return 200 "abc"; }
--- response_headers
Transfer-Encoding: chunked
!Content-Length
--- response_body: abc



=== errors have none, unless they are wanted always
--- config
    location = /a { add_trailer X-A 1; return 404 "abc"; }
    location = /b { add_trailer X-A 1 always; return 404 "abc"; }
--- pipelined_requests eval
["GET /a", "GET /b"]
--- response_headers eval
["Content-Length: 3", "Transfer-Encoding: chunked"]
--- error_code eval
[404, 404]



=== clients of HTTP/1.0 get none
--- config
    location = /t { add_trailer X-A 1; return 200 "abc"; }
--- request
GET /t HTTP/1.0
--- response_headers
Content-Length: 3
!Transfer-Encoding
--- response_body: abc



=== an answer without a body has none
--- config
    location = /t { add_trailer X-A 1; return 204; }
--- error_code: 204
--- response_headers
!Transfer-Encoding



=== a trailer takes no other word than always
--- config
    add_trailer X-A 1 never;
--- must_die
--- error_log
invalid parameter "never" in



=== $sent_trailer_ is what was sent behind the body
--- config
    log_by_lua_block {
        ngx.log(ngx.WARN, "trailer: ", ngx.var.sent_trailer_x_a, ".")
    }
    location = /t {
        add_trailer X-A last;
        echo hello;
    }
--- response_body
hello
--- error_log: trailer: last.



=== add_trailer_inherit merge
--- config
    add_trailer X-A outer;
    location = /t {
        add_trailer_inherit merge;
        add_trailer X-B inner;
        echo hello;
    }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
--- raw_response_headers_like: chunked
--- response_body_like: hello



=== an answer with trailers has no length, and says so
--- http_config
    log_format length '[$sent_http_content_length] $body_bytes_sent';
--- config
    access_log logs/error.log length;
    location = /t.txt { add_trailer X-A b; }
--- user_files
>>> t.txt
text
--- raw_request eval
"GET /t.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
--- response_headers
! Content-Length
--- response_body
text
--- error_log: [-] 

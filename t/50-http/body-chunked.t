__DATA__


=== chunks are put together
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- more_headers
Transfer-Encoding: chunked
--- request eval
"POST /t\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n"
--- response_body
abc0123456789



=== byte by byte
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
 split //, "3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n"]
--- raw_request_middle_delay: 0.001
--- response_body
abc0123456789



=== extensions and trailers are dropped
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- more_headers
Transfer-Encoding: chunked
--- request eval
"POST /t\n3;a=b\r\nabc\r\n0;last\r\nTrailer: x\r\n\r\n"
--- response_body
abc



=== a large one goes to a file
--- config
    client_body_buffer_size 1k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local f = assert(io.open(ngx.req.get_body_file(), "rb"))
            ngx.say(f:read("*a") == ("abcd"):rep(1024):rep(10))
            f:close()
        }
    }
--- more_headers
Transfer-Encoding: chunked
--- request eval
"POST /t\n" . join("", map { "1000\r\n" . ("abcd" x 1024) . "\r\n" } 1 .. 10) . "0\r\n\r\n"
--- response_body
true
--- error_log
a client request body is buffered to a temporary file



=== the next request begins behind the last chunk
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                .. "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /b HTTP/1.0\r\n\r\n"))
            for body in sock:receive("*a"):gmatch("\r\n\r\n(%l+)") do
                ngx.say(body)
            end
        }
    }
    location = /a {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
    location = /b { return 200 "b"; }
--- response_body_like: ^b$



=== a size that is none is bad
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say("read")
        }
    }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
--- error_code: 400
--- response_headers
Connection: close
--- error_log
client sent invalid chunked body



=== a size that overflows is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"
--- error_code: 400
--- error_log
client sent invalid chunked body



=== a chunk without its line end is bad
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"
--- error_code: 400
--- error_log
client sent invalid chunked body



=== more than client_max_body_size is refused when it comes
--- config
    location = /t {
        client_max_body_size 10;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say("read")
        }
    }
--- more_headers
Transfer-Encoding: chunked
--- request eval
"POST /t\n5\r\nabcde\r\n6\r\nabcdef\r\n0\r\n\r\n"
--- error_code: 413
--- error_log
client intended to send too large chunked body: 5+6 bytes



=== HTTP/1.0 has no chunks
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
--- error_code: 400
--- error_log
client sent HTTP/1.0 request with "Transfer-Encoding" header



=== no other coding is known
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
--- error_code: 501
--- error_log
client sent unknown "Transfer-Encoding": "gzip, chunked"

__DATA__


=== a body nobody reads does not become the next request
--- config
    location = /t { return 200 "$request_method "; }
--- pipelined_requests eval
["POST /t\nGET /evil HTTP/1.1", "GET /t"]
--- response_body eval
["POST ", "GET "]



=== nor does a chunked one
--- config
    location = /a { return 200 "a"; }
    location = /b { return 200 "b"; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /a HTTP/1.1\r\nHost: a\r\n"
                             .. "Transfer-Encoding: chunked\r\n\r\n5\r\n"))
            assert(sock:send("hello\r\n0\r\n\r\nGET /b HTTP/1.0\r\n\r\n"))
            for body in sock:receive("*a"):gmatch("\r\n\r\n(%l)") do
                ngx.say(body)
            end
        }
    }
--- response_body
a
b



=== one that comes after the answer
--- config
    location = /a { return 200 "a"; }
    location = /b { return 200 "b"; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /a HTTP/1.1\r\nHost: a\r\n"
                             .. "Content-Length: 100000\r\n\r\n"))
            ngx.say(sock:receive("*l"))
            assert(sock:send(("x"):rep(100000) .. "GET /b HTTP/1.0\r\n\r\n"))
            ngx.say(sock:receive("*a"):match("HTTP/1.1 200 OK.*\r\n\r\n(%l)$"))
        }
    }
--- response_body
HTTP/1.1 200 OK
b



=== a handler that answers without reading
--- config
    location = /t { content_by_lua_block { ngx.print("early ") } }
--- pipelined_requests eval
["POST /t\n" . ("x" x 5000), "GET /t"]
--- response_body eval
["early ", "early "]



=== the answer to a refused upload arrives though the client still sends
--- config
    location = /a { client_max_body_size 1k; return 200; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("POST /a HTTP/1.1\r\nHost: a\r\n"
                             .. "Content-Length: 300000\r\n\r\n"))
            for i = 1, 30 do
                assert(sock:send(("x"):rep(10000)))
                ngx.sleep(0.001)
            end
            ngx.say(sock:receive("*l"))
        }
    }
--- response_body
HTTP/1.1 413 Request Entity Too Large
--- error_log
client intended to send too large body: 300000 bytes

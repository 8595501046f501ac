__DATA__


=== a client that sends nothing is let go
--- config
    client_header_timeout 50ms;
    location = /t { return 200 "ok"; }
--- raw_request eval
""
--- ignore_response
--- error_log
client timed out (
while waiting for request, client: 127.0.0.1, server: 



=== a client that does not end its request line is not answered
--- config
    client_header_timeout 50ms;
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HT"
--- ignore_response
--- error_log eval
qr/client timed out \(\d+: .*\) while reading client request line, client: 127\.0\.0\.1, server: localhost, request: "GET \/t HT"/
--- access_log
"GET /t HT" 408 0



=== nor one that does not end its headers
--- config
    client_header_timeout 50ms;
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n"
--- ignore_response
--- error_log eval
qr/client timed out \(\d+: .*\) while reading client request headers, .* request: "GET \/t HTTP\/1\.1", host: "a"/
--- access_log
"GET /t HTTP/1.1" 408 0



=== nor one whose body does not come
--- config
    location = /t {
        client_body_timeout 50ms;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.log(ngx.ERR, "not reached")
        }
    }
--- raw_request eval
"POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"
--- ignore_response
--- access_log
"POST /t HTTP/1.1" 408 0
--- no_error_log
not reached



=== a body that trickles is in time
--- config
    location = /t {
        client_body_timeout 5s;
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nConnection: close\r\n\r\n",
 "a", "b", "c", "d"]
--- raw_request_middle_delay: 0.02
--- response_body
abcd



=== an idle connection is closed in silence
--- config
    location = /t { keepalive_timeout 50ms; return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- response_headers
Connection: keep-alive
--- response_body: ok
--- no_error_log
timed out



=== a client that does not take its answer is let go
--- http_config
    init_worker_by_lua_block { over = false }
--- config
    location = /big {
        send_timeout 50ms;
        log_by_lua_block { over = true }
        content_by_lua_block {
            for i = 1, 2000 do ngx.print(("x"):rep(10000)) end
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"))
            while not over do ngx.sleep(0.01) end
            ngx.say(sock:receive("*l"))
        }
    }
--- response_body
HTTP/1.1 200 OK
--- error_log eval
qr/client timed out \(\d+: .*\) while sending to client, .* request: "GET \/big HTTP\/1\.1"/

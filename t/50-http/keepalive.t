__DATA__


=== HTTP/1.1 goes on, and ends when asked to
--- config
    location = /t { return 200 "$connection_requests"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_headers eval
["Connection: keep-alive", "Connection: keep-alive", "Connection: close"]
--- response_body eval
["1", "2", "3"]



=== HTTP/1.0 ends
--- config
    location = /t { return 200 "ok"; }
--- request
GET /t HTTP/1.0
--- response_headers
Connection: close
--- response_body: ok



=== HTTP/1.0 goes on when asked to
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET /t HTTP/1.0\r\n\r\n"
--- raw_response_headers_like: Connection: keep-alive
--- response_body_like: ok



=== close counts among other words
--- config
    location = /t { return 200 "ok"; }
--- more_headers
Connection: TE, close
--- response_headers
Connection: close



=== keepalive_timeout 0 ends every connection
--- config
    keepalive_timeout 0;
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- response_headers
Connection: close
--- response_body: ok



=== its second value is told to the client
--- config
    keepalive_timeout 75s 20s;
    location = /t { return 200 "ok"; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_headers eval
["Keep-Alive: timeout=20", "! Keep-Alive"]



=== its second value is inherited by itself
--- config
    keepalive_timeout 75s 20s;
    location = /t { keepalive_timeout 5s; return 200 "ok"; }
    location = /no { keepalive_timeout 5s 0; return 200 "ok"; }
--- pipelined_requests eval
["GET /t", "GET /no", "GET /t"]
--- response_headers eval
["Keep-Alive: timeout=20", "! Keep-Alive", "! Keep-Alive"]



=== keepalive_requests counts
--- config
    location = /n { keepalive_requests 2; return 200 $connection_requests; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send(("GET /n HTTP/1.1\r\nHost: a\r\n\r\n"):rep(3)))
            for status, word, body in sock:receive("*a"):gmatch(
                "HTTP/1.1 (%d+).-Connection: ([%w-]+)\r\n\r\n([%l%d]*)") do
                ngx.say(status, " ", word, " ", body)
            end
        }
    }
--- response_body
200 keep-alive 1
200 close 2


=== keepalive_timeout 0 counts where the request ends up
--- config
    location = /a { return 200 "a"; }
    location = /b { keepalive_timeout 0; return 200 "b"; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send(("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
                .. "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"):rep(2)))
            for status, word, body in sock:receive("*a"):gmatch(
                "HTTP/1.1 (%d+).-Connection: ([%w-]+)\r\n\r\n([%l%d]*)") do
                ngx.say(status, " ", word, " ", body)
            end
        }
    }
--- response_body
200 keep-alive a
200 close b


=== more pipelined requests than a turn serves
--- config
    location = /t { return 200 "$connection_requests "; }
--- pipelined_requests eval
[("GET /t") x 25]
--- response_body eval
[map { "$_ " } 1 .. 25]



=== pipelined requests with large headers
--- config
    location = /n { return 200 "$connection_requests$http_b"; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            assert(sock:send(("GET /n HTTP/1.1\r\nHost: a\r\nA: "
                .. ("a"):rep(2000) .. "\r\nB: x\r\n\r\n"):rep(4)
                .. "GET /n HTTP/1.0\r\n\r\n"))
            for status, word, body in sock:receive("*a"):gmatch(
                "HTTP/1.1 (%d+).-Connection: ([%w-]+)\r\n\r\n([%l%d]*)") do
                ngx.say(status, " ", word, " ", body)
            end
        }
    }
--- response_body
200 keep-alive 1x
200 keep-alive 2x
200 keep-alive 3x
200 keep-alive 4x
200 close 5


=== requests are answered in their order though one waits
--- config
    location = /slow {
        content_by_lua_block { ngx.sleep(0.02) ngx.print("slow") }
    }
    location = /t { return 200 "t"; }
--- pipelined_requests eval
["GET /slow", "GET /t", "GET /slow", "GET /t"]
--- response_body eval
["slow", "t", "slow", "t"]



=== an error in the header ends the connection
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\nbad\r\n\r\nGET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 400
--- response_headers
Connection: close
--- response_body_unlike: ok$



=== a 404 does not
--- config
    location = /t { return 404; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- error_code eval
[404, 404]
--- response_headers eval
["Connection: keep-alive", "Connection: close"]



=== a 500 does
--- config
    location = /t { return 500; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- error_code: 500
--- response_headers
Connection: close



=== a client that has closed its side still gets its answer
--- config
    location = /t { return 200 "ok"; }
--- raw_request eval
"GET /t HTTP/1.1\r\nHost: a\r\n\r\n"
--- shutdown: 1
--- response_body: ok



=== a request that waits for its turn is not late
--- config
    client_header_timeout 100ms;
    location = /s { return 200 "served "; }
    location = /p { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location = /slow {
        content_by_lua_block {
            local now = ngx.now()
            while ngx.now() < now + 0.3 do ngx.update_time() end
            ngx.print("slow ")
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            local text = {}
            for _, uri in ipairs { ngx.var.arg_first, "/s", "/slow" } do
                text[#text + 1] = "GET " .. uri .. " HTTP/1.1\r\nHost: a\r\n\r\n"
            end
            text[#text + 1] = "GET /s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            sock:send(text)
            sock:settimeout(10000)
            local all = sock:receive("*a")
            ngx.say(select(2, all:gsub("200 OK", "")), " ", all:find("408"))
        }
    }
--- request eval
["GET /t?first=/s", "GET /t?first=/p"]
--- response_body eval
["4 nil\n", "4 nil\n"]



=== the debug log shows each change of a connection's state
--- config
    client_header_timeout 300ms;
--- raw_request eval
"GET /t HTTP/1.0\r\n"
--- ignore_response
--- error_log
state: new -> h1 waiting
state: h1 waiting -> h1 reading



=== keepalive_min_timeout: an idle connection is kept when a worker quits
--- config
    keepalive_min_timeout 20s;
    location = /t { content_by_lua_block {
        ngx.timer.at(0, function ()
            local s = ngx.socket.tcp()
            s:settimeout(10000)
            s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            s:send("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
            repeat local line = s:receive() until line == ""
            s:receive(3)
            while not ngx.worker.exiting() do ngx.sleep(0.01) end
            ngx.sleep(1)
            s:send("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
            ngx.log(ngx.WARN, "still there: ", s:receive())
        end)
        ngx.sleep(0.1)
        ngx.say("kept")
    } }
    location = /one { return 200 "one"; }
--- response_body
kept
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
still there: HTTP/1.1 200 OK



=== a connection that came before a worker quits is served its first request
--- config
    location = /t { content_by_lua_block {
        ngx.timer.at(0, function ()
            local s, idle = ngx.socket.tcp(), ngx.socket.tcp()
            s:settimeout(10000)
            idle:settimeout(10000)
            s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            idle:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            idle:send("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
            repeat local line = idle:receive() until line == ""
            idle:receive(3)
            while not ngx.worker.exiting() do ngx.sleep(0.01) end
            ngx.sleep(1.5)
            s:send("GET /one HTTP/1.1\r\nHost: h\r\n\r\n")
            ngx.log(ngx.WARN, "the first: ", s:receive())
            ngx.log(ngx.WARN, "an idle one: ", select(2, idle:receive()))
        end)
        ngx.sleep(0.2)
        ngx.say("ok")
    } }
    location = /one { return 200 "one"; }
--- response_body
ok
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
the first: HTTP/1.1 200 OK
an idle one: closed

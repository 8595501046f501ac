__DATA__


=== a server is read no faster than that
--- config
    location = /s24 { content_by_lua_block { ngx.print(("x"):rep(24000)) } }
    location = /p { proxy_limit_rate $arg_rate; proxy_buffers 4 4k; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s24; }
    location = /t {
        content_by_lua_block {
            local function get(rate)
                ngx.update_time()
                local began = ngx.now()
                local answer = ngx.location.capture("/p?rate=" .. rate)
                ngx.update_time()
                return #answer.body, ngx.now() - began
            end
            local n, slow = get("20k")
            local function is_faster(rate)
                for _ = 1, 20 do   -- others may keep the processor busy
                    local m, took = get(rate)
                    assert(m == n)
                    if took < slow then return true end
                end
            end
            ngx.say(n, " ", slow > 0.5, " ", is_faster("0"), " ", is_faster(""))
        }
    }
--- response_body
24000 true true true



=== a server says how fast a client may be
--- config
    location = /s { content_by_lua_block { ngx.header["X-Accel-Limit-Rate"] = ngx.var.arg_n; ngx.print(("x"):rep(20000)) } }
    location = /a { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s?n=8000; }
    location = /b { proxy_ignore_headers X-Accel-Limit-Rate; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s?n=1; }
    location = /c { limit_rate 1; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s?n=0; }
    location = /d { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s?n=fast; }
    location = /t {
        content_by_lua_block {
            local function get(c)
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                sock:send("GET /" .. c .. " HTTP/1.0\r\n\r\n")
                ngx.update_time()
                local began = ngx.now()
                local text = sock:receive "*a"
                ngx.update_time()
                return ngx.now() - began > 0.7, #text:match "x*$", text:find "X%-Accel"
            end
            for c in ("abcd"):gmatch "." do
                local slow, size, shown
                for _ = 1, 20 do   -- others may keep the processor busy
                    slow, size, shown = get(c)
                    if not slow or c == "a" then break end
                end
                ngx.say(size, " ", slow, " ", shown)
            end
        }
    }
--- response_body
20000 true nil
20000 false nil
20000 false nil
20000 false nil



=== ranges of an answer whose server knows nothing of them
--- config
    location = /s { return 200 "0123456789"; }
    location = /on { proxy_force_ranges on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location = /off { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- request eval
["GET /on", "GET /off"]
--- more_headers
Range: bytes=2-4
--- error_code eval
[206, 200]
--- response_body eval
["234", "0123456789"]



=== are said to be there
--- config
    location = /s { add_header Accept-Ranges none; return 200 "0123456789"; }
    location = /t { proxy_force_ranges on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- response_headers
Accept-Ranges: bytes
--- response_body: 0123456789



=== one at a time
--- config
    location = /s { return 200 "0123456789"; }
    location = /t { proxy_force_ranges on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- more_headers
Range: bytes=2-4,6-7
--- response_body: 0123456789



=== a server that takes no more and says no more is given up at a rate as well
--- http_config
    init_worker_by_lua_block { over = false }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        client_max_body_size 0;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 200 OK\r\n\r\nabc")
                sock:receive(12000000)
                while not over do ngx.sleep(0.01) end
            }
        }
    }
--- config
    location = /p {
        client_max_body_size 0; client_body_buffer_size 40m;
        proxy_limit_rate 25; proxy_read_timeout 300ms;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        log_by_lua_block { over = true }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("POST /p HTTP/1.0\r\nContent-Length: 30000000\r\n\r\n")
            sock:send(("x"):rep(30000000))
            ngx.say((sock:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body
abc
--- error_log
upstream timed out
--- timeout: 10


=== limits of one page go with buffers that nobody has set
--- config
    location = /t {
        proxy_busy_buffers_size 4k;
        proxy_temp_file_write_size 4k;
        proxy_max_temp_file_size 4k;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s;
    }
    location = /s { content_by_lua_block { ngx.print(("x"):rep(200000)) } }
--- response_body eval: "x" x 200000


=== but not with larger ones
--- config
    location = /t {
        proxy_buffers 4 16k;
        proxy_busy_buffers_size 8k;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s;
    }
--- must_die
--- error_log
"proxy_busy_buffers_size" must be equal to or greater than the maximum of the value of "proxy_buffer_size" and one of the "proxy_buffers"

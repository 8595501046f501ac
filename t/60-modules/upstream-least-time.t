__DATA__


=== the server that answers sooner gets the requests
--- http_config
    upstream u { least_time header; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(0.5) ngx.print("slow") } } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 fast; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["slow", "fast", "fast", "fast", "fast"]



=== or its last byte
--- http_config
    upstream u { least_time last_byte; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             location / { content_by_lua_block { ngx.print("sl") ngx.flush(true) ngx.sleep(0.5) ngx.print("ow") } } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 fast; }
--- config
    location = /t { proxy_pass http://u/; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["slow", "fast", "fast", "fast", "fast"]



=== requests that are not over count, if that is said
--- http_config
    upstream u { least_time last_byte inflight; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(2) ngx.print("slow") } } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; location / { return 200 fast; } }
--- config
    location = /p { proxy_pass http://u/; }
    location = /t {
        content_by_lua_block {
            local slow = ngx.thread.spawn(ngx.location.capture, "/p")
            ngx.sleep(0.2)
            for _ = 1, 5 do
                ngx.say(ngx.location.capture("/p").body)
            end
            local _, r = ngx.thread.wait(slow)
            ngx.say(r.body)
        }
    }
--- timeout: 20
--- response_body
fast
fast
fast
fast
fast
slow



=== of two by chance it is the sooner one
--- http_config
    upstream u { random two least_time=header; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(0.3) ngx.print("slow") } } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 fast; }
--- config
    location = /p { proxy_pass http://u/; }
    location = /t {
        content_by_lua_block {
            repeat until ngx.location.capture("/p").body == "slow"
            for _ = 1, 10 do
                if ngx.location.capture("/p").body ~= "fast" then
                    ngx.say("slow again")
                end
            end
            ngx.say("fast")
        }
    }
--- timeout: 20
--- response_body
fast



=== http knows headers and last bytes
--- http_config
    upstream u { least_time connect; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "connect" in



=== and nothing behind them but inflight
--- http_config
    upstream u { random two least_time=header inlight; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "inlight" in



=== stream knows connections, first and last bytes
--- stream_config
    upstream a { least_time connect; server 127.0.0.1:1; }
    upstream b { least_time first_byte inflight; server 127.0.0.1:1; }
    upstream c { least_time last_byte; server 127.0.0.1:1; }
    upstream d { random two least_time=connect; server 127.0.0.1:1; }
    upstream e { least_time header; server 127.0.0.1:1; }
--- config
--- must_die
--- error_log
invalid parameter "header" in



=== a TCP server that says its first byte sooner gets the sessions
--- stream_config
    upstream u { least_time first_byte; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; content_by_lua_block { ngx.sleep(0.5) ngx.print("slow") } }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return fast; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3; proxy_pass u; }
--- config
    location = /t {
        content_by_lua_block {
            for _ = 1, 4 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_3))
                ngx.say((sock:receive("*a")))
                sock:close()
            end
        }
    }
--- request
GET /t
--- response_body
slow
fast
fast
fast

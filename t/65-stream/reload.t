__DATA__


=== a session outlives a reload
--- master_on
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             proxy_download_rate 20;
             proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
             return "nothing of this is lost on the way, however slow"; }
--- config
    location = /t {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_SERVER_ROOT/logs/nginx.pid"))
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            os.execute("kill -HUP " .. f:read("*l"))
            ngx.say(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body
nothing of this is lost on the way, however slow
--- error_log
gracefully shutting down
--- skip_windows: signals




=== a session of datagrams stays with its worker over a reload
--- master_on
--- main_config
    worker_shutdown_timeout 5s;
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_requests 40;
        proxy_responses 1;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
             return $remote_port; }
--- config
    location = /t {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_SERVER_ROOT/logs/nginx.pid"))
            local s, seen, n = ngx.socket.udp(), {}, 0
            s:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for i = 1, 40 do
                if i == 5 then os.execute("kill -HUP " .. f:read("*l")) end
                s:send("hello")
                local answer = s:receive()
                if answer and not seen[answer] then
                    seen[answer], n = true, n + 1
                end
                ngx.sleep(0.02)
            end
            ngx.say(n)
        }
    }
--- request
GET /t
--- response_body
1
--- error_log
gracefully shutting down
--- skip_windows: signals

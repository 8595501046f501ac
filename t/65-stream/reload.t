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


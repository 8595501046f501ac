# More workers than a word has bits: a reload has two generations of them.

worker_connections(1024);

__DATA__


=== 70 workers share sessions of datagrams, over a reload
--- workers: 70
--- master_on
--- main_config
    worker_shutdown_timeout 3s;
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_requests 100;
        proxy_responses 1;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
             return $remote_port; }
--- config
    location = /t {
        content_by_lua_block {
            local master = require("ngx.process").get_master_pid()
            local all, moved, lost = {}, 0, 0
            local function ask(one)
                local answer
                for _ = 1, 3 do
                    one.sock:send("hello")
                    answer = one.sock:receive()
                    if answer then break end
                end
                lost = lost + (answer and 0 or 1)
                moved = moved + ((one.seen or answer) == answer and 0 or 1)
                one.seen = answer
            end
            for i = 1, 30 do
                all[i] = { sock = ngx.socket.udp() }
                all[i].sock:settimeout(1000)
                all[i].sock:setpeername("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                ask(all[i])
            end
            os.execute("kill -HUP " .. master)
            for _ = 1, 20 do
                for i = 1, 30 do ask(all[i]) end
                ngx.sleep(0.1)
            end
            ngx.say(moved, " ", lost)
        }
    }
--- request
GET /t
--- timeout: 30
--- response_body
0 0
--- error_log
gracefully shutting down
--- skip_windows: seventy processes of Wine



=== one of them fetches what all wait for
--- workers: 70
--- master_on
--- http_config
    proxy_cache_path $TEST_NGINX_HTML_DIR/many keys_zone=many:1m;
    lua_shared_dict asked 1m;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                ngx.shared.asked:incr("n", 1, 0)
                ngx.sleep(1)
                ngx.say "kept"
            }
        }
    }
--- config
    location /c/ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_cache many;
        proxy_cache_valid 200 1m;
        proxy_cache_lock on;
        proxy_cache_lock_timeout 20s;
    }
    location = /t {
        content_by_lua_block {
            local good, threads = 0, {}
            local function ask()
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /c/x HTTP/1.0\r\n\r\n")
                local text = sock:receive("*a") or ""
                good = good + (text:find("kept\n") and 1 or 0)
            end
            for i = 1, 60 do threads[i] = ngx.thread.spawn(ask) end
            os.execute("kill -HUP " .. require("ngx.process").get_master_pid())
            for i = 61, 120 do threads[i] = ngx.thread.spawn(ask) end
            for i = 1, 120 do ngx.thread.wait(threads[i]) end
            ngx.say(good, " ", ngx.shared.asked:get("n"))
        }
    }
--- timeout: 30
--- response_body
120 1
--- skip_windows: seventy processes of Wine

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



=== what http listened at may be stream's, and the other way round
--- master_on
--- main_config
    stream { server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
                      return "stream"; } }
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 "http"; }
--- config
    location = /t {
        content_by_lua_block {
            local reload = require "reload"
            local one, two = $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2
            local function ask(port, text)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                sock:settimeout(500)
                sock:send(text)
                return (sock:receive("*a") or "nothing"):match("%a+$")
            end
            local get = "GET / HTTP/1.0\r\n\r\n"
            ngx.say(ask(one, ""), " ", ask(two, get))
            reload.swapping("127.0.0.1:" .. one, "127.0.0.1:" .. two)
            reload.await(function () return ask(one, get) == "http" end)
            reload.await(function () return ask(two, "") == "stream" end)
            ngx.say("both have moved")
        }
    }
--- response_body
stream http
both have moved



=== what was TCP's may be UDP's, and the other way round
--- master_on
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "by $protocol"; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
             return "by $protocol"; }
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local reload = require "reload"
            local one, two = $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2
            local function tcp(port)
                local sock = ngx.socket.tcp()
                return sock:connect("127.0.0.1", port) and sock:receive("*a")
            end
            local function udp(port)
                local sock = ngx.socket.udp()
                sock:settimeout(200)
                sock:setpeername("127.0.0.1", port)
                sock:send("hello")
                return (sock:receive())
            end
            ngx.say(tcp(one), ", ", udp(two))
            reload.swapping("127.0.0.1:" .. one, "127.0.0.1:" .. two)
            reload.await(function () return udp(one) end)
            reload.await(function () return not tcp(one) end)
            ngx.say(tcp(two), ", ", udp(one))
        }
    }
--- request
GET /t
--- response_body
by TCP, by UDP
by TCP, by UDP
--- no_error_log
[emerg]



=== worker_shutdown_timeout ends what is proxied, with its line in the logs
--- master_on
--- main_config
    worker_shutdown_timeout 200ms;
--- log_level: info
--- stream_config
    log_format ended 'ended $status $bytes_received';
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             content_by_lua_block { ngx.sleep(30) } }
--- stream_server_config
    preread_by_lua_block {
        ngx.timer.at(0, function ()
            local f = io.open("$TEST_NGINX_SERVER_ROOT/logs/nginx.pid")
            local master = tonumber(f:read("*l"))
            require("lunette.spec.io").tell(master, "reload", 20000)
        end)
    }
    access_log logs/error.log ended;
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_request: hello
--- stream_response:
--- error_log eval
[qr/\[info\] .*: \*\d+ shutdown timeout while proxying connection, client: 127.0.0.1, server: .*, upstream: "127.0.0.1:\d+", bytes from\/to client:5\/0, bytes from\/to upstream:0\/5/,
 "ended 200 5"]



=== the same while a server is looked for
--- master_on
--- main_config
    worker_shutdown_timeout 200ms;
--- log_level: info
--- stream_config
    log_format ended 'ended $status $bytes_sent';
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ipv6=off;
    resolver_timeout 60s;
--- stream_server_config
    preread_by_lua_block {
        ngx.timer.at(0, function ()
            local f = io.open("$TEST_NGINX_SERVER_ROOT/logs/nginx.pid")
            local master = tonumber(f:read("*l"))
            require("lunette.spec.io").tell(master, "reload", 20000)
        end)
    }
    access_log logs/error.log ended;
    set $back nowhere.test;
    proxy_pass $back:80;
--- udp_listen: $TEST_NGINX_RAND_PORT_1
--- udp_reply:
--- stream_request: hello
--- stream_response:
--- error_log eval
[qr/\[info\] .*: \*\d+ shutdown timeout while /, "ended 200 0"]

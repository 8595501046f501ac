__DATA__


=== a dump says what each connection does and waits for
--- master_on
--- log_level: crit
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { echo_sleep 20; echo late; }
    }
--- config
    location = /slow {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/late;
    }
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local sock, idle = ngx.socket.tcp(), ngx.socket.tcp()
            local port = $TEST_NGINX_SERVER_PORT
            assert(sock:connect("127.0.0.1", port))
            sock:send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert(idle:connect("127.0.0.1", port))
            idle:send("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert(idle:receive())
            local master = require("ngx.process").get_master_pid()
            local path = ngx.config.prefix() .. "logs/error.log"
            for _ = 1, 200 do      -- until both are where they stay
                assert(io.tell(master, "dump", 20000))
                ngx.sleep(0.1)
                local text = io.read(path) or ""
                if text:find('dump: "h1 keepalive"', 1, true)
                   and text:find('dump: "upstream reading header"', 1, true)
                then
                    break
                end
            end
            ngx.say("told")
        }
    }
--- response_body
told
--- error_log eval
[
qr/\[notice\] .*dump: \d+ connections, \d+ idle, \d+ busy, request: 3, stream session: 0, \d+ timers/,
qr/dump: "h1 keepalive" waits for input, for another \d+\.\d+ s; age \d+\.\d+ s, requests 1, received \d+, sent \d+, idle while keepalive, client: 127.0.0.1/,
qr/dump: "h1 serving" waits for input; age/,
qr/dump: request in phase "content" waits for its handler, upstream request: header; age \d+\.\d+ s, references \d+, status 0, .*client: 127.0.0.1, server: localhost, request: "GET \/slow HTTP\/1.1", upstream: "http:\/\/127.0.0.1:\d+\/late"/,
qr/dump: "upstream reading header" waits for input, for another .* while reading response header from upstream, client: 127.0.0.1, .*upstream: "http:/
]



=== a dump has every stream of HTTP/2
--- master_on
--- log_level: crit
--- config
    http2 on;
    location = /slow { echo_sleep 20; echo late; }
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local h2 = require "lunette.spec.frames"
            local sock = h2.open(h2.hello() .. h2.gets("/slow", 2))
            local master = require("ngx.process").get_master_pid()
            local path, count = ngx.config.prefix() .. "logs/error.log"
            for _ = 1, 200 do
                assert(io.tell(master, "dump", 20000))
                ngx.sleep(0.1)
                count = select(2, io.read(path):gsub("GET /slow HTTP/2", ""))
                if count >= 2 then
                    break
                end
            end
            ngx.say(count >= 2)
            sock:close()
        }
    }
--- response_body
true
--- error_log eval
[
qr/dump: "h2 serving" waits for input; .* while processing HTTP\/2 connection/,
qr/dump: request in phase "content" waits for its handler, upstream request: none; .*"GET \/slow HTTP\/2/
]



=== debug_connection is for some clients only
--- master_on
--- log_level: error
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /probe { return 200 $remote_addr; }
    location = /t {
        content_by_lua_block {
            local reload = require "reload"
            local io = require "lunette.spec.io"
            local path = ngx.config.prefix() .. "logs/error.log"
            local function ask(from)
                local sock = ngx.socket.tcp()
                sock:bind(from)
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET /probe HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return sock:receive("*a"):match("[%d.]+$")
            end
            local function debugs()
                return select(2, (io.read(path) or ""):gsub("%[debug%]", ""))
            end
            ngx.say(ask("127.0.0.2"), " ", debugs())
            reload.with(function (text)
                return (text:gsub("accept_mutex off;",
                                  "debug_connection 127.0.0.2/31;"))
            end)
            reload.await(function ()
                ask("127.0.0.2")
                return debugs() > 0
            end)
            local before           -- the last one's close may be late
            repeat
                before = debugs()
                ngx.sleep(0.3)
            until debugs() == before
            ngx.say(ask("127.0.0.1"), " ", debugs() - before)
            ngx.say(ask("127.0.0.3"), " ", debugs() > before)
        }
    }
--- response_body
127.0.0.2 0
127.0.0.1 0
127.0.0.3 true
--- error_log eval
qr/\[debug\] .* state: /



=== a dump says what each coroutine waits for, and where
--- master_on
--- log_level: crit
--- http_config
    init_worker_by_lua_block {
        ngx.timer.at(0, function () ngx.sleep(20) end)
    }
--- config
    location = /slow {
        content_by_lua_block {
            local sema = require("ngx.semaphore").new()
            ngx.thread.spawn(function () sema:wait(20) end)
            ngx.sleep(20)
        }
    }
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            local master = require("ngx.process").get_master_pid()
            for _ = 1, 200 do
                assert(io.tell(master, "dump", 20000))
                ngx.sleep(0.1)
                local text = io.read(ngx.config.prefix() .. "logs/error.log")
                if (text or ""):find("waits for semaphore", 1, true) then
                    break
                end
            end
            ngx.say("told")
        }
    }
--- response_body
told
--- error_log eval
[
qr/dump: lua entry thread of content_by_lua\* waits for ngx.sleep at content_by_lua\(nginx.conf:\d+\):4, for another \d+\.\d+ s, client: 127.0.0.1.*request: "GET \/slow/,
qr/dump: lua light thread of content_by_lua\* waits for semaphore:wait at .*, for another .*"GET \/slow/,
qr/dump: lua entry thread of ngx.timer waits for ngx.sleep at init_worker_by_lua\(nginx.conf:\d+\):2/
]



=== a dump says who does what for all workers; it is another's when that one dies
--- workers: 2
--- master_on
--- log_level: crit
--- http_config
    proxy_cache_path $TEST_NGINX_HTML_DIR/1 keys_zone=k1:1m;
    proxy_cache_path $TEST_NGINX_HTML_DIR/2 keys_zone=k2:1m;
    proxy_cache_path $TEST_NGINX_HTML_DIR/3 keys_zone=k3:1m;
    proxy_cache_path $TEST_NGINX_HTML_DIR/4 keys_zone=k4:1m;
    proxy_cache_path $TEST_NGINX_HTML_DIR/5 keys_zone=k5:1m;
    proxy_cache_path $TEST_NGINX_HTML_DIR/6 keys_zone=k6:1m;
--- config
    location = /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local master = require("ngx.process").get_master_pid()
            local log = ngx.config.prefix() .. "logs/error.log"
            local function find(cache, other)
                local pid, name
                for _ = 1, 100 do
                    assert(io.tell(master, "dump", 20000))
                    ngx.sleep(0.05)
                    for p, n in (io.read(log) or ""):gmatch('(%d+)#%d+: dump: '
                        .. 'duty "cache (' .. cache .. ')" is this worker') do
                        if tonumber(p) ~= other then pid, name = tonumber(p), n end
                    end
                    if pid then return pid, name end
                end
            end
            local pid, cache = find("k%d", ngx.worker.pid())
            assert(require("resty.signal").kill(pid, "KILL"))
            local from, heir = ngx.now(), find(cache, pid)
            ngx.say(heir ~= nil, " ", ngx.now() - from < 5)
            ngx.say(ngx.location.capture("/metrics").body:match(
                'lunette_duty{duty="cache ' .. cache .. '"} (%d+)'))
        }
    }
--- timeout: 30
--- response_body
true true
1
--- error_log eval
qr/worker process \d+ exited (on signal 9|with code \d+)/

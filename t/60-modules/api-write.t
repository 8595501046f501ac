# Servers of upstreams that are changed while serving.
__DATA__


=== a server is added, changed, drained and removed, and all workers know
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u {
        zone u 256k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:1 backup;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "one"; }
    server { listen $TEST_NGINX_RAND_PORT_2; return 200 "two"; }
--- config
    location /api/ { api / write=on; }
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local port, one, two = $TEST_NGINX_SERVER_PORT, "127.0.0.1:$TEST_NGINX_RAND_PORT_1", "127.0.0.1:$TEST_NGINX_RAND_PORT_2"
            local api, tree = require "upstream_api", require "tree"
            local function call(...) return api.call(port, ...) end
            local status, s = call("GET", "http/upstreams/u/servers/0")
            ngx.say(status, " ", s.id, " ", s.server == one, " ", s.weight, s.max_conns, s.max_fails, " ", s.fail_timeout, s.slow_start, s.route, " ", s.backup, s.down)
            ngx.say(api.answers(port, "/p"))
            status, s = call("POST", "http/upstreams/u/servers/", '{"server":"' .. two .. '", "weight": 2}')
            ngx.say(status, " ", s.id, " ", s.weight, " ", api.answers(port, "/p"))
            status, s = call("PATCH", "http/upstreams/u/servers/0", '{"drain":true}')
            ngx.say(status, " ", s.drain, " ", api.answers(port, "/p"), " ", tree.get("http/upstreams/u/peers/" .. one).state)
            status, s = call("PATCH", "http/upstreams/u/servers/0", '{"drain":false,"id":0,"route":"r","max_conns":7,"fail_timeout":"1m","slow_start":"1500ms"}')
            ngx.say(status, " ", s.drain, " ", s.route, s.max_conns, " ", s.fail_timeout, " ", s.slow_start, " ", api.answers(port, "/p"))
            status, s = call("DELETE", "http/upstreams/u/servers/0")
            ngx.say(status, " ", #s, " ", api.answers(port, "/p"), " ", (tree.get "http/upstreams/u".peers[one]))
            status, s = call("POST", "http/upstreams/u/servers", '{"server":"' .. one .. '", "down": true}')
            ngx.say(status, " ", s.id, " ", s.down, " ", api.answers(port, "/p"))
        }
    }
--- response_body
200 0 true 101 10s0s falsefalse
one
201 2 2 one two
200 true two draining
200 nil r7 60s 1500ms one two
200 2 two nil
201 3 true two
--- error_log eval
[qr/\[notice\] .*api: server "127\.0\.0\.1:\d+" was added to http upstream "u", client: 127\.0\.0\.1, .*request: "POST/,
 qr/was changed in http upstream "u"/, qr/was removed from http upstream "u"/]
--- timeout: 10



=== what is wrong is said, and changes nothing
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; hash $uri; server 127.0.0.1:1; server 127.0.0.1:2; }
    upstream plain { server 127.0.0.1:1; }
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local before = api.servers(port, "http/upstreams/u")
            local function try(method, path, body)
                local status, code = api.call(port, method, "http/upstreams/" .. path, body)
                ngx.say(status, " ", code)
            end
            try("POST", "nobody/servers", "{}")
            try("POST", "plain/servers", '{"server":"127.0.0.1:3"}')
            try("POST", "u/servers", '{"server":')
            try("POST", "u/servers", '[]')
            try("POST", "u/servers", '{}')
            try("POST", "u/servers", '{"server":"127.0.0.1:1"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:99999"}')
            try("POST", "u/servers", '{"server":"no.such.name"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3;down"}')
            try("POST", "u/servers", '{"server":5}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","weight":0}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","weight":"2"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","max_conns":-1}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","max_fails":1.5}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","fail_timeout":"soon"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","slow_start":"1s"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","route":"a b"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","route":"' .. ("x"):rep(65) .. '"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","backup":true}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","down":1}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","colour":"red"}')
            try("POST", "u/servers", '{"server":"127.0.0.1:3","id":9}')
            try("POST", "u/servers", '{"server":["127.0.0.1:3"]}')
            try("PATCH", "u/servers/7", '{"down":true}')
            try("PATCH", "u/servers/1", '{"server":"127.0.0.1:1"}')
            try("PATCH", "u/servers/1", '{"backup":true}')
            try("DELETE", "u/servers/x")
            try("DELETE", "u/servers/7")
            try("DELETE", "u/servers")
            try("PUT", "u/servers/1", "{}")
            ngx.say(api.servers(port, "http/upstreams/u") == before)
        }
    }
--- response_body
404 UpstreamNotFound
400 UpstreamStatic
415 JsonError
415 JsonError
400 UpstreamConfFormatError
409 EntryExists
400 UpstreamBadAddress
400 UpstreamBadAddress
400 UpstreamBadAddress
400 UpstreamConfFormatError
400 UpstreamBadWeight
400 UpstreamBadWeight
400 UpstreamBadMaxConns
400 UpstreamBadMaxFails
400 UpstreamBadFailTimeout
400 UpstreamBadSlowStart
400 UpstreamBadRoute
400 UpstreamBadRoute
400 UpstreamNoBackup
400 UpstreamConfFormatError
400 UpstreamConfFormatError
400 UpstreamConfFormatError
400 UpstreamConfFormatError
404 UpstreamServerNotFound
409 EntryExists
400 UpstreamConfFormatError
400 UpstreamBadServerId
404 UpstreamServerNotFound
405 MethodNotSupported
405 MethodNotSupported
true
--- timeout: 10



=== without write=on nobody may; who may not come in may not either
--- http_config
    upstream u { zone u 256k; server 127.0.0.1:1; }
--- config
    location /api/ { api /; }
    location /closed/ { api / write=on; deny all; }
--- request eval
["GET /api/9/http/upstreams/u/servers/0", "DELETE /api/9/http/upstreams/u/servers/0", "DELETE /closed/9/http/upstreams/u/servers/0", "GET /api/9/http/upstreams/u/servers/0"]
--- error_code eval
[200, 405, 403, 200]
--- response_body_like eval
['"server":"127.0.0.1:1"', '"code":"MethodDisabled"', '403', '"server":"127.0.0.1:1"']



=== two who add at once: each gets his own, and none is lost
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:1; }
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port, threads, ids, twice = $TEST_NGINX_SERVER_PORT, {}, {}, false
            for i = 1, 20 do
                threads[i] = ngx.thread.spawn(function()
                    local status, s = api.call(port, "POST", "http/upstreams/u/servers", ('{"server":"127.0.0.1:%d"}'):format(1000 + i))
                    assert(status == 201)
                    twice = twice or ids[s.id]
                    ids[s.id] = true
                end)
            end
            for _, t in ipairs(threads) do assert(ngx.thread.wait(t)) end
            local _, n = api.servers(port, "http/upstreams/u"):gsub(":", "")
            ngx.say(n, " ", tostring(twice == true))
        }
    }
--- response_body
21 false
--- timeout: 10



=== servers of stream
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "one"; }
    server { listen $TEST_NGINX_RAND_PORT_2; return 200 "two"; }
--- main_config
    stream {
        upstream s { zone s 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
        server { listen $TEST_NGINX_RAND_PORT_3; proxy_pass s; }
    }
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            ngx.say(api.answers($TEST_NGINX_RAND_PORT_3, "/"))
            ngx.say((api.call(port, "POST", "stream/upstreams/s/servers", '{"server":"127.0.0.1:$TEST_NGINX_RAND_PORT_2"}')))
            ngx.say(api.answers($TEST_NGINX_RAND_PORT_3, "/"))
            ngx.say((api.call(port, "DELETE", "stream/upstreams/s/servers/0")))
            ngx.say(api.answers($TEST_NGINX_RAND_PORT_3, "/"))
            ngx.say((select(2, api.call(port, "POST", "stream/upstreams/s/servers", '{"server":"127.0.0.1"}'))))
        }
    }
--- response_body
one
201
one two
200
two
UpstreamBadAddress



=== a reload keeps what was changed, unless the configuration says something new
--- master_on
--- user_files
>>> more.conf
server 127.0.0.1:1;
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:1; server 127.0.0.1:2; }
    upstream v { zone u; include $TEST_NGINX_HTML_DIR/more.conf; }
--- config
    location /api/ { api / write=on; }
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local api, tree, io = require "upstream_api", require "tree", require "lunette.spec.io"
            local port = $TEST_NGINX_SERVER_PORT
            local function generation() return select(2, api.ask(port, "GET", "/status/lunette/generation")) end
            api.call(port, "DELETE", "http/upstreams/u/servers/0")
            api.call(port, "POST", "http/upstreams/u/servers", '{"server":"127.0.0.1:3"}')
            api.call(port, "POST", "http/upstreams/v/servers", '{"server":"127.0.0.1:3"}')
            ngx.say(api.servers(port, "http/upstreams/u"), ", ", api.servers(port, "http/upstreams/v"))
            assert(io.write(ngx.config.prefix() .. "html/more.conf", "server 127.0.0.1:9;\n"))
            local before = generation()
            assert(io.tell(require "ngx.process".get_master_pid(), "reload", 5000))
            repeat ngx.sleep(0.02) until generation() ~= before
            ngx.say(api.servers(port, "http/upstreams/u"), ", ", api.servers(port, "http/upstreams/v"))
        }
    }
--- response_body
1:2 2:3, 0:1 1:3
1:2 2:3, 0:9
--- timeout: 10



=== state: the servers are in a file, which has each change
--- user_files
>>> servers.conf
# by hand
server 127.0.0.1:1 weight=3;
server 127.0.0.1:2;
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; state $TEST_NGINX_HTML_DIR/servers.conf; }
    upstream v { zone u; state $TEST_NGINX_HTML_DIR/new.conf; }
--- config
    location /api/ { api / write=on; }
    location /v { proxy_pass http://v; }
    location = /t {
        content_by_lua_block {
            local api, io = require "upstream_api", require "lunette.spec.io"
            local port, dir = $TEST_NGINX_SERVER_PORT, ngx.config.prefix() .. "html/"
            ngx.say((api.ask(port, "GET", "/v")))
            api.call(port, "PATCH", "http/upstreams/u/servers/1", '{"down":true,"max_fails":2,"route":"a"}')
            api.call(port, "POST", "http/upstreams/v/servers", '{"server":"[::1]:5","backup":true}')
            ngx.print(io.read(dir .. "servers.conf"), io.read(dir .. "new.conf"))
        }
    }
--- response_body
502
server 127.0.0.1:1 weight=3; # 0
server 127.0.0.1:2 max_fails=2 route=a down; # 1
server [::1]:5 backup; # 0
--- error_log
no live upstreams



=== a state file with something else in it is an error with its line
--- user_files
>>> servers.conf
server 127.0.0.1:1;

keepalive 5;
--- http_config
    upstream u { zone u 256k; state $TEST_NGINX_HTML_DIR/servers.conf; }
--- config
--- must_die
--- error_log eval
qr/\[emerg\] .*invalid line in a state file in \S+servers\.conf:3/



=== so is one with a server that is none
--- user_files
>>> servers.conf
server 127.0.0.1:1;
server 127.0.0.1:1 wait=3;
--- http_config
    upstream u { zone u 256k; state $TEST_NGINX_HTML_DIR/servers.conf; }
--- config
--- must_die
--- error_log eval
qr/\[emerg\] .*invalid parameter "wait=3" in \S+servers\.conf:2/



=== a server that was added is checked like the others
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 204; }
--- config
    location /api/ { api / write=on; }
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; health_check interval=50ms mandatory; }
    location = /t {
        content_by_lua_block {
            local api, tree = require "upstream_api", require "tree"
            local at = "http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_2/state"
            api.call($TEST_NGINX_SERVER_PORT, "POST", "http/upstreams/u/servers", '{"server":"127.0.0.1:$TEST_NGINX_RAND_PORT_2"}')
            ngx.say(tree.get(at))
            repeat ngx.sleep(0.02) until tree.get(at) ~= "checking"
            ngx.say(tree.get(at))
        }
    }
--- response_body
checking
unhealthy
--- timeout: 10

# Servers of an upstream that are asked how they are.
__DATA__


=== a server that does not pass gets no requests, and all of it is counted
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u {
        zone u 256k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "one"; }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        location / { return 200 "two"; }
        location /health { return 503; }
    }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; proxy_next_upstream off; health_check interval=100ms uri=/health; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local one, two, three = "127.0.0.1:$TEST_NGINX_RAND_PORT_1", "127.0.0.1:$TEST_NGINX_RAND_PORT_2", "127.0.0.1:$TEST_NGINX_RAND_PORT_3"
            local p
            repeat
                ngx.sleep(0.05)
                p = tree.get("http/upstreams/u/peers")
            until p[three].state == "unhealthy" and p[two].state == "unhealthy" and p[one].health_checks.checks > 1
            local got = {}
            for i = 1, 9 do got[i] = ngx.location.capture("/p").body end
            ngx.say(table.concat(got, " "))
            ngx.say(p[one].state, " ", p[one].health.probes.fails, " ", p[one].health_checks.last_passed, " ", p[one].health.probes.last ~= nil)
            local c = p[two].health_checks
            ngx.say(c.checks >= 1, " ", c.fails == c.checks, " ", c.unhealthy, " ", c.last_passed, " ", p[two].health.downstart ~= nil)
        }
    }
--- response_body
one one one one one one one one one
up 0 true true
true true 1 false true
--- error_log eval
[qr/\[warn\] .*peer is unhealthy while checking status code, health check "" of peer 127\.0\.0\.1:\d+ in upstream "u"/,
 qr/\[warn\] .*peer is unhealthy while connecting to upstream, health check ""/,
 qr/\[error\] .*connect\(\) failed .*, health check "" of peer/]
--- timeout: 10



=== one that passes again is asked again; slowly at first, if that is said
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 slow_start=1h; }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block { ngx.exit(ngx.shared.d:get "well" and 204 or 500) } }
    }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; health_check interval=50ms fails=2 passes=3; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local at = "http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1"
            local function wait(state)
                local p
                repeat ngx.sleep(0.02) p = tree.get(at) until p.state == state
                return p
            end
            local p = wait "unhealthy"
            ngx.say(p.health_checks.fails >= 2, " ", ngx.location.capture("/p").status)
            ngx.shared.d:set("well", true)
            local before = p.health_checks.checks
            p = wait "recovering"
            ngx.say(p.health_checks.checks - before >= 3, " ", p.health.downtime > 0, " ", ngx.location.capture("/p").status)
        }
    }
--- response_body
true 502
true true 204
--- error_log
no live upstreams
peer is healthy
--- timeout: 10



=== match: status, headers and body have to be so
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    match all { status 200-299 302; header X-A = b; header X-A !~ z; header ! X-C; header X-A; body ~ "sh.n"; body !~* MOON; }
    match code { status ! 200 300-599; }
    match head { header X-A != b; }
    match gone { header ! X-A; }
    match text { body !~ "shin"; }
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream v { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream w { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream x { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream y { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_1; add_header X-A b; return 200 "the sun shines"; }
--- config
    location /status/ { api /status/; }
    location /1 { proxy_pass http://u; health_check interval=50ms match=all; }
    location /2 { proxy_pass http://v; health_check interval=50ms match=code; }
    location /3 { proxy_pass http://w; health_check interval=50ms match=head; }
    location /4 { proxy_pass http://x; health_check interval=50ms match=gone; }
    location /5 { proxy_pass http://y; health_check interval=50ms match=text; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, name in ipairs { "u", "v", "w", "x", "y" } do
                local p
                repeat
                    ngx.sleep(0.02)
                    p = tree.get("http/upstreams/" .. name .. "/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1")
                until p.health_checks.checks > 0
                ngx.say(name, " ", p.state)
            end
        }
    }
--- response_body
u up
v unhealthy
w unhealthy
x unhealthy
y unhealthy
--- error_log
peer is unhealthy while checking status code, health check "code" of peer
peer is unhealthy while checking header, health check "head" of peer
peer is unhealthy while checking header, health check "gone" of peer
peer is unhealthy while checking body, health check "text" of peer
--- timeout: 10



=== mandatory: nobody is asked before the first check has passed
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / { return 204; }
        location = /slow { content_by_lua_block { while not ngx.shared.d:get "go" do ngx.sleep(0.01) end } }
    }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; health_check mandatory persistent passes=2 uri=/slow; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local at = "http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1/state"
            ngx.say(tree.get(at), " ", ngx.location.capture("/p").status)
            ngx.shared.d:set("go", 1)
            repeat ngx.sleep(0.02) until tree.get(at) ~= "checking"
            ngx.say(tree.get(at), " ", ngx.location.capture("/p").status)
        }
    }
--- response_body
checking 502
up 204
--- no_reload: it is about the first start
--- timeout: 10



=== another port; headers that are said for all; a connection that is kept
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 204; }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        location / {
            content_by_lua_block {
                local d = ngx.shared.d
                d:set("seen", table.concat({ ngx.var.http_host, ngx.var.http_x_a, ngx.var.http_user_agent, ngx.var.request_uri }, " "))
                d:incr("conn " .. ngx.var.connection, 1, 0)
                d:incr("checks", 1, 0)
                ngx.say(("x"):rep(30000))
            }
        }
    }
--- config
    location /status/ { api /status/; }
    location /p {
        proxy_pass http://u;
        proxy_set_header Host app.example;
        proxy_set_header X-A b;
        proxy_set_header X-Real-IP $remote_addr;
        health_check interval=20ms jitter=10ms port=$TEST_NGINX_RAND_PORT_2 uri=/a?b keepalive_time=1h;
    }
    location = /t {
        content_by_lua_block {
            local d = ngx.shared.d
            while (d:get "checks" or 0) < 5 do ngx.sleep(0.02) end
            local conns = 0
            for _, key in ipairs(d:get_keys()) do conns = conns + (key:find "^conn" and 1 or 0) end
            ngx.say(d:get "seen", ", ", conns)
        }
    }
--- response_body_like
^app\.example b lunette \(health check\) /a\?b, 1$
--- timeout: 10



=== over TLS, as the location has it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream v { zone v 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    match ok { status 500; }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        if ($ssl_server_name != "localhost") { return 500; }
        return 204;
    }
--- config
    location /status/ { api /status/; }
    location /p {
        proxy_pass https://u;
        proxy_ssl_name localhost;
        proxy_ssl_server_name on;
        proxy_ssl_verify on;
        proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        health_check interval=50ms mandatory;
    }
    location /q { proxy_pass https://u; health_check interval=50ms match=ok; }
    location /r { proxy_pass https://v; proxy_ssl_verify on; proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt; health_check; }
    location = /t {
        content_by_lua_block {
            local tree, p = require "tree"
            repeat ngx.sleep(0.02) p = tree.get("http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1") until p.state ~= "checking"
            ngx.say(p.state)
        }
    }
--- response_body
up
--- error_log
peer is unhealthy while SSL handshaking to upstream, health check "" of peer
--- timeout: 10



=== persistent: who was well before a reload is well after it; else all are checked first
--- master_on
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict d 1m;
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream v { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream w { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block { while ngx.shared.d:get "wait" do ngx.sleep(0.01) end } }
    }
--- config
    location /status/ { api /status/; }
    location /1 { proxy_pass http://u; health_check interval=1h mandatory persistent; }
    location /2 { proxy_pass http://v; health_check interval=1h mandatory; }
    location /3 { proxy_pass http://w; health_check interval=1h; }
    location = /t {
        content_by_lua_block {
            local json, tree = require "cjson", require "tree"
            local function ask(path)
                local text = tree.ask($TEST_NGINX_SERVER_PORT, "GET /status/" .. path .. " HTTP/1.0\r\n\r\n")
                return json.decode('[' .. text:match "\r\n\r\n(.*)" .. ']')[1]
            end
            local function states()
                local t = {}
                for _, u in ipairs { "u", "v", "w" } do
                    t[#t + 1] = select(2, next(ask("http/upstreams/" .. u .. "/peers"))).state
                end
                return table.concat(t, " ")
            end
            repeat ngx.sleep(0.02) until states() == "up up unhealthy"
            ngx.say(states())
            ngx.shared.d:set("wait", true)
            local before = ask "lunette/generation"
            assert(require "lunette.spec.io".tell(require "ngx.process".get_master_pid(), "reload", 5000))
            repeat ngx.sleep(0.02) until ask "lunette/generation" > before
            ngx.say(states())
            ngx.shared.d:delete "wait"
            repeat ngx.sleep(0.02) until states() == "up up unhealthy"
        }
    }
--- response_body
up up unhealthy
up checking unhealthy
--- timeout: 10



=== where it cannot be
--- http_config
    upstream u { server 127.0.0.1:1; }
--- config
    location /p { proxy_pass http://u; health_check; }
--- must_die
--- error_log eval
qr/\[emerg\] .*health checks require upstream "u" in \S+:\d+ to be in shared memory in \S+:\d+/



=== require: a header that says something
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u {
        zone u 256k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; add_header X-Is-Ready yes; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_2; add_header X-Is-Ready 0; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_3; return 200; }
    match ready { status 200; require $upstream_status $upstream_http_x_is_ready; }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; health_check interval=100ms match=ready; }
    location = /t {
        content_by_lua_block {
            local tree, p = require "tree"
            local one, two, three = "127.0.0.1:$TEST_NGINX_RAND_PORT_1", "127.0.0.1:$TEST_NGINX_RAND_PORT_2", "127.0.0.1:$TEST_NGINX_RAND_PORT_3"
            repeat
                ngx.sleep(0.05)
                p = tree.get "http/upstreams/u/peers"
            until p[one].health_checks.checks > 1 and p[two].state == "unhealthy" and p[three].state == "unhealthy"
            ngx.say(p[one].state)
        }
    }
--- response_body
up
--- timeout: 10



=== require: a variable that no check has
--- http_config
    match ready { require $remote_addr; }
--- config
--- must_die
--- error_log
the variable "$remote_addr" has no value in a health check



=== there has to be a proxied server
--- config
    location /p { health_check; }
--- must_die
--- error_log
"health_check" requires "proxy_pass" or another "..._pass" without variables in its location



=== a match that is not there
--- http_config
    upstream u { zone u 256k; server 127.0.0.1:1; }
--- config
    location /p { proxy_pass http://u; health_check match=nobody; }
--- must_die
--- error_log
match "nobody" is not defined



=== words that it does not know
--- config
    location /p { proxy_pass http://127.0.0.1:1; health_check interval=0; }
--- must_die
--- error_log
invalid parameter "interval=0"



=== a status that is none
--- http_config
    match m { status 200-100; }
--- config
--- must_die
--- error_log
invalid parameter "200-100"

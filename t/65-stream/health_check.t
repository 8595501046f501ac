# Servers of stream that are asked how they are.
__DATA__


=== TCP: a server that takes no connection, or gives no answer that fits, gets no session
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "one"; }
    server { listen $TEST_NGINX_RAND_PORT_2; return 404; }
--- main_config
    stream {
        upstream s {
            zone s 256k;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
        }
        upstream t { zone s; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
        upstream v { zone s; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
        match good { send "GET / HTTP/1.0\x0d\x0a\r\n"; expect ~* "200 ok"; }
        match text { send "GET / HTTP/1.0\r\n\r\n"; expect "\x3200 OK"; }
        match none { expect "banner"; }
        server { listen $TEST_NGINX_RAND_PORT_4; proxy_pass s; proxy_next_upstream off; health_check interval=50ms match=good; }
        server { listen $TEST_NGINX_RAND_PORT_5; proxy_pass t; health_check interval=50ms match=text; }
        server { listen $TEST_NGINX_RAND_PORT_6; proxy_pass v; health_check_timeout 100ms; health_check match=none; }
    }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local function state(u, n)
                local p
                repeat
                    ngx.sleep(0.02)
                    p = tree.get("stream/upstreams/" .. u .. "/peers/127.0.0.1:" .. n)
                until p.health_checks.checks > 0
                return p.state
            end
            ngx.say(state("s", $TEST_NGINX_RAND_PORT_1), " ", state("s", $TEST_NGINX_RAND_PORT_2), " ", state("s", $TEST_NGINX_RAND_PORT_3))
            ngx.say(state("t", $TEST_NGINX_RAND_PORT_1), " ", state("v", $TEST_NGINX_RAND_PORT_1))
            for _ = 1, 6 do
                ngx.print(tree.ask($TEST_NGINX_RAND_PORT_4, "GET / HTTP/1.0\r\n\r\n"):match "one$", " ")
            end
        }
    }
--- response_body chomp
up unhealthy unhealthy
up unhealthy
one one one one one one 
--- error_log eval
[qr/peer is unhealthy while checking data from upstream, health check "good" of peer 127\.0\.0\.1:\d+ in upstream "s"/,
 qr/connect\(\) failed .* while connecting to upstream, health check "good" of peer/,
 qr/upstream timed out while checking data from upstream, health check "none" of peer/]
--- timeout: 10



=== UDP: silence is good, "unreachable" is not; an answer may be expected
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- main_config
    stream {
        upstream s {
            zone s 256k;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
        }
        upstream t { zone s; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
        match ping { send ping; expect pong; }
        health_check_timeout 300ms;
        server { listen $TEST_NGINX_RAND_PORT_1 udp; return "pong"; }
        server { listen $TEST_NGINX_RAND_PORT_4 udp; proxy_pass s; health_check interval=50ms udp; }
        server { listen $TEST_NGINX_RAND_PORT_5 udp; proxy_pass t; health_check interval=50ms udp mandatory match=ping; }
    }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local function state(u, n)
                local p
                repeat
                    ngx.sleep(0.02)
                    p = tree.get("stream/upstreams/" .. u .. "/peers/127.0.0.1:" .. n)
                until p.health_checks.checks > 0
                return p.state
            end
            ngx.say(state("s", $TEST_NGINX_RAND_PORT_1), " ", state("s", $TEST_NGINX_RAND_PORT_3), " ", state("t", $TEST_NGINX_RAND_PORT_1))
        }
    }
--- response_body
up unhealthy up
--- timeout: 10



=== TLS to the servers, as the server has it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return 204;
    }
    server { listen $TEST_NGINX_RAND_PORT_2; return 204; }
--- main_config
    stream {
        upstream s {
            zone s 256k;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        }
        match http { send "GET / HTTP/1.0\r\n\r\n"; expect ~ "^HTTP/1.. 204"; }
        server {
            listen $TEST_NGINX_RAND_PORT_4;
            proxy_pass s;
            proxy_ssl on;
            proxy_ssl_name localhost;
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
            health_check interval=50ms match=http;
        }
    }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, n in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2 } do
                local p
                repeat
                    ngx.sleep(0.02)
                    p = tree.get("stream/upstreams/s/peers/127.0.0.1:" .. n)
                until p.health_checks.checks > 0
                ngx.say(p.state)
            end
        }
    }
--- response_body
up
unhealthy
--- error_log
peer is unhealthy while SSL handshaking to upstream
--- timeout: 10



=== it needs somewhere to ask
--- main_config
    stream { server { listen 127.0.0.1:1; return "x"; health_check; } }
--- config
--- must_die
--- error_log
"health_check" requires "proxy_pass" without variables in its server

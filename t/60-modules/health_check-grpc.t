# Servers that speak gRPC, or no HTTP at all, and are asked how they are.
__DATA__


=== gRPC's own protocol: who serves gets requests
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u {
        zone u 256k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        http2 on;
        location = /grpc.health.v1.Health/Check {
            add_trailer grpc-status 0;
            content_by_lua_block {
                ngx.req.read_body()
                local h, body = ngx.req.get_headers(), ngx.req.get_body_data()
                local well = h.te == "trailers" and h.content_type == "application/grpc" and h.x_a == "b"
                             and body == "\0\0\0\0\6\10\4shop"
                ngx.header.content_type = "application/grpc"
                ngx.print(well and "\0\0\0\0\2\8\1" or "\0\0\0\0\2\8\2")
            }
        }
        location / { return 200 "one"; }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        http2 on;
        location / { add_trailer grpc-status 0; return 200; }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_3;
        http2 on;
        location / { add_header grpc-status 5; return 200; }
    }
--- config
    location /status/ { api /status/; }
    location /p { grpc_pass u; grpc_set_header X-A b; health_check interval=100ms type=grpc grpc_service=shop; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local names, p = {}
            for i, port in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2, $TEST_NGINX_RAND_PORT_3 } do
                names[i] = "127.0.0.1:" .. port
            end
            repeat
                ngx.sleep(0.05)
                p = tree.get("http/upstreams/u/peers")
            until p[names[1]].health_checks.checks > 1 and p[names[2]].state == "unhealthy" and p[names[3]].state == "unhealthy"
            ngx.say(p[names[1]].state, " ", p[names[1]].health_checks.fails)
        }
    }
--- response_body
up 0
--- error_log
peer is unhealthy while checking grpc serving status, health check
peer is unhealthy while checking grpc status, health check
--- timeout: 10



=== a status of gRPC that is good enough; over TLS
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        http2 on;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { add_header grpc-status 12; return 200; }
    }
--- config
    location /status/ { api /status/; }
    location /p { grpc_pass grpcs://u; health_check interval=100ms mandatory type=grpc grpc_status=12; }
    location = /t {
        content_by_lua_block {
            local tree, p = require "tree"
            repeat
                ngx.sleep(0.05)
                p = tree.get("http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1")
            until p.health_checks.checks > 1
            ngx.say(p.state, " ", p.health_checks.fails)
        }
    }
--- response_body
up 0
--- timeout: 10



=== a server that speaks no HTTP/2, and one that does not by TLS
--- main_config
    stream {
        server {
            listen $TEST_NGINX_RAND_PORT_2 ssl;
            ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
            ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
            return "hello";
        }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream s { zone s 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; }
--- config
    location /status/ { api /status/; }
    location /p { grpc_pass u; health_check interval=100ms type=grpc; }
    location /s { grpc_pass grpcs://s; health_check interval=100ms type=grpc; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            repeat
                ngx.sleep(0.05)
            until tree.get("http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1/state") == "unhealthy"
                  and tree.get("http/upstreams/s/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_2/state") == "unhealthy"
            ngx.say "so it is"
        }
    }
--- response_body
so it is
--- error_log
peer is unhealthy
does not speak HTTP/2
--- timeout: 10



=== what does not go together
--- config
    location /g { grpc_pass 127.0.0.1:1; health_check uri=/a type=grpc; }
--- must_die
--- error_log
"type=grpc" is not compatible with "uri", "match" and "keepalive_time"



=== words behind type=grpc are gRPC's
--- config
    location /g { grpc_pass 127.0.0.1:1; health_check type=grpc interval=1s; }
--- must_die
--- error_log
invalid parameter "interval=1s"



=== servers of FastCGI, uwsgi, SCGI and memcached are connected to
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream f { zone f 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    upstream w { zone f; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    upstream s { zone f; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    upstream m { zone f; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen $TEST_NGINX_RAND_PORT_1; }
--- config
    location /status/ { api /status/; }
    location /f { fastcgi_pass f; health_check interval=100ms; }
    location /w { uwsgi_pass w; health_check interval=100ms mandatory; }
    location /s { scgi_pass s; health_check interval=100ms; }
    location /m { set $memcached_key a; memcached_pass m; health_check interval=100ms; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, name in ipairs { "f", "w", "s", "m" } do
                local p, one, two
                repeat
                    ngx.sleep(0.05)
                    p = tree.get("http/upstreams/" .. name .. "/peers")
                    one, two = p["127.0.0.1:$TEST_NGINX_RAND_PORT_1"], p["127.0.0.1:$TEST_NGINX_RAND_PORT_2"]
                until one.health_checks.checks > 1 and two.state == "unhealthy"
                ngx.say(name, " ", one.state, " ", one.health_checks.fails)
            end
        }
    }
--- response_body
f up 0
w up 0
s up 0
m up 0
--- error_log
peer is unhealthy while connecting to upstream
--- timeout: 10



=== what they cannot be asked
--- http_config
    upstream f { zone f 256k; server 127.0.0.1:1; }
--- config
    location /f { fastcgi_pass f; health_check uri=/ping; }
--- must_die
--- error_log
servers of "fastcgi_pass" are only connected to by "health_check"

__DATA__


=== a kept connection that its server closes costs nobody an answer
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        if ($connection_requests = 2) { return 444; }
        return 200 "here";
    }
--- config
    location = /t { proxy_pass http://b; add_header X "$upstream_status"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["here", "here", "here"]
--- response_headers eval
["X: 200", "X: 502, 200", "X: 502, 200"]



=== whatever method chooses it
--- http_config
    upstream l { least_conn; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream h { hash $uri; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream c { hash $uri consistent; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream i { ip_hash; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream r { random; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream z { zone z 64k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        if ($connection_requests = 2) { return 444; }
        return 200 "here";
    }
--- config
    location = /t { proxy_pass http://$arg_u; add_header X "$upstream_status"; }
--- request eval
[map { ("GET /t?u=$_", "GET /t?u=$_") } split //, "lhcirz"]
--- response_body eval
[("here") x 12]
--- response_headers eval
[("X: 200", "X: 502, 200") x 6]



=== whoever the code names, and without more tries
--- http_config
    upstream b {
        balancer_by_lua_block {
            local b = require "ngx.balancer"
            assert(b.set_current_peer("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(b.enable_keepalive())
        }
    }
    upstream f {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        balancer_by_lua_block { print("as the block says") }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        if ($connection_requests = 2) { return 444; }
        return 200 "here";
    }
--- config
    location = /t { proxy_pass http://$arg_u; add_header X "$upstream_status"; }
--- request eval
["GET /t?u=b", "GET /t?u=b", "GET /t?u=f", "GET /t?u=f"]
--- response_body eval
["here", "here", "here", "here"]
--- response_headers eval
["X: 200", "X: 502, 200", "X: 200", "X: 502, 200"]



=== a POST is not sent twice for that
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    upstream n { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    lua_shared_dict seen 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local n = ngx.shared.seen:incr(ngx.var.uri, 1, 0)
                if ngx.var.connection_requests == "2" then
                    return ngx.exit(444)
                end
                ngx.print(n)
            }
        }
    }
--- config
    location = /b { proxy_pass http://b; }
    location = /n { proxy_next_upstream error non_idempotent; proxy_pass http://n; }
--- request eval
["POST /b\r\nx", "POST /b\r\nx", "POST /b\r\nx", "POST /n\r\nx", "POST /n\r\nx"]
--- error_code eval
[200, 502, 200, 200, 200]
--- response_body_like eval
["^1\$", "502 Bad", "^3\$", "^1\$", "^3\$"]



=== nor a second time from a connection of its own
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 444; }
--- config
    location = /t { proxy_pass http://b; add_header X "$upstream_status" always; }
--- error_code: 502
--- response_headers
X: 502



=== with TLS
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        if ($connection_requests = 2) { return 444; }
        return 200 "here";
    }
--- config
    location = /t { proxy_pass https://b; add_header X "$upstream_status"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["here", "here", "here"]
--- response_headers eval
["X: 200", "X: 502, 200", "X: 502, 200"]



=== over a socket with a name
--- skip_windows: sockets have no names there
--- http_config
    upstream b { server unix:$TEST_NGINX_HTML_DIR/b.sock; keepalive 4; }
    server {
        listen unix:$TEST_NGINX_HTML_DIR/b.sock;
        if ($connection_requests = 2) { return 444; }
        return 200 "here";
    }
--- config
    location = /t { proxy_pass http://b; add_header X "$upstream_status"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["here", "here", "here"]
--- response_headers eval
["X: 200", "X: 502, 200", "X: 502, 200"]



=== where a limit of time is over it is the end
--- http_config
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 4; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                if ngx.var.connection_requests == "2" then
                    ngx.sleep(0.3)
                    return ngx.exit(444)
                end
                ngx.print("here")
            }
        }
    }
--- config
    location = /t {
        proxy_next_upstream_timeout 100ms;
        proxy_pass http://b;
    }
--- request eval
["GET /t", "GET /t"]
--- error_code eval
[200, 502]

# Fields of the tree that only change when something is out of the ordinary.
__DATA__


=== a server that has all it may have is busy, one that comes back slowly is recovering
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict mode 64k;
    upstream b { zone b 64k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_conns=1; }
    upstream s {
        zone s 64k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 fail_timeout=1s slow_start=1m;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location /slow { content_by_lua_block { ngx.sleep(0.2) ngx.say "slow" } }
        location / { content_by_lua_block { ngx.exit(ngx.shared.mode:get "status" or 200) } }
    }
--- config
    location /status/ { api /status/; }
    location = /busy { proxy_pass http://b/slow; }
    location = /s { proxy_pass http://s/; proxy_next_upstream http_500; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local one = "/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1/state"
            local function state(u) return tree.get("http/upstreams/" .. u .. one) end
            ngx.say(state "b")
            local held = ngx.thread.spawn(tree.ask, ngx.var.server_port, "GET /busy HTTP/1.0\r\n\r\n")
            ngx.sleep(0.1)
            local peers = tree.get "http/upstreams/b/peers"
            ngx.say(state "b", " ", peers["127.0.0.1:$TEST_NGINX_RAND_PORT_1"].selected.current)
            ngx.thread.wait(held)
            ngx.say(state "b")
            ngx.shared.mode:set("status", 500)
            tree.ask(ngx.var.server_port, "GET /s HTTP/1.0\r\n\r\n")
            ngx.say(state "s")
            ngx.shared.mode:set("status", 200)
            ngx.sleep(2.2)
            tree.ask(ngx.var.server_port, "GET /s HTTP/1.0\r\n\r\n")
            ngx.say(state "s")
        }
    }
--- response_body
up
busy 1
up
unavailable
recovering
--- timeout: 10
--- error_log
upstream server temporarily disabled



=== answers of a cache that are old, being renewed, or still right
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict mode 64k;
    proxy_cache_path cache keys_zone=old:1m;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                if ngx.var.uri == "/error" and ngx.shared.mode:get "later" then return ngx.exit(500) end
                if ngx.var.uri == "/updating" and ngx.shared.mode:get "later" then ngx.sleep(0.5) end
                if ngx.var.http_if_none_match then return ngx.exit(304) end
                ngx.header.etag = '"1"'
                ngx.print "0123456789"
            }
        }
    }
--- config
    location /status/ { api /status/; }
    location ~ ^/(error|updating|right)$ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_cache old;
        proxy_cache_valid 200 1s;
        proxy_cache_use_stale http_500 updating;
        proxy_cache_revalidate on;
    }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local port = ngx.var.server_port
            local function get(uri) return tree.ask(port, "GET " .. uri .. " HTTP/1.0\r\n\r\n") end
            for _, uri in ipairs { "/error", "/updating", "/right" } do get(uri) end
            ngx.shared.mode:set("later", true)
            ngx.sleep(2.1)
            local before = tree.get "http/caches/old"
            get "/error"
            local first = ngx.thread.spawn(get, "/updating")
            ngx.sleep(0.1)
            get "/updating"
            ngx.thread.wait(first)
            get "/right"
            tree.say_changes(before, tree.get "http/caches/old", "stale", "updating", "revalidated")
        }
    }
--- timeout: 10
--- response_body
stale/bytes +10
stale/responses +1
updating/bytes +10
updating/responses +1
revalidated/bytes +20
revalidated/responses +2



=== a resolver's answers: names that are there, that are not, and a server that fails
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
             content_by_lua_block { require("names").serve() } }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 status_zone=names ipv6=off valid=1s;
    resolver_timeout 1s;
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree, names = require "tree", require "names"
            local before = tree.get "resolvers"
            local function ask(name) ngx.socket.tcp():connect(name, ngx.var.server_port) end
            names.set "a.test A 127.0.0.1"
            ask "a.test"
            ask "b.test"
            names.set "fail"
            ask "c.test"
            tree.say_changes(before, tree.get "resolvers", "names")
        }
    }
--- request
GET /t
--- response_body
names/queries/name +3
names/responses/not_found +1
names/responses/server_failure +1
names/responses/success +1
names/sent/a +3
--- timeout: 10



=== programs of an upstream: how many there are, and what they do
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=2; }
--- config
    location /status/ { api /status/; }
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _ = 1, 3 do tree.ask(ngx.var.server_port, "GET /p?show=QUERY_STRING HTTP/1.0\r\n\r\n") end
            for _ = 1, 200 do
                if tree.get("programs/p").free == 2 then break end
                ngx.sleep(0.02)
            end
            local p = tree.get "programs/p"
            ngx.say(p.wanted, " ", p.starting, " ", p.free, " ", p.busy, " ", p.ending, " ", p.requests, " ",
                    p.waiting, " ", p.broken)
        }
    }
--- response_body
2 0 2 0 0 3 0 false
--- timeout: 20

# Counters that begin again, and caches that are purged, by the API.
__DATA__


=== what is counted begins again at 0, for all workers
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    limit_req_zone $uri zone=requests:64k rate=1000r/s;
    limit_conn_zone $uri zone=conns:64k;
    upstream u { zone u 256k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream other { zone u; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    proxy_cache_path $TEST_NGINX_HTML_DIR/cache keys_zone=cache:64k;
    server { listen $TEST_NGINX_RAND_PORT_1; status_zone behind; return 200 "one"; }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        status_zone front;
        location / {
            status_zone place;
            limit_req zone=requests burst=1000;
            limit_conn conns 1000;
            proxy_cache cache;
            proxy_cache_valid 1h;
            proxy_pass http://u;
        }
        location /other { status_zone another; proxy_pass http://other; }
    }
--- stream_config
    server { listen $TEST_NGINX_RAND_PORT_3; status_zone stream; proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location /api/ { api / write=on; }
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local port, front = $TEST_NGINX_SERVER_PORT, $TEST_NGINX_RAND_PORT_2
            local api, tree = require "upstream_api", require "tree"
            local function load()
                for i = 1, 10 do
                    tree.ask(front, "GET /a HTTP/1.0\r\n\r\n")
                    tree.ask(front, "GET /other HTTP/1.0\r\n\r\n")
                    tree.ask($TEST_NGINX_RAND_PORT_3, "GET /a HTTP/1.0\r\n\r\n")
                end
            end
            local peer = "/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1/selected/total"
            local numbers = {
                { "http/server_zones/front", "requests/total" }, { "http/server_zones/behind", "data/sent" },
                { "http/location_zones/place", "responses/200" }, { "http/limit_reqs/requests", "passed" },
                { "http/limit_conns/conns", "passed" }, { "http/caches/cache", "hit/responses" },
                { "http/upstreams/u", peer:sub(2) }, { "http/upstreams/other", peer:sub(2) },
                { "stream/server_zones/stream", "connections/total" }, { "connections", "accepted" },
            }
            local function look(i)
                local status, value = api.ask(port, "GET", "/status/" .. numbers[i][1] .. "/" .. numbers[i][2])
                return status == 200 and tonumber(value) or 0
            end
            load()
            for i, n in ipairs(numbers) do
                local before = look(i)
                local status = api.call(port, "DELETE", n[1])
                ngx.say(n[1], " ", before > 0, " ", status, " ", look(i) < before)
            end
            ngx.say(look(8))
            load()
            ngx.say(look(1), " ", look(3), " ", look(6), " ", look(8), " ", look(9))
        }
    }
--- request
GET /t
--- response_body
http/server_zones/front true 204 true
http/server_zones/behind true 204 true
http/location_zones/place true 204 true
http/limit_reqs/requests true 204 true
http/limit_conns/conns true 204 true
http/caches/cache true 204 true
http/upstreams/u true 204 true
http/upstreams/other true 204 true
stream/server_zones/stream true 204 true
connections true 204 true
0
20 10 10 10 10
--- error_log
api: counters of server zone "front" were reset, client: 127.0.0.1
api: counters of connections were reset



=== requests, TLS and resolvers are reset, as Prometheus sees them
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    resolver 127.0.0.1:1 status_zone=names;
--- config
    location /api/ { api / write=on; }
    location /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local api, port = require "upstream_api", $TEST_NGINX_SERVER_PORT
            local function requests()
                local _, text = api.ask(port, "GET", "/metrics")
                return tonumber(text:match "\nlunette_http_requests_total (%d+)"),
                       tonumber(text:match 'lunette_http_response_seconds_count{status="2xx"} (%d+)')
            end
            for i = 1, 10 do requests() end
            local all, answers = requests()
            ngx.say(all > 10, " ", answers >= 10, " ", (api.call(port, "DELETE", "http/requests")))
            all, answers = requests()
            ngx.say(all, " ", answers)
            ngx.say((api.call(port, "DELETE", "ssl")), " ", (api.call(port, "DELETE", "resolvers/names")))
        }
    }
--- response_body
true true 204
1 1
204 204



=== what is not there, or may not be
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    proxy_cache_path $TEST_NGINX_HTML_DIR/cache keys_zone=cache:64k;
--- config
    location /api/ { api / write=on; }
    location /read/ { api /; }
    location = /t {
        content_by_lua_block {
            local api, port = require "upstream_api", $TEST_NGINX_SERVER_PORT
            local function try(method, path, body)
                local status, code = api.call(port, method, path, body)
                ngx.say(status, " ", type(code) == "table" and code.error or code)
            end
            for _, name in ipairs { "server_zones", "location_zones", "caches", "limit_conns", "limit_reqs", "upstreams" } do
                try("DELETE", "http/" .. name .. "/nobody")
            end
            try("DELETE", "resolvers/nobody")
            try("PATCH", "http/caches/cache", "{}")
            try("DELETE", "http/caches")
            try("DELETE", "http/caches/cache/hit")
            try("POST", "http/caches/nobody/purge", '{"all":true}')
            try("DELETE", "http/caches/cache/purge")
            try("POST", "http/caches/cache/purge", '{"all":')
            try("POST", "http/caches/cache/purge", '{"all":false}')
            try("POST", "http/caches/cache/purge", '{"key":""}')
            try("POST", "http/caches/cache/purge", '{"key":"a","all":true}')
            try("POST", "http/caches/cache/purge", '{"colour":"a"}')
            try("POST", "http/caches/cache/purge", '{"key":"a"}')
            local status, text = api.ask(port, "DELETE", "/read/http/caches/cache")
            ngx.say(status, " ", text:match "%w+NotAllowed")
        }
    }
--- response_body
404 ServerZoneNotFound
404 LocationZoneNotFound
404 CacheNotFound
404 LimitConnNotFound
404 LimitReqNotFound
404 UpstreamNotFound
404 ResolverZoneNotFound
405 MethodNotSupported
405 MethodNotAllowed
405 MethodNotAllowed
404 CacheNotFound
405 MethodNotSupported
400 CachePurgeFormatError
400 CachePurgeFormatError
400 CachePurgeFormatError
400 CachePurgeFormatError
400 CachePurgeFormatError
404 CacheKeyNotFound
405 MethodNotAllowed



=== a cache is purged: a key, all that begin so, everything
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    proxy_cache_path $TEST_NGINX_HTML_DIR/cache keys_zone=cache:64k;
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$request_id"; }
--- config
    location /api/ { api / write=on; }
    location ~ ^/[ab]/ {
        proxy_cache cache;
        proxy_cache_key $uri;
        proxy_cache_valid 1h;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local api, port = require "upstream_api", $TEST_NGINX_SERVER_PORT
            local paths, seen = { "/a/1", "/a/2", "/b/1" }, {}
            local function say(what)
                local t = {}
                for i, path in ipairs(paths) do
                    local _, text = api.ask(port, "GET", path)
                    t[i] = text == seen[path] and "kept" or "new"
                    seen[path] = text
                end
                ngx.say(what, ": ", table.concat(t, " "))
            end
            local function purge(body)
                return (api.call(port, "POST", "http/caches/cache/purge", body))
            end
            say "at first"
            say "again"
            say(purge '{"key":"/a/1"}')
            ngx.sleep(0.01)
            say(purge '{"key":"/a/*"}')
            ngx.sleep(0.01)
            say(purge '{"all":true}')
        }
    }
--- response_body
at first: new new new
again: kept kept kept
204: new kept kept
204: new new kept
204: new new new
--- error_log
api: "/a/1" was purged of cache "cache"

# What is counted, as Prometheus reads it.
__DATA__


=== the older text: names, types, and what it is about
--- config
    location = /metrics { prometheus; }
    location = /x { return 404; }
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/x")
            local res = ngx.location.capture("/metrics")
            for _, want in ipairs {
                "# HELP lunette_connections_accepted_total Connections of clients that were accepted",
                "# TYPE lunette_connections_accepted_total counter",
                "# TYPE lunette_connections gauge", '\nlunette_connections{state="active"} ',
                "# TYPE lunette_http_response_seconds histogram",
                '\nlunette_http_response_seconds_bucket{status="2xx",le="0.005"} ',
                '\nlunette_http_response_seconds_bucket{status="2xx",le="+Inf"} ',
                '\nlunette_http_response_seconds_sum{status="2xx"} ',
                '\nlunette_http_response_seconds_count{status="2xx"} ',
                '\nlunette_ssl_handshakes_total{outcome="resumed"} 0\n',
                '\nlunette_http_server_sent_bytes_total{server="localhost"} ' } do
                if not res.body:find(want, 1, true) then ngx.say("no ", want) end
            end
            ngx.say(res.header["Content-Type"])
            ngx.say(res.body:find "# UNIT" or res.body:find "# EOF" or "no words of OpenMetrics")
            for line in res.body:gmatch "[^\n]+" do
                if not line:find "^# %u+ [%l_%d]+ " and not line:find '^[%l_%d]+ [%d.]+$'
                   and not line:find '^[%l_%d]+{[%l_]+="[^"]*".*} [%d.]+$' then
                    ngx.say("odd: ", line)
                end
            end
        }
    }
--- request
GET /t
--- response_body
text/plain; version=0.0.4; charset=utf-8
no words of OpenMetrics



=== OpenMetrics for who accepts it: units, counters by their family's name, an end
--- config
    location = /metrics { prometheus; }
--- request
GET /metrics
--- more_headers
Accept: application/openmetrics-text;version=1.0.0;q=0.75,text/plain;q=0.5
--- response_headers
Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8
--- response_body_like: (?s)# TYPE lunette_http_server_sent_bytes counter\n# UNIT lunette_http_server_sent_bytes bytes\nlunette_http_server_sent_bytes_total\{server="localhost"\} \d+\n.*# EOF\n$



=== only asked, never told
--- config
    location = /metrics { prometheus; }
--- request
POST /metrics
--- error_code: 405



=== tries of servers by upstream and class, those without a block together
--- http_config
    upstream backend { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    upstream idle { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /metrics { prometheus; }
    location /backend/ { proxy_pass http://backend/; }
    location /other/ { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/; }
    location = /ok { return 200; }
    location = /bad { return 503; }
    location = /t {
        content_by_lua_block {
            local line = require "line"
            local names = { 'upstream_tries_total{upstream="backend",status="2xx"}',
                'upstream_tries_total{upstream="backend",status="5xx"}',
                'upstream_response_seconds_count{upstream="backend"}',
                'upstream_tries_total{upstream="other",status="2xx"}',
                'upstream_tries_total{upstream="idle",status="2xx"}' }
            local before = {}
            for i, name in ipairs(names) do before[i] = line(name) end
            for _, uri in ipairs { "/backend/ok", "/backend/ok", "/backend/bad", "/other/ok" } do
                ngx.location.capture(uri)
            end
            for i, name in ipairs(names) do ngx.say(name, " ", line(name) - before[i]) end
        }
    }
--- user_files
>>> line.lua
return function(name)
    local body = ngx.location.capture("/metrics").body
    local at, last = body:find("\nlunette_" .. name .. " ", 1, true)
    return at and tonumber(body:match("^[%d.]+", last + 1)) or 0
end
--- request
GET /t
--- response_body
upstream_tries_total{upstream="backend",status="2xx"} 2
upstream_tries_total{upstream="backend",status="5xx"} 1
upstream_response_seconds_count{upstream="backend"} 3
upstream_tries_total{upstream="other",status="2xx"} 1
upstream_tries_total{upstream="idle",status="2xx"} 0



=== limits by zone; a zone without a key is passed over; dictionaries' room
--- http_config
    limit_req_zone $uri zone=slow:1m rate=1r/m;
    limit_req_zone $arg_none zone=keyless:1m rate=1r/m;
    limit_conn_zone $uri zone=conns:1m;
    lua_shared_dict "d\"x" 1m;
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /metrics { prometheus; }
    location = /limited {
        limit_req zone=slow;
        limit_req zone=keyless;
        limit_conn conns 10;
        content_by_lua_block { ngx.print "ok" }
    }
    location = /t {
        content_by_lua_block {
            local line = require "line"
            local names = { 'limit_requests_total{zone="slow",status="passed"}',
                'limit_requests_total{zone="slow",status="rejected"}',
                'limit_requests_total{zone="keyless",status="skipped"}',
                'limit_connections_total{zone="conns",status="passed"}' }
            local before = {}
            for i, name in ipairs(names) do before[i] = line(name) end
            for i = 1, 3 do require("ask")() end
            for i, name in ipairs(names) do ngx.say(name, " ", line(name) - before[i]) end
            ngx.say("used: ", line 'dict_bytes{dict="d\\"x",room="used"}' > 0,
                    ", free: ", line 'dict_bytes{dict="d\\"x",room="free"}' > 0)
        }
    }
--- user_files
>>> line.lua
return function(name)
    local body = ngx.location.capture("/metrics").body
    local at, last = body:find("\nlunette_" .. name .. " ", 1, true)
    return at and tonumber(body:match("^[%d.]+", last + 1)) or 0
end
>>> ask.lua
return function()
    local sock = ngx.socket.tcp()
    assert(sock:connect("127.0.0.1", ngx.var.server_port))
    assert(sock:send("GET /limited HTTP/1.0\r\n\r\n"))
    sock:receive("*a")
    sock:close()
end
--- request
GET /t
--- response_body
limit_requests_total{zone="slow",status="passed"} 1
limit_requests_total{zone="slow",status="rejected"} 2
limit_requests_total{zone="keyless",status="skipped"} 1
limit_connections_total{zone="conns",status="passed"} 1
used: true, free: true
--- error_log
limiting requests



=== handshakes: full, resumed, failed; a cache by its name
--- http_config
    proxy_cache_path cache keys_zone=kept:1m;
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_protocols TLSv1.2;
        location / { return 200; }
    }
--- config
    location = /metrics { prometheus; }
    location /c/ {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
        proxy_cache kept;
        proxy_cache_valid 200 1m;
    }
    location = /ok { return 200; }
    location = /t {
        content_by_lua_block {
            local line = require "line"
            local names = { 'ssl_handshakes_total{outcome="full"}',
                'ssl_handshakes_total{outcome="resumed"}', 'ssl_handshakes_total{outcome="failed"}',
                'cache_answers_total{cache="kept",status="miss"}',
                'cache_answers_total{cache="kept",status="hit"}' }
            local before, session = {}
            for i, name in ipairs(names) do before[i] = line(name) end
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                session = assert(sock:sslhandshake(session))
                sock:send("GET / HTTP/1.0\r\n\r\n")
                sock:receive("*a")
                sock:close()
            end
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("\22\3\1\0\4none")
            sock:receive("*a")
            sock:close()
            for _ = 1, 3 do ngx.location.capture("/c/ok") end
            for i, name in ipairs(names) do ngx.say(name, " ", line(name) - before[i]) end
        }
    }
--- user_files
>>> line.lua
return function(name)
    local body = ngx.location.capture("/metrics").body
    local at, last = body:find("\nlunette_" .. name .. " ", 1, true)
    return at and tonumber(body:match("^[%d.]+", last + 1)) or 0
end
--- request
GET /t
--- response_body
ssl_handshakes_total{outcome="full"} 1
ssl_handshakes_total{outcome="resumed"} 1
ssl_handshakes_total{outcome="failed"} 1
cache_answers_total{cache="kept",status="miss"} 1
cache_answers_total{cache="kept",status="hit"} 2



=== buckets have the latest traced request, for who reads OpenMetrics
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location = /metrics { prometheus; }
    location = /traced { otel_trace on; return 207 "$otel_trace_id"; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            local function page(accept)
                return ask($TEST_NGINX_SERVER_PORT, "GET /metrics HTTP/1.0\r\n" .. accept .. "\r\n")
            end
            local id = ask($TEST_NGINX_SERVER_PORT, "GET /traced HTTP/1.0\r\n\r\n"):match "(%x+)$"
            local text = page "Accept: application/openmetrics-text\r\n"
            local at, value, time = text:match('_response_seconds_bucket{status="2xx",le="([%d.]+)"} %d+ '
                                               .. '# {trace_id="' .. id .. '"} ([%d.]+) ([%d.]+)\n')
            ngx.say(tonumber(value) <= tonumber(at), " ", math.abs(time - ngx.now()) < 5)
            ngx.say(text:find "_exemplar" == nil, " ", page "":find "trace_id" == nil)
        }
    }
--- response_body
true true
true true

# Traces: which requests are in one, what becomes of traceparent, what is said
# of a request to a collector, and what happens without one.
__DATA__


=== a request is a span, with nginx-otel's words about it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter {
        endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces;
        interval 50ms;
        header X-Key secret;
    }
    otel_service_name shop;
    otel_resource_attr deployment test;
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location /one/ { otel_trace on; return 404 "no"; }
    location = /t {
        content_by_lua_block {
            require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /one/x?a=b HTTP/1.1\r\n"
                .. "Host: h\r\nUser-Agent: me\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
            local s = require("otlp").spans(1)[1]
            ngx.say(#s.trace, " ", #s.id, " ", s.parent, " ", s.name, " ", s.kind, " ", s.failed, " ",
                    s.key, " ", s.content_type)
            ngx.say(s.resource["service.name"], " ", s.resource.deployment)
            for name in require("otlp").names(s):gmatch "%S+" do
                if not name:find "port$" then ngx.say(name, " ", s.attrs[name]) end
            end
            ngx.say(s.attrs["net.host.port"] == tonumber($TEST_NGINX_SERVER_PORT), " ",
                    s.attrs["net.sock.peer.port"] > 1000, " ", s.last >= s.first, " ",
                    math.abs(s.last / 1e9 - ngx.now()) < 5)
        }
    }
--- response_body
32 16 nil /one/ 2 nil secret application/x-protobuf
shop test
http.flavor 1.1
http.method GET
http.request_content_length 3
http.response_content_length 2
http.route /one/
http.scheme http
http.status_code 404
http.target /one/x?a=b
http.user_agent me
net.host.name localhost
net.sock.peer.addr 127.0.0.1
true true true true



=== names and attributes of one's own, which are lists for headers; inner locations inherit them
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter {
        endpoint 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        protocol http/json;
        interval 50ms;
    }
    otel_span_name "$request_method $arg_a";
    otel_span_attr tenant $arg_a;
    otel_span_attr http.request.header.x-y $http_x_y;
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location /one/ { otel_trace $arg_a; return 500; }
    location /two/ { otel_trace on; otel_span_attr b c; return 204; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            for _, uri in ipairs { "/one/?a=on", "/one/?a=off", "/one/?a=1", "/two/?a=%FF" } do
                ask($TEST_NGINX_SERVER_PORT, "GET " .. uri .. " HTTP/1.0\r\nX-Y: \"\255\\\r\n\r\n")
            end
            for _, s in ipairs(require("otlp").spans(3)) do
                local x = s.attrs["http.request.header.x-y"]
                ngx.say(s.name, " ", s.attrs.tenant, " ", x and x[1], " ", s.attrs.b, " ", s.failed, " ",
                        s.content_type, " ", s.resource["service.name"])
            end
        }
    }
--- response_body eval
qq{GET on on "\x{ef}\x{bf}\x{bd}\\ nil true application/json unknown_service:lunette
GET 1 1 "\x{ef}\x{bf}\x{bd}\\ nil true application/json unknown_service:lunette
GET %FF nil nil c nil application/json unknown_service:lunette
}



=== what a server is told: extract, inject, both, neither; no exporter is needed
--- config
    location = /echo { return 200 "$http_traceparent $http_tracestate\n"; }
    location = /ignore { otel_trace on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/echo; }
    location = /extract { otel_trace on; otel_trace_context extract; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/echo; }
    location = /inject { otel_trace_context inject; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/echo; }
    location = /propagate { otel_trace $otel_parent_sampled; otel_trace_context propagate; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/echo; }
    location = /t {
        content_by_lua_block {
            local known = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            for _, uri in ipairs { "/ignore", "/extract", "/inject", "/propagate" } do
                local text = require("tree").ask($TEST_NGINX_SERVER_PORT, "GET " .. uri
                    .. " HTTP/1.0\r\nTraceparent: " .. known .. "\r\ntracestate: a=1\r\nTracestate: b=2\r\n\r\n")
                local parent, state = text:match "\r\n\r\n(%S*) ([^\n]*)"
                ngx.say(uri, " ", parent == known and "as it was"
                        or parent:find(known:sub(1, 36), 1, true) and "same trace" or "new trace",
                        " ", parent:sub(-3), " ", state, " ", #parent)
            end
        }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- response_body
/ignore as it was -01 a=1, b=2 55
/extract as it was -01 a=1, b=2 55
/inject new trace -00  55
/propagate same trace -01 a=1,b=2 55



=== a parent that is none, or two of them, begin a trace; a bad state is not passed on
--- config
    location = /echo {
        otel_trace_context propagate;
        return 200 "$otel_trace_id $otel_span_id $otel_parent_id $otel_parent_sampled $http_tracestate\n";
    }
    location = /t {
        content_by_lua_block {
            local good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            for _, head in ipairs {
                "traceparent: " .. good, "traceparent: " .. good .. "\r\ntracestate: A=1",
                "traceparent: " .. good .. "\r\ntraceparent: " .. good, "traceparent: 00-1-2-03",
                "traceparent: " .. good:upper(), "a: b" } do
                local text = require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /echo HTTP/1.0\r\n" .. head
                    .. "\r\n\r\n")
                local id, span, rest = text:match "\r\n\r\n(%x+) (%x+) ([^\n]*)"
                ngx.say(id == good:sub(4, 35), " ", #id, " ", #span, " ", rest)
            end
        }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- response_body
true 32 16 b7ad6b7169203331 1 
true 32 16 b7ad6b7169203331 1 
false 32 16  0 
false 32 16  0 
false 32 16  0 
false 32 16  0 



=== what was decided holds over rewrites and internal redirects
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter { endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces; interval 50ms; }
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location = /bad { otel_trace on; error_page 503 /page; return 503; }
    location = /page { otel_trace off; return 200 "$otel_trace_id"; }
    location = /from { otel_trace on; rewrite ^ /to; }
    location = /to { otel_trace off; otel_trace_context inject; return 200; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            ask($TEST_NGINX_SERVER_PORT, "GET /from HTTP/1.0\r\n\r\n")
            local text = ask($TEST_NGINX_SERVER_PORT, "GET /bad HTTP/1.0\r\n\r\n")
            local from, bad = unpack(require("otlp").spans(2))
            ngx.say(from.name, " ", from.attrs["http.target"])
            ngx.say(bad.name, " ", bad.trace == text:match "\r\n\r\n(%x+)", " ", bad.attrs["http.status_code"])
        }
    }
--- response_body
/to /from
/page true 503



=== spans inside: servers that were asked, a cache's decision, subrequests
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    proxy_cache_path cache keys_zone=one:1m;
    otel_exporter { endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces; interval 50ms; }
    upstream two { server 127.0.0.1:1; server 127.0.0.1:$TEST_NGINX_SERVER_PORT backup; }
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location = /ok { return 200 "fine"; }
    location = /cached { proxy_cache one; proxy_cache_valid 1m; proxy_pass http://two/ok; }
    location = /lua {
        otel_trace on;
        otel_child_spans on;
        content_by_lua_block {
            ngx.say(ngx.location.capture("/cached").body, ngx.location.capture("/cached").body)
        }
    }
    location = /t {
        content_by_lua_block {
            require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /lua HTTP/1.0\r\n\r\n")
            local by = {}
            for _, s in ipairs(require("otlp").spans(7)) do
                by[s.id] = s
                ngx.say(s.name, " ", s.kind, " in ", s.parent and by[s.parent].name, " ", s.failed, " ",
                        s.attrs["cache.status"], " ", s.attrs["server.address"] ~= nil, " ",
                        s.attrs["http.response.status_code"], " ", s.last >= s.first)
            end
        }
    }
--- response_body
/lua 2 in nil nil nil false nil true
/cached 1 in /lua nil nil false nil true
cache 1 in /cached nil MISS false nil true
upstream 3 in /cached true nil true 502 true
upstream 3 in /cached nil nil true 200 true
/cached 1 in /lua nil nil false nil true
cache 1 in /cached nil HIT false nil true
--- error_log
connect() failed



=== a full batch goes at once; what a batch holds is what was said
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter {
        endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces;
        interval 1h; batch_size 2; batch_count 8;
    }
--- config
    location = /v1/traces { content_by_lua_block { require("otlp").collect() } }
    location = /one { otel_trace on; return 200; }
    location = /t {
        content_by_lua_block {
            for i = 1, 7 do require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n") end
            ngx.say(#require("otlp").spans(6), " in ", ngx.shared.spans:get "batches")
        }
    }
--- response_body
6 in 3



=== a collector that is away: spans are dropped and counted, nobody waits
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    otel_exporter {
        endpoint http://127.0.0.1:1/v1/traces;
        interval 1h; batch_size 2; batch_count 2;
    }
--- config
    location = /metrics { prometheus; }
    location = /one { otel_trace on; return 200; }
    location = /t {
        content_by_lua_block {
            local function count(outcome)
                local body = ngx.location.capture("/metrics").body
                return tonumber(body:match('lunette_otel_spans_total{outcome="' .. outcome .. '"} (%d+)'))
            end
            local before = count "dropped"
            for i = 1, 9 do
                local text = require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
                assert(text:find "200 OK")
            end
            ngx.say(count "dropped" - before, " ", count "exported", " ", count "failed")
        }
    }
--- response_body
5 0 0
--- error_log
OTel dropped records: 1
while exporting spans



=== what it has refused is lost; what it had no time for is sent again
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter {
        endpoint http://127.0.0.1:$TEST_NGINX_SERVER_PORT/v1/traces;
        interval 20ms;
    }
--- config
    location = /v1/traces {
        content_by_lua_block {
            local n = ngx.shared.spans:incr("asked", 1, 0)
            if n == 1 then return ngx.exit(503) end
            if n == 2 then return require("otlp").collect() end
            ngx.exit(400)
        }
    }
    location = /one { otel_trace on; return 200; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            ngx.say(#require("otlp").spans(1))
            ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            for _ = 1, 200 do
                if ngx.shared.spans:get "asked" == 3 then break end
                ngx.sleep(0.02)
            end
            ngx.say(ngx.shared.spans:get "asked")
        }
    }
--- response_body
1
3
--- error_log
OTel export failure: 400 Bad Request, 1 spans are lost



=== a worker that quits sends what it has
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter { endpoint http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/v1/traces; interval 1h; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block { require("otlp").collect() } }
    }
--- config
    location = /one { otel_trace on; return 200; }
    location = /t {
        content_by_lua_block {
            require("tree").ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            require("reload").with(function (text) return text end)
            ngx.say(#require("otlp").spans(1))
        }
    }
--- response_body
1
--- no_reload: it reloads



=== over gRPC, as nginx's module speaks: taken, not taken at the moment, refused
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter { endpoint 127.0.0.1:$TEST_NGINX_RAND_PORT_1; interval 20ms; header X-Key secret; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location = /opentelemetry.proto.collector.trace.v1.TraceService/Export {
            add_trailer grpc-status $grpc_status;
            add_trailer grpc-message "not today";
            set $grpc_status 0;
            content_by_lua_block {
                local n = ngx.shared.spans:incr("asked", 1, 0)
                if n == 1 then ngx.var.grpc_status = 14 end
                if n == 3 then ngx.var.grpc_status = 3 end
                if n == 2 then require("otlp").collect() end
                ngx.header.content_type = "application/grpc"
                ngx.print("\0\0\0\0\0")
            }
        }
    }
--- config
    location = /one { otel_trace on; return 200; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            local s = require("otlp").spans(1)[1]
            ngx.say(s.name, " ", s.content_type, " ", s.key)
            ask($TEST_NGINX_SERVER_PORT, "GET /one HTTP/1.0\r\n\r\n")
            repeat ngx.sleep(0.02) until ngx.shared.spans:get "asked" == 3
        }
    }
--- response_body
/one application/grpc secret
--- error_log
OTel export failure: not today, 1 spans are lost
--- timeout: 10



=== a batch that is larger than a window, over gRPC and TLS
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict spans 1m;
    otel_exporter {
        endpoint https://localhost:$TEST_NGINX_RAND_PORT_1;
        trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        interval 1m;
        batch_size 40;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        http2 on;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / {
            add_trailer grpc-status 0;
            content_by_lua_block {
                ngx.req.read_body()
                local body = ngx.req.get_body_data() or require("lunette.spec.io").read(ngx.req.get_body_file())
                local _, spans = body:gsub(("x"):rep(4000), "")
                ngx.shared.spans:set("heard", #body .. " " .. spans)
            }
        }
    }
--- config
    location = /one { otel_trace on; otel_span_attr long $arg_long; return 200; }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            for i = 1, 40 do ask($TEST_NGINX_SERVER_PORT, "GET /one?long=" .. ("x"):rep(4000) .. " HTTP/1.0\r\n\r\n") end
            local heard
            repeat ngx.sleep(0.02) heard = ngx.shared.spans:get "heard" until heard
            local size, spans = heard:match "(%d+) (%d+)"
            ngx.say(tonumber(size) > 300000, " ", tonumber(spans) >= 40)
        }
    }
--- response_body
true true
--- timeout: 10



=== an exporter needs an endpoint
--- http_config
    otel_exporter { interval 1s; }
--- config
--- must_die
--- error_log
"otel_exporter" requires "endpoint" in



=== whose scheme is one
--- http_config
    otel_exporter { endpoint ftp://x/; }
--- config
--- must_die
--- error_log
invalid URL prefix in "endpoint" "ftp://x/" in



=== headers that say where the body ends are not the configuration's to say
--- http_config
    otel_exporter { endpoint x:4318; header Content-Length 5; }
--- config
--- must_die
--- error_log
"header" directive of "otel_exporter" has invalid header name in

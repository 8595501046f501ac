# slow_log: requests that took too long, and where.
__DATA__


=== a request that waits in a phase, with its times, servers and status
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream two { server 127.0.0.1:1; server 127.0.0.1:$TEST_NGINX_SERVER_PORT backup; }
--- config
    location = /quick { slow_log logs/slow.log threshold=50ms; return 200; }
    location = /wait { content_by_lua_block { ngx.sleep(0.06) ngx.say "x" } }
    location = /slow {
        slow_log logs/slow.log threshold=50ms;
        access_by_lua_block { ngx.sleep(0.08) }
        proxy_pass http://two/wait;
    }
    location = /t {
        content_by_lua_block {
            local ask = require("tree").ask
            ask($TEST_NGINX_SERVER_PORT, "GET /quick HTTP/1.0\r\n\r\n")
            ask($TEST_NGINX_SERVER_PORT, 'GET /slow?" HTTP/1.0\r\nHost: h\r\n\r\n')
            ngx.sleep(0.05)
            local lines = {}
            for line in io.lines(ngx.config.prefix() .. "logs/slow.log") do
                table.insert(lines, require("cjson").decode(line))
            end
            local o = lines[1]
            local p, u = o.phases, o.upstreams
            ngx.say(#lines, " ", o.status, " ", o.request, " ", o.location, " ", o.host, " ", o.client, " ", o.server)
            ngx.say(o.request_time >= 0.13, " ", p.access >= 0.075 and p.access < o.request_time, " ",
                    p.content >= 0.055 and p.content < o.request_time, " ", (p.preaccess or 0) < 0.05)
            ngx.say(#u, " ", u[1].status, " ", u[1].address, " ", u[2].status, " ", u[2].response_time >= 0.05)
            local sum = 0
            for _, time in pairs(p) do sum = sum + time end
            ngx.say(math.abs(sum - o.request_time) < 1e-4, " ", #o.request_id, " ", o.bytes_sent > 100)
        }
    }
--- response_body
1 200 GET /slow?" HTTP/1.0 /slow h 127.0.0.1 localhost
true true true true
2 502 127.0.0.1:1 200 true
true 32 true
--- error_log
connect() failed



=== each level its own; off ends it; 0 has all
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    slow_log logs/slow.log threshold=0;
--- config
    otel_trace_context inject;
    location = /a { return 204; }
    location = /b { slow_log off; return 200; }
    location = /c { rewrite ^ /a; }
    location = /t {
        slow_log off;
        content_by_lua_block {
            for _, uri in ipairs { "/a", "/b", "/c" } do
                require("tree").ask($TEST_NGINX_SERVER_PORT, "GET " .. uri .. " HTTP/1.0\r\n\r\n")
            end
            for line in io.lines(ngx.config.prefix() .. "logs/slow.log") do
                local o = require("cjson").decode(line)
                ngx.say(o.request, " ", o.location, " ", #o.trace_id, " ", o.phases.content)
            end
        }
    }
--- response_body
GET /a HTTP/1.0 /a 32 nil
GET /c HTTP/1.0 /a 32 nil



=== a threshold is a time
--- config
    slow_log logs/x threshold=much;
--- must_die
--- error_log
invalid value



=== a file has one name
--- config
    slow_log logs/$host;
--- must_die
--- error_log
"slow_log" needs a file with a constant name in

# What requests are counted by.
__DATA__


=== a server's zone, and a location's; inner locations, off
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        server_name a;
        status_zone both;
        location /in/ {
            status_zone in;
            location /in/deep/ { return 200; }
            location /in/other/ { status_zone other; return 200; }
            location /in/off/ { status_zone off; return 200; }
            return 200;
        }
        location / { return 200; }
    }
    server { listen $TEST_NGINX_RAND_PORT_2; status_zone both; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_3; server_name none; status_zone off; return 200; }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "http"
            for _, path in ipairs { "/", "/in/", "/in/deep/", "/in/other/", "/in/off/" } do
                tree.ask($TEST_NGINX_RAND_PORT_1, "GET " .. path .. " HTTP/1.0\r\n\r\n")
            end
            tree.ask($TEST_NGINX_RAND_PORT_2, "GET / HTTP/1.0\r\n\r\n")
            tree.ask($TEST_NGINX_RAND_PORT_3, "GET / HTTP/1.0\r\n\r\n")
            local now = tree.get "http"
            tree.say_changes(before.server_zones, now.server_zones, "both/requests", "none", "off", "a")
            tree.say_changes(before.location_zones, now.location_zones, "in", "other")
        }
    }
--- response_body_like
^both/requests/total \+6
in/data/received \+\d+
in/data/sent \+\d+
in/requests/total \+2
in/responses/200 \+2
other/data/received \+\d+
other/data/sent \+\d+
other/requests/total \+1
other/responses/200 \+1$



=== a zone for each value, up to so many: what comes later is counted together
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        status_zone $host zone=hosts:3;
        location / { status_zone $arg_a zone=args:2; return 200; }
    }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, host in ipairs { "a", "b", "c", "d", "e", "b", "d" } do
                tree.ask($TEST_NGINX_RAND_PORT_1,
                         "GET /?a=x" .. host .. " HTTP/1.0\r\nHost: " .. host .. "\r\n\r\n")
            end
            tree.ask($TEST_NGINX_RAND_PORT_1, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")
            local zones = tree.get "http/server_zones"
            for _, name in ipairs { "hosts", "a", "b", "c", "d", "e" } do
                local z = zones[name]
                ngx.say(name, " ", z and z.requests.total, " ", z and z.requests.processing)
            end
            zones = tree.get "http/location_zones"
            for _, name in ipairs { "args", "xa", "xb", "xc" } do
                ngx.say(name, " ", zones[name] and zones[name].responses["200"])
            end
        }
    }
--- no_reload: values are there again with their next request
--- response_body
hosts 3 0
a 2 0
b 2 0
c 1 0
d nil nil
e nil nil
args 5
xa 1
xb 2
xc nil



=== of all workers together
--- workers: 2
--- master_on
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen $TEST_NGINX_RAND_PORT_1; status_zone $host zone=each:1; return 200; }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for i = 1, 40 do
                tree.ask($TEST_NGINX_RAND_PORT_1, "GET / HTTP/1.0\r\nHost: only\r\n\r\n")
                tree.ask($TEST_NGINX_RAND_PORT_1, "GET / HTTP/1.0\r\nHost: more\r\n\r\n")
            end
            local zones = tree.get "http/server_zones"
            ngx.say(zones.only.requests.total + zones.each.requests.total, " ", zones.more)
        }
    }
--- no_reload: values are there again with their next request
--- response_body
80 nil



=== a key without a zone
--- config
    status_zone $host;
--- must_die
--- error_log
a key needs "zone=name:count"



=== a count that is none
--- config
    status_zone $host zone=a:0;
--- must_die
--- error_log
invalid count "0"

# What the server says of itself, as JSON.
__DATA__


=== the tree, as Angie has it: every path is a resource
--- workers: 1
--- config
    location /status/ { api /status/; }
    location /all/ { api /; }
    location = /t {
        content_by_lua_block {
            local json = require "cjson"
            local function get(path) return ngx.location.capture(path) end
            local tree = json.decode(get("/status/").body)
            ngx.say(tree.lunette.generation >= 1, " ", tree.lunette.address, " ", tree.angie)
            ngx.say(tree.connections.dropped, " ", tree.connections.accepted >= 1)
            ngx.say(tree.http.server_zones.localhost.requests.processing)
            ngx.say(get("/status/connections/idle").body)
            ngx.say(get("/status/lunette/generation").body == get("/all/status/lunette/generation").body)
            ngx.say(get("/status//connections/dropped/").body)
        }
    }
--- response_body eval
qr/^true 127\.0\.0\.1 nil\n0 true\n1\n0\n\ntrue\n0\n$/



=== what is not there, and what may not be done, in Angie's words
--- config
    location /status/ { api /status/; }
--- request eval
["GET /status/xxx/", "GET /status/connections/accepted/x", "PUT /status/connections", "POST /status/nope"]
--- error_code eval
[404, 404, 405, 405]
--- response_body_like eval
['"error": "PathNotFound",\s+"description": "Requested API entity \\\\"/status/xxx/\\\\" doesn\'t exist\."',
 '/status/connections/accepted/x\\\\" doesn',
 '"MethodNotAllowed",\s+"description": "The PUT method is not allowed for the requested API entity \\\\"/status/connections\\\\"\."',
 'MethodNotAllowed']



=== arguments: a line, levels, moments as seconds
--- config
    location /status/ { api /status/; }
--- request eval
["GET /status/connections?pretty=off", "GET /status/?depth=1&pretty=off", "GET /status/lunette/load_time?date=epoch", "GET /status/lunette/load_time"]
--- response_body_like eval
['^{"accepted":\d+,"dropped":0,"active":1,"idle":\d+}$', '"http":{}.*"connections":{}', '^1\d{9}$', '^"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"$']



=== no cache keeps it; its length is known
--- config
    location /status/ { api /status/; }
--- request
HEAD /status/connections
--- response_headers
Content-Type: application/json
Cache-Control: no-cache
Expires: Thu, 01 Jan 1970 00:00:01 GMT
--- response_body



=== a location without its slash is asked again with it
--- config
    location /status/ { api /status/; }
--- request
GET /status
--- error_code: 301



=== Angie's name for it; files only where they are asked for
--- http_config
    status_compat angie;
--- config
    location /status/ { api /status/; }
    location /files/ { api /status; api_config_files on; }
--- request eval
["GET /status/angie/version", "GET /status/angie/config_files", "GET /files/angie/config_files"]
--- error_code eval
[200, 404, 200]
--- response_body_like eval
['^"\d', 'PathNotFound', '"[^"]+nginx\.conf": ".*api_config_files on;']



=== a path made of variables, in a location by regular expression
--- config
    location ~ ^/of/([^/]+)$ { api /status/connections/$1; }
    location /by/ { api /status/$arg_what/; }
--- request eval
["GET /of/dropped", "GET /of/nothing", "GET /by/dropped?what=connections"]
--- error_code eval
[200, 404, 200]
--- response_body_like eval
['^0$', 'PathNotFound', '^0$']



=== answers by status, bytes, and what is in hand, by server
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen $TEST_NGINX_RAND_PORT_1; server_name one; return 201; }
    server {
        listen $TEST_NGINX_RAND_PORT_1; server_name two;
        location = /gone { return 444; }
        location = /slow { content_by_lua_block { ngx.sleep(0.5) } }
        location / { return 418; }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200; }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local port = $TEST_NGINX_RAND_PORT_1
            local before = tree.get "http/server_zones"
            tree.ask(port, "GET / HTTP/1.1\r\nHost: one\r\nConnection: close\r\n\r\n")
            tree.ask(port, "GET / HTTP/1.1\r\nHost: two\r\nConnection: close\r\n\r\n")
            tree.ask(port, "GET /gone HTTP/1.1\r\nHost: two\r\n\r\n")
            tree.ask($TEST_NGINX_RAND_PORT_2, "GET / HTTP/1.0\r\n\r\n")
            local slow = ngx.thread.spawn(tree.ask, port, "GET /slow HTTP/1.0\r\nHost: two\r\n\r\n")
            ngx.sleep(0.1)
            ngx.say("in hand: ", tree.get "http/server_zones/two/requests/processing")
            ngx.thread.wait(slow)
            tree.say_changes(before, tree.get "http/server_zones", "one", "two",
                             "127.0.0.1:$TEST_NGINX_RAND_PORT_2")
        }
    }
--- response_body_like
^in hand: 1
one/data/received \+\d+
one/data/sent \+\d+
one/requests/total \+1
one/responses/201 \+1
two/data/received \+\d+
two/data/sent \+\d+
two/requests/discarded \+1
two/requests/total \+3
two/responses/200 \+1
two/responses/418 \+1
127.0.0.1:\d+/data/received \+18
127.0.0.1:\d+/data/sent \+\d+
127.0.0.1:\d+/requests/total \+1
127.0.0.1:\d+/responses/200 \+1$



=== requests that are no good are their server's, too
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen $TEST_NGINX_RAND_PORT_1; server_name bad; return 200; }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "http/server_zones/bad"
            tree.ask($TEST_NGINX_RAND_PORT_1, "GET / HTTP/1.1\r\nHost\r\n\r\n")
            local now = tree.get "http/server_zones/bad"
            ngx.say(now.responses["400"], " ", now.requests.total, " ", now.requests.processing)
        }
    }
--- response_body
1 1 0



=== handshakes by server: full, of a session again, failed, and given up
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_protocols TLSv1.2;
    client_header_timeout 300ms;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name first; return 200; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name named.example; return 200; }
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before, session = tree.get "http/server_zones"
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                session = assert(sock:sslhandshake(session, "named.example"))
                sock:send("GET / HTTP/1.0\r\nHost: named.example\r\n\r\n")
                sock:receive("*a")
                sock:close()
            end
            tree.ask($TEST_NGINX_RAND_PORT_1, "\22\3\1\0\4none")
            tree.ask($TEST_NGINX_RAND_PORT_1, "\22\3\1")
            ngx.sleep(0.1)
            local now = tree.get "http/server_zones"
            tree.say_changes(before, now, "first", "named.example")
            ngx.say(now.localhost.ssl)
        }
    }
--- response_body_like
^first/ssl/failed \+1
first/ssl/timedout \+1
named.example/data/received \+\d+
named.example/data/sent \+\d+
named.example/requests/total \+2
named.example/responses/200 \+2
named.example/ssl/handshaked \+2
named.example/ssl/reuses \+1
nil$
--- timeout: 10



=== a server of an upstream: chosen, answers, bytes, failures, down and up again
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u {
        zone u 256k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 weight=3 max_conns=5 route=a fail_timeout=1s;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 max_fails=1 fail_timeout=1s;
        server 127.0.0.1:3 backup;
        server 127.0.0.1:1 down;
        server 127.0.0.1:2 drain;
        keepalive 4;
    }
    server { listen $TEST_NGINX_RAND_PORT_1; return 204; }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local at = "http/upstreams/u"
            local a, b = "127.0.0.1:$TEST_NGINX_RAND_PORT_1", "127.0.0.1:$TEST_NGINX_RAND_PORT_2"
            for _ = 1, 8 do ngx.location.capture("/p") end
            local u = tree.get(at)
            local p = u.peers[a]
            ngx.say(u.zone, " ", u.keepalive, " ", u.method)
            ngx.say(p.state, " ", p.weight, " ", p.max_conns, " ", p.backup, " ", p.sid)
            ngx.say(p.selected.total, " ", p.selected.current, " ", p.responses["204"], " ",
                    p.selected.last ~= nil)
            ngx.say(p.data.sent > 100, " ", p.data.received > 300, " ", p.health.fails)
            p = u.peers[b]
            ngx.say(p.state, " ", p.health.fails >= 1, " ", p.health.unavailable, " ",
                    p.health.downstart ~= nil)
            ngx.say(u.peers["127.0.0.1:1"].state, " ", u.peers["127.0.0.1:2"].state, " ",
                    u.peers["127.0.0.1:3"].backup)
        }
    }
--- response_body_like
^u 1 round robin
up 3 5 false a
8 0 8 true
true true 0
unavailable true 1 true
down draining true$
--- no_error_log
[alert]
--- error_log
upstream server temporarily disabled



=== only where it is of use
--- config
    location /status { api /status/; }
--- must_die
--- error_log
"api" directive cannot be used inside prefix location without slash at the end

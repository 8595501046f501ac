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



=== limits: passed, delayed, refused, without a key, and with no room left
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    limit_req_zone $arg_k zone=rate:1m rate=1r/m;
    limit_req_zone $arg_k zone=slow:1m rate=20r/s;
    limit_req_zone $arg_k zone=dry:1m rate=1r/m;
    limit_conn_zone $arg_k zone=conns:1m;
--- config
    location /status/ { api /status/; }
    location /rate { limit_req zone=rate; limit_conn conns 10; echo ok; }
    location /slow { limit_req zone=slow burst=5; echo ok; }
    location /dry { limit_req zone=dry; limit_req_dry_run on; limit_conn conns 10; echo ok; }
    location /held { limit_conn conns 1; content_by_lua_block { ngx.sleep(0.3) } }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local port = ngx.var.server_port
            local before = tree.get "http"
            for _, uri in ipairs { "/rate?k=1", "/rate?k=1", "/rate", "/slow?k=1", "/slow?k=1",
                                   "/dry?k=2", "/dry?k=2" } do
                tree.ask(port, "GET " .. uri .. " HTTP/1.0\r\n\r\n")
            end
            local held = ngx.thread.spawn(tree.ask, port, "GET /held?k=9 HTTP/1.0\r\n\r\n")
            ngx.sleep(0.1)
            tree.ask(port, "GET /held?k=9 HTTP/1.0\r\n\r\n")
            ngx.thread.wait(held)
            local now = tree.get "http"
            tree.say_changes(before.limit_reqs, now.limit_reqs, "rate", "slow", "dry")
            tree.say_changes(before.limit_conns, now.limit_conns, "conns")
            ngx.say(now.limit_reqs.rate.exhausted, " ", now.limit_conns.conns.exhausted)
        }
    }
--- response_body
rate/passed +1
rate/rejected +1
rate/skipped +1
slow/delayed +1
slow/passed +1
dry/passed +1
dry/rejected_dry_run +1
conns/passed +4
conns/rejected +1
conns/skipped +1
0 0
--- error_log
limiting requests



=== a cache: how answers came by, bytes, and what was stored
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    proxy_cache_path cache keys_zone=kept:1m max_size=5m;
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "0123456789"; }
--- config
    location /status/ { api /status/; }
    location /c {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_cache kept;
        proxy_cache_valid 200 1s;
        proxy_cache_bypass $arg_bypass;
    }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "http/caches/kept"
            for _ = 1, 3 do tree.ask(ngx.var.server_port, "GET /c HTTP/1.0\r\n\r\n") end
            tree.ask(ngx.var.server_port, "GET /c?bypass=1 HTTP/1.0\r\n\r\n")
            ngx.sleep(2.1)
            tree.ask(ngx.var.server_port, "GET /c HTTP/1.0\r\n\r\n")
            local now = tree.get "http/caches/kept"
            tree.say_changes(before, now, "hit", "miss", "expired", "bypass")
            ngx.say(now.size > before.size, " ", now.max_size, " ", now.cold)
            local duties = {}
            for name, duty in pairs(tree.get "duties") do
                duties[#duties + 1] = name .. " " .. tostring(duty.worker > 0)
            end
            ngx.say(table.concat(duties, ", "))
        }
    }
--- timeout: 10
--- response_body_like
^hit/bytes \+20
hit/responses \+2
miss/bytes \+10
miss/bytes_written \+\d+
miss/responses \+1
miss/responses_written \+1
expired/bytes \+10
expired/bytes_written \+\d+
expired/responses \+1
expired/responses_written \+1
bypass/bytes \+10
bypass/bytes_written \+\d+
bypass/responses \+1
bypass/responses_written \+1
true 5242880 false
.*cache.* true



=== sessions of stream: by how they ended, passed on, bytes; limits and servers of its own
--- stream_config
    upstream app { server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    limit_conn_zone $remote_addr zone=few:1m;
    server { listen $TEST_NGINX_RAND_PORT_1; status_zone front; proxy_pass app; limit_conn few 5; }
    server { listen $TEST_NGINX_RAND_PORT_2; status_zone back; return "hello"; }
    server { listen $TEST_NGINX_RAND_PORT_3; status_zone closed; deny all; return "no"; }
    server { listen $TEST_NGINX_RAND_PORT_4; status_zone dead; proxy_pass 127.0.0.1:1; }
    server { listen $TEST_NGINX_RAND_PORT_5 proxy_protocol; status_zone strict; return "no"; }
    server { listen $TEST_NGINX_RAND_PORT_6; status_zone $remote_addr zone=each:2; return "hi"; }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- request
GET /t
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "stream"
            tree.ask($TEST_NGINX_RAND_PORT_1, "12345")
            tree.ask($TEST_NGINX_RAND_PORT_3, "x")
            tree.ask($TEST_NGINX_RAND_PORT_4, "x")
            tree.ask($TEST_NGINX_RAND_PORT_5, "no header\r\n")
            tree.ask($TEST_NGINX_RAND_PORT_6, "x")
            ngx.sleep(0.1)
            local now = tree.get "stream"
            tree.say_changes(before.server_zones, now.server_zones, "front/connections",
                "front/data/sent", "front/sessions", "back", "closed/sessions", "dead/sessions",
                "strict/connections", "127.0.0.1/sessions", "each/sessions")
            tree.say_changes(before.limit_conns, now.limit_conns, "few")
            local p = now.upstreams.app.peers["127.0.0.1:$TEST_NGINX_RAND_PORT_2"]
            ngx.say(p.selected.total, " ", p.data.received, " ", p.responses, " ",
                    p.health.first_byte_time ~= nil, " ", p.health.last_byte_time ~= nil)
        }
    }
--- response_body_like
^front/connections/total \+1
front/sessions/success \+1
back/connections/total \+1
back/data/sent \+5
back/sessions/success \+1
closed/sessions/forbidden \+1
dead/sessions/bad_gateway \+1
strict/connections/discarded \+1
strict/connections/total \+1
127\.0\.0\.1/sessions/success \+1
few/passed \+1
1 5 nil true true
--- error_log
access forbidden by rule



=== dictionaries, certificates, and what scripts of a worker have
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict words 1m;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    }
--- config
    location /status/ { api /status/; }
    location /all/ { api /; }
    location /sleep { content_by_lua_block { ngx.sleep(0.5) } }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local json = require "cjson"
            local before = tree.get "dictionaries/words"
            for i = 1, 100 do ngx.shared.words:set(i, ("x"):rep(2000)) end
            local now = tree.get "dictionaries/words"
            ngx.say(now.used > before.used, " ", now.used + now.free == now.capacity)
            ngx.timer.at(30, function() end)
            local waits = ngx.thread.spawn(tree.ask, ngx.var.server_port, "GET /sleep HTTP/1.0\r\n\r\n")
            ngx.sleep(0.1)
            local sleep, timers, memory = 0, 0, 0
            for pid, w in pairs(tree.get "workers") do
                sleep, timers = sleep + w.waits.sleep, timers + w.lua.timers
                memory = memory + w.lua.memory
            end
            ngx.say(sleep >= 1, " ", timers >= 1, " ", memory > 100000)
            ngx.thread.wait(waits)
            local certs = json.decode(ngx.location.capture("/all/certificates/static").body)
            for name, c in pairs(certs) do
                ngx.say(name:match "[^/]+$", " ", c.key, " ", c.chain[1].subject.alt_names[1], " ",
                        c.chain[1].validity["until"]:match "GMT$", " ", #c.chain)
            end
        }
    }
--- response_body_like
^true true
true true true
server.crt \w+ \(\d+ bits\) [\w.]+ GMT \d



=== a resolver: what it was asked, what it has asked, and what came back
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 status_zone=names ipv6=off valid=1s;
    resolver_timeout 300ms;
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get "resolvers"
            local sock = ngx.socket.tcp()
            local ok, err = sock:connect("nobody.example", 80)
            ngx.say(ok)
            tree.say_changes(before, tree.get "resolvers", "names")
        }
    }
--- response_body
nil
names/queries/name +1
names/responses/timedout +1
names/sent/a +1

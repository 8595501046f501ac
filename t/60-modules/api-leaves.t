# Each field of the status tree has a case that makes it change: t/lib/leaves.lua
# says which. Here are the list's own, and those that no other spec has.
__DATA__


=== each field of the tree has a case, and each case names its fields
--- main_config
    stream {
        upstream su { zone su 64k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
        limit_conn_zone $remote_addr zone=sconns:64k;
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; status_zone s; limit_conn sconns 10; proxy_pass su; health_check interval=100ms; }
        server {
            listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3 ssl;
            ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
            ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
            return "x";
        }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict dogs 1m;
    resolver 127.0.0.1:1 status_zone=names;
    limit_req_zone $uri zone=reqs:64k rate=1000r/s;
    limit_conn_zone $uri zone=conns:64k;
    metric_zone own:64k count;
    proxy_cache_path cache keys_zone=pages:64k max_size=1m;
    upstream u {
        zone u 64k;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 route=a;
        server 127.0.0.1:1 backup max_conns=3;
        keepalive 4;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_4 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    }
--- config
    location /status/ { api /status/; }
    location /p {
        status_zone place; limit_req zone=reqs; limit_conn conns 10; metric own key;
        proxy_cache pages; proxy_pass http://u; health_check interval=100ms;
    }
    location = /t {
        content_by_lua_block {
            local tree, leaves, io = require "tree", require "leaves", require "lunette.spec.io"
            tree.ask(ngx.var.server_port, "GET /p HTTP/1.0\r\n\r\n")
            local now
            repeat
                ngx.sleep(0.05)
                now = tree.get ""
                local p = now.http.upstreams.u.peers["127.0.0.1:1"].health_checks
            until p and p.fails > 0
            for _, leaf in ipairs(leaves.unknown(now)) do ngx.say("no case: ", leaf) end
            for _, case in ipairs(leaves.unnamed(function (spec)
                return io.read("$TEST_NGINX_ROOT_DIR/t/" .. spec)
            end)) do ngx.say("not named: ", case) end
            ngx.say "that is all"
        }
    }
--- response_body
that is all
--- timeout: 10



=== requests of a location that are not answered
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location /gone { status_zone place; return 444; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            tree.ask(ngx.var.server_port, "GET /gone HTTP/1.0\r\n\r\n")
            local z = tree.get "http/location_zones/place"
            ngx.say("discarded ", z.requests.discarded, " of ", z.requests.total)
        }
    }
--- response_body
discarded 1 of 1



=== memory, and what is in it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    proxy_cache_path cache keys_zone=full:64k;
    limit_req_zone $arg_k zone=full_reqs:64k rate=1r/s;
    server { listen $TEST_NGINX_RAND_PORT_1; return 200; }
--- config
    location /status/ { api /status/; }
    location /p {
        limit_req zone=full_reqs burst=1000 nodelay;
        proxy_cache full; proxy_cache_valid 1h; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get ""
            for i = 1, 200 do tree.ask(ngx.var.server_port, "GET /p?k=" .. i .. " HTTP/1.0\r\n\r\n") end
            local now = tree.get ""
            ngx.say("entries ", before.http.caches.full.entries, " ", now.http.caches.full.entries)
            for _, name in ipairs { "full", "full_reqs" } do
                local was, is = before.slabs[name], now.slabs[name]
                ngx.say(is.kind, " ", is.size, ": pages used ", is.pages.used > was.pages.used, ", free ", is.pages.free < was.pages.free)
            end
        }
    }
--- response_body
entries 0 200
cache 65536: pages used true, free true
limit_req 65536: pages used true, free true



=== limits without room, and in a dry run
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    large_client_header_buffers 4 64k;
    limit_req_zone $arg_k zone=tight_reqs:32k rate=1r/m;
    limit_conn_zone $arg_k zone=tight_conns:32k;
--- config
    location /status/ { api /status/; }
    location /r { limit_req zone=tight_reqs; echo ok; }
    location /c { limit_conn tight_conns 1; echo ok; }
    location /dry {
        limit_req zone=tight_reqs burst=5; limit_req_dry_run on;
        limit_conn tight_conns 1; limit_conn_dry_run on;
        content_by_lua_block { ngx.sleep(0.3) }
    }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local function ask(uri, k) return tree.ask(ngx.var.server_port, "GET " .. uri .. "?k=" .. k .. " HTTP/1.0\r\n\r\n") end
            local long = ("x"):rep(40000)
            ask("/r", long)
            ask("/c", long)
            local held = ngx.thread.spawn(ask, "/dry", "a")
            ngx.sleep(0.1)
            ask("/dry", "a")
            ngx.thread.wait(held)
            local now = tree.get "http"
            local r, c = now.limit_reqs.tight_reqs, now.limit_conns.tight_conns
            ngx.say("exhausted ", r.exhausted, " ", c.exhausted)
            ngx.say("delayed_dry_run ", r.delayed_dry_run, ", rejected_dry_run ", c.rejected_dry_run)
        }
    }
--- response_body
exhausted 1 1
delayed_dry_run 1, rejected_dry_run 1
--- error_log
could not allocate node in limit_req zone "tight_reqs"



=== times of a server, and how long it was down
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    upstream u { zone u 64k; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:1; }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        location / { content_by_lua_block { ngx.sleep(0.05) ngx.print "a" ngx.flush(true) ngx.sleep(0.05) ngx.print "b" } }
        location = /health { return 200; }
    }
--- config
    location /status/ { api /status/; }
    location /p { proxy_pass http://u; proxy_next_upstream off; health_check interval=100ms uri=/health; }
    location = /t {
        content_by_lua_block {
            local tree, p = require "tree"
            repeat ngx.sleep(0.05) p = tree.get("http/upstreams/u/peers/127.0.0.1:1") until p.state == "unhealthy"
            tree.ask(ngx.var.server_port, "GET /p HTTP/1.0\r\n\r\n")
            ngx.sleep(0.3)
            local later = tree.get("http/upstreams/u/peers/127.0.0.1:1").health
            ngx.say("downtime ", later.downtime > (p.health.downtime or 0), ", probes count ", later.probes.count > p.health.probes.count)
            p = tree.get("http/upstreams/u/peers/127.0.0.1:$TEST_NGINX_RAND_PORT_1")
            ngx.say(p.server == "127.0.0.1:$TEST_NGINX_RAND_PORT_1", ", connect_time ", p.health.connect_time >= 0, ", header_time ", p.health.header_time >= 45,
                    ", response_time ", p.health.response_time >= 90)
        }
    }
--- response_body
downtime true, probes count true
true, connect_time true, header_time true, response_time true
--- timeout: 10



=== other ends of sessions, and limits of stream
--- main_config
    stream {
        map $remote_addr $ten { default "xxxxxxxxxx"; }
        map $remote_addr $hundred { default "$ten$ten$ten$ten$ten$ten$ten$ten$ten$ten"; }
        map $remote_addr $thousand { default "$hundred$hundred$hundred$hundred$hundred$hundred$hundred$hundred$hundred$hundred"; }
        map $remote_addr $much { default "$thousand$thousand$thousand$thousand$thousand$thousand$thousand$thousand$thousand$thousand"; }
        map $remote_addr $none { default ""; }
        limit_conn_zone $remote_addr zone=one:32k;
        limit_conn_zone $none zone=none:32k;
        limit_conn_zone "$much$much$much$much" zone=much:32k;
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; status_zone a; preread_by_lua_block { ngx.exit(400) } return "x"; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; status_zone a; preread_by_lua_block { ngx.exit(500) } return "x"; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3; status_zone a; limit_conn much 1; return "x"; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_4; status_zone b; limit_conn none 1; pass 127.0.0.1:$TEST_NGINX_RAND_PORT_5; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_5; status_zone c; limit_conn one 1;
                 content_by_lua_block { local s = ngx.req.socket() s:receive(3) s:receive(1) } }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_6; status_zone c; limit_conn one 1; limit_conn_dry_run on; return "x"; }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            for _, port in ipairs { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2, $TEST_NGINX_RAND_PORT_3 } do tree.ask(port, "x") end
            local held = ngx.socket.tcp()
            held:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_5)
            held:send "abc"
            repeat ngx.sleep(0.01) until tree.get "stream/server_zones/c/connections/processing" == 1
            ngx.say "processing 1"
            tree.ask($TEST_NGINX_RAND_PORT_4, "")
            tree.ask($TEST_NGINX_RAND_PORT_6, "")
            held:close()
            repeat ngx.sleep(0.01) until tree.get "stream/server_zones/c/connections/processing" == 0
            local z = tree.get "stream/server_zones"
            ngx.say("invalid ", z.a.sessions.invalid, ", internal_error ", z.a.sessions.internal_error, ", service_unavailable ", z.a.sessions.service_unavailable)
            ngx.say("passed ", z.b.connections.passed, ", received ", z.c.data.received)
            local l = tree.get "stream/limit_conns"
            ngx.say("exhausted ", l.much.exhausted, ", skipped ", l.none.skipped, ", rejected ", l.one.rejected, ", rejected_dry_run ", l.one.rejected_dry_run)
        }
    }
--- response_body
processing 1
invalid 1, internal_error 1, service_unavailable 1
passed 1, received 3
exhausted 1, skipped 1, rejected 1, rejected_dry_run 1
--- timeout: 10



=== handshakes of stream
--- main_config
    stream {
        server {
            listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
            ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
            ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
            ssl_protocols TLSv1.2;
            ssl_handshake_timeout 200ms;
            status_zone s;
            return "x";
        }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree, session = require "tree"
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                session = assert(sock:sslhandshake(session))
                sock:receive "*a"
                sock:close()
            end
            tree.ask($TEST_NGINX_RAND_PORT_1, "\22\3\1\0\4none")
            tree.ask($TEST_NGINX_RAND_PORT_1, "\22\3\1")
            local s
            repeat ngx.sleep(0.02) s = tree.get "stream/server_zones/s/ssl" until s.timedout == 1
            ngx.say("handshaked ", s.handshaked, ", reuses ", s.reuses, ", failed ", s.failed, ", timedout ", s.timedout)
        }
    }
--- response_body
handshaked 2, reuses 1, failed 1, timedout 1
--- timeout: 10



=== a server of stream: what the tree has of it
--- main_config
    stream {
        upstream su {
            zone su 64k;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 weight=3;
            server 127.0.0.1:$TEST_NGINX_RAND_PORT_3 max_fails=1 fail_timeout=1m;
            server 127.0.0.1:2 backup;
        }
        upstream checked { zone su; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:1; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
                 content_by_lua_block { local s = ngx.req.socket() s:receive(1) ngx.sleep(0.1) ngx.print "a" ngx.flush(true) s:receive(1) ngx.print "b" } }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; proxy_pass su; }
        server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_4; proxy_pass checked; health_check interval=100ms; }
    }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local port = $TEST_NGINX_RAND_PORT_2
            local held = ngx.socket.tcp()
            held:connect("127.0.0.1", port)
            held:send "x"
            assert(held:receive(1))
            local one = "127.0.0.1:$TEST_NGINX_RAND_PORT_1"
            local function peer(of, name) return tree.get("stream/upstreams/" .. of .. "/peers/" .. name) end
            ngx.say("current ", peer("su", one).selected.current)
            held:send "y"
            held:receive "*a"
            held:close()
            for i = 1, 4 do tree.ask(port, "xy") end
            local u = tree.get "stream/upstreams/su"
            local p, dead = u.peers[one], u.peers["127.0.0.1:$TEST_NGINX_RAND_PORT_3"]
            ngx.say(u.zone, " zone, ", u.method, " method, ", p.server == one, " server, ", p.weight, " weight, ", u.peers["127.0.0.1:2"].backup, " backup")
            ngx.say("state ", p.state, ", last ", p.selected.last ~= nil, ", sent ", p.data.sent > 0, ", connect_time ", p.health.connect_time >= 0,
                    ", first_byte_time ", p.health.first_byte_time >= 90, ", last_byte_time ", p.health.last_byte_time >= p.health.first_byte_time)
            ngx.say("fails ", dead.health.fails, ", unavailable ", dead.health.unavailable, ", downstart ", dead.health.downstart ~= nil, ", downtime ", dead.health.downtime >= 0)
            repeat ngx.sleep(0.05) p = peer("checked", "127.0.0.1:1") until p.state == "unhealthy"
            local c, h = p.health_checks, p.health.probes
            ngx.say("checks ", c.checks >= 1, ", fails ", c.fails >= 1, ", unhealthy ", c.unhealthy, ", last_passed ", c.last_passed, ", count ", h.count >= 1, ", last ", h.last ~= nil)
        }
    }
--- response_body
current 1
su zone, round robin method, true server, 3 weight, true backup
state up, last true, sent true, connect_time true, first_byte_time true, last_byte_time true
fails 1, unavailable 1, downstart true, downtime true
checks true, fails true, unhealthy 1, last_passed false, count true, last true
--- timeout: 10
--- error_log
connect() failed



=== other questions of a resolver, and other answers
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
             content_by_lua_block { require("names").serve() } }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 status_zone=names valid=1s;
    resolver_timeout 1s;
    upstream u { zone u 64k; server s.test service=http resolve; }
--- config
    location /status/ { api /status/; }
    location /u { proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local tree, names = require "tree", require "names"
            local before = tree.get "resolvers/names"
            local function ask(name) ngx.socket.tcp():connect(name, ngx.var.server_port) end
            for i, code in ipairs { 1, 4, 5, 9 } do
                names.set("code " .. code)
                ask("n" .. i .. ".test")
            end
            local now
            repeat
                ngx.sleep(0.05)
                now = tree.get "resolvers/names"
            until now.sent.srv > before.sent.srv
            local r, was = now.responses, before.responses
            ngx.say("format_error ", r.format_error > was.format_error, ", unimplemented ", r.unimplemented > was.unimplemented,
                    ", refused ", r.refused > was.refused, ", other ", r.other > was.other)
            ngx.say("queries srv ", now.queries.srv >= 1, ", sent aaaa ", now.sent.aaaa > before.sent.aaaa)
        }
    }
--- request
GET /t
--- response_body
format_error true, unimplemented true, refused true, other true
queries srv true, sent aaaa true
--- timeout: 15



=== connections, and what workers have
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location /slow { content_by_lua_block { ngx.sleep(0.5) } }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local before = tree.get ""
            local pid, was = next(before.workers)
            local kept = ngx.socket.tcp()
            kept:connect("127.0.0.1", ngx.var.server_port)
            kept:send "GET /status/ HTTP/1.1\r\nHost: a\r\n\r\n"
            kept:receive "*l"
            ngx.timer.at(0, function () ngx.sleep(0.5) end)
            local slow = ngx.thread.spawn(tree.ask, ngx.var.server_port, "GET /slow HTTP/1.0\r\n\r\n")
            ngx.sleep(0.2)
            local now = tree.get ""
            local is, c = now.workers[pid], now.connections
            ngx.say("accepted ", c.accepted - before.connections.accepted, ", active ", c.active - before.connections.active, ", idle ", c.idle - before.connections.idle)
            ngx.say("requests ", is.requests - was.requests, ", connections ", is.connections - was.connections, ", processing ", is.processing - was.processing)
            ngx.say("waiting ", is.lua.waiting - was.lua.waiting > 0, ", timers_running ", is.lua.timers_running, ", machines ", is.lua.machines)
            ngx.thread.wait(slow)
        }
    }
--- workers: 1
--- response_body
accepted 2, active 1, idle 1
requests 2, connections 2, processing 1
waiting true, timers_running 1, machines 1
--- timeout: 10



=== what scripts wait for
--- user_files
>>> busy.lua
return { run = function() local t = os.clock() while os.clock() - t < 1 do end end }
--- main_config
    thread_pool busy threads=1;
    stream { server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; content_by_lua_block { ngx.sleep(3) } } }
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;$prefix/html/?.lua;;";
--- config
    location /status/ { api /status/; }
    location /sleep { content_by_lua_block { ngx.sleep(2) } }
    location /body { content_by_lua_block { ngx.req.read_body() } }
    location /receive { content_by_lua_block { local s = ngx.socket.tcp() s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1) s:receive(1) } }
    location /handshake { content_by_lua_block { local s = ngx.socket.tcp() s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1) s:sslhandshake() } }
    location /semaphore { content_by_lua_block { require("ngx.semaphore").new(0):wait(2) } }
    location /thread { content_by_lua_block { ngx.thread.wait(ngx.thread.spawn(function() ngx.sleep(2) end)) } }
    location /subrequest { content_by_lua_block { ngx.location.capture "/sleep" } }
    location /flush { content_by_lua_block { for i = 1, 200 do ngx.print(("x"):rep(1000000)) ngx.flush(true) end } }
    location /send { content_by_lua_block { local s = ngx.socket.tcp() s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1) for i = 1, 50 do s:send(("x"):rep(1000000)) end } }
    location /worker_thread { content_by_lua_block { ngx.run_worker_thread("busy", "busy", "run") } }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local names = { "body", "receive", "handshake", "semaphore", "thread", "subrequest", "flush", "send", "worker_thread" }
            local socks = {}
            for i, name in ipairs(names) do
                socks[i] = ngx.socket.tcp()
                socks[i]:connect("127.0.0.1", ngx.var.server_port)
                socks[i]:send("GET /" .. name .. " HTTP/1.1\r\nHost: a\r\nContent-Length: " .. (name == "body" and 5 or 0) .. "\r\n\r\n")
            end
            ngx.sleep(0.5)
            local seen = {}
            for _, w in pairs(tree.get "workers") do
                for name, n in pairs(w.waits) do seen[name] = (seen[name] or 0) + n end
            end
            for _, name in ipairs(names) do ngx.say(name, " ", seen[name] >= 1) end
            for _, s in ipairs(socks) do s:close() end
        }
    }
--- response_body
body true
receive true
handshake true
semaphore true
thread true
subrequest true
flush true
send true
worker_thread true
--- timeout: 10



=== what scripts wait for: another program
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location /pipe { content_by_lua_block { require("ngx.pipe").spawn({ "sleep", "2" }):wait() } }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send "GET /pipe HTTP/1.0\r\n\r\n"
            local seen
            repeat
                ngx.sleep(0.05)
                seen = 0
                for _, w in pairs(tree.get "workers") do seen = seen + w.waits.pipe end
            until seen == 1
            ngx.say("pipe ", seen)
        }
    }
--- response_body
pipe 1
--- skip_windows: there is no such program
--- timeout: 10



=== after a reload
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            local tree = require "tree"
            local port = ngx.var.server_port
            local json = require "cjson"
            local before = tree.get ""
            ngx.sleep(0.01)
            require("reload").with(function (text) return text end)
            local now
            repeat
                ngx.sleep(0.05)
                now = json.decode(tree.ask(port, "GET /status/ HTTP/1.0\r\n\r\n"):match "\r\n\r\n(.*)")
            until now.lunette.generation > before.lunette.generation
            local newest = 0
            for _, w in pairs(now.workers) do newest = math.max(newest, w.generation) end
            ngx.say("generation ", now.lunette.generation - before.lunette.generation, ", load_time ", now.lunette.load_time > before.lunette.load_time,
                    ", of a worker ", newest - before.lunette.generation)
        }
    }
--- response_body
generation 1, load_time true, of a worker 1
--- workers: 2
--- no_reload: it reloads
--- timeout: 40

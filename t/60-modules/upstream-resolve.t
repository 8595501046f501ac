# `config` is what the client does, in Lua; t/lib/names.lua is the name server.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("request", "GET /t");
    $block->set_value("timeout", 20);
    $block->set_value("stream_config", <<'_EOC_');
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 udp;
             content_by_lua_block { require("names").serve() } }
_EOC_
    $block->set_value("http_config", $block->http_config . <<'_EOC_');
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ipv6=off valid=1s;
    resolver_timeout 1s;
    server { listen $TEST_NGINX_RAND_PORT_2; return 200 "two at $server_addr"; }
    server { listen $TEST_NGINX_RAND_PORT_3; return 200 "three at $server_addr"; }
_EOC_
    $block->set_value("config", <<'_EOC_' . $block->config . "    } }");
    location = /p {
        proxy_pass http://u/;
        proxy_connect_timeout 1s;
        add_header X $upstream_addr always;
    }
    location = /t { content_by_lua_block {
        local names = require "names"
_EOC_
});

__DATA__


=== a server's name is looked up again and again
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1"
    names.await("/p", "two at 127.0.0.1")
    names.set "a.test A 127.0.0.2"
    names.await("/p", "two at 127.0.0.2")
    ngx.say("moved")
--- response_body
moved



=== of several addresses each has its turn
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1\na.test A 127.0.0.2"
    names.await("/p", "two at 127.0.0.1")
    names.await("/p", "two at 127.0.0.2")
    names.await("/p", "two at 127.0.0.1")
    ngx.say("turns")
--- response_body
turns



=== one that is not there any more has no server, and the log says so
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1"
    names.await("/p", "two at 127.0.0.1")
    names.set "b.test A 127.0.0.1"
    local r
    repeat
        ngx.sleep(0.05)
        r = ngx.location.capture("/p")
    until r.status ~= 200
    ngx.say(r.status)
--- response_body
502
--- error_log
a.test could not be resolved (3: Host not found), upstream: "u"
no live upstreams



=== while nobody tells, it is where it was
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1"
    names.await("/p", "two at 127.0.0.1")
    names.set "fail"
    ngx.sleep(1.5)
    ngx.say(ngx.location.capture("/p").body)
--- response_body
two at 127.0.0.1
--- error_log
a.test could not be resolved (2: Server failure), upstream: "u"



=== others beside it do not depend on it
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve;
                 server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; }
--- config
    ngx.say(ngx.location.capture("/p").body)
    names.set "a.test A 127.0.0.1"
    names.await("/p", "two at 127.0.0.1")
    names.await("/p", "three at 127.0.0.1")
--- response_body
three at 127.0.0.1



=== lines of one name share what is known of it
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve;
                 server A.test:$TEST_NGINX_RAND_PORT_3 resolve; }
--- config
    names.set "a.test A 127.0.0.2"
    names.await("/p", "two at 127.0.0.2")
    names.await("/p", "three at 127.0.0.2")
    ngx.say("both")
--- response_body
both



=== a service says ports, weights, and who is for the worst
--- http_config
    upstream u { zone u 64k; server a.test resolve service=http; }
--- config
    local two, three = $TEST_NGINX_RAND_PORT_2, $TEST_NGINX_RAND_PORT_3
    local host = "a.test A 127.0.0.1\n_http._tcp.a.test SRV "
    names.set(host .. "1 5 " .. two .. " a.test\n_http._tcp.a.test SRV 2 5 "
              .. three .. " a.test")
    names.await("/p", "two at 127.0.0.1")
    names.await("/p", "two at 127.0.0.1")
    names.set(host .. "1 5 1 a.test\n_http._tcp.a.test SRV 2 5 "
              .. three .. " a.test")
    names.await("/p", "three at 127.0.0.1")
    ngx.say("the backup")
--- response_body
the backup



=== its weights count
--- http_config
    upstream u { zone u 64k; server a.test resolve service=_http._tcp; }
--- config
    names.set("a.test A 127.0.0.1\n_http._tcp.a.test SRV 1 3 "
              .. $TEST_NGINX_RAND_PORT_2 .. " a.test\n"
              .. "_http._tcp.a.test SRV 1 1 " .. $TEST_NGINX_RAND_PORT_3
              .. " a.test")
    names.await("/p", "three at 127.0.0.1")
    local seen = {}
    for i = 1, 4 do
        seen[i] = ngx.location.capture("/p").body:match "%a+"
    end
    table.sort(seen)
    ngx.say(table.concat(seen, " "))
--- response_body
three two two two



=== a script sees the servers of now
--- http_config
    upstream u { zone u 64k; server a.test:80 resolve weight=3; }
--- config
    local peers = require("ngx.upstream").get_primary_peers
    ngx.say(#peers("u"))
    names.set "a.test A 127.0.0.1\na.test A 127.0.0.2"
    repeat ngx.sleep(0.02) until #peers("u") == 2
    for _, p in ipairs(peers "u") do
        ngx.say(p.name, " ", p.weight)
    end
    require("ngx.upstream").set_peer_down("u", false, 0, true)
    names.set "a.test A 127.0.0.1"
    repeat ngx.sleep(0.02) until #peers("u") == 1
    ngx.say(peers("u")[1].down)
--- response_body
0
127.0.0.1:80 3
127.0.0.2:80 3
true



=== a ring is made anew
--- http_config
    upstream u { zone u 64k; hash $arg_k consistent;
                 server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1"
    names.await("/p?k=1", "two at 127.0.0.1")
    names.set "a.test A 127.0.0.2"
    names.await("/p?k=1", "two at 127.0.0.2")
    ngx.say("moved")
--- response_body
moved



=== what is known of a name is known over a reload
--- master_on
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    local reload = require "reload"
    names.set "a.test A 127.0.0.1"
    names.await("/p", "two at 127.0.0.1")
    names.set "fail"
    local two, three = "test:" .. $TEST_NGINX_RAND_PORT_2, "test:" .. $TEST_NGINX_RAND_PORT_3
    reload.with(function (text) return (text:gsub(two, three)) end)
    reload.await(function ()
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        sock:send("GET /p HTTP/1.0\r\n\r\n")
        local text = sock:receive("*a") or ""
        sock:close()
        return text:find("three at 127.0.0.1", 1, true)
    end)
    ngx.say("the same address, another port")
--- response_body
the same address, another port
--- error_log
could not be resolved



=== who goes on behind two reloads has no servers of others
--- master_on
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    local reload = require "reload"
    names.set "a.test A 127.0.0.1\nb.test A 127.0.0.2\nc.test A 127.0.0.3"
    names.await("/p", "two at 127.0.0.1")
    for n, name in ipairs { "b.test", "c.test" } do
        reload.with(function (text) return (text:gsub("server %a%.test", "server " .. name)) end)
        reload.await(function ()
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /p HTTP/1.0\r\n\r\n")
            local text = sock:receive("*a") or ""
            sock:close()
            return text:find("two at 127.0.0." .. n + 1, 1, true)
        end)
    end
    ngx.say(ngx.location.capture("/p").body)
--- response_body
two at 127.0.0.1



=== all workers know it
--- workers: 2
--- http_config
    upstream u { zone u 64k; server a.test:$TEST_NGINX_RAND_PORT_2 resolve; }
--- config
    names.set "a.test A 127.0.0.1"
    local seen, n = {}, 0
    for _ = 1, 2000 do
        local sock = ngx.socket.tcp()
        sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
        sock:send("GET /p HTTP/1.0\r\n\r\n")
        local ok = (sock:receive("*a") or ""):find("two at", 1, true)
        sock:close()
        n = ok and n + 1 or 0
        if n == 40 then break end
        ngx.sleep(0.01)
    end
    ngx.say(n)
--- response_body
40

__DATA__


=== connections over the limit are refused, and are let in when one has ended
--- http_config
    limit_conn_zone $arg_k zone=one:1m;
    limit_conn_zone $uri zone=two:1m;
    init_worker_by_lua_block { inside, free = 0, false }
--- config
    limit_conn one 1;
    location /in {
        content_by_lua_block {
            inside = inside + 1
            while not free do ngx.sleep(0.01) end
            ngx.say("in")
        }
    }
    location /t {
        content_by_lua_block {
            local function ask(k)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /in?k=" .. k .. " HTTP/1.0\r\n\r\n")
                return function () return sock:receive():match("%d%d%d") end
            end
            local first = ask("a")
            while inside < 1 do ngx.sleep(0.01) end
            local second, third = ask("a"), ask("b")
            local refused = second()
            free = true
            ngx.say(refused, " ", first(), " ", third(), " ", ask("a")())
        }
    }
--- response_body
503 200 200 200
--- error_log eval
[qr/\[error\] .*limiting connections by zone "one", client: /]



=== a connection that waits for its next request does not count
--- http_config
    limit_conn_zone $server_port zone=one:1m;
--- config
    limit_conn one 1;
    location /t { echo "$limit_conn_status"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["PASSED\n", "PASSED\n", "PASSED\n"]



=== the status, the level, and a page for it
--- http_config
    limit_conn_zone $server_port zone=one:1m;
    limit_conn_status 429; limit_conn_log_level warn;
--- config
    error_page 429 /busy;
    location /busy { echo "$status $limit_conn_status"; }
    location /in { limit_conn one 1; echo "in"; }
    location /t {
        limit_conn one 1;
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /in HTTP/1.0\r\n\r\n")
            ngx.print(sock:receive("*a"):match("\r\n\r\n(.*)"))
        }
    }
--- response_body
429 REJECTED
--- error_log eval
[qr/\[warn\] .*limiting connections by zone "one"/]



=== a dry run refuses nobody
--- http_config
    limit_conn_zone $server_port zone=one:1m;
--- config
    limit_conn one 1; limit_conn_dry_run on;
    location /in { echo "$limit_conn_status"; }
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /in HTTP/1.0\r\n\r\n")
            ngx.print(sock:receive("*a"):match("\r\n\r\n(.*)"))
        }
    }
--- response_body
REJECTED_DRY_RUN
--- error_log
limiting connections, dry run, by zone "one"



=== what one limit refuses is not counted by another
--- http_config
    limit_conn_zone $server_port zone=all:1m;
    limit_conn_zone $arg_k zone=one:1m;
--- config
    location /in { limit_conn all 2; limit_conn one 1; echo "in"; }
    location /t {
        limit_conn one 1;
        content_by_lua_block {
            local function ask(k)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /in?k=" .. k .. " HTTP/1.0\r\n\r\n")
                return sock:receive():match("%d%d%d")
            end
            ngx.say(ask("a"), ask("a"), ask("a"), ask("b"))
        }
    }
--- request
GET /t?k=a
--- response_body
503503503200



=== a subrequest is not counted again, a redirect neither
--- http_config
    limit_conn_zone $server_port zone=one:1m;
--- config
    limit_conn one 1;
    location /t { echo_location /u; echo_exec /u; }
    location /u { echo "in"; }
--- response_body
in
in



=== what a killed worker had counted is counted no more
--- workers: 2
--- master_on
--- http_config
    limit_conn_zone $arg_k zone=one:1m;
--- config
    limit_conn one 1;
    location /die { content_by_lua_block {
        if ngx.var.arg_not ~= tostring(ngx.worker.pid()) then os.exit(3) end } }
    location /in { echo "in"; }
    location /t {
        content_by_lua_block {
            local function ask(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return (sock:receive() or ""):match("%d%d%d")
            end
            while ask("/die?k=7&not=" .. ngx.worker.pid()) do end
            for i = 1, 100 do
                if ask("/in?k=7") == "200" then return ngx.say("in") end
                ngx.sleep(0.05)
            end
        }
    }
--- response_body
in
--- error_log
exited with code 3



=== a full zone refuses new keys, and the log says so
--- http_config
    limit_conn_zone $a zone=one:32k;
--- config
    location /t {
        set_by_lua_block $a { return ("x"):rep(40000) }
        limit_conn one 1; echo "in";
    }
--- error_code: 503
--- error_log
no memory in limit_conn_zone "one"



=== a zone has one key
--- http_config
    limit_conn_zone $uri zone=one:1m;
    limit_conn_zone $args zone=one:1m;
--- config
--- must_die
--- error_log
limit_conn_zone "one" is already bound to key "$uri"



=== a zone is of one kind
--- http_config
    limit_conn_zone $uri zone=one:1m;
    limit_req_zone $args zone=one:1m rate=1r/s;
--- config
--- must_die
--- error_log
the shared memory zone "one" is already declared for a different use



=== the zone has no other words
--- http_config
    limit_conn_zone $uri rate=1r/s;
--- config
--- must_die
--- error_log
invalid parameter "rate=1r/s"



=== a limit is a number, of at most 65535
--- http_config
    limit_conn_zone $uri zone=one:1m;
--- config
    limit_conn one 65536;
--- must_die
--- error_log
connection limit must be less 65536



=== none is no number
--- http_config
    limit_conn_zone $uri zone=one:1m;
--- config
    limit_conn one 0;
--- must_die
--- error_log
invalid number of connections "0"



=== of two connections of a key one ends, and another may come
--- http_config
    limit_conn_zone $arg_k zone=two:1m;
--- config
    location = /hold {
        limit_conn two 2;
        content_by_lua_block {
            ngx.send_headers()
            ngx.flush(true)
            ngx.req.socket(true):receive()
        }
    }
    location = /t {
        content_by_lua_block {
            local function ask(key)
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
                sock:send("GET /hold?k=" .. key .. " HTTP/1.1\r\nHost: x\r\n\r\n")
                local line = sock:receive()
                ngx.say(key, " ", line and line:match(" (%d+)"))
                return sock
            end
            local one, _, other = ask("a"), ask("a"), ask("b")
            ask("a")
            other:close()
            ask("a")
            one:send("\n")
            while one:receiveany(10) do end
            ask("a")
            ask("a")
        }
    }
--- response_body
a 200
a 200
b 200
a 503
a 503
a 200
a 503
--- error_log
limiting connections by zone "two"

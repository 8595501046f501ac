__DATA__


=== what is over the burst is refused, and the log says by how much
--- http_config
    limit_req_zone $arg_k zone=one:1m rate=1r/m;
--- config
    location /t { limit_req zone=one burst=1 nodelay; return 200 "in"; }
    location /u { limit_req zone=one burst=1 nodelay; }
--- user_files
>>> u
in
--- pipelined_requests eval
["GET /u?k=a", "GET /u?k=a", "GET /u?k=a", "GET /u?k=b"]
--- error_code eval
[200, 200, 503, 200]
--- error_log eval
[qr/limiting requests, excess: (?:1\.9\d\d|2\.000) by zone "one", client: /, qr/\[error\]/]



=== return answers before the limit
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
--- config
    location /t { limit_req zone=one; return 200 "in"; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["in", "in"]



=== an empty key is not limited
--- http_config
    limit_req_zone $arg_k zone=one:1m rate=1r/m;
--- config
    location /t { limit_req zone=one; echo "in $limit_req_status."; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["in .\n", "in .\n"]



=== a request over the burst's delay waits its turn
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
--- config
    location /t { limit_req zone=one burst=5; echo "$limit_req_status"; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["PASSED\n", "DELAYED\n"]
--- error_log eval
[qr/\[warn\] .*delaying request, excess: [01]\.\d\d\d, by zone "one", client/]



=== delay= lets so many pass at once
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
--- config
    location /t { limit_req zone=one burst=5 delay=2; echo "$limit_req_status"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- response_body eval
["PASSED\n", "PASSED\n", "PASSED\n", "DELAYED\n"]



=== nodelay lets all of the burst pass
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
--- config
    location /t { limit_req zone=one burst=2 nodelay; echo "$limit_req_status"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["PASSED\n", "PASSED\n", "PASSED\n"]
--- no_error_log
delaying



=== the status and the level can be chosen
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
    limit_req_status 429; limit_req_log_level notice;
    error_page 429 /busy;
--- config
    location /t { limit_req zone=one; echo "in"; }
    location /busy { limit_req zone=one; echo "$status $limit_req_status"; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- error_code eval
[200, 429]
--- response_body_like eval
["in", "REJECTED"]
--- error_log eval
qr/\[notice\] .*limiting requests, excess: (?:0\.9\d\d|1\.000) by zone "one"/



=== a dry run refuses nobody
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
--- config
    limit_req_dry_run on;
    location /t { limit_req zone=one; echo "$limit_req_status"; }
    location /u { limit_req zone=one burst=1; echo "$limit_req_status"; }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /u", "GET /u"]
--- response_body eval
["PASSED\n", "REJECTED_DRY_RUN\n", "PASSED\n", "DELAYED_DRY_RUN\n"]
--- error_log eval
[qr/limiting requests, dry run, excess: [01]\.\d\d\d by zone/,
 qr/delaying request, dry run, excess: [01]\.\d\d\d, by zone/]



=== of several limits every one counts, and the first that refuses decides
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
    limit_req_zone $server_port zone=all:1m rate=1r/m;
--- config
    limit_req zone=one; limit_req zone=all burst=2 nodelay;
    location ~ ^/ { echo "in"; }
--- pipelined_requests eval
["GET /a", "GET /a", "GET /b", "GET /c", "GET /d"]
--- error_code eval
[200, 503, 200, 200, 503]
--- error_log eval
[qr/excess: (?:0\.9\d\d|1\.000) by zone "one"/, qr/excess: (?:2\.9\d\d|3\.000) by zone "all"/]



=== who was refused by a later limit has not been counted by an earlier one
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/m;
    limit_req_zone $arg_k zone=two:1m rate=1r/m;
--- config
    location ~ ^/ { limit_req zone=one burst=1 nodelay; limit_req zone=two; echo "in"; }
--- pipelined_requests eval
["GET /a?k=1", "GET /a?k=1", "GET /a?k=1", "GET /a?k=2", "GET /a?k=3"]
--- error_code eval
[200, 503, 503, 200, 503]



=== the excess falls by the rate
--- http_config
    limit_req_zone $uri zone=one:1m rate=10r/s;
--- config
    location /t { limit_req zone=one; echo "in"; }
    location /wait { echo_sleep 0.15; echo "waited"; }
--- pipelined_requests eval
["GET /t", "GET /wait", "GET /t", "GET /wait", "GET /t"]
--- error_code eval
[200, 200, 200, 200, 200]



=== an inner level's limits take the place of the outer ones
--- http_config
    limit_req_zone $server_port zone=one:1m rate=1r/m;
    limit_req_zone $uri zone=two:1m rate=1r/m;
    limit_req zone=one;
--- config
    location /a { echo "in"; }
    location /b { limit_req zone=two burst=5 nodelay; echo "in"; }
--- pipelined_requests eval
["GET /a", "GET /a", "GET /b", "GET /b"]
--- error_code eval
[200, 503, 200, 200]



=== long keys are told apart, up to 65535 bytes
--- http_config
    limit_req_zone $uri$uri$uri$uri$arg_k zone=one:1m rate=1r/m;
--- config
    location ~ ^/ { limit_req zone=one; echo "in"; }
--- pipelined_requests eval
["GET /" . ("a" x 500) . "?k=1", "GET /" . ("a" x 500) . "?k=2", "GET /" . ("a" x 500) . "?k=1", "GET /" . ("a" x 501) . "?k=1"]
--- error_code eval
[200, 200, 503, 200]



=== a key that is too long is not limited, and the log says so
--- http_config
    limit_req_zone "$a$a$a$a$a$a$a$a$a$a" zone=one:1m rate=1r/m;
--- config
    location /t {
        set_by_lua_block $a { return ("x"):rep(7000) }
        limit_req zone=one; echo "in";
    }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- error_code eval
[200, 200]
--- error_log
the value of the "$a$a$a$a$a$a$a$a$a$a" key is more than 65535 bytes: "xxxx



=== a full zone forgets the key that was used longest ago
--- http_config
    limit_req_zone $arg_k zone=one:32k rate=1r/m;
--- config
    keepalive_requests 10000;
    location /one { limit_req zone=one; echo "in"; }
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            local function ask(k)
                sock:send("HEAD /one?k=" .. k .. " HTTP/1.1\r\nHost: a\r\n\r\n")
                return (sock:receiveuntil("\r\n\r\n")():match("%d%d%d"))
            end
            local refused = 0
            ask("first")
            for i = 1, 1000 do
                refused = refused + (ask(i) == "200" and 0 or 1)
            end
            ngx.say(refused, " ", ask("first"), " ", ask(1000), " ", ask(800))
        }
    }
--- response_body
0 200 503 503



=== a key that finds no room is refused, and the log says so
--- http_config
    limit_req_zone $a$arg_k zone=one:32k rate=1r/m;
--- config
    location /t {
        set_by_lua_block $a { return ("x"):rep(tonumber(ngx.var.arg_n)) }
        limit_req zone=one; echo "in";
    }
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=40000"]
--- error_code eval
[200, 503]
--- error_log
could not allocate node in limit_req zone "one"



=== a subrequest and a redirect are not counted again
--- http_config
    limit_req_zone $server_port zone=one:1m rate=1r/m;
--- config
    limit_req zone=one;
    location /t { echo_location /u; echo_location /u; echo_exec /u; }
    location /u { echo "in"; }
--- response_body
in
in
in
--- no_error_log
limiting



=== all workers share a zone
--- workers: 2
--- master_on
--- http_config
    limit_req_zone $server_port zone=one:1m rate=1r/m;
--- config
    location /in { limit_req zone=one; echo "in"; }
    location /t {
        content_by_lua_block {
            local count = { ["200"] = 0, ["503"] = 0 }
            for i = 1, 40 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /in HTTP/1.0\r\n\r\n")
                local status = sock:receive():match("%d%d%d")
                count[status] = count[status] + 1
                sock:close()
            end
            ngx.say(count["200"], " ", count["503"])
        }
    }
--- response_body
1 39



=== a client that leaves while it waits is not served
--- http_config
    limit_req_zone $uri zone=one:1m rate=2r/s;
--- config
    location /in { limit_req zone=one burst=9; content_by_lua_block { ngx.log(ngx.WARN, "served") } }
    location /t {
        content_by_lua_block {
            for i = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /in HTTP/1.0\r\n\r\n")
                ngx.sleep(0.1)
                sock:close()
            end
            ngx.sleep(0.7)
        }
    }
--- log_level: info
--- grep_error_log eval: qr/served|delaying|client prematurely closed/
--- grep_error_log_out
served
delaying
client prematurely closed



=== a rate is so many a second, or a minute
--- http_config
    limit_req_zone $uri zone=one:1m rate=1x/s;
--- config
--- must_die
--- error_log
invalid rate "rate=1x/s"



=== a zone has one key
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
    limit_req_zone $args zone=one:1m rate=1r/s;
--- config
--- must_die
--- error_log
limit_req_zone "one" is already bound to key "$uri"



=== a zone must be large enough
--- http_config
    limit_req_zone $uri zone=one:8k rate=1r/s;
--- config
--- must_die
--- error_log
zone "one" is too small



=== a zone must be declared
--- config
    limit_req zone=nobody;
--- must_die
--- error_log
zero size shared memory zone "nobody"



=== one limit per zone and level
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
--- config
    limit_req zone=one; limit_req zone=one burst=5;
--- must_die
--- error_log
"limit_req" directive is duplicate



=== a burst is a number
--- http_config
    limit_req_zone $uri zone=one:1m rate=1r/s;
--- config
    limit_req zone=one burst=0;
--- must_die
--- error_log
invalid burst value "burst=0"



=== the status is one of refusal
--- config
    limit_req_status 399;
--- must_die
--- error_log
value must be between 400 and 599



=== who is refused by access has been counted
--- http_config
    limit_req_zone $server_port zone=one:1m rate=1r/m;
--- config
    location /t { satisfy any; deny all; limit_req zone=one; }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- error_code eval
[403, 503]



=== a method that limit_except refuses is counted as well
--- http_config
    limit_req_zone $server_port zone=one:1m rate=1r/m;
--- config
    location /t { limit_req zone=one; limit_except GET { deny all; } echo "in"; }
--- pipelined_requests eval
["POST /t", "GET /t"]
--- error_code eval
[403, 503]

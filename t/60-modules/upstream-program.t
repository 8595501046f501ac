# Programs that an upstream starts and looks after; t/lib/fastcgi_program.c
# says what that one does.

worker_connections(1024);

__DATA__


=== a program is started and asked
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request
GET /t?show=QUERY_STRING
--- response_body
QUERY_STRING=show=QUERY_STRING
--- error_log
start program



=== a body of 20 MB
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1; }
--- config
    location /t { client_max_body_size 20m; fastcgi_request_buffering off; fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request eval: "POST /t?body\n" . ("ab" x 10000000)
--- response_body
20000000 1950000000



=== an answer that stands in a file
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location /f/ { internal; alias html/; }
--- user_files
>>> a.txt
from a file
--- request
GET /t?accel=/f/a.txt
--- response_body
from a file



=== one that ends is started again
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            for _, args in ipairs { "show=A&last", "show=A", "show=A" } do
                local res = ngx.location.capture("/p", { args = args })
                ngx.say(res.status)
            end
        }
    }
--- response_body
200
200
200
--- error_log
exited with code 0



=== one that has had its requests is replaced
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 max_requests=2; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request eval
["GET /t?pid", "GET /t?pid", "GET /t?pid", "GET /t?pid"]
--- response_body_like eval
["^\\d+ 1\$", "^\\d+ 2\$", "^\\d+ 1\$", "^\\d+ 2\$"]



=== requests without a limit
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 max_requests=0; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request eval
["GET /t?pid", "GET /t?pid", "GET /t?pid"]
--- response_body_like eval
["^\\d+ 1\$", "^\\d+ 2\$", "^\\d+ 3\$"]



=== one that dies of a request costs that alone
--- no_reload: programs of the configuration before may be started meanwhile
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            for _, args in ipairs { "die=7", "show=A" } do
                local res = ngx.location.capture("/p", { args = args })
                ngx.say(res.status)
            end
        }
    }
--- response_body
502
200
--- error_log
exited with code 7
--- grep_error_log eval: qr/start program/
--- grep_error_log_out
start program
start program
start program



=== several have one request each
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=2; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            local all, pids, count = {}, {}, 0
            for i = 1, 8 do all[i] = { "/p", { args = "pid&sleep=50" } } end
            for _, res in ipairs { ngx.location.capture_multi(all) } do
                local pid = res.body:match("^(%d+) ")
                count = count + (pids[pid] and 0 or 1)
                pids[pid] = true
            end
            ngx.say(count)
        }
    }
--- response_body
2



=== two hundred clients at once lose nothing to four
--- workers: 2
--- master_on
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=4 max_requests=30; }
    lua_socket_log_errors off;
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; fastcgi_read_timeout 120s; }
    location = /t {
        content_by_lua_block {
            local function ask(n)
                local sock = ngx.socket.tcp()
                sock:settimeout(120000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /p?big=" .. n .. " HTTP/1.0\r\n\r\n")
                local text = sock:receive("*a") or ""
                return text:find(" 200 ", 1, true) and #text:match("\r\n\r\n(.*)") >= n
            end
            local threads, right = {}, 0
            for i = 1, 200 do threads[i] = ngx.thread.spawn(ask, i * 10) end
            for i = 1, 200 do
                local ok, good = ngx.thread.wait(threads[i])
                right = right + (ok and good and 1 or 0)
            end
            ngx.say(right)
        }
    }
--- timeout: 150
--- response_body
200



=== a request waits until one listens
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 env=FASTCGI_LATE=300; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request
GET /t?show=A
--- response_body
A=



=== a request that waits too long
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 queue_timeout=50ms; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            local function get(args)
                return ngx.location.capture("/p", { args = args }).status
            end
            while get("show=A") ~= 200 do ngx.sleep(0.01) end
            local slow = ngx.thread.spawn(get, "sleep=2000")
            local late = get("show=A")
            ngx.say(late, " ", select(2, ngx.thread.wait(slow)))
        }
    }
--- response_body
504 200
--- error_log
no program of upstream "p" was free within 50 ms



=== a client that does not wait
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            local slow = ngx.thread.spawn(ngx.location.capture, "/p", { args = "sleep=300" })
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("GET /p?show=A HTTP/1.0\r\n\r\n")
            ngx.sleep(0.05)
            sock:close()
            ngx.thread.wait(slow)
            ngx.say(ngx.location.capture("/p", { args = "show=A" }).status)
        }
    }
--- request
GET /t
--- response_body
200



=== one that ends at once, and says why
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 env=FASTCGI_EXIT=3 "env=FASTCGI_SAY=no such module"; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request eval
["GET /t", "GET /t"]
--- error_code eval
[502, 502]
--- error_log
exited with code 3: "no such module"
no live upstreams



=== one that is not there
--- http_config
    upstream p { program ./no-such-program count=1; }
--- config
    location /t { fastcgi_pass p; }
--- error_code: 502
--- error_log
failed
no live upstreams



=== arguments, and an environment
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 arg=-b arg=$address env=FASTCGI_SAY=hello; }
--- config
    location /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
--- request
GET /t?show=A&last
--- response_body
A=
--- error_log
exited with code 0: "hello"



=== sockets in place of ports
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=2 max_requests=1 listen=unix:p.sock; }
--- config
    location = /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; add_header X $upstream_addr; }
--- request eval
["GET /t?show=A", "GET /t?show=A", "GET /t?show=A", "GET /t?show=A"]
--- response_body eval
["A=\n", "A=\n", "A=\n", "A=\n"]
--- raw_response_headers_like eval
["X: unix:.*/p.sock.\\d", "X: unix:.*/p.sock.\\d", "X: unix:.*/p.sock.\\d", "X: unix:.*/p.sock.\\d"]
--- skip_windows: no sockets there



=== a socket that somebody listens at stays, and another is used
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 max_requests=1 listen=unix:$TEST_NGINX_SERVER_ROOT/p.sock; }
    server { listen unix:$TEST_NGINX_SERVER_ROOT/p.sock.0; return 200 other; }
--- config
    location = /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; add_header X $upstream_addr; }
    location = /other { proxy_pass http://unix:$TEST_NGINX_SERVER_ROOT/p.sock.0; add_header X $upstream_addr; }
--- request eval
["GET /t?show=A", "GET /other", "GET /t?show=A", "GET /other"]
--- response_body eval
["A=\n", "other", "A=\n", "other"]
--- raw_response_headers_like eval
["X: unix:.*/p.sock.1024", "X: unix:.*/p.sock.0", "X: unix:.*/p.sock.(1|1024)", "X: unix:.*/p.sock.0"]
--- skip_windows: no sockets there
--- no_reload: programs of the configuration before listen there, too



=== nor is one taken where another server has just begun a program
--- http_config
    init_by_lua_block {
        os.execute("flock $TEST_NGINX_SERVER_ROOT/q.sock.0.lock sleep 5 >/dev/null 2>&1 & sleep 0.5")
    }
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=1 listen=unix:$TEST_NGINX_SERVER_ROOT/q.sock; }
--- config
    location = /t { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; add_header X $upstream_addr; }
--- request: GET /t?show=A
--- raw_response_headers_like: X: unix:.*/q.sock.1024
--- skip_windows: no sockets there
--- no_reload: programs of the configuration before listen there, too



=== the sockets of another upstream
--- http_config
    upstream p { program x listen=unix:p.sock; }
    upstream q { program y listen=unix:p.sock; }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
programs of upstream "p" listen at "unix:
--- skip_windows: no sockets there



=== an address that programs can not have
--- http_config
    upstream p { program x listen=127.0.0.1:9000;  }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
invalid parameter "listen=127.0.0.1:9000"



=== a count of none
--- http_config
    upstream p { program x count=0;  }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
invalid parameter "count=0"



=== a word that nobody knows
--- http_config
    upstream p { program x speed=1;  }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
invalid parameter "speed=1"



=== an environment without a name
--- http_config
    upstream p { program x env==x;  }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
invalid parameter "env==x"



=== beside servers
--- http_config
    upstream p { program x; server 127.0.0.1:1; }
--- config
    location /t { fastcgi_pass p; }
--- must_die
--- error_log
"server" cannot be used with "program" in upstream "p"



=== a reload brings new ones, and no request is lost by that
--- master_on
--- http_config
    upstream p { program $TEST_NGINX_FASTCGI_PROGRAM count=2; }
--- config
    location /p { fastcgi_param QUERY_STRING $query_string; fastcgi_pass p; }
    location = /t {
        content_by_lua_block {
            package.path = "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;" .. package.path
            local reload = require "reload"
            local bad, first, seen = 0, {}, false
            local function ask()
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /p?pid&sleep=20 HTTP/1.0\r\n\r\n")
                local text = sock:receive("*a") or ""
                local pid = text:match("(%d+) %d+\n$")
                bad = bad + (text:match("^HTTP/1.1 200 ") and pid and 0 or 1)
                return pid
            end
            for _ = 1, 6 do first[ask() or ""] = true end
            local others = {}
            for i = 1, 4 do
                others[i] = ngx.thread.spawn(function ()
                    while not seen do ask() end
                end)
            end
            reload.with(function (text) return text end)
            reload.await(function () return not first[ask()] end)
            seen = true
            for i = 1, 4 do ngx.thread.wait(others[i]) end
            ngx.say(bad)
        }
    }
--- timeout: 30
--- response_body
0

# Programs of HTTP that an upstream starts and looks after, as platforms know
# them; t/lib/http_program.c says what that one does.

worker_connections(1024);

__DATA__


=== a program is started by the first request, and told its port
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM one --x=two env=A=b; }
--- config
    location /t { proxy_pass http://app; }
--- request eval
["GET /t?arg=1", "GET /t?arg=2", "GET /t?env=A", "GET /t?env=PORT", "GET /t?env=HTTP_PLATFORM_PORT", "GET /t?env=ASPNETCORE_URLS"]
--- response_body_like eval
["^one\$", "^--x=two\$", "^b\$", "^\\d+\$", "^\\d+\$", "^http://127.0.0.1:\\d+\$"]



=== its port in arguments
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM -p %PORT% --at=http://%ADDRESS%/ --q=%HTTP_PLATFORM_PORT%; }
--- config
    location /t { proxy_pass http://app; }
--- request eval
["GET /t?arg=2", "GET /t?arg=3", "GET /t?arg=4"]
--- response_body_like eval
["^\\d+\$", "^--at=http://127.0.0.1:\\d+/\$", "^--q=\\d+\$"]



=== requests wait while it starts
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM env=PROGRAM_LATE=300; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            local all, good = {}, 0
            for i = 1, 20 do all[i] = { "/p" } end
            for _, res in ipairs { ngx.location.capture_multi(all) } do
                good = good + (res.status == 200 and 1 or 0)
            end
            ngx.say(good)
        }
    }
--- response_body
20



=== many requests at a time, spread over several
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM count=2 start=boot; }
--- config
    location /p { proxy_pass http://app; }
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            package.path = "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;" .. package.path
            local tree = require "tree"
            for _ = 1, 300 do
                if tree.get("programs/app").free == 2 then break end
                ngx.sleep(0.02)
            end
            local all, pids, count = {}, {}, 0
            for i = 1, 8 do all[i] = { "/p", { args = "pid&sleep=100" } } end
            local began = ngx.now()
            for _, res in ipairs { ngx.location.capture_multi(all) } do
                count = count + (pids[res.body] and 0 or 1)
                pids[res.body] = (pids[res.body] or 0) + 1
            end
            for _, n in pairs(pids) do ngx.say(n) end
            local p = tree.get "programs/app"
            ngx.say(count, " ", p.wanted, " ", p.active, " ", p.requests, " ", p.offline)
        }
    }
--- timeout: 20
--- response_body
4
4
2 2 0 8 false



=== so many at a time, and no more
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM max_conns=2 queue_timeout=50ms start=boot; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            while ngx.location.capture("/p").status ~= 200 do ngx.sleep(0.01) end
            local all, n = {}, {}
            for i = 1, 3 do all[i] = { "/p", { args = "sleep=1000" } } end
            for i, res in ipairs { ngx.location.capture_multi(all) } do n[i] = res.status end
            table.sort(n)
            ngx.say(table.concat(n, " "))
        }
    }
--- timeout: 20
--- response_body
200 200 504



=== what it says is in the log, line by line
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /t { proxy_pass http://app; }
--- request
GET /t?say=hello&error=oh-no
--- error_log eval
[qr/\[info\] .*program ".*" \d+: hello/, qr/\[error\] .*program ".*" \d+: oh-no/]



=== a program that says too much costs no disk
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/p", { args = "flood=1000" })
            ngx.sleep(1.2)
            ngx.location.capture("/p", { args = "error=more" })
            ngx.say("done")
        }
    }
--- response_body
done
--- error_log
line 99
lines were left out
--- no_error_log
line 101
--- timeout: 10



=== what it says in a file
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM log=logs/app.log; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/p", { args = "say=hello" })
            ngx.print((io.open("$TEST_NGINX_SERVER_ROOT/logs/app.log", "rb"):read("*a"):gsub("\r", "")))
        }
    }
--- response_body
hello



=== its working folder
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM dir=html; }
--- config
    location /t { proxy_pass http://app; }
--- user_files
>>> here
--- request
GET /t?dir
--- response_body chomp
here



=== one that ends is started again, and what it had started is gone
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /p { proxy_pass http://app; }
    location /die { proxy_pass http://app; proxy_next_upstream off; }
    location = /t {
        content_by_lua_block {
            local function get(args, uri)
                local res = ngx.location.capture(uri or "/p", { args = args })
                return res.body, res.status
            end
            local child = tonumber((get "child"))
            local resty_signal = require "resty.signal"
            ngx.say(resty_signal.kill(child, 0))
            ngx.say(select(2, get("die=3", "/die")))
            ngx.say(select(2, get ""))
            ngx.sleep(0.3)
            local f = io.open("/proc/" .. child .. "/stat")
            ngx.say(f and f:read("*a"):match("%) (%a)") or "gone")
        }
    }
--- response_body_like
^true
502
200
(gone|Z)$
--- error_log
exited with code 3
--- skip_windows: a shell's process numbers are not ours there



=== one that does not start: requests are told so, and it is not tried for ever
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM env=PROGRAM_EXIT=1 fails_per_minute=2; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            for _ = 1, 8 do
                ngx.print(ngx.location.capture("/p").status, " ")
                ngx.sleep(0.1)
            end
        }
    }
--- response_body_like: ^(502 ){8}$
--- error_log
programs of upstream "app" have failed 2 times in a minute
exited with code 1
--- grep_error_log eval: qr/start program/
--- grep_error_log_out
start program
start program
--- no_reload: a reload tries again



=== retries: requests wait for a start that works
--- http_config
    upstream app { program ./no-such-program retries=3 fails_per_minute=0; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            local began = ngx.now()
            ngx.say(ngx.location.capture("/p").status, " ", ngx.now() - began > 0.4)
        }
    }
--- response_body
502 true
--- error_log
starting program
--- timeout: 20



=== one that does not listen in time
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM env=PROGRAM_SLEEP=20000 start_timeout=200ms; }
--- config
    location /t { proxy_pass http://app; }
--- error_code: 502
--- error_log
does not listen at 127.0.0.1
exited on signal 9
--- timeout: 20



=== idle: it ends, and the next request starts it
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM idle=1s; }
--- config
    location /p { proxy_pass http://app; }
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            package.path = "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;" .. package.path
            local tree = require "tree"
            local first = ngx.location.capture("/p").body
            for _ = 1, 400 do
                local p = tree.get "programs/app"
                if p.free + p.ending == 0 then break end
                ngx.sleep(0.02)
            end
            local p = tree.get "programs/app"
            ngx.say(p.free, " ", p.busy, " ", p.ending)
            ngx.say(ngx.location.capture("/p").body ~= first)
        }
    }
--- timeout: 20
--- response_body
0 0 0
true



=== a reload keeps the program, one that changes the line replaces it
--- master_on
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM count=1 env=A=1; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            package.path = "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;" .. package.path
            local reload = require "reload"
            local bad, seen = 0, false
            local function get(uri)
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return sock:receive("*a") or ""
            end
            local function ask(args)
                local text = get("/p?" .. args)
                bad = bad + (text:match("^HTTP/1.1 200 ") and 0 or 1)
                return text:match("\r\n\r\n(.*)")
            end
            local first = ask "pid"
            local others = {}
            for i = 1, 4 do
                others[i] = ngx.thread.spawn(function ()
                    while not seen do ask "sleep=20" end
                end)
            end
            reload.with(function (text)
                return (text:gsub("location /p", "location /same { return 204; }\n    location /p", 1))
            end)
            reload.await(function () return get("/same"):match("^HTTP/1.1 204 ") end)
            ngx.say(ask "pid" == first, " ", ask "env=A")
            reload.with(function (text) return (text:gsub("env=A=1", "env=A=2")) end)
            reload.await(function () return ask "env=A" == "2" end)
            ngx.say(ask "pid" ~= first)
            seen = true
            for i = 1, 4 do ngx.thread.wait(others[i]) end
            ngx.say(bad)
        }
    }
--- timeout: 30
--- response_body
true 1
true
0



=== programs outlive a worker
--- master_on
--- workers: 2
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /p { proxy_pass http://app; }
    location = /pid { content_by_lua_block { ngx.print(ngx.worker.pid()) } }
    location = /t {
        content_by_lua_block {
            local function ask(uri)
                local sock = ngx.socket.tcp()
                sock:settimeout(5000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return (sock:receive("*a") or ""):match("\r\n\r\n(.*)")
            end
            local first, other = ask "/p"
            for _ = 1, 500 do
                other = tonumber((ask "/pid"))
                if other ~= ngx.worker.pid() then break end
            end
            ngx.say(require("resty.signal").kill(other, "KILL"))
            ngx.sleep(0.3)
            ngx.say(ask "/p" == first)
        }
    }
--- response_body
true
true
--- error_log eval
qr/worker process \d+ (exited|was|ended)/
--- timeout: 20



=== a file that is watched
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM watch=html/app.txt count=2; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            local bad, over = 0, false
            local function ask()
                local res = ngx.location.capture("/p")
                bad = bad + (res.status == 200 and 0 or 1)
                return res.body
            end
            local first = {}
            for _ = 1, 10 do first[ask()] = true ngx.sleep(0.05) end
            local f = io.open("$TEST_NGINX_SERVER_ROOT/html/app.txt", "w")
            f:write("a longer text")
            f:close()
            local function all_new()
                for _ = 1, 10 do if first[ask()] then return false end end
                return true
            end
            for _ = 1, 400 do
                if all_new() then break end
                ngx.sleep(0.02)
            end
            ngx.say(all_new(), " ", bad)
        }
    }
--- user_files
>>> app.txt
a
--- response_body
true 0
--- error_log
are replaced: a file has changed
--- timeout: 30



=== a file that stands for the program while it is there
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM offline=html/app_offline.htm; }
--- config
    location /p { proxy_pass http://app; }
    location /status/ { api /status/; }
    location = /t {
        content_by_lua_block {
            package.path = "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;" .. package.path
            local tree = require "tree"
            local path = "$TEST_NGINX_SERVER_ROOT/html/app_offline.htm"
            local function get() return ngx.location.capture "/p" end
            local function await(status)
                for _ = 1, 400 do
                    local res = get()
                    if res.status == status then return res end
                    ngx.sleep(0.02)
                end
            end
            ngx.say(get().status)
            local f = io.open(path, "w")
            f:write("<p>soon")
            f:close()
            local res = await(503)
            ngx.say(res.status, " ", res.body, " ", res.header["Content-Type"])
            for _ = 1, 400 do
                local p = tree.get "programs/app"
                if p.free + p.busy + p.ending == 0 then break end
                ngx.sleep(0.02)
            end
            ngx.say(tree.get("programs/app").offline)
            os.remove(path)
            ngx.say(await(200).status)
        }
    }
--- response_body
200
503 <p>soon text/html
true
200
--- timeout: 30



=== one that does not hear is killed
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM env=PROGRAM_STUBBORN=1 stop_timeout=100ms idle=1s; }
--- config
    location /t { proxy_pass http://app; }
--- request
GET /t?pid
--- response_body_like: ^\d+$
--- error_log
did not end within 100 ms and is killed
--- wait: 4
--- skip_windows: Wine has no console here, and so no CTRL_BREAK
--- timeout: 20



=== one that hears ends by itself
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM idle=1s; }
--- config
    location /t { proxy_pass http://app; }
--- request
GET /t?pid
--- response_body_like: ^\d+$
--- error_log
exited with code 0
--- no_error_log
is killed
--- wait: 4
--- skip_windows: Wine has no console here, and so no CTRL_BREAK
--- timeout: 20



=== it is told who the client is, and that we say so
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /t { proxy_pass http://app; }
--- more_headers
X-Forwarded-For: 192.0.2.7
X-Forwarded-Proto: https
MS-ASPNETCORE-TOKEN: mine
--- request eval
["GET /t?header=X-Forwarded-For", "GET /t?header=X-Forwarded-Proto", "GET /t?header=X-Forwarded-Host", "GET /t?header=Host"]
--- response_body eval
["192.0.2.7, 127.0.0.1", "http", "localhost", "localhost"]



=== its token, by which it knows us
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            local token = ngx.location.capture("/p", { args = "env=ASPNETCORE_TOKEN" }).body
            ngx.req.set_header("MS-ASPNETCORE-TOKEN", "mine")
            ngx.say(#token, " ", ngx.location.capture("/p", { args = "header=MS-ASPNETCORE-TOKEN" }).body == token)
        }
    }
--- response_body
32 true



=== what the configuration says counts
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /t {
        proxy_pass http://app;
        proxy_set_header Host other;
        proxy_set_header X-Forwarded-For "";
        proxy_set_header X-Forwarded-Proto mine;
    }
--- request eval
["GET /t?header=X-Forwarded-For", "GET /t?header=X-Forwarded-Proto", "GET /t?header=Host"]
--- response_body eval
["", "mine", "other"]



=== more memory than it may have
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM memory=100m fails_per_minute=0; }
--- config
    location /p { proxy_pass http://app; proxy_next_upstream off; }
    location = /t {
        content_by_lua_block {
            local function get(n) return ngx.location.capture("/p", { args = "take=" .. n }).status end
            ngx.say(get(10), " ", get(200))
        }
    }
--- response_body
200 502
--- error_log
exited with code 9: "no memory"
--- skip_eval: 2: $ENV{ASAN_OPTIONS}
--- skip_windows: Wine takes the limit, and holds nobody to it



=== it has no descriptor of ours
--- master_on
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM count=2 start=boot; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            local seen, n = {}, 0
            while n < 2 do
                local pid = ngx.location.capture("/p").body
                n = n + (seen[pid] and 0 or 1)
                seen[pid] = true
            end
            ngx.sleep(0.1)
            for pid in pairs(seen) do
                local p = io.popen("ls /proc/" .. pid .. "/fd")
                ngx.say((p:read("*a"):gsub("%s+", " ")))
                p:close()
            end
        }
    }
--- response_body
0 1 2 3 
0 1 2 3 
--- skip_windows: no /proc there



=== a dump names it
--- http_config
    upstream app { program $TEST_NGINX_HTTP_PROGRAM; }
--- config
    location /p { proxy_pass http://app; }
    location = /t {
        content_by_lua_block {
            ngx.location.capture "/p"
            require("resty.signal").kill(ngx.worker.pid(), "TTIN")
            ngx.sleep(0.1)
            ngx.say("done")
        }
    }
--- response_body
done
--- error_log eval
qr/dump: program \d+ of upstream "app" at 127\.0\.0\.1:\d+ listens, for \d+ ms, requests in hand: 0/
--- skip_windows: words are no signals there



=== a word that nobody knows
--- http_config
    upstream app { program x y speed=1; }
--- config
    location /t { proxy_pass http://app; }
--- must_die
--- error_log
invalid parameter "speed=1"



=== an argument behind parameters
--- http_config
    upstream app { program x count=1 y; }
--- config
    location /t { proxy_pass http://app; }
--- must_die
--- error_log
invalid parameter "y"



=== a user that is not there
--- http_config
    upstream app { program x user=nobody-of-that-name; }
--- config
    location /t { proxy_pass http://app; }
--- must_die
--- error_log
invalid parameter "user=nobody-of-that-name"



=== a share of the machine is a job's
--- skip_windows: it has an effect there
--- http_config
    upstream u { program sleep cpu=50; }
--- config
    location = /t { return 200 ok; }
--- response_body eval: "ok"
--- error_log
"cpu" of "program" has no effect on this system

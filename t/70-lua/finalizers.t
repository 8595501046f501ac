# A machine ends after its requests, and before what its objects use: zones,
# logs, the loop. Finalizers may do what init_by_lua may.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ""));
    lua_shared_dict d 1m;
    init_by_lua_block {
        local ffi, kept = require "ffi", {}
        local function try(f, ...)
            local ok, err = pcall(f, ...)
            return ok and "done" or err:gsub("^.-: ", "", 1)
        end
        local gone = ngx.shared.gone
        local words = {
            gone = function () return tostring(gone:set("k", 1)) end,
            dict = function ()
                ngx.shared.d:set("k", 1)
                ngx.shared.d:delete("k")
                return tostring(ngx.shared.d:get("k")) .. " of " .. ngx.shared.d:capacity()
            end,
            regex = function () return ngx.re.match("a1", [[\d]], "jo")[0] end,
            json = function () return require("cjson").encode({ ngx.md5("x"):sub(1, 4) }) end,
            sema = function ()
                local s = require("ngx.semaphore").new(1)
                s:post(2)
                return s:count()
            end,
            co = function () return coroutine.wrap(function () return coroutine.yield("inside") end)() end,
            phase = function () return ngx.get_phase() end,
            timer = function () return try(ngx.timer.at, 0, function () end) end,
            socket = function () return try(function () return ngx.socket.tcp():connect("127.0.0.1", 1) end) end,
            say = function () return try(ngx.say, "x") end,
            sleep = function () return try(ngx.sleep, 0) end,
            var = function () return try(function () return ngx.var.uri end) end,
            thread = function () return try(ngx.thread.spawn, function () end) end,
            pipe = function () return try(require("ngx.pipe").spawn, "exit 0") end,
        }
        function keep(name)
            kept[name] = ffi.gc(ffi.new("char[1]"), function ()
                ngx.log(ngx.WARN, "the end of ", name, ": ", words[name]())
            end)
        end
        function keep_all()
            for name in pairs(words) do
                if name ~= "gone" then keep(name) end
            end
        end
        if gone then keep "gone" end
    }
_EOC_
});

__DATA__


=== a server that quits
--- config
    location = /t { content_by_lua_block { keep_all() ngx.say("kept") } }
--- response_body
kept
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
the end of dict: nil of 1048576
the end of regex: 1
the end of json: ["9dd4"]
the end of sema: 3
the end of co: inside
the end of phase: init
the end of timer: no request
the end of socket: no request found
the end of say: no request object found
the end of sleep: no request found
the end of var: no request found
the end of thread: no request found
the end of pipe: API disabled in the current context



=== a worker that quits
--- master_on
--- config
    location = /t { content_by_lua_block { keep_all() ngx.say("kept") } }
--- response_body
kept
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
the end of dict: nil of 1048576
the end of json: ["9dd4"]
the end of sema: 3
the end of phase: init
the end of pipe: API disabled in the current context



=== a worker that a reload ends
--- master_on
--- config
    location = /t {
        content_by_lua_block {
            keep_all()
            assert(require("lunette.spec.io").tell(require("ngx.process").get_master_pid(), "reload", 5000))
            ngx.say("kept")
        }
    }
--- response_body
kept
--- error_log
the end of dict: nil of 1048576
the end of regex: 1
the end of json: ["9dd4"]
the end of sema: 3
the end of co: inside
the end of phase: init



=== what init_by_lua has made ends in the master and in each worker
--- master_on
--- workers: 2
--- http_config
    init_worker_by_lua_block { keep "dict" }
--- config
    location = /t { content_by_lua_block { ngx.say("kept") } }
--- response_body
kept
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
the end of dict: nil of 1048576



=== a lock that is held
--- http_config
    lua_shared_dict locks 100k;
--- config
    location = /t {
        content_by_lua_block {
            held = require("resty.lock"):new("locks")
            ngx.say(held:lock("k"))
        }
    }
--- response_body
0
--- no_error_log
[alert]



=== a machine of a request's own
--- config
    location = /t {
        lua_code_cache off;
        content_by_lua_block { keep_all() ngx.say("kept") }
    }
--- response_body
kept
--- error_log
the end of dict: nil of 1048576
the end of sema: 3
the end of timer: no request



=== a worker that is out of patience
--- main_config
    worker_shutdown_timeout 100ms;
--- config
    location = /t {
        content_by_lua_block {
            keep_all()
            ngx.timer.at(0, function () keep "dict" ngx.sleep(100) end)
            ngx.timer.at(0, function ()
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                s:receive(1)
            end)
            ngx.timer.at(0, function () require("ngx.semaphore").new():wait(100) end)
            ngx.timer.at(100, function () end)
            ngx.sleep(0.02)
            ngx.say("kept")
        }
    }
--- response_body
kept
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
worker_shutdown_timeout, exiting
the end of dict: nil of 1048576
the end of sema: 3



=== objects of every kind, alive
--- main_config
    thread_pool default threads=2;
    env PATH;
    env PATHEXT;
--- http_config
    lua_package_path "$TEST_NGINX_SERVER_ROOT/html/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local tcp, udp, idle = ngx.socket.tcp(), ngx.socket.udp(), ngx.socket.tcp()
            local sema = require("ngx.semaphore").new()
            alive = { tcp, udp, idle, sema, ngx.re.match("abc", "(b)", "o") }
            assert(tcp:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(udp:setpeername("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(idle:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            assert(idle:setkeepalive())
            alive[6] = assert(require("ngx.pipe").spawn(jit.os == "Windows" and 'find "l"' or "exec grep l"))
            alive[7] = alive[6]:write("x")
            alive[8] = ngx.thread.spawn(function () alive[6]:stdout_read_any(1) end)
            alive[9] = ngx.thread.spawn(function () sema:wait(100) end)
            alive[10] = coroutine.create(function () coroutine.yield() end)
            coroutine.resume(alive[10])
            alive[11] = ngx.run_worker_thread("default", "twice", "run", 21)
            keep "dict"
            ngx.say("alive")
            ngx.exit(200)
        }
    }
--- user_files
>>> twice.lua
return { run = function (n) kept = n return n * 2 end }
--- response_body
alive
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
the end of dict: nil of 1048576



=== a zone that a reload leaves out
--- master_on
--- http_config
    include d.conf;
    init_worker_by_lua_block { seen = ngx.shared.gone ~= nil }
--- config
    location = /seen { content_by_lua_block { ngx.say(seen) } }
    location = /t {
        content_by_lua_block {
            local io, master = require "lunette.spec.io", require "ngx.process".get_master_pid()
            ngx.say(seen)
            assert(io.write(ngx.config.prefix() .. "conf/d.conf", ""))
            assert(io.tell(master, "reload", 5000))
            local res
            repeat
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                s:send("GET /seen HTTP/1.0\r\n\r\n")
                res = s:receive("*a")
            until res:find("false")
            ngx.say("gone")
        }
    }
--- user_files
>>> ../conf/d.conf
lua_shared_dict gone 100k;
--- response_body
true
gone
--- error_log
the end of gone: true



=== a client of a worker that is out of patience is in its access log
--- main_config
    worker_shutdown_timeout 100ms;
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                s:send("GET /waits HTTP/1.1\r\nHost: h\r\n\r\n")
                s:receive(1)
            end)
            ngx.sleep(0.1)
            ngx.say("waits")
        }
    }
    location = /silent { content_by_lua_block { ngx.sleep(100) } }
    location = /waits {
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/silent;
        log_by_lua_block { ngx.log(ngx.WARN, "told ", ngx.status) }
    }
--- response_body
waits
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
worker_shutdown_timeout, exiting
told 499

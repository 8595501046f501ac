# ngx.run_worker_thread: functions of modules, in threads.

__DATA__


=== a function's results come back, and its arguments reach it
--- main_config
    thread_pool crew threads=2;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local run = ngx.run_worker_thread
            ngx.say(run("crew", "work", "show", 1.5, "x\0y", nil, true))
            local ok, t, n = run("crew", "work", "back", { a = { 1, 2 } }, 7)
            ngx.say(ok, " ", t.a[2], " ", n, " ", getmetatable(t))
            ngx.say((run("crew", "work", "null", ngx.null)))
            ngx.say(run("crew", "work", "nothing"))
        }
    }
--- user_files
>>> work.lua
return {
    show = function (n, s, z, b) return n * 2, #s, z == nil, not b end,
    back = function (t, n) return setmetatable(t, {}), n end,
    null = function (x) assert(x == ngx.null) end,
    nothing = function () end,
}
--- response_body
true33truefalse
true 2 7 nil
true
true



=== while one works, the loop serves others
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function ()
                for _ = 1, 3 do ngx.sleep(0.01) end
                ngx.shared.dogs:set("over", true)
            end)
            ngx.say(ngx.run_worker_thread("crew", "work", "burn"))
        }
    }
--- user_files
>>> work.lua
local function burn()
    local till = os.time() + 20
    repeat
        if ngx.shared.dogs:get("over") then return "burnt" end
    until os.time() > till
    return "the loop stood still"
end
return { burn = burn }
--- response_body
trueburnt



=== what goes wrong is told in words
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local run = ngx.run_worker_thread
            ngx.say(run("crew", "work"))
            ngx.say(run({}, "work", "f"))
            ngx.say(run("crew", print, "f"))
            ngx.say(run("crew", "work", {}))
            ngx.say(run("nobody", "work", "f"))
            ngx.say(run("crew", "work", "none"))
            ngx.say(run("crew", "work", "fall"))
            ngx.say((select(2, run("crew", "nowhere", "f")):match("[^:]+")))
        }
    }
--- user_files
>>> work.lua
return { fall = function () error("ouch", 0) end }
--- response_body
falseexpecting at least 3 arguments
falsethreadpool should be a string
falsemodule name should be a string
falsefunction name should be a string
falsethread pool nobody not found
falseattempt to call a nil value
falseouch
module 'nowhere' not found



=== what can't be copied is refused, both ways
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local run, ring = ngx.run_worker_thread, {}
            ring.ring = ring
            ngx.say(run("crew", "work", "f", print))
            ngx.say(run("crew", "work", "f", { { coroutine.create(print) } }))
            ngx.say(run("crew", "work", "f", { 1LL }))
            ngx.say(run("crew", "work", "f", ring))
            ngx.say(run("crew", "work", "f"))
        }
    }
--- user_files
>>> work.lua
return { f = function () return 1, { print }, 3 end }
--- response_body
falseunsupported Lua type: LUA_TFUNCTION in the argument
falseunsupported Lua type: LUA_TTHREAD in the argument
falseunsupported Lua type: LUA_TCDATA in the argument
falsesuspicious circular references, table depth exceed max depth: 100 in the argument
falseunsupported Lua type: LUA_TFUNCTION in the return value



=== a thread has the API that needs no request
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            ngx.shared.dogs:set("Jim", 8)
            local run = ngx.run_worker_thread
            local ok, md5, word, jim, prefix, none = run("crew", "work", "api")
            ngx.say(ok, " ", md5 == ngx.md5("a"), " ", word, " ", jim)
            ngx.say(ngx.shared.dogs:get("Jim"), " ",
                    prefix == ngx.config.prefix(), " ", none)
        }
    }
--- user_files
>>> work.lua
local function api()
    local m = ngx.re.match(ngx.encode_base64("hello"), "([a-z]+)[A-Z]", "jo")
    return ngx.md5("a"), m[1], ngx.shared.dogs:incr("Jim", 1),
           ngx.config.prefix(),
           not (ngx.say or ngx.var or ngx.worker or ngx.shared.cats)
end
return { api = api }
--- response_body
true true a 9
9 true true



=== jobs wait for their turn, as many as the pool says
--- main_config
    thread_pool crew threads=1 max_queue=2;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.dogs
            for i = 1, 4 do
                ngx.thread.spawn(function ()
                    ngx.say(i, " ", ngx.run_worker_thread("crew", "work", "f"))
                end)
                while not dogs:get("begun") do ngx.sleep(0.001) end
            end
            dogs:set("go", true)
        }
    }
--- user_files
>>> work.lua
local function f()
    ngx.shared.dogs:set("begun", true)
    while not ngx.shared.dogs:get("go") do end
    return "done"
end
return { f = f }
--- response_body
4 falsengx_thread_task_post failed
1 truedone
2 truedone
3 truedone
--- error_log
thread pool "crew" queue overflow: 2 tasks waiting



=== there are no more machines than asked for, and modules stay in them
--- main_config
    thread_pool crew threads=4;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_worker_thread_vm_pool_size 1;
--- config
    location = /t {
        content_by_lua_block {
            local function run()
                return ngx.run_worker_thread("crew", "work", "count")
            end
            local t = ngx.thread.spawn(run)
            ngx.say(run())
            ngx.say(ngx.thread.wait(t))
            ngx.say(run())
        }
    }
--- user_files
>>> work.lua
local n = 0
return { count = function () n = n + 1 return n end }
--- response_body
falseno available Lua vm
truetrue1
true2



=== whoever waits may be killed; the job ends all the same
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_worker_thread_vm_pool_size 1;
--- config
    location = /t {
        content_by_lua_block {
            local function run()
                return ngx.run_worker_thread("crew", "work", "slow")
            end
            ngx.say(ngx.thread.kill(ngx.thread.spawn(run)))
            ngx.say(run())
            local ok, n
            repeat
                ngx.sleep(0.01)
                ok, n = run()
            until ok
            ngx.say(n)
        }
    }
--- user_files
>>> work.lua
local n = 0
local function slow()
    local till = os.clock() + 0.1
    while os.clock() < till do end
    n = n + 1
    return n
end
return { slow = slow }
--- response_body
1
falseno available Lua vm
2



=== it is for handlers that may wait
--- main_config
    thread_pool crew threads=1;
--- config
    location = /t {
        content_by_lua_block { ngx.say("ok") }
        log_by_lua_block { ngx.run_worker_thread("crew", "work", "f") }
    }
--- response_body
ok
--- error_log
API disabled in the context of log_by_lua*



=== a request may leave, and the server go, in the middle of a job
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function ()
                ngx.run_worker_thread("crew", "work", "slow")
            end)
            ngx.exit(204)
        }
    }
--- user_files
>>> work.lua
local function slow()
    local till = os.time() + 1
    while os.time() <= till do ngx.shared.dogs:incr("n", 1, 0) end
end
return { slow = slow }
--- error_code: 204
--- no_error_log
[error]



=== what a job has left is collected when it has ended
--- main_config
    thread_pool crew threads=1;
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local ok, text = ngx.run_worker_thread("crew", "work", "large")
            ngx.say(ok, " ", #text)
            local _, kb = ngx.run_worker_thread("crew", "work", "count")
            ngx.say(kb < 4000 or kb)
        }
    }
--- user_files
>>> work.lua
return {
    large = function () return ("x"):rep(10 * 2 ^ 20) end,
    count = function () return collectgarbage("count") end,
}
--- response_body
true 10485760
true

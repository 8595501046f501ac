__DATA__


=== a thread runs at once, until it waits
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("before")
            local t = ngx.thread.spawn(function ()
                ngx.say("in thread")
                ngx.sleep(0.002)
                ngx.say("thread again")
            end)
            ngx.say("after ", coroutine.status(t))
        }
    }
--- response_body
before
in thread
after running
thread again



=== wait gives what a thread returned
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function (a, b) return a + b, "x" end, 1, 2)
            ngx.say(coroutine.status(t))
            ngx.say(ngx.thread.wait(t))
            ngx.say(coroutine.status(t))
        }
    }
--- response_body
zombie
true3x
dead



=== wait for a thread that still runs
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () ngx.sleep(0.003) return "late" end)
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
truelate



=== wait for any of several gives the first
--- config
    location = /t {
        content_by_lua_block {
            local function f(n) ngx.sleep(n) return n end
            local slow = ngx.thread.spawn(f, 0.06)
            local fast = ngx.thread.spawn(f, 0.01)
            ngx.say(ngx.thread.wait(slow, fast))
            ngx.say(ngx.thread.wait(slow))
        }
    }
--- response_body
true0.01
true0.06



=== a thread that fails does not take the handler with it
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () error("broken") end)
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body_like: ^falsecontent_by_lua\(nginx.conf:\d+\):2: broken$
--- error_log eval
qr/lua user thread aborted: runtime error: content_by_lua\(nginx.conf:\d+\):2: broken/



=== waiting twice for a thread
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () return 1 end)
            ngx.say(ngx.thread.wait(t))
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
true1
nilalready waited or killed



=== the request ends with its last thread
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3 do
                ngx.thread.spawn(function () ngx.sleep(0.01 * i) ngx.say(i) end)
            end
            ngx.say("main")
        }
    }
--- response_body
main
1
2
3



=== threads take turns when they yield
--- config
    location = /t {
        content_by_lua_block {
            local function f(name)
                for i = 1, 3 do ngx.print(name, i, " ") coroutine.yield() end
            end
            ngx.thread.spawn(f, "a")
            ngx.thread.spawn(f, "b")
            f("m")
            ngx.say()
        }
    }
--- response_body_like chop
^a1 b1 m1 a2 b2 m2 a3 b3 m3 \n|a1 .*b1 .*m3 .*\n$



=== kill ends a thread
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () ngx.sleep(100) ngx.say("not reached") end)
            ngx.say(ngx.thread.kill(t))
            ngx.say(coroutine.status(t))
            ngx.say(ngx.thread.kill(t))
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
1
dead
nilalready waited or killed
nilalready waited or killed



=== a thread that is killed while it waits for its own thread
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function ()
                local inner = ngx.thread.spawn(function () ngx.sleep(0.02) ngx.say("inner") end)
                ngx.thread.spawn(function () return "a zombie" end)
                ngx.thread.wait(inner)
                ngx.say("not reached")
            end)
            ngx.say(ngx.thread.kill(t))
        }
    }
--- response_body
1
inner



=== kill of a thread that has ended
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () return 1 end)
            ngx.say(ngx.thread.kill(t))
        }
    }
--- response_body
nilalready terminated



=== only the parent may wait or kill
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function () ngx.sleep(0.02) end)
            ngx.thread.spawn(function ()
                ngx.say(ngx.thread.kill(t))
                local ok, err = pcall(ngx.thread.wait, t)
                ngx.say(err)
            end)
        }
    }
--- response_body
nilkiller not parent
only the parent coroutine can wait on the thread



=== wait and kill refuse what is no thread
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function () end)
            ngx.say(select(2, pcall(ngx.thread.wait, co)))
            ngx.say(ngx.thread.kill(co))
        }
    }
--- response_body_like chop
^attempt to wait on a coroutine that is not a user thread
nilnot user thread$



=== a thread in a thread
--- config
    location = /t {
        content_by_lua_block {
            local t = ngx.thread.spawn(function ()
                local inner = ngx.thread.spawn(function () ngx.sleep(0.002) return "inner" end)
                return "outer", select(2, ngx.thread.wait(inner))
            end)
            ngx.say(ngx.thread.wait(t))
        }
    }
--- response_body
trueouterinner



=== a coroutine in a thread that sleeps
--- config
    location = /t {
        content_by_lua_block {
            local function gen()
                for i = 1, 2 do ngx.sleep(0.002) coroutine.yield(i) end
            end
            local function f(name)
                local g = coroutine.wrap(gen)
                return name .. g() .. g()
            end
            local a, b = ngx.thread.spawn(f, "a"), ngx.thread.spawn(f, "b")
            ngx.say(ngx.thread.wait(a))
            ngx.say(ngx.thread.wait(b))
        }
    }
--- response_body
truea12
trueb12



=== an error of the handler ends its threads
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.sleep(0.01) ngx.log(ngx.ERR, "not reached") end)
            error("main broken")
        }
    }
--- error_code: 500
--- error_log
main broken
--- no_error_log
not reached



=== threads in rewrite and access
--- config
    location = /t {
        rewrite_by_lua_block {
            local t = ngx.thread.spawn(function () ngx.sleep(0.001) return "r" end)
            ngx.ctx.r = select(2, ngx.thread.wait(t))
        }
        access_by_lua_block {
            ngx.thread.spawn(function () ngx.sleep(0.001) ngx.ctx.a = "a" end)
        }
        content_by_lua_block { ngx.say(ngx.ctx.r, ngx.ctx.a) }
    }
--- response_body
ra



=== a thousand threads
--- config
    location = /t {
        content_by_lua_block {
            local threads, sum = {}, 0
            for i = 1, 1000 do
                threads[i] = ngx.thread.spawn(function () ngx.sleep(0.001) return i end)
            end
            for i = 1, 1000 do sum = sum + select(2, ngx.thread.wait(threads[i])) end
            ngx.say(sum)
        }
    }
--- response_body
500500



=== threads are not for filters
--- config
    location = /t {
        return 200 "x";
        log_by_lua_block { ngx.thread.spawn(function () end) }
    }
--- response_body: x
--- error_log
API disabled in the context of log_by_lua*

=== what cannot wait, in a callback of C, has begun nothing
--- config
    location = /t {
        content_by_lua_block {
            local function inside(f)
                ngx.say(select(2, pcall(string.gsub, "x", "x", f)))
            end
            local sem = require "ngx.semaphore".new()
            inside(function () ngx.sleep(0.01) end)
            inside(function () sem:wait(0.01) end)
            inside(function () ngx.thread.spawn(function () end) end)
            inside(coroutine.wrap(function () end))
            inside(function () ngx.socket.connect("127.0.0.1", 1) end)
            local start = ngx.now()
            ngx.sleep(0.1)
            ngx.say(ngx.now() - start > 0.08, " ", sem:count())
        }
    }
--- response_body
attempt to yield across C-call boundary
attempt to yield across C-call boundary
attempt to yield across C-call boundary
attempt to yield across C-call boundary
attempt to yield across C-call boundary
true 0

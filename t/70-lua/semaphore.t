=== what was posted is taken without waiting
--- config
    location = /t {
        content_by_lua_block {
            local sem = require "ngx.semaphore".new(1)
            ngx.say(sem:count(), " ", sem:wait(0))
            ngx.say(sem:count(), " ", sem:wait(0))
            ngx.say(sem:post(2), " ", sem:count(), " ", sem:wait(1))
            ngx.say(sem:count())
        }
    }
--- response_body
1 true
0 niltimeout
true 2 true
1

=== those who wait go on in their order, when nobody else runs
--- config
    location = /t {
        content_by_lua_block {
            local sem = require "ngx.semaphore".new()
            local function wait(name)
                ngx.say(name, " ", sem:wait(1))
            end
            for i = 1, 3 do
                ngx.thread.spawn(wait, i)
            end
            ngx.say("waiting: ", sem:count())
            sem:post(2)
            ngx.say("posted: ", sem:count())
            ngx.sleep(0.01)
            ngx.say("left: ", sem:count())
            sem:post()
        }
    }
--- response_body
waiting: -3
posted: -1
1 true
2 true
left: -1
3 true

=== who comes late does not go before those who wait
--- config
    location = /t {
        content_by_lua_block {
            local sem = require "ngx.semaphore".new()
            ngx.thread.spawn(function () ngx.say("first ", sem:wait(1)) end)
            sem:post()
            ngx.say("late ", sem:wait(0))
            ngx.say("late ", sem:wait(0.01))
        }
    }
--- response_body
late niltimeout
first true
late falsetimeout

=== waiting ends with its time, and when the thread is killed
--- config
    location = /t {
        content_by_lua_block {
            local sem = require "ngx.semaphore".new()
            local start = ngx.now()
            ngx.say(sem:wait(0.05))
            ngx.update_time()
            ngx.say(ngx.now() - start < 20)
            local thread = ngx.thread.spawn(function () sem:wait(99) end)
            ngx.say(sem:count(), " ", ngx.thread.kill(thread), " ",
                    sem:count())
            sem:post()
            ngx.say(sem:count(), " ", sem:wait(0))
        }
    }
--- response_body
falsetimeout
true
-1 1 0
1 true

=== requests wait for one another
--- http_config
    init_by_lua_block { sem = require "ngx.semaphore".new() }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", ngx.var.server_port)
            sock:send("GET /wait HTTP/1.0\r\n\r\n")
            while sem:count() == 0 do ngx.sleep(0.01) end
            ngx.say(sem:count())
            sem:post()
            ngx.say((sock:receive("*a"):match("\r\n\r\n(.*)\n")))
        }
    }
    location = /wait {
        content_by_lua_block { ngx.say(sem:wait(20), " ", sem:count()) }
    }
--- response_body
-1
true 0

=== a semaphore may be collected while somebody waits for it
--- config
    location = /t {
        content_by_lua_block {
            local new = require "ngx.semaphore".new
            local function wait()
                return new():wait(0.05)
            end
            local thread = ngx.thread.spawn(wait)
            collectgarbage()
            collectgarbage()
            ngx.say(select(3, ngx.thread.wait(thread)))
        }
    }
--- response_body
timeout

=== not everywhere can one wait
--- config
    location = /t {
        content_by_lua_block { ngx.say("ok") }
        log_by_lua_block {
            local sem = require "ngx.semaphore".new(1)
            local ok, err = sem:wait(0)
            ngx.log(ngx.WARN, "wait: ", err, "; ", sem:post(), " ",
                    sem:count())
        }
    }
--- response_body
ok
--- error_log
wait: API disabled in the context of log_by_lua*; true 2

=== wrong arguments
--- config
    location = /t {
        content_by_lua_block {
            local semaphore = require "ngx.semaphore"
            local sem = semaphore.new()
            local function try(...)
                local ok, err = pcall(...)
                ngx.say(err)
            end
            try(semaphore.new, -1)
            try(sem.post, sem, 0)
            try(sem.wait, sem, -1)
            try(sem.wait, sem)
            try(sem.count, {})
        }
    }
--- response_body
no negative number
positive number required
no negative number
number of seconds expected
not a semaphore instance



=== they live in blocks, and an early one that is empty goes
--- config
    location = /t {
        content_by_lua_block {
            local semaphore = require "ngx.semaphore"
            local sems, n = {}, 4095
            for i = 1, 3 * n do
                sems[i] = semaphore.new(i)
            end
            sems[2 * n + 1] = nil
            collectgarbage()
            for i = 1, n do
                sems[i] = nil
            end
            for i = 2 * n + 1, 3 * n do
                sems[i] = nil
            end
            collectgarbage()
            ngx.say(sems[n + 1]:count(), " ", sems[2 * n]:count())
            ngx.say(semaphore.new(7):count())
        }
    }
--- response_body
4096 8190
7
--- error_log
new block, alloc semaphore
from head of free queue, alloc semaphore
add to free queue head
add to free queue tail
free semaphore block
--- timeout: 60

__DATA__


=== a timer runs without the request, with its arguments
--- config
    location = /t {
        content_by_lua_block {
            local function f(premature, a, b)
                ngx.log(ngx.WARN, "fired: ", premature, " ", a, " ", b, " ", ngx.get_phase())
            end
            ngx.say(ngx.timer.at(0.01, f, "x", 2))
        }
    }
--- response_body
1
--- error_log eval
[qr/fired: false x 2 timer, context: ngx\.timer, client: 127\.0\.0\.1, server: 0\.0\.0\.0:\d+/]
--- no_error_log
[error]



=== a timer without delay runs after the handler
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function () ngx.log(ngx.WARN, "fired") end)
            ngx.log(ngx.WARN, "said")
            ngx.say("ok")
        }
    }
--- response_body
ok
--- grep_error_log eval: qr/said|fired/
--- grep_error_log_out
said
fired
--- wait: 0.1



=== timers without delay keep their order
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 5 do ngx.timer.at(0, function () ngx.log(ngx.WARN, "n" .. i) end) end
            ngx.say("ok")
        }
    }
--- response_body
ok
--- grep_error_log eval: qr/\bn\d/
--- grep_error_log_out
n1
n2
n3
n4
n5



=== a timer may wait, and sets others
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                ngx.sleep(0.002)
                ngx.timer.at(0.002, function () ngx.log(ngx.WARN, "second timer") end)
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
second timer
--- no_error_log
[error]



=== an error in a timer is logged
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function () error("broken timer") end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
lua entry thread aborted: runtime error:
broken timer
stack traceback:



=== every goes on and on
--- config
    location = /t {
        content_by_lua_block {
            local n = 0
            ngx.timer.every(0.005, function ()
                n = n + 1
                if n <= 3 then ngx.log(ngx.WARN, "tick ", n) end
            end)
            while n <= 3 do ngx.sleep(0.005) end
            ngx.say(n > 3)
        }
    }
--- response_body
true
--- grep_error_log eval: qr/tick \d/
--- grep_error_log_out
tick 1
tick 2
tick 3



=== threads and ngx.ctx in a timer
--- config
    location = /t {
        content_by_lua_block {
            ngx.ctx.x = "request"
            ngx.timer.at(0, function ()
                ngx.ctx.x = (ngx.ctx.x or "none") .. " timer"
                local t = ngx.thread.spawn(function () ngx.sleep(0.001) return ngx.ctx.x end)
                ngx.log(ngx.WARN, "ctx: ", select(2, ngx.thread.wait(t)))
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
ctx: none timer
--- no_error_log
[error]



=== what needs a request fails in a timer
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                ngx.log(ngx.WARN, "say: ", select(2, pcall(ngx.say, "x")))
                ngx.log(ngx.WARN, "var: ", select(2, pcall(function () return ngx.var.uri end)))
                ngx.log(ngx.WARN, "status: ", select(2, pcall(function () return ngx.status end)))
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
say: API disabled in the context of ngx.timer
API disabled in the current context



=== exit ends a timer
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                ngx.log(ngx.WARN, "before")
                ngx.exit(ngx.OK)
                ngx.log(ngx.WARN, "not reached")
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
before
--- no_error_log
not reached
[error]



=== counts of pending and running timers
--- config
    location = /t {
        content_by_lua_block {
            local over = false
            ngx.timer.at(0, function () while not over do ngx.sleep(0.001) end end)
            ngx.timer.at(1000, function () end)
            while ngx.timer.running_count() == 0 do ngx.sleep(0.001) end
            ngx.say(ngx.timer.pending_count(), " ", ngx.timer.running_count())
            over = true
        }
    }
--- response_body
1 1



=== lua_max_pending_timers
--- http_config
    lua_max_pending_timers 2;
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3 do ngx.say(ngx.timer.at(1, function () end)) end
        }
    }
--- response_body
1
1
niltoo many pending timers



=== lua_max_running_timers
--- http_config
    lua_max_running_timers 1;
--- config
    location = /t {
        content_by_lua_block {
            local over = false
            for i = 1, 2 do ngx.timer.at(0, over or function () while not over do ngx.sleep(0.001) end end) end
            while ngx.timer.pending_count() > 0 do ngx.sleep(0.001) end
            ngx.say(ngx.timer.running_count())
            over = true
        }
    }
--- response_body
1
--- error_log eval
qr/\[alert\] .*lua failed to run timer with function defined at =content_by_lua\(nginx.conf:\d+\):3: 1 lua_max_running_timers are not enough/



=== bad arguments of timers
--- config
    location = /t {
        content_by_lua_block {
            local function try(f, ...) ngx.say((select(2, pcall(f, ...)):gsub("'.-'", "'f'"))) end
            try(ngx.timer.at, 1)
            try(ngx.timer.at, "x", function () end)
            try(ngx.timer.at, 1, string.rep)
            try(ngx.timer.every, 0, function () end)
        }
    }
--- response_body_like chop
^expecting at least 2 arguments but got 1
bad argument #1 to 'f' \(number expected, got string\)
bad argument #2 to 'f' \(Lua function expected\)
delay cannot be zero$



=== timers of init_worker_by_lua
--- http_config
    init_worker_by_lua_block {
        ngx.timer.at(0, function () ngx.log(ngx.WARN, "from init_worker ", ngx.worker.id()) end)
    }
--- config
    location = /t { return 200 "x"; }
--- response_body: x
--- error_log
from init_worker 0
--- no_error_log
[error]



=== pending timers run prematurely when the server quits
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(100, function (premature) ngx.log(ngx.WARN, "premature: ", premature) end)
            ngx.timer.every(100, function (premature) ngx.log(ngx.WARN, "every: ", premature) end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
premature: true
every: true

=== a timer that is set while the server quits is not premature
--- config
    location = /t {
        content_by_lua_block {
            local function last(premature)
                ngx.log(ngx.WARN, "last: ", premature, " ", ngx.worker.exiting())
            end
            ngx.timer.at(100, function (premature)
                ngx.log(ngx.WARN, "premature: ", premature, " ", ngx.timer.at(0, last))
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- skip_windows: the runner ends a server under Wine without a word
--- shutdown_error_log
premature: true 1
last: false true

=== what is past is due
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(-1, function (premature) ngx.log(ngx.WARN, "due: ", premature) end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log
due: false

=== a timer that a timer sets is of the same client
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                ngx.timer.at(0, function () ngx.log(ngx.WARN, "grandchild") end)
            end)
            ngx.say("ok")
        }
    }
--- response_body
ok
--- error_log eval
qr/grandchild, context: ngx.timer, client: 127.0.0.1, server: 0.0.0.0:/

=== what needs a request says so in a timer
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                local function try(f, ...)
                    ngx.log(ngx.WARN, "try: ", (select(2, pcall(f, ...)):gsub("^.*: ", "")))
                end
                try(ngx.req.get_method)
                try(ngx.req.discard_body)
                try(function () return ngx.header.x end)
                try(function () return ngx.status end)
                try(ngx.flush)
                try(ngx.send_headers)
            end)
        }
    }
--- response_body
--- grep_error_log eval: qr/try: [^,]+/
--- grep_error_log_out
try: API disabled in the current context
try: API disabled in the current context
try: API disabled in the current context
try: API disabled in the current context
try: API disabled in the context of ngx.timer
try: API disabled in the context of ngx.timer

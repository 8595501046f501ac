__DATA__


=== sleep lets time pass
--- config
    location = /t {
        content_by_lua_block {
            ngx.update_time()
            local from = ngx.now()
            ngx.sleep(0.05)
            local took = ngx.now() - from
            ngx.say(took >= 0.045 and took < 20)
        }
    }
--- response_body
true



=== sleep in rewrite and access
--- config
    location = /t {
        rewrite_by_lua_block { ngx.sleep(0.001) ngx.ctx.s = "r" }
        access_by_lua_block { ngx.sleep(0.001) ngx.ctx.s = ngx.ctx.s .. "a" }
        content_by_lua_block { ngx.say(ngx.ctx.s) }
    }
--- response_body
ra



=== sleep(0) lets the others run
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.sleep(0) ngx.say("thread") end)
            for i = 1, 3 do ngx.sleep(0) end
            ngx.say("main")
        }
    }
--- response_body
thread
main



=== bad durations
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, pcall(ngx.sleep, -1))))
            ngx.say((select(2, pcall(ngx.sleep, "x")):gsub("'.-'", "'f'")))
            ngx.say((select(2, pcall(ngx.sleep))))
        }
    }
--- response_body
invalid sleep duration "-1000"
bad argument #1 to 'f' (number expected, got string)
attempt to pass 0 arguments, but accepted 1



=== sleep is not for filters
--- config
    location = /t { return 200 "x"; log_by_lua_block { ngx.sleep(0.1) } }
--- response_body: x
--- error_log
API disabled in the context of log_by_lua*



=== many requests sleep at the same time
--- config
    location = /t { content_by_lua_block { ngx.sleep(0.01) ngx.print(ngx.var.arg_n) } }
--- pipelined_requests eval
[map { "GET /t?n=$_" } 1..20]
--- response_body eval
[1..20]



=== sleep in a string callback cannot yield
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(pcall(string.gsub, "x", "x", function () ngx.sleep(0.001) end))
        }
    }
--- response_body
falseattempt to yield across C-call boundary

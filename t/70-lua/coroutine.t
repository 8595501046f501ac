__DATA__


=== values go both ways between resume and yield
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function (a, b)
                local c = coroutine.yield(a + b)
                local d, e = coroutine.yield(c * 2)
                return d, e, "end"
            end)
            ngx.say(coroutine.resume(co, 1, 2))
            ngx.say(coroutine.resume(co, 10))
            ngx.say(coroutine.resume(co, "x", "y"))
            ngx.say(coroutine.resume(co))
        }
    }
--- response_body
true3
true20
truexyend
falsecannot resume dead coroutine



=== status tells where a coroutine stands
--- config
    location = /t {
        content_by_lua_block {
            local outer
            local co = coroutine.create(function ()
                ngx.say("inside: ", coroutine.status(coroutine.running()))
                ngx.say("outer: ", coroutine.status(outer))
                coroutine.yield()
            end)
            outer = coroutine.create(function () coroutine.resume(co) end)
            ngx.say(coroutine.status(co))
            coroutine.resume(outer)
            ngx.say(coroutine.status(co))
            coroutine.resume(co)
            ngx.say(coroutine.status(co), " ", coroutine.status(outer))
        }
    }
--- response_body
suspended
inside: running
outer: normal
suspended
dead dead



=== an error ends a coroutine, not the handler
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function () error("broken") end)
            local ok, err = coroutine.resume(co)
            ngx.say(ok, " ", err)
            ngx.say(coroutine.status(co))
        }
    }
--- response_body_like chop
^false content_by_lua\(nginx.conf:\d+\):2: broken
dead$
--- no_error_log
[error]



=== error values stay what they are
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function () error({ code = 7 }) end)
            local ok, err = coroutine.resume(co)
            ngx.say(ok, " ", err.code)
        }
    }
--- response_body
false 7



=== wrap makes an iterator
--- config
    location = /t {
        content_by_lua_block {
            local function range(n)
                return coroutine.wrap(function ()
                    for i = 1, n do coroutine.yield(i) end
                end)
            end
            for i in range(3) do ngx.print(i, " ") end
            for i in range(2) do for j in range(2) do ngx.print(i, j, " ") end end
            ngx.say()
        }
    }
--- response_body
1 2 3 11 12 21 22 



=== errors pass through wrap
--- config
    location = /t {
        content_by_lua_block {
            local f = coroutine.wrap(function () error("broken") end)
            ngx.say(pcall(f))
        }
    }
--- response_body_like: ^falsecontent_by_lua\(nginx.conf:\d+\):2: broken$



=== a coroutine that sleeps does not yield to its resumer
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function ()
                ngx.sleep(0.002)
                coroutine.yield("slept")
                ngx.sleep(0.002)
                return "again"
            end)
            ngx.say(coroutine.resume(co))
            ngx.say(coroutine.resume(co))
        }
    }
--- response_body
trueslept
trueagain



=== yield in a handler lets it go on
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3 do coroutine.yield(i) end
            ngx.say("done")
        }
    }
--- response_body
done



=== a coroutine cannot resume itself, its resumer or what waits
--- config
    location = /t {
        content_by_lua_block {
            local main = coroutine.running()
            local co
            co = coroutine.create(function ()
                ngx.say(coroutine.resume(co))
                ngx.say(coroutine.resume(main))
            end)
            coroutine.resume(co)
        }
    }
--- response_body
falsecannot resume running coroutine
falsecannot resume normal coroutine



=== resume wants a coroutine, create a function
--- config
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, pcall(coroutine.resume, 1)):gsub("'.-'", "'f'")))
            ngx.say((select(2, pcall(coroutine.create, 1)):gsub("'.-'", "'f'")))
        }
    }
--- response_body_like chop
bad argument #1 to 'f' \(coroutine expected\)
bad argument #1 to 'f' \(.*function expected.*\)$



=== many coroutines
--- config
    location = /t {
        content_by_lua_block {
            local cos, sum = {}, 0
            for i = 1, 1000 do
                cos[i] = coroutine.wrap(function () coroutine.yield(i) return -i end)
            end
            for i = 1, 1000 do sum = sum + cos[i]() end
            ngx.say(sum)
            for i = 1, 1000 do sum = sum + cos[i]() end
            ngx.say(sum)
        }
    }
--- response_body
500500
0



=== abandoned coroutines are collected
--- config
    location = /t {
        content_by_lua_block {
            local weak = setmetatable({}, { __mode = "k" })
            for i = 1, 100 do
                local co = coroutine.create(function () coroutine.yield() end)
                weak[co] = true
                coroutine.resume(co)
            end
            collectgarbage() collectgarbage()
            local n = 0
            for _ in pairs(weak) do n = n + 1 end
            ngx.say(n < 5)
        }
    }
--- response_body
true



=== coroutines in init_by_lua, header and body filters are LuaJIT's own
--- http_config
    init_by_lua_block {
        made = coroutine.wrap(function () coroutine.yield("init") end)()
    }
--- config
    location = /t {
        content_by_lua_block { ngx.print(made) }
        header_filter_by_lua_block {
            ngx.header.x = coroutine.wrap(function () coroutine.yield("header") end)()
        }
        body_filter_by_lua_block {
            local f = coroutine.wrap(function (a) local b = coroutine.yield(a) return b end)
            f(1)
            ngx.arg[1] = ngx.arg[1] .. f(".")
        }
    }
--- response_headers
X: header
--- response_body: init..



=== a generator of the module level serves several requests
--- http_config
    init_by_lua_block {
        counter = coroutine.wrap(function () local i = 0 while true do i = i + 1 coroutine.yield(i) end end)
        counter()
    }
--- config
    location = /t { content_by_lua_block { ngx.print(counter()) } }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["2", "3"]



=== coroutine.isyieldable
--- config
    location = /t { content_by_lua_block { ngx.say(coroutine.isyieldable()) } }
--- response_body
true

=== an error of a wrapped coroutine is traced from where it began
--- config
    location = /t {
        content_by_lua_block {
            local function first() error("deep down") end
            local inner = coroutine.wrap(first)
            local outer = coroutine.wrap(function () inner() end)
            outer()
        }
    }
--- error_code: 500
--- response_body_like: 500
--- grep_error_log eval: qr/aborted: runtime error: \S+ deep down|coroutine \d:|:2: in function|in main chunk/
--- grep_error_log_out eval
qr/^aborted: runtime error: \S+ deep down
coroutine 0:
:2: in function
coroutine 1:
coroutine 2:
in main chunk
$/

=== an error that was caught has no part in the trace of the next
--- config
    location = /t {
        content_by_lua_block {
            local wrapped = coroutine.wrap(function () error("caught") end)
            ngx.log(ngx.WARN, select(2, pcall(wrapped)))
            error("other")
        }
    }
--- error_code: 500
--- response_body_like: 500
--- error_log
caught
other
--- no_error_log
coroutine 1:

=== a coroutine that was dead before has no part in a trace
--- config
    location = /t {
        content_by_lua_block {
            local wrapped = coroutine.wrap(function () error("once") end)
            pcall(wrapped)
            wrapped()
        }
    }
--- error_code: 500
--- response_body_like: 500
--- error_log
cannot resume dead coroutine
--- no_error_log
coroutine 1:



=== there are none where a handler runs in one piece
--- config
    location = /t {
        set_by_lua_block $x {
            local function try(f, ...)
                return tostring(select(2, pcall(f, ...)))
            end
            return try(coroutine.create, print) .. " "
                   .. try(coroutine.wrap, print) .. " "
                   .. try(coroutine.yield)
        }
        log_by_lua_block { coroutine.create(print) }
        return 200 "$x\n";
    }
--- response_body
API disabled in the context of set_by_lua* API disabled in the context of set_by_lua* API disabled in the context of set_by_lua*
--- error_log
API disabled in the context of log_by_lua*



=== wrap wants a function, and says so at its caller's line
--- config
    location = /t { content_by_lua_block {
        ngx.say((select(2, pcall(function () coroutine.wrap(nil) end))))
    } }
--- response_body_like: ^content_by_lua\(nginx.conf:\d+\):2: bad argument #1 to 'wrap' \(Lua function expected\)$

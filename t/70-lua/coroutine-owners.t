# Coroutines of others: of a thread that is killed, of a request that is over,
# of LuaJIT itself.

__DATA__


=== a killed thread takes the coroutines along that run for it
--- config
    location = /t {
        content_by_lua_block {
            local log, kept = {}, nil
            local t = ngx.thread.spawn(function ()
                kept = coroutine.create(function () coroutine.yield() log[#log + 1] = "kept" end)
                coroutine.resume(kept)
                coroutine.wrap(function ()
                    coroutine.wrap(function ()
                        ngx.sleep(0.001)
                        log[#log + 1] = "inner"
                    end)()
                    log[#log + 1] = "outer"
                end)()
                log[#log + 1] = "thread"
            end)
            local other = coroutine.create(function () ngx.sleep(0.02) log[#log + 1] = "other" end)
            local u = ngx.thread.spawn(function () coroutine.resume(other) end)
            ngx.say(ngx.thread.kill(t), " ", coroutine.status(t), " ", coroutine.status(kept))
            ngx.thread.wait(u)
            coroutine.resume(kept)
            ngx.say(table.concat(log, " "))
        }
    }
--- response_body
1 dead suspended
other kept



=== a coroutine goes on in another request, where its API is that one's
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.create(function (a)
                while true do
                    ngx.sleep(0.001)
                    a = coroutine.yield(a .. ngx.var.uri)
                end
            end)
            package.loaded.shared = co
            ngx.say(coroutine.resume(co, "1"))
            ngx.print(ngx.location.capture("/sub").body)
            collectgarbage()
            ngx.say(coroutine.status(co))
            ngx.say(coroutine.resume(co, "3"))
        }
    }
    location = /sub {
        content_by_lua_block {
            ngx.say(coroutine.resume(package.loaded.shared, "2"))
        }
    }
--- response_body
true1/t
true2/sub
dead
falsecannot resume dead coroutine



=== coroutines that LuaJIT has made go on in a request
--- http_config
    init_by_lua_block {
        local function f(a) a = coroutine.yield(a + 1) return a + 2 end
        local made = { coroutine.create(f), coroutine.create(f),
                       coroutine.create(f), coroutine.create(error) }
        coroutine.resume(made[2], 1)
        coroutine.resume(made[3], 1)
        coroutine.resume(made[3], 1)
        coroutine.resume(made[4], "x")
        package.loaded.made = made
    }
--- config
    location = /t {
        content_by_lua_block {
            for i, co in ipairs(package.loaded.made) do
                ngx.say(i, " ", coroutine.status(co))
                ngx.say(coroutine.resume(co, 10))
                ngx.say(coroutine.resume(co, 20))
                ngx.say(coroutine.resume(co, 30))
            end
        }
    }
--- response_body
1 suspended
true11
true22
falsecannot resume dead coroutine
2 suspended
true12
falsecannot resume dead coroutine
falsecannot resume dead coroutine
3 dead
falsecannot resume dead coroutine
falsecannot resume dead coroutine
falsecannot resume dead coroutine
4 dead
falsecannot resume dead coroutine
falsecannot resume dead coroutine
falsecannot resume dead coroutine



=== no thread, nothing to wait for
--- config
    location = /t {
        content_by_lua_block {
            for _, call in ipairs { { ngx.thread.wait }, { ngx.thread.wait, 1 },
                                    { ngx.thread.spawn, math.sin }, { ngx.thread.kill, {} },
                                    { coroutine.create, math.sin }, { coroutine.resume, {} },
                                    { coroutine.status, {} } } do
                ngx.say(tostring(select(2, pcall(call[1], call[2]))))
            end
            ngx.say(ngx.thread.kill(coroutine.create(function () end)))
        }
    }
--- response_body
bad argument #1 to '?' (lua thread expected)
bad argument #1 to '?' (lua thread expected)
bad argument #1 to '?' (Lua function expected)
bad argument #1 to '?' (lua thread expected)
bad argument #1 to '?' (Lua function expected)
bad argument #1 to '?' (coroutine expected)
bad argument #1 to '?' (coroutine expected)
nilnot user thread

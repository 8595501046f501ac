__DATA__


=== the room that there is
--- http_config
    lua_shared_dict room_1 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_1
            local free = dogs:free_space()
            ngx.say(dogs:capacity(), " ", free > 0, " ", free <= 1048576)
            dogs:set("a", string.rep("x", 100000))
            ngx.say(dogs:free_space() < free)
        }
    }
--- response_body
1048576 true true
true



=== what does not fit at all
--- http_config
    lua_shared_dict room_2 100k;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_2
            ngx.say(dogs:set("a", string.rep("x", 200000)))
            ngx.say(dogs:safe_set("a", string.rep("x", 200000)))
            ngx.say(dogs:get("a"))
        }
    }
--- response_body
falseno memoryfalse
falseno memoryfalse
nil



=== a value half as large as the dictionary fits
--- http_config
    lua_shared_dict room_3 10m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_3
            local big = string.rep("x", 5 * 1024 * 1024)
            ngx.say(dogs:set("a", big))
            ngx.say(dogs:get("a") == big)
            for i = 1, 3 do dogs:set("a", big .. i) end
            ngx.say(#dogs:get("a"))
        }
    }
--- response_body
truenilfalse
true
5242881



=== old values make room for new ones
--- http_config
    lua_shared_dict room_4 200k;
--- config
    location /t {
        content_by_lua_block {
            local dogs, forced, failed = ngx.shared.room_4, 0, 0
            for i = 1, 5000 do
                local ok, err, forcible = dogs:set("key" .. i,
                                                   string.rep("x", 100))
                forced = forced + (forcible and 1 or 0)
                failed = failed + (ok and 0 or 1)
            end
            ngx.say(failed, " ", forced > 1000, " ", #dogs:get("key5000"))
        }
    }
--- response_body
0 true 100



=== the safe ones refuse instead
--- http_config
    lua_shared_dict room_5 200k;
--- config
    location /t {
        content_by_lua_block {
            local dogs, n, why = ngx.shared.room_5, 0, nil
            for i = 1, 5000 do
                local ok, err = dogs:safe_set("key" .. i, string.rep("x", 100))
                if not ok then why = err break end
                n = n + 1
            end
            ngx.say(n > 300, " ", why, " ", #dogs:get("key1"))
            ngx.say(dogs:safe_add("other", string.rep("x", 50000)))
        }
    }
--- response_body
true no memory 100
falseno memoryfalse



=== what is read stays longer than what is not
--- http_config
    lua_shared_dict room_6 300k;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_6
            dogs:set("wanted", "here")
            for i = 1, 3000 do
                dogs:set("key" .. i, string.rep("x", 100))
                dogs:get("wanted")
            end
            ngx.say(dogs:get("wanted"), " ", dogs:get("key1"))
        }
    }
--- response_body
here nil



=== thousands of small values fit into a small dictionary
--- http_config
    lua_shared_dict room_7 100k;
--- config
    location /t {
        content_by_lua_block {
            local dogs, n = ngx.shared.room_7, 0
            for i = 1, 400 do dogs:set("k" .. i, i) end
            for i = 1, 400 do n = n + (dogs:get("k" .. i) == i and 1 or 0) end
            ngx.say(n)
        }
    }
--- response_body
400



=== room is used again
--- http_config
    lua_shared_dict room_8 200k;
--- config
    location /t {
        content_by_lua_block {
            local dogs, failed = ngx.shared.room_8, 0
            for i = 1, 20000 do
                local size = 1 + i % 1500
                if not dogs:safe_set("a", string.rep("x", size)) then
                    failed = failed + 1
                end
                dogs:delete("a")
            end
            ngx.say(failed, " ", #dogs:get_keys())
        }
    }
--- response_body
0 0



=== a reload keeps what is in it
--- http_config
    lua_shared_dict room_9 1m;
    init_worker_by_lua_block { ngx.shared.room_9:incr("starts", 1, 0) }
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_9
            ngx.say(dogs:add("a", "kept") and "new" or dogs:get("a"))
        }
    }
--- pipelined_requests eval
["GET /t", "GET /t"]
--- response_body eval
["new\n", "kept\n"]



=== reading stays in the trace
--- http_config
    lua_shared_dict room_10 1m;
--- config
    location /t {
        content_by_lua_block {
            local traces, n = 0, 0
            local function on_trace(what)
                if what == "stop" then traces = traces + 1 end
            end
            local dogs = ngx.shared.room_10
            dogs:set("a", "x") dogs:set("n", 0)
            jit.flush()
            jit.attach(on_trace, "trace")
            for i = 1, 300 do
                n = n + #dogs:get("a") + dogs:incr("n", 1) * 0
                dogs:set("b", i)
            end
            jit.attach(on_trace)
            ngx.say(n, " ", traces > 0)
        }
    }
--- response_body
300 true



=== a value for which there is no room is no line in the log
--- http_config
    lua_shared_dict small 32k;
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.shared.small:set("k", string.rep("x", 64 * 1024)))
        }
    }
--- response_body
falseno memoryfalse
--- no_error_log
no memory



=== a value that can never fit: the key comes first
--- http_config
    lua_shared_dict room_11 12k;
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_11
            local big = string.rep("x", 20000)
            dogs:set("other", "o")
            dogs:set("a", "v")
            ngx.say("add: ", (select(2, dogs:add("a", big))))
            ngx.say("safe_add: ", (select(2, dogs:safe_add("a", big))))
            ngx.say("lpush: ", select(2, dogs:lpush("a", big)))
            ngx.say("replace: ", (select(2, dogs:replace("none", big))))
            ngx.say("still: ", dogs:get("a"))
            ngx.say("set: ", (select(2, dogs:set("a", big))))
            ngx.say(dogs:get("a"), ", ", dogs:get("other"))
        }
    }
--- response_body
add: exists
safe_add: exists
lpush: value not a list
replace: not found
still: v
set: no memory
nil, o



=== a small one holds what it would hold in nginx
--- http_config
    lua_shared_dict room_12 16k;
    lua_shared_dict room_13 100k;
--- config
    location = /t {
        content_by_lua_block {
            local cats, birds = ngx.shared.room_12, ngx.shared.room_13
            local function fill(from, to)
                for i = from, to do
                    local name = ("%08d"):format(i)
                    local ok, err, forcible = cats:set(name, name)
                    if not ok or forcible then
                        return i, err
                    end
                end
                return cats:free_space()
            end
            ngx.say(cats:free_space(), " ", birds:free_space())
            ngx.say(fill(1, 31), " ", fill(32, 63), " ", (fill(64, 64)))
            cats:flush_all()
            cats:flush_expired()
            ngx.say(cats:free_space())

            -- As many items as there are slots of 32 bytes in all pages.
            local n = 0
            while birds:rpush("list", "abc") do
                n = n + 1
            end
            ngx.say(n, " ", birds:free_space())
        }
    }
--- response_body
4096 90112
4096 0 64
4096
2794 0



=== 1 MB is small: all keys share its room
--- http_config
    lua_shared_dict room_14 1m;
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_14
            local long = ("x"):rep(1000)
            local i, forcible = 0
            repeat
                i = i + 1
                forcible = select(3, dogs:set(long .. i, i))
            until forcible
            dogs:delete(long .. i)
            ngx.say(select(3, dogs:incr(long .. "a", 1, 0)))
            ngx.say(select(3, dogs:incr(long .. "b", 1, 0)))
        }
    }
--- response_body
false
true



=== no more than thirty have to go for one value of a small one
--- http_config
    lua_shared_dict room_15 100k;
--- config
    location = /t {
        content_by_lua_block {
            local dogs = ngx.shared.room_15
            for i = 1, 735 do
                dogs:set(("%08d"):format(i), ("x"):rep(8))
            end
            ngx.say(dogs:set("large", ("x"):rep(40000)))
            ngx.say(dogs:set("another", ("x"):rep(8)))
        }
    }
--- response_body
falseno memorytrue
truenilfalse

__DATA__


=== a value ends when its time is over
--- http_config
    lua_shared_dict time_1 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_1
            dogs:set("a", 1, 0.02) dogs:set("b", 2, 60) dogs:set("c", 3, 0)
            ngx.say(dogs:get("a"), dogs:get("b"), dogs:get("c"))
            ngx.sleep(0.03)
            ngx.say(dogs:get("a"), dogs:get("b"), dogs:get("c"))
            ngx.say(dogs:add("a", 4))
        }
    }
--- response_body
123
nil23
truenilfalse



=== get_stale gives what is over
--- http_config
    lua_shared_dict time_2 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_2
            dogs:set("a", 1, 0.01, 7) dogs:set("b", 2)
            ngx.sleep(0.02)
            ngx.say(dogs:get_stale("a"))
            ngx.say(dogs:get_stale("b"))
            ngx.say(dogs:get_stale("none"))
        }
    }
--- response_body
17true
2nilfalse
nilnil



=== ttl and expire
--- http_config
    lua_shared_dict time_3 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_3
            ngx.say(dogs:ttl("a"))
            ngx.say(dogs:expire("a", 1))
            dogs:set("a", 1)
            ngx.say(dogs:ttl("a"))
            ngx.say(dogs:expire("a", 100))
            local ttl = dogs:ttl("a")
            ngx.say(ttl > 90 and ttl <= 100)
            dogs:expire("a", 0)
            ngx.say(dogs:ttl("a"))
        }
    }
--- response_body
nilnot found
nilnot found
0
true
true
0



=== times beyond 25 days
--- http_config
    lua_shared_dict time_4 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_4
            dogs:set("a", 1, 86400 * 365 * 50)
            ngx.say(dogs:get("a"), " ", dogs:ttl("a") > 86400 * 365 * 49)
        }
    }
--- response_body
1 true



=== a time below zero throws
--- http_config
    lua_shared_dict time_5 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_5
            for _, name in ipairs({ "set", "add", "replace", "safe_set" }) do
                local ok, err = pcall(dogs[name], dogs, "a", 1, -1)
                ngx.say((err:gsub("^.-:%d+: ", "")))
            end
        }
    }
--- response_body
bad "exptime" argument
bad "exptime" argument
bad "exptime" argument
bad "exptime" argument



=== expire takes a time below zero for no end
--- http_config
    lua_shared_dict time_8 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_8
            dogs:set("a", 1, 10)
            ngx.say(dogs:expire("a", -1), " ", dogs:ttl("a"))
        }
    }
--- response_body
true 0



=== a wrong time is an error of the line that gives it
--- http_config
    lua_shared_dict time_9 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_9
            for _, name in ipairs({ "set", "safe_set", "add", "replace" }) do
                ngx.say(select(2, pcall(function ()
                    dogs[name](dogs, "a", 1, -1)
                end)))
            end
        }
    }
--- response_body_like chop
^(content_by_lua\(nginx\.conf:\d+\):5: bad "exptime" argument
){4}$



=== incr keeps the time, init_ttl gives one
--- http_config
    lua_shared_dict time_6 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_6
            dogs:incr("a", 1, 0, 0.02)
            dogs:incr("a", 1, 0, 60)
            ngx.say(dogs:get("a"))
            ngx.sleep(0.03)
            ngx.say(dogs:get("a"))
            ngx.say(dogs:incr("a", 5, 1, 0.01))
        }
    }
--- response_body
2
nil
6nilfalse



=== flush_all ends all, flush_expired frees them
--- http_config
    lua_shared_dict time_7 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_7
            for i = 1, 10 do dogs:set("k" .. i, i) end
            ngx.say(dogs:flush_expired())
            dogs:flush_all()
            ngx.say(dogs:get("k1"), #dogs:get_keys())
            ngx.say((dogs:get_stale("k1")))
            ngx.say(dogs:flush_expired(3))
            ngx.say(dogs:flush_expired())
            ngx.say((dogs:get_stale("k1")))
        }
    }
--- response_body
0
nil0
1
3
7
nil



=== keys that are over are not among the keys
--- http_config
    lua_shared_dict time_8 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_8
            dogs:set("a", 1) dogs:set("b", 2) dogs:set("c", 3, 0.01)
            ngx.sleep(0.02)
            local keys = dogs:get_keys()
            table.sort(keys)
            ngx.say(table.concat(keys, ","))
        }
    }
--- response_body
a,b



=== get_keys gives 1024, or as many as are asked for
--- http_config
    lua_shared_dict time_9 2m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.time_9
            for i = 1, 2000 do dogs:set("k" .. i, i) end
            ngx.say(#dogs:get_keys(), " ", #dogs:get_keys(5), " ",
                    #dogs:get_keys(0))
        }
    }
--- response_body
1024 5 2000

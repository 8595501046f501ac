Who stays in the cache of one worker, who goes, and for how long.

__DATA__


=== what was used least recently goes
--- config
    location = /t {
        content_by_lua_block {
            for _, name in ipairs { "resty.lrucache",
                                    "resty.lrucache.pureffi" } do
                local c = require(name).new(3)
                c:set("a", 1) c:set("b", 2) c:set("c", 3)
                c:get("a")
                c:set("d", 4)
                ngx.say(c:get("a"), " ", c:get("b"), " ", c:get("c"), " ",
                        (c:get("d")))
                ngx.say(c:count(), " of ", c:capacity())
            end
        }
    }
--- response_body
1 nil 3 4
3 of 3
1 nil 3 4
3 of 3



=== an entry that has expired is still to be had, as stale
--- config
    location = /t {
        content_by_lua_block {
            local c = require("resty.lrucache").new(3)
            c:set("a", "x", 0.01, 7)
            c:set("b", "y")
            ngx.say(c:get("a"))
            ngx.sleep(0.03)
            ngx.say(c:get("a"))
            c:set("a", "z", 10)
            ngx.say(c:get("a"))
            ngx.say(c:get("b"))
        }
    }
--- response_body
xnil7
nilx7
znil0
ynil0



=== flags are 32 bits, or none
--- config
    location = /t {
        content_by_lua_block {
            local c = require("resty.lrucache").new(3)
            for _, flags in ipairs { 4294967295, 4294967296, -1, 0/0,
                                     "7", 1.9 } do
                c:set("a", true, nil, flags)
                ngx.print(select(3, c:get("a")), " ")
            end
        }
    }
--- response_body chomp
4294967295 0 0 0 0 1 



=== keys of any type, values of any type, false among them
--- config
    location = /t {
        content_by_lua_block {
            local c = require("resty.lrucache").new(4)
            local t = {}
            c:set(t, false) c:set(1.5, t) c:set(true, "x")
            ngx.say(c:get(t), " ", c:get(1.5) == t, " ", c:get(true), " ",
                    c:get("none"))
            ngx.say(c:delete(t), " ", c:delete(t), " ", c:get(t), " ",
                    c:count())
        }
    }
--- response_body
false true x nil
true false nil 2



=== keys come the latest first
--- config
    location = /t {
        content_by_lua_block {
            local c = require("resty.lrucache").new(5)
            for i = 1, 7 do c:set(i, i) end
            c:get(4)
            ngx.say(table.concat(c:get_keys(), " "))
            ngx.say(table.concat(c:get_keys(2), " "))
            local t = { 1, 2, 3, 4, 5, 6, 7, 8 }
            c:get_keys(3, t)
            ngx.say(t[3], " ", t[4], " ", t[5])
            c:flush_all()
            ngx.say(c:count(), " ", #c:get_keys(), " ", c:get(7))
            c:set(9, "nine")
            ngx.say(c:get(9), " ", c:count())
        }
    }
--- response_body
4 7 6 5 3
4 7
6 nil 5
0 0 nil
nine 1



=== a cache must have room
--- config
    location = /t {
        content_by_lua_block {
            local lrucache = require "resty.lrucache"
            ngx.say(lrucache.new(0))
            ngx.say(lrucache.new(0/0))
            ngx.say((pcall(lrucache.new, 2 ^ 32 + 1)))
            ngx.say(lrucache.new(2.9):capacity())
            local c = lrucache.new(1)
            c:set("a", 1) c:set("b", 2)
            ngx.say((c:get("a")), " ", (c:get("b")))
        }
    }
--- response_body
nilsize too small
nilsize too small
false
2
nil 2



=== random work, as a simple model has it
--- config
    location = /t {
        content_by_lua_block {
            local c = require("resty.lrucache").new(20)
            local order, values, wrong = {}, {}, 0
            local function touch(k)
                for i, other in ipairs(order) do
                    if other == k then table.remove(order, i) break end
                end
                table.insert(order, 1, k)
            end
            math.randomseed(7)
            for step = 1, 20000 do
                local k = math.random(40)
                local what = math.random(10)
                if what <= 4 then
                    c:set(k, step)
                    values[k] = step
                    touch(k)
                    if #order > 20 then values[table.remove(order)] = nil end
                elseif what == 5 then
                    c:delete(k)
                    values[k] = nil
                    for i, other in ipairs(order) do
                        if other == k then table.remove(order, i) break end
                    end
                else
                    if c:get(k) ~= values[k] then wrong = wrong + 1 end
                    if values[k] then touch(k) end
                end
            end
            ngx.say(wrong, " ", c:count() == #order, " ",
                    table.concat(c:get_keys()) == table.concat(order))
        }
    }
--- response_body
0 true true



=== keys that are no strings come and go among those that are
--- config
    location = /t {
        content_by_lua_block {
            local cache = require("resty.lrucache").new(3)
            local tb = {}
            local function show()
                local list = cache:get_keys()
                for i = 1, #list do
                    list[i] = list[i] == tb and "tb" or tostring(list[i])
                end
                ngx.say(cache:count(), " ", table.concat(list, " "))
            end
            cache:set("x", 1)
            cache:set(false, 2)
            cache:set("y", 3)
            ngx.say(cache:delete("x"), " ", cache:delete("x"))
            cache:set("z", 4)
            ngx.say(cache:get(false), " ", cache:get("x"))
            show()
            cache:set(tb, 5)
            cache:set(7, 6)
            ngx.say(cache:get("y"), " ", cache:get("z"), " ", cache:get("7"),
                    " ", cache:get(7), " ", (cache:get(tb)))
            show()
            cache:set("7", 7)
            ngx.say(cache:get(false), " ", cache:get(7), " ", (cache:get("7")))
            ngx.say(cache:delete(7), " ", cache:get(7), " ", cache:delete(7))
            show()
            ngx.say(pcall(cache.set, cache, nil, 1))
            ngx.say(pcall(cache.set, cache, 0/0, 1))
            ngx.say(cache:get(nil), " ", cache:get(0/0), " ", cache:delete(nil))
            show()
            cache:flush_all()
            ngx.say(cache:get(tb), " ", cache:get("7"))
            for i = 1, 1000 do
                cache:set("k" .. i, i)
                cache:set(i, -i)
                if i % 100 == 0 then collectgarbage() end
            end
            ngx.say(cache:get("k1000"), " ", cache:get(1000), " ",
                    cache:get("k999"), " ", cache:get(999), " ",
                    cache:get("k1"))
        }
    }
--- response_body_like eval
qr/^true false
2 nil
3 false z y
nil nil nil 6 5
3 tb 7 false
nil 6 7
true nil false
2 7 tb
false\S+ .*index is nil
false\S+ .*index is NaN
nil nil false
2 7 tb
nil nil
1000 -1000 nil -999 nil
$/

Which node is next, by turns and weight, or by consistent hashing.

__DATA__


=== turns by weight
--- config
    location = /t {
        content_by_lua_block {
            for _, name in ipairs { "resty.roundrobin", "resty.swrr" } do
                local rr = require(name):new { a = 4, b = 2, c = 2, d = 0 }
                local seen = {}
                for i = 1, 800 do
                    local id = rr:find()
                    seen[id] = (seen[id] or 0) + 1
                end
                ngx.say(seen.a, " ", seen.b, " ", seen.c, " ", seen.d)
            end
        }
    }
--- response_body
400 200 200 nil
400 200 200 nil



=== weights change, nodes come and go
--- config
    location = /t {
        content_by_lua_block {
            for _, name in ipairs { "resty.roundrobin", "resty.swrr" } do
                local rr = require(name):new { a = 1, b = 1 }
                rr:incr("b") rr:set("c", 3) rr:decr("a")
                local seen = {}
                for i = 1, 500 do
                    local id = rr:find()
                    seen[id] = (seen[id] or 0) + 1
                end
                ngx.say(seen.a, " ", seen.b, " ", seen.c)
                rr:delete("c")
                ngx.say(rr:find(), rr:find())
                rr:reinit { x = 1 }
                ngx.say(rr:find(), rr:find())
                rr:reinit {}
                ngx.say(rr:find())
            end
        }
    }
--- response_body
nil 200 300
bb
xx
nil
nil 200 300
bb
xx
nil



=== a smooth robin spreads a heavy node's turns
--- config
    location = /t {
        content_by_lua_block {
            local swrr = require("resty.swrr"):new { a = 5, b = 1, c = 1 }
            local turns, longest, run = {}, 0, 0
            for i = 1, 70 do
                run = swrr:find() == "a" and run + 1 or 0
                longest = math.max(longest, run)
            end
            ngx.say(longest <= 4)
        }
    }
--- response_body
true



=== points lie where nginx has them
--- http_config
    upstream there {
        hash $arg_key consistent;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 weight=2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
        return 200 $server_port;
    }
--- config
    location = /there { proxy_pass http://there; }
    location = /t {
        content_by_lua_block {
            local ports = { $TEST_NGINX_RAND_PORT_1, $TEST_NGINX_RAND_PORT_2,
                            $TEST_NGINX_RAND_PORT_3 }
            local nodes = {}
            for i, port in ipairs(ports) do
                nodes["127.0.0.1\0" .. port] = i == 1 and 2 or 1
            end
            local chash = require("resty.chash"):new(nodes)
            local same, seen = 0, {}
            for i = 1, 60 do
                local port = chash:find(i):match("%z(%d+)")
                local res = ngx.location.capture("/there?key=" .. i)
                same = same + (port == res.body and 1 or 0)
                seen[port] = true
            end
            ngx.say(same, " ", chash.npoints, " ", chash.size)
        }
    }
--- response_body
60 640 640



=== a key keeps its node while others come and go
--- config
    location = /t {
        content_by_lua_block {
            local resty_chash = require "resty.chash"
            local chash = resty_chash:new { a = 1, b = 1, c = 1 }
            local before, moved, to_d = {}, 0, 0
            for i = 1, 3000 do before[i] = chash:find(i) end
            chash:set("d", 1)
            for i = 1, 3000 do
                local id = chash:find(i)
                if id ~= before[i] then
                    moved = moved + 1
                    to_d = to_d + (id == "d" and 1 or 0)
                end
            end
            ngx.say(moved == to_d, " ", moved > 300 and moved < 1500)
            chash:delete("d")
            local back = 0
            for i = 1, 3000 do
                back = back + (chash:find(i) == before[i] and 1 or 0)
            end
            ngx.say(back)
        }
    }
--- response_body
true true
3000



=== next goes round, an empty circle has nobody
--- config
    location = /t {
        content_by_lua_block {
            local chash = require("resty.chash"):new { a = 1, b = 2 }
            local id, i = chash:find("key")
            local first, seen = i, 0
            repeat
                id, i = chash:next(i)
                seen = seen + (id == "a" and 1 or 0)
            until i == first
            ngx.say(seen)
            chash:decr("a") chash:decr("b", 2)
            ngx.say(chash:find("key"), " ", chash:next(1), " ",
                    chash.npoints)
        }
    }
--- response_body
160
nil nil 0

__DATA__


=== lists are pushed and popped at both ends
--- http_config
    lua_shared_dict list_1 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_1
            ngx.say(dogs:lpush("l", "b"), dogs:lpush("l", "a"),
                    dogs:rpush("l", 3))
            ngx.say(dogs:llen("l"))
            ngx.say(dogs:lpop("l"), " ", dogs:rpop("l"), " ", dogs:rpop("l"),
                    " ", dogs:rpop("l"))
            ngx.say(dogs:llen("l"))
        }
    }
--- response_body
123
3
a 3 b nil
0



=== numbers stay numbers
--- http_config
    lua_shared_dict list_2 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_2
            dogs:rpush("l", 1.5) dogs:rpush("l", "1.5")
            ngx.say(type(dogs:lpop("l")), " ", type(dogs:lpop("l")))
        }
    }
--- response_body
number string



=== a list is no value, a value no list
--- http_config
    lua_shared_dict list_3 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_3
            dogs:set("v", 1) dogs:lpush("l", 1)
            ngx.say(dogs:lpush("v", 1))
            ngx.say(dogs:rpop("v"))
            ngx.say(dogs:llen("v"))
            ngx.say(dogs:get("l"))
            ngx.say(dogs:lpush("l", true))
            ngx.say(dogs:incr("l", 1))
        }
    }
--- response_body
nilvalue not a list
nilvalue not a list
nilvalue not a list
nilvalue is a list
nilbad value type
nilnot a number



=== a list that is empty has gone
--- http_config
    lua_shared_dict list_4 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_4
            dogs:lpush("l", 1)
            dogs:lpop("l")
            ngx.say(dogs:get("l"), #dogs:get_keys())
            dogs:set("l", "value")
            ngx.say(dogs:get("l"))
        }
    }
--- response_body
nil0
value



=== set replaces a list, and a list is over like a value
--- http_config
    lua_shared_dict list_5 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_5
            dogs:lpush("l", 1)
            dogs:set("l", 2)
            ngx.say(dogs:get("l"))
            dogs:lpush("m", 1)
            dogs:expire("m", 0.01)
            ngx.sleep(0.02)
            ngx.say(dogs:llen("m"), dogs:lpop("m"), dogs:lpush("m", 5))
        }
    }
--- response_body
2
0nil1



=== long lists
--- http_config
    lua_shared_dict list_6 2m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.list_6
            for i = 1, 5000 do dogs:rpush("l", "item " .. i) end
            local sum = 0
            for i = 1, 5000 do
                sum = sum + (dogs:lpop("l") == "item " .. i and 1 or 0)
            end
            ngx.say(sum, " ", dogs:llen("l"))
        }
    }
--- response_body
5000 0



=== a push takes no room from others
--- http_config
    lua_shared_dict list_room 100k;
--- config
    location /t {
        content_by_lua_block {
            local dogs, n, len, err = ngx.shared.list_room, 0, nil, nil
            repeat
                n = n + 1
                len, err = dogs:lpush("key" .. n, string.rep("x", 100))
            until not len or n == 5000
            ngx.say(len, " ", err, " ", dogs:llen("key1"), " ",
                    #dogs:get_keys(0) == n - 1)
            ngx.say(dogs:rpush("key1", string.rep("x", 50000)))
            dogs:flush_all()
            dogs:flush_expired()
            ngx.say(dogs:lpush("new", "x"))
        }
    }
--- response_body
nil no memory 1 true
nilno memory
1



=== the functions of lists count their arguments
--- http_config
    lua_shared_dict counted 1m;
--- config
    location = /t {
        content_by_lua_block {
            local dict = ngx.shared.counted
            local function try(f, ...)
                ngx.say((select(2, pcall(f, ...))))
            end
            try(dict.lpush)
            try(dict.rpush, dict, "a")
            try(dict.lpush, dict, "a", 1, 2)
            try(dict.lpop, dict)
            try(dict.rpop, dict, "a", 1)
            try(dict.llen, dict)
            try(dict.get_keys)
            try(dict.get_keys, dict, nil)
            try(dict.flush_expired, dict, "x")
            try(function () dict:get_keys("x") end)
            try(dict.flush_expired, dict, 1, 2)
        }
    }
--- response_body
expecting 3 arguments, but only seen 0
expecting 3 arguments, but only seen 2
expecting 3 arguments, but only seen 4
expecting 2 arguments, but only seen 1
expecting 2 arguments, but only seen 3
expecting 2 arguments, but only seen 1
expecting 1 or 2 argument(s), but saw 0
bad argument #2 to 'get_keys' (number expected, got nil)
bad argument #2 to 'flush_expired' (number expected, got string)
content_by_lua(nginx.conf:41):15: bad argument #1 to 'get_keys' (number expected, got string)
expecting 1 or 2 argument(s), but saw 3

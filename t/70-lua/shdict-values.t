__DATA__


=== values of each type come back as they were
--- http_config
    lua_shared_dict values_1 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_1
            dogs:set("s", "text") dogs:set("n", 3.25) dogs:set("b", false)
            dogs:set("z", "a\0b") dogs:set("e", "")
            for _, k in ipairs({ "s", "n", "b", "e" }) do
                local v = dogs:get(k)
                ngx.say(type(v), " ", tostring(v))
            end
            ngx.say(#dogs:get("z"), " ", dogs:get("none"))
        }
    }
--- response_body
string text
number 3.25
boolean false
string 
3 nil



=== flags are kept beside the value
--- http_config
    lua_shared_dict values_2 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_2
            dogs:set("a", 1, 0, 199)
            dogs:set("b", 1)
            ngx.say(dogs:get("a"))
            ngx.say(dogs:get("b"))
            dogs:replace("a", 2)
            ngx.say(dogs:get("a"))
        }
    }
--- response_body
1199
1
2



=== set answers with three values
--- http_config
    lua_shared_dict values_3 1m;
--- config
    location /t {
        content_by_lua_block {
            local ok, err, forcible = ngx.shared.values_3:set("a", 1)
            ngx.say(ok, " ", err, " ", forcible)
        }
    }
--- response_body
true nil false



=== setting nil deletes
--- http_config
    lua_shared_dict values_4 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_4
            dogs:set("a", 1) dogs:set("b", 2)
            dogs:set("a", nil) dogs:delete("b")
            ngx.say(dogs:get("a"), dogs:get("b"))
            ngx.say(dogs:delete("none"))
        }
    }
--- response_body
nilnil
truenilfalse



=== keys
--- http_config
    lua_shared_dict values_5 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_5
            ngx.say(dogs:set(nil, 1))
            ngx.say(dogs:set("", 1))
            ngx.say(dogs:set(string.rep("a", 65536), 1))
            ngx.say(dogs:get(nil))
            ngx.say(dogs:set(string.rep("a", 65535), 1))
            dogs:set(12, "a") dogs:set("a\0b", "c")
            ngx.say(dogs:get("12"), dogs:get("a\0b"), dogs:get("a"))
        }
    }
--- response_body
nilnil key
nilempty key
nilkey too long
nilnil key
truenilfalse
acnil



=== values that cannot be kept
--- http_config
    lua_shared_dict values_6 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_6
            ngx.say(dogs:set("a", {}))
            ngx.say(dogs:set("a", ngx.null))
            ngx.say(dogs:add("a", nil))
            ngx.say(dogs:replace("a", nil))
        }
    }
--- response_body
nilbad value type
nilbad value type
falseattempt to add or replace nil valuesfalse
falseattempt to add or replace nil valuesfalse



=== add is for new keys, replace for old ones
--- http_config
    lua_shared_dict values_7 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_7
            ngx.say(dogs:replace("a", 1))
            ngx.say(dogs:add("a", 2))
            ngx.say(dogs:add("a", 3))
            ngx.say(dogs:replace("a", 4))
            ngx.say(dogs:get("a"))
        }
    }
--- response_body
falsenot foundfalse
truenilfalse
falseexistsfalse
truenilfalse
4



=== incr counts
--- http_config
    lua_shared_dict values_8 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_8
            ngx.say(dogs:incr("n", 1))
            dogs:set("n", 5)
            ngx.say(dogs:incr("n", 2), " ", dogs:incr("n", -0.5))
            dogs:set("s", "text")
            ngx.say(dogs:incr("s", 1))
            ngx.say(dogs:incr("new", 3, 10))
            ngx.say(dogs:incr("new", 3, 10))
        }
    }
--- response_body
nilnot found
7 6.5
nilnot a number
13nilfalse
16nilfalse



=== what incr wants
--- http_config
    lua_shared_dict values_9 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_9
            local function try(...)
                local ok, err = pcall(dogs.incr, dogs, ...)
                ngx.say((err:gsub("^.-:%d+: ", "")))
            end
            try("a", "x")
            try("a", 1, "x")
            try("a", 1, nil, 5)
            try("a", 1, 0, -5)
        }
    }
--- response_body
cannot convert 'nil' to 'double'
bad init arg: number expected, got string
must provide "init" when providing "init_ttl"
bad "init_ttl" argument



=== the dictionaries are those of the configuration
--- http_config
    lua_shared_dict dogs 1m;
    lua_shared_dict cats 1m;
--- config
    location /t {
        content_by_lua_block {
            ngx.shared.dogs:set("a", "dog") ngx.shared.cats:set("a", "cat")
            ngx.say(ngx.shared.dogs:get("a"), ngx.shared.cats:get("a"))
            local names = {}
            for name in pairs(ngx.shared) do names[#names + 1] = name end
            table.sort(names)
            ngx.say(table.concat(names, " "), " ", ngx.shared.mice)
        }
    }
--- response_body
dogcat
cats dogs nil



=== a method needs its dictionary
--- http_config
    lua_shared_dict values_11 1m;
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_11
            local ok, err = pcall(dogs.get, "a")
            ngx.say((err:gsub("^.-:%d+: ", "")))
            ok, err = pcall(dogs.set, {}, "a", 1)
            ngx.say((err:gsub("^.-:%d+: ", "")))
        }
    }
--- response_body
bad "zone" argument
bad "zone" argument



=== what init puts in, requests find
--- http_config
    lua_shared_dict values_12 1m;
    init_by_lua_block { ngx.shared.values_12:set("a", "from init") }
    init_worker_by_lua_block { ngx.shared.values_12:set("b", "from worker") }
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.values_12
            ngx.say(dogs:get("a"), " ", dogs:get("b"))
        }
    }
--- response_body
from init from worker



=== one worker finds what another has put in
--- workers: 4
--- http_config
    lua_shared_dict values_13 1m;
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.shared.values_13:incr("n", 1, 0) <= 8)
        }
    }
    location /n {
        content_by_lua_block { ngx.say(ngx.shared.values_13:get("n")) }
    }
--- request eval
[("GET /t") x 8, "GET /n"]
--- response_body eval
[("true\n") x 8, "8\n"]



=== methods stand in the metatable, where libraries replace them
--- http_config
    lua_shared_dict dogs 100k;
--- config
    location = /t {
        content_by_lua_block {
            local mt = getmetatable(ngx.shared.dogs)
            local get = mt.get
            function mt.get(dict, key)
                return "<" .. tostring(get(dict, key)) .. ">"
            end
            ngx.shared.dogs:set("a", 1)
            ngx.say(ngx.shared.dogs:get("a"), " ", mt.__index == mt)
            mt.get = get
        }
    }
--- response_body
<1> true

Limits in shared dictionaries, of rates, connections, counts, all at once.

__DATA__


=== requests per second: delays, then refusals
--- http_config
    lua_shared_dict limit_1 1m;
--- config
    location = /t {
        content_by_lua_block {
            local lim = require("resty.limit.req").new("limit_1", 2, 2)
            for i = 1, 4 do
                ngx.say(lim:incoming("k", true))
            end
            ngx.say(lim:incoming("k", false))
            ngx.say(lim:incoming("other", true))
            lim:set_rate(1000)
            ngx.sleep(0.01)
            ngx.say(lim:incoming("k", false) ~= nil)
        }
    }
--- response_body_like
^00
0\.5\d*1
(0\.9\d+|1)(1\.9\d+|2)
nilrejected
nilrejected
00
true$



=== an uncommitted request counts for nobody
--- http_config
    lua_shared_dict limit_2 1m;
--- config
    location = /t {
        content_by_lua_block {
            local lim = require("resty.limit.req").new("limit_2", 1, 1)
            ngx.say(lim:uncommit("k"))
            lim:incoming("k", true)
            for i = 1, 3 do
                local delay = lim:incoming("k", true)
                ngx.say(delay > 0.5, " ", lim:uncommit("k"))
            end
        }
    }
--- response_body
nilnot found
true true
true true
true true



=== somebody else's value is not ours
--- http_config
    lua_shared_dict limit_3 1m;
--- config
    location = /t {
        content_by_lua_block {
            local req = require "resty.limit.req"
            local lim = req.new("limit_3", 1, 1)
            for _, v in ipairs { 7, "text", true } do
                ngx.shared.limit_3:set("k", v)
                ngx.say(lim:incoming("k", true))
                ngx.say(lim:uncommit("k"))
            end
            ngx.say(req.new("none", 1, 1))
            ngx.say((pcall(req.new, "limit_3", 0, 1)))
            ngx.say((pcall(req.new, "limit_3", 1, -1)))
        }
    }
--- response_body
nilshdict abused by other users
nilshdict abused by other users
nilshdict abused by other users
nilshdict abused by other users
nilshdict abused by other users
nilshdict abused by other users
nilshared dict not found
false
false



=== connections at a time
--- http_config
    lua_shared_dict limit_4 1m;
--- config
    location = /t {
        content_by_lua_block {
            local lim = require("resty.limit.conn").new("limit_4", 2, 2, 0.5)
            for i = 1, 5 do
                ngx.say(lim:incoming("k", true))
                ngx.say(lim:is_committed())
            end
            ngx.say(lim:leaving("k", 1.5), " ", lim:uncommit("k"))
            ngx.say(lim:incoming("k", false))
            ngx.say(lim:is_committed())
            lim:set_conn(10) lim:set_burst(0)
            ngx.say(lim:incoming("k", true))
        }
    }
--- response_body
01
true
02
true
0.53
true
0.54
true
nilrejected
false
3 2
13
false
03



=== counts in a window
--- http_config
    lua_shared_dict limit_5 1m;
--- config
    location = /t {
        content_by_lua_block {
            local lim = require("resty.limit.count").new("limit_5", 2, 0.05)
            for i = 1, 3 do ngx.say(lim:incoming("k", true)) end
            ngx.say(lim:uncommit("k"))
            ngx.sleep(0.1)
            ngx.say(lim:uncommit("k"))
            ngx.say(lim:incoming("k", false))
            ngx.say(lim:incoming("k", true))
        }
    }
--- response_body
01
00
nilrejected
0
2
01
01



=== all at once, or none
--- http_config
    lua_shared_dict limit_6 1m;
    lua_shared_dict limit_7 1m;
--- config
    location = /t {
        content_by_lua_block {
            local count = require "resty.limit.count"
            local traffic = require "resty.limit.traffic"
            local a, b = count.new("limit_6", 5, 60),
                         count.new("limit_7", 2, 60)
            local states = {}
            for i = 1, 3 do
                ngx.say(traffic.combine({ a, b }, { "x", "y" }, states))
            end
            ngx.say(table.concat(states, " "))
            ngx.say(traffic.combine({ b, a }, { "y", "x" }))
            ngx.say(ngx.shared.limit_6:get("x"))
        }
    }
--- response_body
0
0
nilrejected
2 0
nilrejected
3

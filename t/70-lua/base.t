# What libraries take from resty.core.base.

__DATA__


=== a pointer for C, but in init_by_lua
--- http_config
    init_by_lua_block { in_init = require("resty.core.base").get_request() }
    init_worker_by_lua_block {
        in_worker = type(require("resty.core.base").get_request())
    }
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.core.base").get_request()
            ngx.say(in_init, " ", in_worker, " ", type(r), " ", r ~= nil)
        }
    }
--- response_body
nil cdata cdata true



=== it has the members that lua-resty-core has, and no more
--- config
    location = /t {
        content_by_lua_block {
            local base = require "resty.core.base"
            local n = 0
            for _ in pairs(base) do
                n = n + 1
            end
            local list = {}
            ngx.say(n, " ", base.ref_in_table(list, "a"),
                    base.ref_in_table(list, "b"), base.ref_in_table(list))
            ngx.say(tostring(base.get_errmsg_ptr()):match("[^:]+"))
            base.allows_subsystem("stream", "http")
            ngx.say(select(2, pcall(base.allows_subsystem, "stream")))
        }
    }
--- response_body
20 12-1
cdata<char *[1]>
unsupported subsystem: http



=== a call of the API that needs a request still says so
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                said = select(2, pcall(ngx.req.get_headers))
            end)
            ngx.sleep(0.05)
            ngx.say(said)
        }
    }
--- response_body
API disabled in the current context

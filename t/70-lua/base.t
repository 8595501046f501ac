# What libraries take from resty.core.base.

__DATA__


=== the request, or nil where there is none
--- http_config
    init_by_lua_block { in_init = require("resty.core.base").get_request() }
    init_worker_by_lua_block {
        in_worker = require("resty.core.base").get_request()
    }
--- config
    location = /t {
        content_by_lua_block {
            local r = require("resty.core.base").get_request()
            ngx.say(in_init, " ", in_worker, " ", type(r), " ", r ~= nil)
        }
    }
--- response_body
nil nil cdata true



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

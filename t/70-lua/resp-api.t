# What ngx.resp adds: words for a status, conditions that don't count.

__DATA__


=== a status has the script's own words
--- config
    location = /t {
        content_by_lua_block {
            require("ngx.resp").set_status(500, "it rains")
            ngx.say("wet")
        }
    }
--- error_code: 500
--- raw_response_headers_like: ^HTTP/1\.1 500 it rains\r\n
--- response_body
wet



=== without words it has the usual ones; a line break is none of them
--- config
    location = /t {
        content_by_lua_block {
            local words = ngx.var.arg_r and "a\r\nb: c"
            require("ngx.resp").set_status(404, words)
            ngx.say(ngx.status)
        }
    }
--- request eval
["GET /t", "GET /t?r=1"]
--- error_code eval
[404, 404]
--- raw_response_headers_like eval
["^HTTP/1.1 404 Not Found\r\n", "^HTTP/1.1 404 a%0D%0Ab: c\r\n"]
--- response_body eval
["404\n", "404\n"]



=== its arguments are checked
--- config
    location = /t {
        content_by_lua_block {
            local resp = require "ngx.resp"
            resp.set_status("201", nil)
            ngx.say(ngx.status)
            ngx.say(select(2, pcall(resp.set_status, "x")))
            ngx.say(select(2, pcall(resp.set_status, 200, {})))
        }
    }
--- error_code: 201
--- response_body
201
bad argument #1 to 'set_status' (number expected)
bad argument #2 to 'set_status' (string expected, got table)



=== If-Modified-Since and its like are not looked at
--- config
    location = /t {
        content_by_lua_block {
            if ngx.var.arg_all then
                require("ngx.resp").bypass_if_checks()
            end
            ngx.header["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
            ngx.say("all of it")
        }
    }
--- request eval
["GET /t", "GET /t?all=1"]
--- more_headers
If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT
--- error_code eval
[304, 200]
--- response_body eval
["", "all of it\n"]

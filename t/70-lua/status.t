=== ngx.status is 0 as long as nobody has said one
--- config
    location = /t {
        rewrite_by_lua_block { ngx.ctx.early = ngx.status }
        content_by_lua_block { ngx.say(ngx.ctx.early, " ", ngx.status) }
    }
--- response_body
0 0



=== it is 9 for a client that speaks HTTP/0.9
--- config
    location = /t { content_by_lua_block { ngx.say(ngx.status) } }
--- http09
--- raw_request eval
"GET /t\r\n"
--- response_body
9



=== what was set is what is sent, in HTTP/1.0 and HTTP/1.1
--- config
    location = /t {
        content_by_lua_block {
            ngx.status = 202
            ngx.say(ngx.status)
        }
    }
--- request eval
["GET /t HTTP/1.0", "GET /t"]
--- error_code eval
[202, 202]
--- response_body eval
["202\n", "202\n"]



=== the page of an error has the error's status
--- config
    error_page 404 /page;
    location = /page {
        content_by_lua_block { ngx.say("page of ", ngx.status) }
    }
--- error_code: 404
--- response_body
page of 404



=== after the header it is too late
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("x")
            ngx.flush(true)
            ngx.status = 404
            ngx.say(ngx.status)
        }
    }
--- response_body
x
200
--- error_log
attempt to set ngx.status after sending out response headers



=== a status that a script sets is the answer's, on a page for an error as well
--- config
    error_page 404 /page?$args;
    location = /page { internal; content_by_lua_block {
        local was = ngx.status
        ngx.status = tonumber(ngx.var.arg_to)
        ngx.say(was, " ", ngx.status) } }
    location = /plain { internal; content_by_lua_block { ngx.say(ngx.status) } }
    location = /t { return 404; }
    location = /u { error_page 404 /plain; return 404; }
    location = /v { error_page 404 =403 /plain; return 404; }
--- request eval
["GET /t?to=200", "GET /t?to=500", "GET /u", "GET /v"]
--- error_code eval
[200, 500, 404, 403]
--- response_body eval
["404 200\n", "404 500\n", "404\n", "403\n"]

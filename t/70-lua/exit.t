__DATA__


=== exit with an error status gives its page
--- config
    location = /t { content_by_lua_block { ngx.exit(404) ngx.say("not reached") } }
--- error_code: 404
--- response_body_like: 404 Not Found
--- no_error_log
[error]



=== exit with a status that was set sends what was said
--- config
    location = /t {
        content_by_lua_block {
            ngx.status = 403
            ngx.say("my own page")
            ngx.exit(403)
        }
    }
--- error_code: 403
--- response_body
my own page
--- no_error_log
[error]



=== another status after the header is an error in the log
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.exit(500) } }
--- response_body
x
--- error_log
attempt to set status 500 via ngx.exit after sending out the response status 200



=== exit(ngx.OK) in rewrite goes on
--- config
    location = /t {
        rewrite_by_lua_block { ngx.exit(ngx.OK) ngx.log(ngx.ERR, "not reached") }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body
content
--- no_error_log
[error]



=== exit(ngx.OK) in access goes on
--- config
    location = /t {
        access_by_lua_block { ngx.exit(ngx.OK) }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body
content
--- no_error_log
[error]



=== exit(200) in access ends the request
--- config
    location = /t {
        access_by_lua_block { ngx.say("access") ngx.exit(200) }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body
access
--- no_error_log
[error]



=== exit(403) in access refuses
--- config
    location = /t {
        access_by_lua_block { ngx.exit(ngx.HTTP_FORBIDDEN) }
        content_by_lua_block { ngx.say("content") }
    }
--- error_code: 403
--- no_error_log
[error]



=== exit in rewrite is seen by error_page
--- config
    error_page 410 = @gone;
    location @gone { return 200 "gone for good"; }
    location = /t {
        rewrite_by_lua_block { ngx.exit(410) }
        content_by_lua_block { ngx.say("content") }
    }
--- response_body: gone for good



=== exit(204) has no body
--- config
    location = /t { content_by_lua_block { ngx.exit(204) } }
--- error_code: 204
--- response_body:
--- no_error_log
[error]



=== exit(201) sets the status
--- config
    location = /t { content_by_lua_block { ngx.exit(201) } }
--- error_code: 201
--- no_error_log
[error]



=== exit(ngx.ERROR) closes without an answer
--- config
    location = /t { content_by_lua_block { ngx.exit(ngx.ERROR) } }
--- error_code:
--- no_error_log
[error]



=== exit(444) closes without an answer
--- config
    location = /t { content_by_lua_block { ngx.exit(444) } }
--- error_code:
--- no_error_log
[error]



=== exit leaves nested functions and pcall
--- config
    location = /t {
        content_by_lua_block {
            local function f() ngx.say("in f") ngx.exit(200) end
            local ok = pcall(f)
            ngx.say("not reached ", ok)
        }
    }
--- response_body
in f
--- no_error_log
[error]



=== exit leaves from a coroutine
--- config
    location = /t {
        content_by_lua_block {
            local co = coroutine.wrap(function () ngx.say("in co") ngx.exit(200) end)
            co()
            ngx.say("not reached")
        }
    }
--- response_body
in co
--- no_error_log
[error]



=== exit from a light thread ends the others
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.sleep(0.01) ngx.say("thread") ngx.exit(200) end)
            ngx.sleep(100)
            ngx.say("not reached")
        }
    }
--- response_body
thread
--- no_error_log
[error]



=== exit wants a number
--- config
    location = /t { content_by_lua_block { ngx.say(pcall(ngx.exit, nil)) } }
--- response_body_like: ^falsebad argument #1 to 'exit' \(number expected, got nil\)$



=== exit is not for log_by_lua
--- config
    location = /t { return 200 "x"; log_by_lua_block { ngx.exit(500) } }
--- response_body: x
--- error_log
API disabled in the context of log_by_lua*



=== a status set without output is sent
--- config
    location = /t { content_by_lua_block { ngx.status = 202 } }
--- error_code: 202
--- response_body:



=== a status that nginx does not know is sent as it is
--- config
    location = /t { content_by_lua_block { ngx.status = 799 ngx.say("x") } }
--- error_code: 799
--- response_body
x



=== the status cannot change after the header
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.status = 500 ngx.say(ngx.status) } }
--- response_body
x
200
--- error_log
attempt to set ngx.status after sending out response headers



=== exit does not take what no handler may say
--- config
    location = /again { content_by_lua_block { ngx.exit(ngx.AGAIN) } }
    location = /done { rewrite_by_lua_block { ngx.exit(ngx.DONE) } }
--- request eval
["GET /again", "GET /done"]
--- error_code eval
[500, 500]
--- error_log eval
qr/by_lua\(nginx.conf:\d+\):1: bad argument to 'ngx.exit': does not accept NGX_AGAIN or NGX_DONE/



=== a content handler that declines leaves no answer
--- config
    location = /t { content_by_lua_block { ngx.exit(ngx.DECLINED) } }
--- ignore_response
--- no_error_log
[error]
--- access_log
GET /t



=== a header filter may end the answer with any status
--- config
    location = /t {
        content_by_lua_block { ngx.say("hi") }
        header_filter_by_lua_block { return ngx.exit(201) }
    }
--- error_code: 201
--- response_headers
Content-Length: 0
! Content-Type
--- response_body



=== the status of an exit stays when the error page has none
--- config
    error_page 404 = /page;
    location = /t { content_by_lua_block { ngx.exit(404) } }
    location = /page { content_by_lua_block { ngx.say("mine") } }
--- error_code: 404
--- response_body
mine



=== ngx.DECLINED passes a request on, and answers nothing where nobody is left
--- config
    location = /a { satisfy any; deny all; access_by_lua_block { ngx.exit(ngx.DECLINED) } content_by_lua_block { ngx.say("a") } }
    location = /b { access_by_lua_block { ngx.exit(ngx.DECLINED) } content_by_lua_block { ngx.say("b") } }
    location = /r { rewrite_by_lua_block { ngx.exit(ngx.DECLINED) } content_by_lua_block { ngx.say("r") } }
    location = /s { satisfy any; deny all; access_by_lua_block { ngx.exit(ngx.OK) } content_by_lua_block { ngx.say("s") } }
    location = /none { content_by_lua_block { ngx.exit(ngx.DECLINED) } }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            sock:send("GET /none HTTP/1.0\r\n\r\n")
            ngx.say(sock:receive("*a") == "")
        }
    }
--- request eval
["GET /a", "GET /b", "GET /r", "GET /s", "GET /t"]
--- response_body_like eval
["403", "^b\n", "^r\n", "^s\n", "^true\n"]
--- error_code eval
[403, 200, 200, 200, 200]



=== 444 in a header filter is the status of an answer without a body
--- config
    location = /t {
        content_by_lua_block { ngx.say("hello") }
        header_filter_by_lua_block { return ngx.exit(444) }
    }
--- error_code: 444
--- response_body:
--- no_error_log
[error]



=== a status has three digits, whatever number a script says
--- config
    location /exit { content_by_lua_block { ngx.exit(ngx.var.arg_n) } }
    location /filter {
        header_filter_by_lua_block { ngx.exit(ngx.var.arg_n) }
        return 200;
    }
--- request eval
["GET /exit?n=1000", "GET /exit?n=65736", "GET /filter?n=65736"]
--- error_code eval
[999, 999, 999]

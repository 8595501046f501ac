__DATA__


=== exec goes to another location
--- config
    location = /t { content_by_lua_block { ngx.exec("/other") ngx.say("not reached") } }
    location = /other { content_by_lua_block { ngx.say(ngx.var.uri, " ", ngx.var.request_uri) } }
--- response_body
/other /t
--- no_error_log
[error]



=== exec takes arguments as text, table or in the uri
--- config
    location = /a { content_by_lua_block { ngx.exec("/args", "a=1&b=2") } }
    location = /b { content_by_lua_block { ngx.exec("/args", { x = "y z" }) } }
    location = /c { content_by_lua_block { ngx.exec("/args?q=1") } }
    location = /d { content_by_lua_block { ngx.exec("/args?q=1", "r=2") } }
    location = /args { return 200 "[$args]"; }
--- pipelined_requests eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- response_body eval
["[a=1&b=2]", "[x=y%20z]", "[q=1]", "[q=1&r=2]"]



=== exec drops the arguments of the request
--- config
    location = /t { content_by_lua_block { ngx.exec("/args") } }
    location = /args { return 200 "[$args]"; }
--- request
GET /t?a=b
--- response_body: []



=== exec to a named location keeps uri and arguments
--- config
    location = /t { content_by_lua_block { ngx.exec("@named", "x=y") } }
    location @named { content_by_lua_block { ngx.say(ngx.var.uri, " ", ngx.var.args) } }
--- request
GET /t?a=b
--- response_body
/t a=b
--- error_log
[warn]
query strings x=y ignored when exec'ing named location @named



=== exec from rewrite and access
--- config
    location = /r { rewrite_by_lua_block { ngx.exec("/other") } content_by_lua_block { ngx.say("no") } }
    location = /a { access_by_lua_block { ngx.exec("/other") } content_by_lua_block { ngx.say("no") } }
    location = /other { return 200 "other"; }
--- pipelined_requests eval
["GET /r", "GET /a"]
--- response_body eval
["other", "other"]



=== exec reaches internal locations
--- config
    location = /t { content_by_lua_block { ngx.exec("/in") } }
    location = /in { internal; return 200 "in"; }
--- response_body: in



=== exec after waiting
--- config
    location = /t { content_by_lua_block { ngx.sleep(0.001) ngx.exec("/other") } }
    location = /other { content_by_lua_block { ngx.sleep(0.001) ngx.say("other") } }
--- response_body
other
--- no_error_log
[error]



=== exec after the header is an error
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.exec("/other") } }
    location = /other { return 200 "other"; }
--- ignore_response
--- error_log
attempt to call ngx.exec after sending out response headers



=== exec in a circle is an error
--- config
    location = /t { content_by_lua_block { ngx.exec("/t") } }
--- error_code: 500
--- error_log
rewrite or internal redirection cycle



=== ngx.ctx does not follow an exec
--- config
    location = /t { content_by_lua_block { ngx.ctx.a = 1 ngx.exec("/other") } }
    location = /other { content_by_lua_block { ngx.say(ngx.ctx.a) } }
--- response_body
nil



=== exec from a light thread
--- config
    location = /t {
        content_by_lua_block {
            ngx.thread.spawn(function () ngx.sleep(0.001) ngx.exec("/other") end)
            ngx.sleep(5)
        }
    }
    location = /other { return 200 "other"; }
--- response_body: other
--- no_error_log
[error]



=== exec to a named location takes no arguments from the name either
--- config
    location = /t { content_by_lua_block { ngx.exec("@named?x=y", "z=1") } }
    location @named { return 200 "$uri [$args]"; }
--- request
GET /t?a=b
--- response_body: /t [a=b]



=== exec decodes the path, once
--- config
    location = /t { content_by_lua_block { ngx.exec("/a%20%2562?c=%20") } }
    location /a { return 200 "$uri [$args]"; }
--- response_body: /a %62 [c=%20]



=== exec refuses a path that leaves the root
--- config
    location = /t {
        content_by_lua_block {
            for _, path in ipairs { "/a/../b", "/..", "/a/%2e%2e/b", "?x",
                                    "/a%00", "/..a", "/a..%2f.." } do
                ngx.say(select(2, pcall(ngx.exec, path)))
            end
        }
    }
--- response_body
unsafe uri
unsafe uri
unsafe uri
unsafe uri
unsafe uri
attempt to call ngx.exec after sending out response headers
unsafe uri
--- error_log
unsafe URI "/a/../b" was detected
unsafe URI "/a/%2e%2e/b" was detected



=== exec and redirect count their arguments
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.exec)))
            ngx.say(select(2, pcall(ngx.exec, "/a", nil, nil)))
            ngx.say(select(2, pcall(ngx.redirect)))
            ngx.say(select(2, pcall(ngx.redirect, "/a", 302, 1)))
        }
    }
--- response_body
expecting one or two arguments, but got 0
expecting one or two arguments, but got 3
expecting one or two arguments
expecting one or two arguments

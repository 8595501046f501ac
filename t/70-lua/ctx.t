__DATA__


=== ngx.ctx lives through the phases of a request
--- config
    location = /t {
        rewrite_by_lua_block { ngx.ctx.n = 76 }
        access_by_lua_block { ngx.ctx.n = ngx.ctx.n + 3 }
        content_by_lua_block { ngx.say(ngx.ctx.n) }
    }
--- response_body
79



=== each request has its own
--- config
    location = /t {
        content_by_lua_block {
            ngx.ctx.n = (ngx.ctx.n or 0) + 1
            ngx.sleep(0.001)
            ngx.print(ngx.ctx.n)
        }
    }
--- pipelined_requests eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["1", "1", "1"]



=== the table can be replaced
--- config
    location = /t {
        rewrite_by_lua_block { ngx.ctx = { a = 1 } }
        content_by_lua_block {
            ngx.say(ngx.ctx.a)
            ngx.ctx = { b = 2 }
            ngx.say(ngx.ctx.a, ngx.ctx.b)
        }
    }
--- response_body
1
nil2



=== only a table can be ngx.ctx
--- config
    location = /t { content_by_lua_block { ngx.say(pcall(function () ngx.ctx = 3 end)) } }
--- response_body_like: ^false.*ctx should be a table while getting a number$



=== tables of finished requests are let go
--- config
    location = /set { content_by_lua_block {
        package.loaded.w = package.loaded.w or setmetatable({}, { __mode = "v" })
        ngx.ctx.t = {}
        table.insert(package.loaded.w, ngx.ctx)
        ngx.print("ok")
    } }
    location = /t { content_by_lua_block {
        collectgarbage() collectgarbage()
        ngx.print(next(package.loaded.w) == nil)
    } }
--- request eval
["GET /set", "GET /set", "GET /t"]
--- response_body eval
["ok", "ok", "true"]



=== no ngx.ctx in init_by_lua
--- http_config
    init_by_lua_block { package.loaded.e = { pcall(function () return ngx.ctx end) } }
--- config
    location = /t { content_by_lua_block { ngx.say(package.loaded.e[1], package.loaded.e[2]) } }
--- response_body_like: ^false.*no request found$



=== a jump to another uri begins with an empty table
--- config
    location = /t {
        rewrite_by_lua_block {
            ngx.ctx.foo = 1
            ngx.req.set_uri("/there", true)
        }
    }
    location = /there { content_by_lua_block { ngx.say(ngx.ctx.foo) } }
--- response_body
nil

__DATA__


=== arguments of the query
--- config
    location /t {
        content_by_lua_block {
            local args, err = ngx.req.get_uri_args()
            ngx.say(args.a, " ", args["b c"], " ", args.d, " ", args.e, " ", err)
        }
    }
--- request
GET /t?a=3&b+c=x%20y&d&e=
--- response_body
3 x y true  nil



=== repeated arguments are a list
--- config
    location /t {
        content_by_lua_block {
            local a = ngx.req.get_uri_args().a
            ngx.say(#a, " ", a[1], a[2], tostring(a[3]))
        }
    }
--- request
GET /t?a=1&b=x&a=2&a
--- response_body
3 12true



=== no query, no arguments
--- config
    location /t {
        content_by_lua_block {
            ngx.say(next(ngx.req.get_uri_args()))
        }
    }
--- response_body
nil



=== more than asked for are cut off
--- config
    location /t {
        content_by_lua_block {
            local args, err = ngx.req.get_uri_args(2)
            ngx.say(args.a, args.b, args.c, " ", err)
            args, err = ngx.req.get_uri_args(0)
            ngx.say(args.a, args.b, args.c, " ", err)
        }
    }
--- request
GET /t?a=1&b=2&c=3
--- response_body
12nil truncated
123 nil



=== arguments go into a table of the caller's
--- config
    location /t {
        content_by_lua_block {
            local tab = { old = 1 }
            local args = ngx.req.get_uri_args(10, tab)
            ngx.say(args == tab, " ", tab.old, " ", tab.a)
        }
    }
--- request
GET /t?a=1
--- response_body
true nil 1



=== a new query, as text
--- config
    location /t {
        rewrite_by_lua_block { ngx.req.set_uri_args("a=3&b=x y\n") }
        content_by_lua_block {
            ngx.say(ngx.var.args, " ", ngx.req.get_uri_args().a, " ", ngx.var.arg_a)
        }
    }
--- request
GET /t?old=1
--- response_body
a=3&b=x%20y%0A 3 3



=== a new query, as a table
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_uri_args({ a = { 1, "x y" } })
            ngx.say(ngx.var.args)
            ngx.req.set_uri_args({})
            ngx.say("[", ngx.var.args, "]")
            ngx.req.set_uri_args(12)
            ngx.say(ngx.var.args)
        }
    }
--- response_body
a=1&a=x%20y
[]
12



=== a query that is none throws
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.set_uri_args, nil)))
            ngx.say(select(2, pcall(ngx.req.set_uri_args, print)))
        }
    }
--- response_body
bad argument #1 to 'set_uri_args' (string, number, or table expected, but got nil)
bad argument #1 to 'set_uri_args' (string, number, or table expected, but got function)



=== arguments of the body
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            local args, err = ngx.req.get_post_args()
            ngx.say(args.a, " ", args.b, " ", args.c, " ", err)
        }
    }
--- request
POST /t
a=1&b=x%20y+z&c
--- response_body
1 x y z true nil



=== arguments of an empty body
--- config
    location /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(next(ngx.req.get_post_args()))
        }
    }
--- response_body
nil



=== the body has to be read before
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.get_post_args)))
        }
    }
--- request
POST /t
a=1
--- response_body
no request body found; maybe you should turn on lua_need_request_body?



=== lua_need_request_body reads it
--- config
    lua_need_request_body on;
    location /t {
        content_by_lua_block { ngx.say(ngx.req.get_post_args(1).a) }
    }
--- request
POST /t
a=1&b=2
--- response_body
1



=== a body in a file is not taken apart
--- config
    location /t {
        client_body_in_file_only clean;
        content_by_lua_block {
            ngx.req.read_body()
            local args, err = ngx.req.get_post_args()
            ngx.say(args, " ", err)
        }
    }
--- request
POST /t
a=1
--- response_body
nil request body in temp file not supported

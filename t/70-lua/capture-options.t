__DATA__


=== args: a text or a table, behind those of the uri
--- config
    location = /args { return 200 "[$args]"; }
    location = /t {
        content_by_lua_block {
            local function args(uri, args)
                ngx.print(ngx.location.capture(uri, { args = args }).body)
            end
            args("/args")
            args("/args?a=1")
            args("/args", "b=2")
            args("/args", { c = "x y" })
            args("/args?a=1", { c = { 3, 4 } })
            args("/args?a=1", 5)
            args("/a%72gs", "%20")
        }
    }
--- response_body: [][a=1][b=2][c=x%20y][a=1&c=3&c=4][a=1&5][%20]



=== method: it is GET whatever the parent's is
--- config
    location = /sub {
        content_by_lua_block {
            ngx.say(ngx.req.get_method(), " ", ngx.var.request_method, " ",
                    ngx.var.request_uri)
        }
    }
    location = /t {
        content_by_lua_block {
            local capture, PUT = ngx.location.capture, ngx.HTTP_PUT
            ngx.print(capture("/sub").body)
            ngx.print(capture("/sub", { method = PUT }).body)
            ngx.print(capture("/sub", { method = ngx.HTTP_TRACE }).body)
            local head = capture("/sub", { method = ngx.HTTP_HEAD })
            ngx.say(head.status, " [", head.body, "]")
        }
    }
--- request
DELETE /t
--- response_body
GET DELETE /t
PUT DELETE /t
TRACE DELETE /t
200 []



=== body: its own, with its length
--- config
    location = /sub {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.request_body, " ",
                    ngx.var.http_content_length, " ",
                    ngx.req.get_headers()["content-length"])
        }
    }
    location = /t {
        content_by_lua_block {
            local capture, POST = ngx.location.capture, ngx.HTTP_POST
            ngx.req.read_body()
            ngx.print(capture("/sub", { body = "own" }).body)
            ngx.print(capture("/sub", { body = 12, method = POST }).body)
            ngx.print(capture("/sub", { body = "", method = POST }).body)
            ngx.say(ngx.req.get_body_data(), " ", ngx.var.content_length)
        }
    }
--- request
POST /t
parent's
--- response_body
own own 3 3
12 12 2 2
nil nil 0 0
parent's 8



=== the parent's body is forwarded to POST and PUT, or when it is asked for
--- config
    location = /sub {
        content_by_lua_block {
            ngx.say(ngx.req.get_method(), " ", ngx.req.get_body_data(), " ",
                    ngx.var.http_content_length, " ", ngx.var.http_x)
        }
    }
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            for _, options in ipairs {
                {}, { method = ngx.HTTP_POST }, { method = ngx.HTTP_PUT },
                { method = ngx.HTTP_DELETE }, { always_forward_body = true }
            } do
                ngx.print(ngx.location.capture("/sub", options).body)
            end
        }
    }
--- request
POST /t
text
--- more_headers
X: y
--- response_body
GET nil nil y
POST text 4 y
PUT text 4 y
DELETE nil nil y
GET text 4 y



=== a body that is in a file is forwarded as well
--- config
    client_body_in_file_only clean;
    location = /sub {
        content_by_lua_block {
            local f = io.open(ngx.req.get_body_file())
            ngx.say(f:read("*a"))
            f:close()
            ngx.req.set_body_data("new")
            ngx.say(ngx.req.get_body_data())
        }
    }
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            local options = { method = ngx.HTTP_POST }
            ngx.print(ngx.location.capture("/sub", options).body)
            ngx.print(ngx.location.capture("/sub", options).body)
        }
    }
--- request
POST /t
text
--- response_body
text
new
text
new



=== headers that it changes are not its parent's
--- config
    location = /sub {
        content_by_lua_block {
            ngx.req.set_header("X", "mine")
            ngx.req.set_header("Y", "new")
            ngx.req.clear_header("Cookie")
            ngx.say(ngx.var.http_x, ngx.var.http_y, ngx.var.cookie_a)
        }
    }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/sub").body)
            ngx.say(ngx.var.http_x, ngx.var.http_y, ngx.var.cookie_a)
        }
    }
--- more_headers
X: yours
Cookie: a=1
--- response_body
minenewnil
yoursnil1



=== variables: new ones, the parent's, or a copy of them
--- config
    location = /sub {
        set $mine sub;
        content_by_lua_block {
            ngx.print(ngx.var.yours, "-", ngx.var.mine, " ")
            ngx.var.yours = "changed"
        }
    }
    location = /t {
        set $yours "";
        set $mine "";
        content_by_lua_block {
            for _, options in ipairs {
                {}, { copy_all_vars = true }, { share_all_vars = true }
            } do
                ngx.var.yours, ngx.var.mine = "parent", "mine"
                ngx.print(ngx.location.capture("/sub", options).body)
                ngx.say(ngx.var.yours, "-", ngx.var.mine)
            end
        }
    }
--- response_body
-sub parent-mine
parent-sub parent-mine
parent-sub changed-sub



=== vars: some that it begins with
--- config
    location = /sub { return 200 "$a $b $args\n"; }
    location = /t {
        set $a "";
        set $b "";
        content_by_lua_block {
            ngx.var.a = "parent's"
            for _, options in ipairs {
                { vars = { A = "one", b = 2 } },
                { vars = { b = 2, args = "x" }, copy_all_vars = true },
                { vars = { b = 3 }, share_all_vars = true }
            } do
                ngx.print(ngx.location.capture("/sub", options).body)
            end
            ngx.say(ngx.var.b)
        }
    }
--- response_body
one 2 
parent's 2 x
parent's 3 
3



=== ctx: a table of its own, or one that it is given
--- config
    location = /sub {
        rewrite_by_lua_block { ngx.ctx.n = (ngx.ctx.n or 0) + 1 }
        content_by_lua_block { ngx.say(ngx.ctx.n) }
    }
    location = /t {
        content_by_lua_block {
            local ctx = { n = 10 }
            ngx.ctx.n = 100
            ngx.print(ngx.location.capture("/sub").body)
            ngx.print(ngx.location.capture("/sub", { ctx = ctx }).body)
            ngx.print(ngx.location.capture("/sub", { ctx = ngx.ctx }).body)
            ngx.say(ctx.n, " ", ngx.ctx.n)
        }
    }
--- response_body
1
11
101
11 101



=== all run in one machine, even if it serves this request only
--- config
    lua_code_cache off;
    location = /sub {
        content_by_lua_block {
            ngx.ctx.n = (ngx.ctx.n or 0) + 1
            ngx.say(ngx.ctx.n, " ", count)
        }
    }
    location = /t {
        content_by_lua_block {
            count = 1
            local ctx = { n = 10 }
            ngx.print(ngx.location.capture("/sub", { ctx = ctx }).body)
            ngx.print(ngx.location.capture("/sub").body)
            ngx.say(ctx.n)
        }
    }
--- response_body
11 1
1 1
11
--- error_log
lua_code_cache is off



=== options that are no use
--- config
    location = /sub { return 200 "sub"; }
    location = /t {
        content_by_lua_block {
            for _, o in ipairs {
                1, { args = true }, { args = { [1] = 2 } }, { vars = 1 },
                { vars = { 1 } }, { vars = { x = {} } }, { body = {} },
                { share_all_vars = 1 }, { copy_all_vars = 1 }, { ctx = 1 },
                { method = "GET" }
            } do
                ngx.say(select(2, pcall(ngx.location.capture, "/sub", o)))
            end
        }
    }
--- response_body
expecting table as the 2nd argument for subrequest 0, but got number
Bad args option value
attempt to use a non-string key in the "args" option table
Bad vars option value
attempt to use a non-string key in the "vars" option table
attempt to use bad variable value type table
Bad http request body
Bad share_all_vars option value
Bad copy_all_vars option value
Bad ctx option value type number, expected a Lua table
Bad http request method



=== options that can't be fulfilled
--- config
    location = /sub { return 200 "sub"; }
    location = /t {
        content_by_lua_block {
            local capture = ngx.location.capture
            local function try(...)
                ngx.say(select(2, pcall(capture, ...)))
            end
            try("/sub", { method = 99 })
            try("/sub", { vars = { unheard_of = 1 } })
            try("/sub", { vars = { uri = 1 } })
            try("/../sub")
            try("")
            ngx.say(capture("/sub").body)
        }
    }
--- response_body
failed to adjust the subrequest: -1
failed to adjust the subrequest: -1
failed to adjust the subrequest: 500
unsafe uri in argument #1: /../sub
unsafe uri in argument #1: 
sub
--- error_log
unsupported HTTP method: 99
variable "unheard_of" cannot be assigned a value (maybe you forgot to define it first?)
variable "uri" not changeable



=== an error is the caller's
--- config
    location = /t {
        content_by_lua_block {
            local ok, err = pcall(function ()
                local res = ngx.location.capture("/x", { ctx = 1 })
            end)
            ngx.say(err)
            ok, err = pcall(function ()
                local res = ngx.location.capture("/x", { args = { print } })
            end)
            ngx.say(err)
        }
    }
--- response_body_like
^content_by_lua\(nginx\.conf:\d+\):3: Bad ctx option .*
content_by_lua\(nginx\.conf:\d+\):7: attempt to use a non-string key .*$



=== where there are no subrequests, that is told before what is wrong with one
--- config
    location = /t {
        content_by_lua_block { ngx.say("x") }
        body_filter_by_lua_block {
            local location = ngx.location
            for _, call in ipairs {
                { location.capture, "/t", { method = "GET" } },
                { location.capture, nil }, { location.capture_multi, { {} } },
                { location.capture_multi, {} }, { location.capture }
            } do
                print(select(2, pcall(unpack(call, 1, table.maxn(call)))), ".")
            end
            ngx.arg[2] = true
        }
    }
--- response_body
x
--- grep_error_log eval: qr/API disabled[^.]*|expecting[^.]*|at least[^.]*/
--- grep_error_log_out
API disabled in the context of body_filter_by_lua*
expecting one or two arguments
API disabled in the context of body_filter_by_lua*
at least one subrequest should be specified
expecting one or two arguments

__DATA__


=== variables are read by name
--- config
    location /t {
        set $foo "hello";
        content_by_lua_block {
            ngx.say(ngx.var.foo, " ", ngx.var.FOO, " ", ngx.var.uri, " ",
                    ngx.var.arg_a, " ", ngx.var.http_x_y)
        }
    }
--- request
GET /t?a=3
--- more_headers
X-Y: z
--- response_body
hello hello /t 3 z



=== what has no value is nil
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.var.nope, ngx.var.arg_a, ngx.var.http_nope,
                    ngx.var.cookie_x)
        }
    }
--- response_body
nilnilnilnil



=== what is empty is empty
--- config
    location /t {
        set $foo "";
        content_by_lua_block { ngx.say("[", ngx.var.foo, "][", ngx.var.arg_a, "]") }
    }
--- request
GET /t?a=
--- response_body
[][]



=== variables are written
--- config
    location /t {
        set $foo "a";
        rewrite_by_lua_block {
            ngx.var.foo = ngx.var.foo .. "b"
        }
        content_by_lua_block {
            ngx.var.foo = ngx.var.foo .. "c"
            ngx.say(ngx.var.foo)
            ngx.var.foo = 32
            ngx.say(ngx.var.foo, " ", type(ngx.var.foo))
        }
    }
--- response_body
abc
32 string



=== nil takes a value away
--- config
    location /t {
        set $foo "a";
        content_by_lua_block {
            ngx.var.foo = nil
            ngx.say(ngx.var.foo)
        }
    }
--- response_body
nil



=== what cannot change says so
--- config
    location /t {
        content_by_lua_block {
            local function set(name) ngx.var[name] = "x" end
            ngx.say((select(2, pcall(set, "query_string")):gsub("^.-:%d+: ", "")))
        }
    }
--- response_body
variable "query_string" not changeable



=== one of a family cannot be written to
--- config
    location /t {
        content_by_lua_block { ngx.var.arg_foo = "x" }
        add_header X-Foo $arg_foo;
    }
--- request
GET /t?foo=1
--- error_code: 500
--- error_log
variable "arg_foo" not found for writing; maybe it is a built-in variable



=== args without a query, or set to nil, have no value
--- config
    location /t {
        content_by_lua_block {
            local before = ngx.var.args
            ngx.var.args = nil
            ngx.say(before, " ", ngx.var.args, " ", ngx.var.query_string)
        }
    }
--- request eval
["GET /t", "GET /t?", "GET /t?a=1"]
--- response_body eval
["nil nil nil\n", "nil nil nil\n", "a=1 nil nil\n"]



=== a new Host is the new $host, also where that is kept
--- config
    location /t {
        set $kept $host;
        content_by_lua_block {
            local before = ngx.var.host
            ngx.req.set_header("Host", "New.example:80")
            ngx.say(before, " ", ngx.var.host)
        }
    }
--- response_body
localhost new.example



=== what is not there says what to do
--- config
    location /t {
        content_by_lua_block { ngx.var.nope = "x" }
    }
--- error_code: 500
--- error_log
variable "nope" not found for writing; maybe it is a built-in variable that is not changeable or you forgot to use "set $nope '';" in the config file to define it first



=== args may be set
--- config
    location /t {
        content_by_lua_block {
            ngx.var.args = "b=4"
            ngx.say(ngx.var.arg_a, " ", ngx.var.arg_b, " ",
                    ngx.req.get_uri_args().b)
        }
    }
--- request
GET /t?a=3
--- response_body
nil 4 4



=== groups of the location
--- config
    location ~ ^/t/(\w+)/(x)?(\w*)$ {
        content_by_lua_block {
            ngx.say(ngx.var[1], "|", ngx.var[2], "|", ngx.var[3], "|",
                    ngx.var[4], "|", ngx.var[0], "|", ngx.var[-1])
        }
    }
--- request
GET /t/ab/cd
--- response_body
ab||cd|nil|nil|nil



=== named groups of the location
--- config
    location ~ ^/t/(?<name>\w+)$ {
        content_by_lua_block { ngx.say(ngx.var.name) }
    }
--- request
GET /t/ab
--- response_body
ab



=== a name is a string or a number
--- config
    location /t {
        content_by_lua_block {
            local function get(name) local v = ngx.var[name] end
            local function set(name) ngx.var[name] = "a" end
            ngx.say((select(2, pcall(get, true)):gsub("^.-:%d+: ", "")))
            ngx.say((select(2, pcall(set, 1)):gsub("^.-:%d+: ", "")))
        }
    }
--- response_body
bad variable name
bad variable name



=== without a request there are none
--- http_config
    init_worker_by_lua_block {
        ok, err = pcall(function () local v = ngx.var.uri end)
    }
--- config
    location /t { content_by_lua_block { ngx.say(err) } }
--- response_body_like: API disabled in the current context$



=== a written variable counts for what comes after
--- config
    location /t {
        set $type "";
        rewrite_by_lua_block { ngx.var.type = "text/mine" }
        add_header X-Type $type;
        content_by_lua_block { ngx.say("fine") }
    }
--- response_headers
X-Type: text/mine



=== reading variables stays in the trace
--- config
    location /t {
        set $foo "a";
        content_by_lua_block {
            local traces, n = 0, 0
            local function on_trace(what)
                if what == "stop" then traces = traces + 1 end
            end
            jit.flush()
            jit.attach(on_trace, "trace")
            for i = 1, 300 do
                n = n + #ngx.var.foo + #ngx.var.uri
            end
            jit.attach(on_trace)
            ngx.say(n, " ", traces > 0)
        }
    }
--- response_body
900 true

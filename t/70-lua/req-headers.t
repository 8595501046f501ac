__DATA__


=== headers are found in any spelling
--- config
    location /t {
        content_by_lua_block {
            local h = ngx.req.get_headers()
            ngx.say(h["x-foo"], h["X-Foo"], h.x_foo, h.X_FOO, " ", h.nope)
        }
    }
--- more_headers
X-Foo: 3
--- response_body
3333 nil



=== keys are in lower case unless they are raw
--- config
    location /t {
        content_by_lua_block {
            local h, raw = ngx.req.get_headers(), ngx.req.get_headers(0, true)
            ngx.say(rawget(h, "x-foo"), " ", rawget(h, "X-Foo"))
            ngx.say(raw["X-Foo"], " ", raw["x-foo"])
        }
    }
--- more_headers
X-Foo: 3
--- response_body
3 nil
3 nil



=== a header that came twice is a list
--- config
    location /t {
        content_by_lua_block {
            local h = ngx.req.get_headers()
            ngx.say(#h.foo, " ", h.foo[1], ",", h.foo[2])
        }
    }
--- more_headers
Foo: a
Foo:
--- response_body
2 a,



=== more than asked for are cut off
--- config
    location /t {
        content_by_lua_block {
            local h, err = ngx.req.get_headers(1)
            ngx.say(h.host, " ", h.foo, " ", err)
            h, err = ngx.req.get_headers()
            ngx.say(h.foo, " ", err)
        }
    }
--- more_headers
Foo: a
--- response_body
localhost nil truncated
a nil



=== more than a hundred want to be asked for
--- config
    location /t {
        content_by_lua_block {
            local h, err = ngx.req.get_headers()
            ngx.say(h["x-120"], " ", err)
            h, err = ngx.req.get_headers(0)
            ngx.say(h["x-120"], " ", err)
        }
    }
--- more_headers eval
join("\n", map { "X-$_: $_" } 1 .. 130) . "\n"
--- response_body
nil truncated
120 nil



=== setting a header replaces all of its name
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("foo", "c")
            ngx.say(ngx.req.get_headers().foo, " ", ngx.var.http_foo)
        }
    }
--- more_headers
Foo: a
Foo: b
--- response_body
c c



=== a list makes several lines
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("Foo", { "a", 2, true })
            ngx.say(table.concat(ngx.req.get_headers().foo, ","))
            ngx.req.set_header("Foo", {})
            ngx.say(ngx.req.get_headers().foo)
        }
    }
--- response_body
a,2,true
nil



=== headers are cleared by clear_header and by nil
--- config
    location /t {
        content_by_lua_block {
            ngx.req.clear_header("foo")
            ngx.req.set_header("Bar", nil)
            local h = ngx.req.get_headers()
            ngx.say(h.foo, " ", h.bar, " ", ngx.var.http_foo)
        }
    }
--- more_headers
Foo: a
Bar: b
--- response_body
nil nil nil



=== add_header keeps what is there
--- config
    location /t {
        content_by_lua_block {
            local req = require "ngx.req"
            req.add_header("Foo", "b")
            req.add_header("Foo", { "c", "d" })
            ngx.say(table.concat(ngx.req.get_headers().foo, ","))
            ngx.say(select(2, pcall(req.add_header, "Foo", {})))
            ngx.say(select(2, pcall(req.add_header, "Foo")))
        }
    }
--- more_headers
Foo: a
--- response_body
a,b,c,d
bad 'value' argument: non-empty table expected
bad 'value' argument: string or table expected, got nil



=== a value cannot end the line
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("Foo", "a\r\nBar: b")
            ngx.req.set_header("a b\n", "c")
            ngx.say(ngx.req.get_headers().foo)
            ngx.say(ngx.req.get_headers()["a%20b%0a"])
        }
    }
--- response_body
a%0D%0ABar: b
c



=== a new Host is the host
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("Host", "Example.com:81")
            ngx.say(ngx.var.host, " ", ngx.var.http_host)
        }
    }
--- response_body
example.com Example.com:81



=== what is set in rewrite counts for a file's conditions
--- config
    location /f.txt {
        rewrite_by_lua_block {
            ngx.req.set_header("Range", "bytes=1-2")
        }
    }
--- user_files
>>> f.txt
abcdef
--- request
GET /f.txt
--- error_code: 206
--- response_body chomp
bc



=== cookies can be set and read
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("Cookie", { "a=1", "b=2" })
            ngx.say(ngx.var.cookie_a, ngx.var.cookie_b, " ", ngx.var.http_cookie)
        }
    }
--- response_body
12 a=1; b=2



=== a header needs a name
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.set_header, nil, "a")))
        }
    }
--- response_body
bad 'name' argument: string expected, got nil



=== a request of HTTP/0.9 has no headers to set
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("X-Foo", "a")
            ngx.say(ngx.req.get_headers()["X-Foo"])
        }
    }
--- raw_request eval: "GET /t\r\n"
--- http09
--- response_body
nil



=== of what a request has once an added one takes the place
--- config
    location /t {
        content_by_lua_block {
            local add = require("ngx.req").add_header
            add("Host", "b")
            add("X", 1)
            add("X", 2)
            local h = ngx.req.get_headers()
            ngx.say(h.host, " ", ngx.var.http_host, " ", h.x[1], h.x[2])
        }
    }
--- response_body
b b 12



=== a name with an underscore of its own is found in any case
--- config
    underscores_in_headers on;
    location = /t {
        content_by_lua_block {
            local h = ngx.req.get_headers()
            ngx.say(h["X_Bar"], " ", h["x_bar"], " ", h["X_Foo"])
        }
    }
--- more_headers
x_bar: bar
X-Foo: foo
--- response_body
bar bar foo



=== set to nothing is removed, set again keeps its name
--- config
    location = /t {
        content_by_lua_block {
            local req = ngx.req
            req.set_header("X-A", "")
            req.set_header("X-B", "")
            req.set_header("x-c", "new")
            req.set_header("X-D", { "", "b" })
            req.set_header("User-Agent", { "one", "two" })
            req.set_header("X-E", { "one", "two" })
            local lines = {}
            for name, value in pairs(req.get_headers(0, true)) do
                if name:find "^[XxU]" then
                    lines[#lines + 1] = name .. "=" .. (type(value) == "table"
                                        and table.concat(value, ",") or value)
                end
            end
            table.sort(lines)
            ngx.say(table.concat(lines, " "))
            ngx.say(ngx.var.http_x_a, ngx.var.http_x_b)
        }
    }
--- more_headers
X-A: 1
X-C: 1
x-c: 2
--- response_body
User-Agent=two X-C=new X-D=b X-E=one,two
nilnil



=== a length that is none throws
--- config
    location = /t {
        content_by_lua_block {
            local function try(value)
                ngx.say(pcall(ngx.req.set_header, "content-length", value))
            end
            try "5" try(7) try "5x" try(-1) try { "5", "x" }
            try(("9"):rep(23)) try "9223372036854775808"
            ngx.say(ngx.var.http_content_length)
            try ""
            ngx.say(ngx.var.http_content_length)
        }
    }
--- response_body
true
true
falsefailed to set header
falsefailed to set header
falsefailed to set header
falsefailed to set header
falsefailed to set header
5
true
nil

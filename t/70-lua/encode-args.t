__DATA__


=== a table becomes a query
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_args({ a = "b c&d" }))
            ngx.say(ngx.encode_args({ ["a/b"] = 3 }))
            ngx.say("[", ngx.encode_args({}), "]")
        }
    }
--- response_body
a=b%20c%26d
a%2Fb=3
[]



=== true has no value and false is left out
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_args({ a = true }), ",",
                    ngx.encode_args({ a = false }), ",",
                    ngx.encode_args({ a = "" }))
        }
    }
--- response_body
a,,a=



=== a list of values repeats the name
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.encode_args({ a = { 1, "x y", true, false, "z" } }))
        }
    }
--- response_body
a=1&a=x%20y&a&a=z



=== values that are no text throw
--- config
    location /t {
        content_by_lua_block {
            local ok, err = pcall(ngx.encode_args, { a = print })
            ngx.say(err)
            ok, err = pcall(ngx.encode_args, { a = { {} } })
            ngx.say(err)
            ok, err = pcall(ngx.encode_args, { "x" })
            ngx.say(err)
            ok, err = pcall(ngx.encode_args, { a = ngx.null })
            ngx.say(err)
        }
    }
--- response_body
attempt to use function as query arg value
attempt to use table as query arg value
attempt to use a non-string key in the "args" option table
attempt to use userdata as query arg value



=== only a table can be encoded
--- config
    location /t {
        content_by_lua_block {
            local ok, err = pcall(ngx.encode_args, "a=b")
            ngx.say(err)
        }
    }
--- response_body
bad argument #1 to 'encode_args' (table expected, got string)



=== a query becomes a table
--- config
    location /t {
        content_by_lua_block {
            local t = ngx.decode_args("a=b%20c&d&e=&f+g=h+i")
            ngx.say(t.a, "|", t.d, "|", t.e, "|", t["f g"])
        }
    }
--- response_body
b c|true||h i



=== repeated names become a list
--- config
    location /t {
        content_by_lua_block {
            local t = ngx.decode_args("a=1&b=2&a=&a")
            ngx.say(#t.a, " ", t.a[1], ",", t.a[2], ",", t.a[3], " ", t.b)
        }
    }
--- response_body
3 1,,true 2



=== arguments without a name are dropped
--- config
    location /t {
        content_by_lua_block {
            local n = 0
            for k in pairs(ngx.decode_args("&=x&&==&a=b=c&")) do
                n = n + 1
                ngx.say(k)
            end
            ngx.say(n, " ", ngx.decode_args("a=b=c").a)
        }
    }
--- response_body
a
1 b=c



=== a query may be cut at a number of arguments
--- config
    location /t {
        content_by_lua_block {
            local t, err = ngx.decode_args("a=1&b=2&c=3", 2)
            ngx.say(t.a, t.b, t.c, " ", err)
            t, err = ngx.decode_args("a=1&b=2", 2)
            ngx.say(t.a, t.b, " ", err)
        }
    }
--- response_body
12nil truncated
12 nil



=== a hundred arguments are decoded unless more are asked for
--- config
    location /t {
        content_by_lua_block {
            local list = {}
            for i = 1, 150 do list[i] = "a" .. i .. "=" .. i end
            local s = table.concat(list, "&")
            local t, err = ngx.decode_args(s)
            ngx.say(t.a100, " ", t.a101, " ", err)
            t, err = ngx.decode_args(s, 0)
            ngx.say(t.a150, " ", err)
        }
    }
--- response_body
100 nil truncated
150 nil



=== an empty query has no arguments
--- config
    location /t {
        content_by_lua_block {
            ngx.say(next(ngx.decode_args("")), " ", next(ngx.decode_args("&")))
        }
    }
--- response_body
nil nil



=== what can't be encoded is said where it was asked for
--- config
    location = /t {
        content_by_lua_block {
            local function try(f)
                ngx.say((select(2, pcall(f))))
            end
            try(function () ngx.encode_args { a = {{}} } end)
            try(function () ngx.encode_args { "x" } end)
            try(function () ngx.req.set_uri_args { "x" } end)
            try(function () ngx.exec("/x", { "x" }) end)
        }
    }
--- response_body
content_by_lua(nginx.conf:40):5: attempt to use table as query arg value
content_by_lua(nginx.conf:40):6: attempt to use a non-string key in the "args" option table
content_by_lua(nginx.conf:40):7: attempt to use a non-string key in the "args" option table
content_by_lua(nginx.conf:40):8: attempt to use a non-string key in the "args" option table

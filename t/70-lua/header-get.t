__DATA__


=== headers are read back
--- config
    location /t {
        content_by_lua_block {
            ngx.header.foo = "a"
            ngx.header.bar = { "b", "c" }
            ngx.header.empty = ""
            ngx.say(ngx.header.foo, " ", ngx.header.FOO, " ", ngx.header.nope)
            ngx.say(#ngx.header.bar, " ", ngx.header.bar[2])
            ngx.say("[", ngx.header.empty, "]")
        }
    }
--- response_body
a a nil
2 c
[nil]



=== many lines of one name
--- config
    location /t {
        content_by_lua_block {
            local list = {}
            for i = 1, 40 do list[i] = i end
            ngx.header.foo = list
            ngx.say(#ngx.header.foo, " ", ngx.header.foo[40])
        }
    }
--- response_body
40 40



=== all headers of an answer
--- config
    location /t {
        content_by_lua_block {
            ngx.header["X-Foo"] = { "a", "b" }
            ngx.header.content_length = 4
            ngx.header.content_type = "text/mine"
            local h, err = ngx.resp.get_headers()
            ngx.header.content_length = nil
            ngx.say(h["x-foo"][2], " ", h.X_FOO[1], " ", h["Content-Length"],
                    " ", h.content_type, " ", err)
        }
    }
--- response_body
b a 4 text/mine nil



=== names as they are, if they are to be raw
--- config
    location /t {
        content_by_lua_block {
            ngx.header["X-Foo"] = "a"
            local h = ngx.resp.get_headers(0, true)
            ngx.say(h["X-Foo"], h["x-foo"])
        }
    }
--- response_body
anil



=== more than asked for are cut off
--- config
    location /t {
        content_by_lua_block {
            for i = 1, 120 do ngx.header["x-" .. i] = i end
            local h, err = ngx.resp.get_headers()
            ngx.header.err = err
            h, err = ngx.resp.get_headers(0)
            ngx.say(ngx.header.err, " ", h["x-120"], " ", err)
        }
    }
--- response_body
truncated 120 nil



=== the connection's fate is in it
--- config
    location /t {
        header_filter_by_lua_block {
            ngx.header.x_was = ngx.resp.get_headers().connection
        }
        content_by_lua_block { ngx.say("fine") }
    }
--- more_headers
Connection: close
--- response_headers
x-was: close



=== an unsent header is nil
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.header.content_length, ngx.header.location,
                    ngx.header.server)
        }
    }
--- response_body
nilnilnil



=== a header filter sees the date of a file
--- config
    location = /a.txt {
        header_filter_by_lua_block {
            ngx.header["X-Date"] = ngx.header["Last-Modified"]
        }
    }
--- user_files
>>> a.txt 200001010000
x
--- request
GET /a.txt
--- response_headers
X-Date: Sat, 01 Jan 2000 00:00:00 GMT
Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT



=== who goes over to another protocol keeps the connection
--- config
    location /t {
        header_filter_by_lua_block {
            ngx.log(ngx.WARN, "connection: ", ngx.resp.get_headers().connection)
        }
        content_by_lua_block {
            ngx.status = 101
            ngx.send_headers()
        }
    }
--- error_code: 101
--- error_log
connection: upgrade

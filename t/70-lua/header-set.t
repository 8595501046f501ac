__DATA__


=== a header of the answer
--- config
    location /t {
        content_by_lua_block {
            ngx.header["X-Foo"] = "bar"
            ngx.header.x_num = 32
            ngx.header.x_bool = true
            ngx.say("fine")
        }
    }
--- response_headers
X-Foo: bar
x-num: 32
x-bool: true
--- response_body
fine



=== underscores are dashes
--- config
    location /t {
        content_by_lua_block {
            ngx.header.content_type = "text/my"
            ngx.header.X_Foo_Bar = "x"
            ngx.say(ngx.header["X-Foo-Bar"], ngx.header.x_foo_bar)
        }
    }
--- raw_response_headers_like: Content-Type: text/my\r\n(?s:.*)X-Foo-Bar: x\r\n
--- response_body
xx



=== unless they are to stay
--- config
    lua_transform_underscores_in_response_headers off;
    location /t {
        content_by_lua_block {
            ngx.header.foo_bar = "x"
            ngx.say(ngx.header["foo-bar"], ngx.header.foo_bar)
        }
    }
--- raw_response_headers_like: foo_bar: x\r\n
--- response_body
nilx



=== a list makes several lines
--- config
    location /t {
        content_by_lua_block {
            ngx.header["Set-Cookie"] = { "a=1; path=/", "b=2" }
            ngx.header.x_list = { 1, true, "c" }
            ngx.say("fine")
        }
    }
--- raw_response_headers_like: Set-Cookie: a=1; path=/\r\nSet-Cookie: b=2\r\nx-list: 1\r\nx-list: true\r\nx-list: c\r\n



=== setting it again replaces it
--- config
    location /t {
        content_by_lua_block {
            ngx.header.x_foo = { "a", "b" }
            ngx.header.x_foo = "c"
            ngx.say("fine")
        }
    }
--- raw_response_headers_like: \r\nx-foo: c\r\n
--- raw_response_headers_unlike: x-foo: [ab]



=== nil and an empty list take it away
--- config
    location /t {
        content_by_lua_block {
            ngx.header.x_foo, ngx.header.x_bar = "a", "b"
            ngx.header.x_foo, ngx.header.x_bar = nil, {}
            ngx.say(ngx.header.x_foo, ngx.header.x_bar)
        }
    }
--- response_headers
! x-foo
! x-bar
--- response_body
nilnil



=== the core's own headers go away too
--- config
    location /t {
        content_by_lua_block {
            ngx.header.server = nil
            ngx.header.date = nil
            ngx.header.content_type = nil
            ngx.say("fine")
        }
    }
--- response_headers
! Server
! Date
! Content-Type



=== and are replaced
--- config
    location /t {
        content_by_lua_block {
            ngx.header.Server = "mine"
            ngx.header.Date = "today"
            ngx.say("fine")
        }
    }
--- raw_response_headers_like: \r\nServer: mine\r\nDate: today\r\n
--- raw_response_headers_unlike: Server: lunette



=== a length is kept instead of chunks
--- config
    location /t {
        content_by_lua_block {
            ngx.header.content_length = 5
            ngx.print("hello")
        }
    }
--- response_headers
Content-Length: 5
! Transfer-Encoding
--- response_body chomp
hello



=== a file's headers change in header_filter
--- config
    location /f.txt {
        header_filter_by_lua_block {
            ngx.header.x_type = ngx.header.content_type
            ngx.header.x_length = ngx.header.content_length
            ngx.header.last_modified = nil
            ngx.header.etag = nil
        }
    }
--- user_files
>>> f.txt
abc
--- request
GET /f.txt
--- response_headers
x-type: text/plain
x-length: 4
! Last-Modified
! ETag
--- response_body
abc



=== a new length in header_filter
--- config
    location /f.txt {
        header_filter_by_lua_block { ngx.header.content_length = nil }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
    }
--- user_files
>>> f.txt
abc
--- request
GET /f.txt
--- response_headers
! Content-Length
--- response_body
ABC



=== a date makes the answer conditional
--- config
    location /t {
        rewrite_by_lua_block { }
        content_by_lua_block {
            ngx.header.last_modified = ngx.http_time(1290079655)
            ngx.say("not sent")
        }
    }
--- more_headers
If-Modified-Since: Thu, 18 Nov 2010 11:27:35 GMT
--- error_code: 304
--- response_headers
Last-Modified: Thu, 18 Nov 2010 11:27:35 GMT



=== a value cannot end the line
--- config
    location /t {
        content_by_lua_block {
            ngx.header.x_foo = "a\r\nX-Evil: b"
            ngx.header["X-Bar\r\nX-Evil: b"] = "c"
            ngx.say("fine")
        }
    }
--- response_headers
x-foo: a%0D%0AX-Evil: b
! X-Evil
--- response_body
fine



=== too late is logged
--- config
    location /t {
        content_by_lua_block {
            ngx.say("fine")
            ngx.flush()
            ngx.header.x_foo = "a"
            ngx.say(ngx.header.x_foo)
        }
    }
--- response_headers
! x-foo
--- response_body
fine
nil
--- error_log
attempt to set ngx.header.HEADER after sending out response headers



=== add_header keeps what is there
--- config
    location /t {
        content_by_lua_block {
            local resp = require "ngx.resp"
            ngx.header.x_foo = "a"
            resp.add_header("X-Foo", "b")
            resp.add_header("x-foo", { "c", 4 })
            ngx.say(table.concat(ngx.header.x_foo, ","))
            ngx.say(select(2, pcall(function () resp.add_header("X-Foo") end)))
        }
    }
--- response_body_like
^a,b,c,4
content_by_lua.*: invalid header value$



=== headers go out with an error page as well
--- config
    location /t {
        content_by_lua_block {
            ngx.header.x_foo = "a"
            ngx.exit(404)
        }
    }
--- error_code: 404
--- response_headers
x-foo: a
--- response_body_like: 404 Not Found



=== Location is sent as it is
--- config
    location /t {
        content_by_lua_block {
            ngx.header.location = "/foo?a=b"
            ngx.exit(302)
        }
    }
--- error_code: 302
--- raw_response_headers_like: (?i)location: /foo\?a=b\r\n



=== setting headers stays in the trace
--- config
    location /t {
        content_by_lua_block {
            local traces = 0
            local function on_trace(what)
                if what == "stop" then traces = traces + 1 end
            end
            jit.flush()
            jit.attach(on_trace, "trace")
            for i = 1, 300 do
                ngx.header.x_foo = "a"
                local x = ngx.header.x_foo
            end
            jit.attach(on_trace)
            ngx.say(traces > 0, ngx.header.x_foo)
        }
    }
--- response_body
truea



=== a length below nothing is an error
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(function ()
                ngx.header.content_length = -1
            end)))
        }
    }
--- response_body_like
failed to set header content-length \(error: -1\)$



=== what a handler says of ranges is said
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.accept_ranges = "none"
            ngx.say("ok")
        }
    }
--- response_headers
Accept-Ranges: none



=== a length that is no number is an error
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(function ()
                ngx.header.content_length = "much"
            end)))
        }
    }
--- response_body_like
failed to set header content-length \(error: -1\)$



=== nothing is no header, and a name stays as it was spelled
--- config
    location = /t {
        content_by_lua_block {
            local h = ngx.header
            h["X-A"] = "1"
            h["X-A"] = ""
            h["X-B"], h["X-C"], h["X-D"] = "", { "", "" }, { "a", "" }
            h["X-E"] = "1"
            h["x-e"] = "2"
            require("ngx.resp").add_header("X-F", "")
            ngx.say(h["X-A"], h["X-B"], h["X-C"], h["X-D"], h["X-F"])
        }
    }
--- response_body
nilnilnilanil
--- raw_response_headers_like: X-D: a\r\nX-E: 2\r\n
--- raw_response_headers_unlike: X-[ABCF]:



=== a header without a name is none
--- config
    location /t {
        content_by_lua_block {
            ngx.req.set_header("", "a")
            require("ngx.req").add_header("", { "b", "c" })
            ngx.header[""] = "d"
            require("ngx.resp").add_header("", "e")
            ngx.say(ngx.header[""], #ngx.req.raw_header())
            for name in pairs(ngx.req.get_headers()) do
                if name == "" then ngx.say("there") end
            end
        }
    }
--- raw_request eval
"GET /t HTTP/1.0\r\nA: b\r\n\r\n"
--- response_body
nil25
--- raw_response_headers_unlike: ^:

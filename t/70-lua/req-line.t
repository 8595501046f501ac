__DATA__


=== the method, and changing it
--- config
    location /t {
        content_by_lua_block {
            ngx.say(ngx.req.get_method())
            ngx.req.set_method(ngx.HTTP_PUT)
            ngx.say(ngx.req.get_method(), " ", ngx.var.request_method)
        }
    }
--- request
POST /t
--- response_body
POST
PUT PUT



=== methods of one's own are told as they came
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.req.get_method()) }
    }
--- request
BREW /t
--- response_body
BREW



=== a method that is none throws
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.set_method, 3)))
            ngx.say(select(2, pcall(ngx.req.set_method, "GET")))
        }
    }
--- response_body
unsupported HTTP method: 3
bad method number



=== the version is a number
--- config
    location /t {
        content_by_lua_block { ngx.say(ngx.req.http_version()) }
    }
--- request
GET /t HTTP/1.0
--- response_body
1



=== the bytes of the header
--- config
    location /t {
        content_by_lua_block {
            ngx.print(ngx.req.raw_header())
            ngx.print(ngx.req.raw_header(true))
        }
    }
--- raw_request eval
"GET /t?a=%20 HTTP/1.1\r\nHost: x\r\nX-A:  b\r\nConnection: close\r\n\r\n"
--- response_body eval
my $h = "Host: x\r\nX-A:  b\r\nConnection: close\r\n\r\n";
"GET /t?a=%20 HTTP/1.1\r\n$h$h"



=== when the request began
--- config
    location /t {
        content_by_lua_block {
            ngx.sleep(0.01)
            ngx.update_time()
            local age = ngx.now() - ngx.req.start_time()
            ngx.say(age >= 0.005, " ", age < 20)
        }
    }
--- response_body
true true



=== a request is internal once its uri has changed
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.req.is_internal())
            ngx.req.set_uri("/other")
            ngx.say(ngx.req.is_internal())
        }
    }
--- response_body
false
true



=== a request is internal after a redirect
--- config
    location /t {
        content_by_lua_block {
            ngx.header.x_first = tostring(ngx.req.is_internal())
            return ngx.exec("/inner")
        }
    }
    location /inner {
        content_by_lua_block { ngx.say(ngx.req.is_internal()) }
    }
--- response_body
true
--- response_headers
x-first: false



=== the uri changes without a jump
--- config
    location /t {
        rewrite_by_lua_block { ngx.req.set_uri("/other/x.html") }
        content_by_lua_block { ngx.say(ngx.var.uri, " ", ngx.var.request_uri) }
    }
    location /other { return 404; }
--- response_body
/other/x.html /t



=== with a jump the location is looked for again
--- config
    location /t {
        rewrite_by_lua_block {
            ngx.req.set_uri("/other", true)
            ngx.log(ngx.ERR, "not reached")
        }
        content_by_lua_block { ngx.say("here") }
    }
    location /other { content_by_lua_block { ngx.say("there ", ngx.var.uri) } }
--- response_body
there /other
--- no_error_log
[error]



=== jumping in circles ends with a 500
--- config
    location /t { rewrite_by_lua_block { ngx.req.set_uri("/t", true) } }
--- error_code: 500
--- error_log
rewrite or internal redirection cycle



=== a jump is for the rewrite phase
--- config
    location /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(ngx.req.set_uri, "/x", true)))
        }
    }
--- response_body
API disabled in the context of content_by_lua*



=== what a uri must be
--- config
    location /t {
        content_by_lua_block {
            local set = ngx.req.set_uri
            ngx.say(select(2, pcall(set)))
            ngx.say(select(2, pcall(set, "")))
            ngx.say(select(2, pcall(set, {})))
            ngx.say(select(2, pcall(set, "/a\nb")))
            ngx.say(select(2, pcall(set, "/a", 1)))
            set("/a\nb", false, true)
            ngx.say(#ngx.var.uri)
        }
    }
--- response_body
expecting 1, 2 or 3 arguments but seen 0
attempt to use zero-length uri
bad argument #1 to 'set_uri' (string expected, got table)
unsafe byte "0x0a" in uri "/a\x0Ab" (maybe you want to set the 'binary' argument?)
bad argument #2 to 'set_uri' (boolean expected, got number)
4



=== without a request there is none
--- http_config
    init_by_lua_block {
        ok, err = pcall(function () local m = ngx.req.get_method() end)
        ok2, err2 = pcall(function () local uri = ngx.var.uri end)
    }
--- config
    location /t { content_by_lua_block { ngx.say(err, " ", err2) } }
--- response_body_like
^init_by_lua.*: no request found init_by_lua.*: no request found$



=== set_uri takes a tab
--- config
    location = /t {
        content_by_lua_block {
            ngx.req.set_uri("/a\tb")
            ngx.say(ngx.var.uri == "/a\tb", " ", pcall(ngx.req.set_uri, "/a\nb"))
        }
    }
--- response_body_like
^true false *unsafe byte "0x0a" in uri .*$



=== set_uri in log_by_lua
--- config
    location = /t {
        return 200 "ok";
        log_by_lua_block { ngx.req.set_uri("/other") ngx.log(ngx.WARN, "uri: ", ngx.var.uri) }
    }
--- error_log
uri: /other



=== a place is in the text when is_internal has no request, even under pcall
--- config
    location = /t {
        content_by_lua_block {
            ngx.timer.at(0, function ()
                local _, err = pcall(ngx.req.is_internal)
                package.loaded.err = err
            end)
            while not package.loaded.err do
                ngx.sleep(0.01)
            end
            ngx.say(package.loaded.err)
        }
    }
--- response_body_like: request.lua:\d+: API disabled in the current context$

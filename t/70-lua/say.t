# Known attacks of this kind: CVE-2024-33452.

__DATA__


=== say ends a line, print does not
--- config
    location = /t {
        content_by_lua_block {
            ngx.print("a")
            ngx.print("b", "c")
            ngx.say("d")
            ngx.say("e", "f")
        }
    }
--- response_body
abcd
ef



=== say without arguments is an empty line
--- config
    location = /t { content_by_lua_block { ngx.say() ngx.print() ngx.say("x") } }
--- response_body eval
"\nx\n"



=== numbers, booleans, nil and null are spelt out
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(-0, " ", 1, " ", 3.5, " ", -0.25, " ", 1e15, " ", 2^53)
            ngx.say(true, " ", false, " ", nil, " ", ngx.null)
        }
    }
--- response_body
0 1 3.5 -0.25 1e+15 9.007199254741e+15
true false nil null



=== tables are said item by item, nested ones as well
--- config
    location = /t {
        content_by_lua_block {
            ngx.say({ "a", { 1, { "b", true } }, "c" })
            ngx.say("x", { }, "y")
        }
    }
--- response_body
a1btruec
xy



=== a hole in a table is nil
--- config
    location = /t { content_by_lua_block { ngx.say({ "a", nil, "c" }) } }
--- response_body
anilc



=== a table with other keys cannot be said
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(function () ngx.say({ a = 1 }) end)))
            ngx.say(select(2, pcall(function () ngx.print("x", { [1.5] = 1 }) end)))
        }
    }
--- response_body_like chop
^content_by_lua\(nginx.conf:\d+\):2: bad argument #1 to 'say' \(non-array table found\)
content_by_lua\(nginx.conf:\d+\):3: bad argument #2 to 'print' \(non-array table found\)$



=== functions cannot be said
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(select(2, pcall(function () ngx.say(print) end)))
            ngx.say(select(2, pcall(function () ngx.say({ print }) end)))
        }
    }
--- response_body_like chop
2: bad argument #1 to 'say' \(string, number, boolean, nil, ngx.null, or array table expected, but got function\)
.*3: bad argument #1 to 'say' \(bad data type function found\)$



=== say returns 1
--- config
    location = /t { content_by_lua_block { local ok, err = ngx.say("x") ngx.say(ok, " ", err) } }
--- response_body
x
1 nil



=== a long answer arrives whole
--- config
    location = /t {
        content_by_lua_block {
            for i = 1, 3000 do
                ngx.say("line ", i)
            end
            ngx.print(("x"):rep(100000))
        }
    }
--- response_body eval
(join "", map { "line $_\n" } 1..3000) . "x" x 100000



=== the answer to HEAD has no body
--- config
    location = /t { content_by_lua_block { ngx.say("hello") } }
--- request
HEAD /t
--- response_body:



=== an answer without a length is chunked
--- config
    location = /t { content_by_lua_block { ngx.say("hello") } }
--- response_headers
Transfer-Encoding: chunked
!Content-Length
--- response_body
hello



=== for HTTP/1.0 the length is counted first
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("hello")
            ngx.say(ngx.headers_sent, " ", select(2, ngx.flush()))
        }
    }
--- request
GET /t HTTP/1.0
--- response_headers
Content-Length: 22
!Transfer-Encoding
--- response_body
hello
false buffering



=== lua_http10_buffering off sends at once
--- config
    location = /t {
        lua_http10_buffering off;
        content_by_lua_block {
            ngx.say("hello")
            ngx.say(ngx.headers_sent)
        }
    }
--- request
GET /t HTTP/1.0
--- response_headers
!Content-Length
!Transfer-Encoding
--- response_body
hello
true



=== no output at all is an empty 200
--- config
    location = /t { content_by_lua_block { local x = 1 } }
--- response_body:
--- error_code: 200



=== quoted code may have escapes
--- config
    location = /t { content_by_lua 'ngx.say("it\'s \\"quoted\\"")'; }
--- response_body
it's "quoted"



=== braces, strings and comments in a block do not end it
--- config
    location = /t {
        content_by_lua_block {
            local t = { "}", '{', [[ } ]], [==[ ]] } ]==] } -- }
            --[[ } ]]
            ngx.say(#t, t[1])
        }
    }
--- response_body
4}



=== default_type and the extension give the type
--- config
    default_type text/x-own;
    location /t { content_by_lua_block { ngx.say("x") } }
--- request
GET /t
--- response_headers
Content-Type: text/x-own



=== lua_use_default_type off leaves the type out
--- config
    lua_use_default_type off;
    location = /t { content_by_lua_block { ngx.say("x") } }
--- response_headers
!Content-Type
--- response_body
x



=== after the header of a HEAD there is nothing to say
--- config
    location = /t {
        content_by_lua_block {
            ngx.say("a")
            ngx.log(ngx.WARN, "say: ", select(2, ngx.say("b")))
            ngx.log(ngx.WARN, "eof: ", select(2, ngx.eof()))
        }
    }
--- request eval
["HEAD /t HTTP/1.1", "HEAD /t HTTP/1.0"]
--- response_headers eval
["! Content-Length", "! Content-Length"]
--- error_log
say: header only
eof: seen eof



=== an answer without content has no default type
--- config
    location = /t { content_by_lua_block { ngx.status = 304 } }
--- error_code: 304
--- response_headers
! Content-Type

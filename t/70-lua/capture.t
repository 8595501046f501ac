__DATA__


=== the answer of another location
--- config
    location = /other { return 200 "hello"; }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/other")
            ngx.say(res.status, " ", res.body, " ", res.truncated)
            ngx.say(res.header["Content-Type"], " ",
                    res.header["Content-Length"], " ",
                    res.header["Content-Encoding"])
        }
    }
--- response_body
200 hello false
text/plain 5 nil
--- error_log
lua http subrequest "/other?"
--- no_error_log
[error]



=== a location that is internal, or a file, or Lua's
--- config
    location = /internal { internal; return 200 "internal "; }
    location = /f.txt { }
    location = /lua {
        content_by_lua_block {
            ngx.print(ngx.is_subrequest, " ")
            ngx.flush(true)
            ngx.print(ngx.var.uri)
            ngx.eof()
        }
    }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/internal", "/f.txt", "/lua" } do
                ngx.print(ngx.location.capture(uri).body)
            end
        }
    }
--- user_files
>>> f.txt
text
--- response_body chomp
internal text
true /lua



=== what a header says of a file
--- config
    location = /f.txt { add_header X never; }
    location = /t {
        content_by_lua_block {
            local h = ngx.location.capture("/f.txt").header
            ngx.say(h["Content-Length"], " ", h["Last-Modified"])
            ngx.say(h.ETag, " ", h["Accept-Ranges"], " ", h.X)
        }
    }
--- user_files
>>> f.txt 199901010000.00
0123456789
--- more_headers
If-Modified-Since: Fri, 01 Jan 1999 00:00:00 GMT
Range: bytes=0-1
--- response_body
11 Fri, 01 Jan 1999 00:00:00 GMT
"368c1000-b" nil nil



=== a header that comes more than once is a table
--- config
    location = /cookies {
        content_by_lua_block {
            ngx.header.Set_Cookie = { "a=1", "b=2", "c=3" }
            ngx.header.X = "x"
            ngx.say("done")
        }
    }
    location = /t {
        content_by_lua_block {
            local h = ngx.location.capture("/cookies").header
            ngx.say(table.concat(h["Set-Cookie"], " "), " ", h.X)
        }
    }
--- response_body
a=1 b=2 c=3 x



=== a status has no page, and error_page is not asked
--- config
    error_page 403 404 500 /page;
    location = /page { return 200 "page"; }
    location = /404 { return 404; }
    location = /403 { content_by_lua_block { ngx.exit(403) } }
    location = /500 { content_by_lua_block { error("oops") } }
    location = /302 { content_by_lua_block { ngx.redirect("/x") } }
    location = /201 { content_by_lua_block { ngx.status = 201 ngx.print(1) } }
    location = /none { }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/404", "/403", "/500", "/none", "/302",
                                   "/201" } do
                local res = ngx.location.capture(uri)
                ngx.say(res.status, " [", res.body, "] ", res.truncated, " ",
                        res.header.Location)
            end
        }
    }
--- response_body
404 [] true nil
403 [] true nil
500 [] true nil
404 [] true nil
302 [] true /x
201 [1] false nil
--- error_log
html/none" failed (2: No such file or directory), client: 127.0.0.1
, request: "GET /t HTTP/1.1", subrequest: "/none", host: "localhost"



=== an answer that breaks off is truncated
--- config
    location = /error { content_by_lua_block { ngx.say("a") error("oops") } }
    location = /exit { content_by_lua_block { ngx.say("b") ngx.exit(-1) } }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/error", "/exit" } do
                local res = ngx.location.capture(uri)
                ngx.print(res.status, " ", res.truncated, " ", res.body)
            end
        }
    }
--- response_body
200 true a
200 true b



=== from every phase that may wait
--- config
    location = /one { return 200 "1"; }
    location = /t {
        rewrite_by_lua_block { ngx.ctx.n = ngx.location.capture("/one").body }
        access_by_lua_block {
            ngx.ctx.n = ngx.ctx.n .. ngx.location.capture("/one").body
        }
        content_by_lua_block {
            ngx.say(ngx.ctx.n, ngx.location.capture("/one").body)
        }
        header_filter_by_lua_block {
            ngx.header.X = select(2, pcall(ngx.location.capture, "/one"))
        }
    }
--- response_body
111
--- response_headers
X: API disabled in the context of header_filter_by_lua*



=== it has all phases but access, which is its parent's
--- config
    location = /sub {
        deny all;
        set $a "set ";
        rewrite_by_lua_block { ngx.ctx.a = ngx.var.a .. "rewrite " }
        access_by_lua_block { ngx.exit(403) }
        content_by_lua_block { ngx.say(ngx.ctx.a, "content") }
        header_filter_by_lua_block { ngx.header.X = "header" }
        body_filter_by_lua_block {
            ngx.arg[1] = ngx.arg[1]:upper() .. (ngx.arg[2] and "end" or "")
        }
    }
    location = /t {
        content_by_lua_block {
            local res = ngx.location.capture("/sub")
            ngx.say(res.status, " ", res.header.X)
            ngx.say(res.body)
        }
    }
--- response_body
200 header
SET REWRITE CONTENT
end



=== it may go on somewhere else
--- config
    location = /exec { content_by_lua_block { ngx.exec("/end", "a=1") } }
    location = /named { content_by_lua_block { ngx.exec("@end") } }
    location = /rewrite { rewrite ^ /end?a=2 last; }
    location = /try { try_files /none /end; }
    location = /end { content_by_lua_block { ngx.say(ngx.var.arg_a) } }
    location @end { return 200 "named\n"; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/exec", "/named", "/rewrite", "/try" } do
                ngx.print(ngx.location.capture(uri).body)
            end
        }
    }
--- response_body
1
named
2
nil



=== inside one another
--- config
    location = /t {
        content_by_lua_block {
            local n = tonumber(ngx.var.arg_n or 0)
            local res = n < 5 and ngx.location.capture("/t?n=" .. n + 1)
            ngx.print(n, res and res.body or "\n", n)
        }
    }
--- response_body eval
"012345\n543210"



=== inside one another without end
--- config
    location = /t {
        content_by_lua_block {
            local n = tonumber(ngx.var.arg_n or 0)
            local ok, res = pcall(ngx.location.capture, "/t?n=" .. n + 1)
            ngx.print(ok and res.body or n .. " " .. res)
        }
    }
--- response_body: 51 failed to issue subrequest: -1
--- error_log
lua subrequests cycle while processing "/t"



=== one that hangs up takes its parent along
--- config
    location = /up {
        content_by_lua_block {
            ngx.location.capture("/hang")
            ngx.log(ngx.ERR, "never")
        }
    }
    location = /hang { content_by_lua_block { ngx.exit(444) } }
    location = /t {
        content_by_lua_block {
            ngx.location.capture("/up")
            ngx.log(ngx.ERR, "never")
        }
    }
--- error_code:
--- response_body:
--- no_error_log
never

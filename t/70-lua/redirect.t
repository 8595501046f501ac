__DATA__


=== redirect is a 302
--- config
    location = /t { content_by_lua_block { ngx.redirect("http://example.com/a?b=c") ngx.say("no") } }
--- error_code: 302
--- response_headers
Location: http://example.com/a?b=c
--- response_body_like: 302 Found
--- no_error_log
[error]



=== redirect with each status that is one
--- config
    location = /t { content_by_lua_block { ngx.redirect("/x", tonumber(ngx.var.arg_s)) } }
--- pipelined_requests eval
["GET /t?s=301", "GET /t?s=302", "GET /t?s=303", "GET /t?s=307", "GET /t?s=308"]
--- error_code eval
[301, 302, 303, 307, 308]



=== redirect takes no nil for a status
--- config
    location = /t { content_by_lua_block { ngx.redirect("/x", nil) } }
--- error_code: 500
--- error_log
bad argument #2 to 'redirect' (number expected, got nil)



=== redirect refuses other statuses
--- config
    location = /t { content_by_lua_block { ngx.say(select(2, pcall(ngx.redirect, "/x", 404))) } }
--- response_body_like: only ngx.HTTP_MOVED_TEMPORARILY, ngx.HTTP_MOVED_PERMANENTLY, ngx.HTTP_PERMANENT_REDIRECT, ngx.HTTP_SEE_OTHER, and ngx.HTTP_TEMPORARY_REDIRECT are allowed



=== redirect after the header is an error
--- config
    location = /t { content_by_lua_block { ngx.say("x") ngx.redirect("/y") } }
--- ignore_response
--- error_log
attempt to call ngx.redirect after sending out the headers



=== redirect refuses line ends in the address
--- config
    location = /t { content_by_lua_block { ngx.redirect("http://example.com/\r\nX-Evil: 1") } }
--- error_code: 500
--- response_headers
!X-Evil
--- error_log
unsafe byte "0x0d" in redirect uri "http://example.com/\x0D\x0AX-Evil: 1"



=== redirect in rewrite and access
--- config
    location = /r { rewrite_by_lua_block { ngx.redirect("http://a/", 301) } content_by_lua_block { ngx.say("x") } }
    location = /a { access_by_lua_block { ngx.redirect("http://b/") } content_by_lua_block { ngx.say("x") } }
--- pipelined_requests eval
["GET /r", "GET /a"]
--- error_code eval
[301, 302]
--- no_error_log
[error]



=== redirect takes spaces and other bytes as they are
--- config
    location = /t { content_by_lua_block { ngx.redirect("http://example.com/a b\200") } }
--- error_code: 302
--- response_headers eval
"Location: http://example.com/a b\x{c8}"



=== an unsafe target is shown with its quotes and backslashes escaped
--- config
    location = /t {
        content_by_lua_block { ngx.redirect('/a"b\\c\n') }
    }
--- error_code: 500
--- error_log
unsafe byte "0x0a" in redirect uri "/a\x22b\x5Cc\x0A"



=== a path stays a path
--- config
    location = /t { rewrite_by_lua_block { ngx.redirect("/foo") } }
--- error_code: 302
--- raw_response_headers_like: \r\nLocation: /foo\r\n



=== a status is a whole number
--- config
    location = /t { content_by_lua_block { ngx.redirect("/u", 301.5) } }
--- error_code: 301
--- response_headers
Location: /u



=== bytes that are not ASCII are escaped where an unsafe target is shown
--- config
    location = /t { content_by_lua_block { ngx.redirect("/\1\195\169") } }
--- error_code: 500
--- error_log
unsafe byte "0x01" in redirect uri "/\x01\xC3\xA9"

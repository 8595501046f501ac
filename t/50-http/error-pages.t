__DATA__


=== a status has a page of its own
--- config
    location = /t { return 404; }
--- error_code: 404
--- response_headers
Content-Type: text/html
--- response_body_like: <title>404 Not Found</title>



=== error_page shows another location
--- config
    error_page 404 /none;
    location = /t { return 404; }
    location = /none { internal; return 200 "none: $request_uri $uri"; }
--- error_code: 404
--- response_body: none: /t /none



=== several statuses share one
--- config
    error_page 402 403 /no;
    location = /a { return 402; }
    location = /b { return 403; }
    location = /no { return 200 "no"; }
--- request eval
["GET /a", "GET /b"]
--- error_code eval
[402, 403]
--- response_body eval
["no", "no"]



=== =code changes the status
--- config
    error_page 404 =202 /other;
    location = /t { return 404; }
    location = /other { return 200 "other"; }
--- error_code: 202
--- response_body: other



=== = keeps what the other location says
--- config
    error_page 404 = /other;
    location = /t { return 404; }
    location = /other { return 403 "forbidden"; }
--- error_code: 403
--- response_body: forbidden



=== a named location
--- config
    location = /t { error_page 404 = @other; return 404; }
    location @other { return 200 "$uri"; }
--- response_body: /t



=== another server is a redirect
--- config
    location = /t { error_page 404 http://example.com/x; return 404; }
--- error_code: 302
--- response_headers
Location: http://example.com/x



=== with a status of its own
--- config
    location = /t { error_page 404 =301 http://example.com/x; return 404; }
--- error_code: 301
--- response_headers
Location: http://example.com/x



=== the uri may hold variables and a query
--- config
    location = /t { error_page 404 /e?from=$uri; return 404; }
    location = /e { return 200 "$args"; }
--- error_code: 404
--- response_body: from=/t



=== the method becomes GET, but HEAD stays
--- config
    location = /t { error_page 404 = /e; return 404; }
    location = /e { add_header X-Method $request_method always; return 200 "x"; }
--- request eval
["POST /t\nbody", "HEAD /t"]
--- response_headers eval
["X-Method: GET", "X-Method: HEAD"]



=== an error in an error page is answered by itself
--- config
    error_page 404 /e;
    error_page 403 /never;
    location = /t { return 404; }
    location = /e { return 403; }
    location = /never { return 200 "never"; }
--- error_code: 403
--- response_body_like: 403 Forbidden



=== recursive_error_pages goes on
--- config
    recursive_error_pages on;
    error_page 404 /e;
    error_page 403 = /f;
    location = /t { return 404; }
    location = /e { return 403; }
    location = /f { return 200 "f"; }
--- response_body: f



=== but not for ever
--- config
    recursive_error_pages on;
    error_page 404 /t;
    location = /t { return 404; }
--- error_code: 500
--- error_log
rewrite or internal redirection cycle while internally redirecting to "/t"



=== a location's own error_page replaces the server's
--- config
    error_page 404 /a;
    location = /a { return 200 "a"; }
    location = /b { return 200 "b"; }
    location = /t { error_page 404 /b; return 404; }
    location = /u { error_page 403 /b; return 404; }
--- request eval
["GET /t", "GET /u"]
--- response_body eval
["b", qr/404 Not Found/]
--- error_code eval
[404, 404]



=== error_page takes a bad request too
--- config
    error_page 400 /bad;
    location = /bad { return 200 "bad"; }
--- raw_request eval
"GET /t HTTP/1.1\r\n\r\n"
--- error_code: 400
--- response_headers
Connection: close
--- response_body: bad



=== a named location that is none is a 500
--- config
    location = /t { error_page 404 @none; return 404; }
--- error_code: 500
--- error_log
could not find named location "@none"



=== 444 closes without a word
--- config
    location = /t { return 444; }
--- ignore_response
--- no_error_log
[error]
--- access_log
"GET /t HTTP/1.1" 444 0



=== codes below 300 have no error page
--- config
    error_page 200 /x;
--- must_die
--- error_log
value "200" must be between 300 and 599



=== nor has 499
--- config
    error_page 499 /x;
--- must_die
--- error_log
invalid value "499"



=== the page of 401 says what its status line does not
--- config
    location = /t { return 401; }
--- error_code: 401
--- response_body_like: <h1>401 Authorization Required</h1>



=== an inner block takes the pages back
--- config
    error_page 404 /page;
    location = /page {
        return 200 page;
    }
    location /t {
        return 404;
    }
    location /none {
        no_error_pages;
        return 404;
    }
--- request eval
["GET /t", "GET /none"]
--- error_code eval
[404, 404]
--- response_body_like eval
["^page\$", "404 Not Found"]



=== pages, and none
--- config
    error_page 404 /page;
    no_error_pages;
--- must_die
--- error_log eval
qr/(is duplicate|conflicts with "error_page")/



=== a page of ours is long enough for browsers that have their own
--- config
    location = /off { msie_padding off; return 404; }
    location = /len { content_by_lua_block {
        for _, uri in ipairs { "/t", "/off" } do
            for _, agent in ipairs { "x", "x MSIE 6.0", "x Chrome/1", "x MSIE 6.0 Opera" } do
                local s = ngx.socket.tcp()
                assert(s:connect("127.0.0.1", ngx.var.server_port))
                s:send("GET " .. uri .. "x HTTP/1.0\r\nHost: h\r\nUser-Agent: " .. agent .. "\r\n\r\n")
                ngx.print(#s:receive("*a"):match("\r\n\r\n(.*)") >= 512, " ")
            end
        end
    } }
    location = /offx { msie_padding off; return 404; }
--- request
GET /len
--- response_body_like: ^false true true false false false false false $



=== msie_refresh: a page that leads on
--- config
    msie_refresh on;
    location = /t { return 302 "/here?\"><x y='z'"; }
    location = /other { return 307 /here; }
--- request eval
["GET /t", "GET /other", "GET /t"]
--- more_headers eval
["User-Agent: MSIE 5.5;", "User-Agent: MSIE 5.5;", "User-Agent: other"]
--- error_code eval
[200, 307, 302]
--- response_body_like eval
["content=\"0; URL=/here\\?%22%3E%3Cx%20y=%27z%27\">", "307 Temporary Redirect", "302 Found"]
--- response_headers eval
["Location: ", "", ""]

__DATA__


=== 2xx lets a request pass
--- config
    location = /t { auth_request /auth; }
    location = /auth { return 204; }
--- user_files
>>> t
the file
--- response_body
the file
--- no_error_log
[error]



=== 401 and 403 do not
--- config
    location = /a { auth_request /auth401; return 200 "passed"; }
    location = /b { auth_request /auth401; }
    location = /c { auth_request /auth403; }
    location = /auth401 { return 401; }
    location = /auth403 { return 403 "text"; }
--- request eval
["GET /a", "GET /b", "GET /c"]
--- error_code eval
[200, 401, 403]
--- response_body_like eval
["passed", "401 Authorization Required", "403 Forbidden"]



=== a challenge is passed on, with its copies
--- config
    location = /t { auth_request /auth; }
    location = /auth {
        content_by_lua_block {
            ngx.header["WWW-Authenticate"] = { 'Basic realm="a"', 'Digest x' }
            ngx.header["X-Other"] = "other"
            ngx.exit(401)
        }
    }
--- error_code: 401
--- raw_response_headers_like eval
qr/WWW-Authenticate: Basic realm="a"\r\nWWW-Authenticate: Digest x\r/
--- raw_response_headers_unlike
X-Other



=== any other status is an error
--- config
    location = /t { auth_request /auth; }
    location = /auth { return 302 /login; }
--- error_code: 500
--- response_headers
! Location
--- error_log
auth request unexpected status: 302 while sending to client



=== a file that is not there is an error too
--- config
    location = /t { auth_request /auth; }
--- error_code: 500
--- error_log
auth request unexpected status: 404



=== the other location may close the connection
--- config
    location = /t { auth_request /auth; }
    location = /auth { return 444; }
--- error_code:
--- response_body chop
--- no_error_log
[error]



=== variables are taken from the answer, whatever it says
--- config
    location /t {
        error_page 401 = @login;
        auth_request /auth;
        auth_request_set $user $sent_http_x_user;
        auth_request_set $where "$uri?$args";
        echo "$user at $where";
    }
    location @login { echo "$user logs in"; }
    location = /auth {
        content_by_lua_block {
            local user = ngx.var.request_uri:match("user=(.*)")
            ngx.header["X-User"] = user or "nobody"
            ngx.exit(user and 204 or 401)
        }
    }
--- request eval
["GET /t?user=me", "GET /t"]
--- response_body eval
["me at /auth?\n", "nobody logs in\n"]



=== the other location sees the request's headers, and no body
--- config
    location = /t {
        auth_request /auth;
        auth_request_set $seen $sent_http_x_seen;
        echo_read_request_body;
        echo "$seen";
        echo_request_body;
    }
    location = /auth {
        content_by_lua_block {
            ngx.req.read_body()
            local h = ngx.req.get_headers()
            ngx.header["X-Seen"] = ngx.req.get_method() .. " " .. h["X-Token"]
                .. " " .. tostring(ngx.req.get_body_data())
        }
    }
--- request
POST /t?a=1
the body
--- more_headers
X-Token: secret
--- response_body chop
GET secret nil
the body



=== off, in an inner level
--- config
    auth_request /auth;
    location = /auth { return 403; }
    location = /t { auth_request off; echo open; }
    location = /u { echo closed; }
--- request eval
["GET /t", "GET /u"]
--- error_code eval
[200, 403]



=== satisfy any: one of two
--- config
    location /a { satisfy any; auth_request /yes; deny all; echo in; }
    location /b { satisfy any; auth_request /no; allow all; echo in; }
    location /c { satisfy any; auth_request /no; deny all; echo in; }
    location /d { satisfy all; auth_request /yes; deny all; echo in; }
    location = /yes { return 200; }
    location = /no { add_header WWW-Authenticate Basic always; return 401; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- error_code eval
[200, 200, 401, 403]



=== the page of a 401 may be another's
--- config
    location = /t { auth_request /auth; error_page 401 = @login; }
    location @login { return 302 /login?to=$uri; }
    location = /auth { return 401; }
--- error_code: 302
--- response_headers_like
Location: http://.*/login\?to=/t



=== the other location may be slow, and Lua's
--- config
    location = /t { auth_request /auth; auth_request_set $x $sent_http_x; echo "x=$x"; }
    location = /auth {
        content_by_lua_block {
            ngx.sleep(0.01)
            ngx.header["X"] = ngx.var.request_uri
            ngx.say("a body that nobody sees")
        }
    }
--- response_body
x=/t
--- no_error_log
[error]



=== each of several requests of a connection is asked about
--- config
    location /t { auth_request /auth; echo $arg_n; }
    location = /auth { if ($request_uri ~ n=2) { return 403; } return 200; }
--- pipelined_requests eval
["GET /t?n=1", "GET /t?n=2", "GET /t?n=3"]
--- error_code eval
[200, 403, 200]



=== a name that is none
--- config
    location = /t { auth_request /auth; auth_request_set x 1; }
--- must_die
--- error_log
invalid variable name "x" in



=== a location that asks itself
--- config
    location = /t { auth_request /t; return 403; }
--- error_code: 403



=== before the other location has answered, what it sets is empty
--- config
    location /t { auth_request /auth; auth_request_set $who $upstream_status; return 200 "[$who]"; }
    location /auth { return 204; }
--- response_body chomp
[]
--- no_error_log
[warn]

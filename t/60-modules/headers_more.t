__DATA__


=== sets headers in place of what was there
--- config
    location /t {
        more_set_headers "X-A: 1" "X-B:two words ";
        more_set_headers "x-a: $arg_a";
        more_set_headers "X-C: $arg_c";
        return 200 "ok";
    }
--- request
GET /t?a=3
--- raw_response_headers_like: X-B: two words \r\nx-a: 3\r\n$
--- raw_response_headers_unlike: X-A|X-C
--- response_body: ok



=== clears them, by name or by what the name begins with
--- config
    location /t {
        content_by_lua_block {
            ngx.header["X-One"] = "a"
            ngx.header["X-Hidden-A"] = { "b", "c" }
            ngx.header["x-hidden-b"] = "d"
            ngx.header["X-Stays"] = "e"
            ngx.print("ok")
        }
        more_clear_headers "X-One: whatever" "X-Hidden*";
    }
--- response_headers
!X-One
!X-Hidden-A
!X-Hidden-B
X-Stays: e
--- response_body: ok



=== a name or an empty value clears as well
--- config
    location /t {
        more_set_headers "X-A: 1" "X-B: 1" "X-C: 1";
        more_set_headers X-A "X-B:" "X-C: $arg_none";
        return 200;
    }
--- response_headers
!X-A
!X-B
!X-C



=== what the server says by itself
--- config
    location /t {
        more_set_headers "Server: mine" "Date: today" "Content-Type: a/b; c=d";
        return 200 "ok";
    }
--- raw_response_headers_like: Content-Type: a/b; c=d\r\nContent-Length: 2\r\nConnection: close\r\nServer: mine\r\nDate: today\r\n$



=== what it says can be left unsaid
--- config
    location /t {
        more_clear_headers Server Date Content-Type Content-Length;
        return 200 "ok";
    }
--- raw_response_headers_like: ^HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n$
--- response_body: ok



=== a file without its date, tag and ranges
--- config
    more_clear_headers Last-Modified ETag Accept-Ranges;
--- user_files
>>> a.txt
text
--- request
GET /a.txt
--- more_headers
Range: bytes=0-1
--- response_headers
!Last-Modified
!ETag
!Accept-Ranges
--- response_body
text



=== a status decides
--- config
    more_set_headers -s "404 500" -s 403 "X-Bad: yes";
    more_set_headers -s 200 "X-Good: yes";
    location /good { return 200; }
    location /bad { deny all; }
--- request eval
["GET /good", "GET /bad", "GET /none"]
--- error_code eval
[200, 403, 404]
--- response_headers eval
["X-Good: yes\n!X-Bad", "!X-Good\nX-Bad: yes", "!X-Good\nX-Bad: yes"]



=== a type decides
--- config
    more_set_headers -t " text/css  text/html" -t "text/xml" "X-T: yes";
    location /html { default_type text/html; return 200; }
    location /xml { default_type text/xml; return 200; }
    location /text { return 200; }
--- request eval
["GET /html", "GET /xml", "GET /text"]
--- response_headers eval
["X-T: yes", "X-T: yes", "!X-T"]



=== -a leaves the others there
--- config
    location /t {
        add_header Set-Cookie c;
        more_set_headers "Set-Cookie: a";
        more_set_headers -a "Set-Cookie: b";
        return 200;
    }
--- raw_response_headers_like: Set-Cookie: a\r\nSet-Cookie: b\r\nSet-Cookie: c\r\n$



=== the rules of outer blocks come first
--- http_config
    more_set_headers "X-A: http" "X-B: http";
--- config
    more_set_headers "X-B: server" "X-C: server";
    location /t {
        more_set_headers "X-C: location";
        if ($arg_a) { more_set_headers "X-D: if"; }
        return 200;
    }
--- request
GET /t?a=1
--- response_headers
X-A: http
X-B: server
X-C: location
X-D: if



=== Lua's filter sees what they have done, add_header comes later
--- config
    location /t {
        more_set_headers "X-A: 1";
        more_clear_headers X-B;
        add_header X-B 2;
        header_filter_by_lua_block {
            ngx.header["X-C"] = ngx.header["X-A"]
            ngx.header["X-A"] = nil
        }
        return 200;
    }
--- response_headers
!X-A
X-B: 2
X-C: 1



=== headers of the request, and who sees them
--- config
    location /t {
        set $early $http_x_a;
        more_set_input_headers "X-A: 1" "X-B: $request_method" "User-Agent: me";
        more_clear_input_headers X-C "X-D-*";
        rewrite_by_lua_block { ngx.ctx.a = ngx.var.http_x_a }
        content_by_lua_block {
            ngx.say(ngx.var.early, " ", ngx.ctx.a, " ", ngx.var.http_user_agent)
            for _, name in ipairs { "X-A", "X-B", "X-C", "X-D-E" } do
                ngx.say(name, " ", ngx.req.get_headers()[name])
            end
        }
    }
--- more_headers
X-A: old
X-C: 3
X-D-E: 4
--- response_body
old 1 me
X-A 1
X-B GET
X-C nil
X-D-E nil



=== another host
--- config
    location /t {
        more_set_input_headers "Host: Other.test:81";
        echo $host $http_host;
    }
--- response_body
other.test Other.test:81



=== -r changes only what came
--- config
    location /t {
        more_set_input_headers -r "X-A: new" "X-B: new";
        echo "$http_x_a,$http_x_b";
    }
--- more_headers
X-A: old
--- response_body
new,



=== the type of the request decides
--- config
    location /t {
        more_set_input_headers -t "text/a text/b" "X-A: yes";
        echo [$http_x_a];
    }
--- request eval
["POST /t\nx", "POST /t\nx"]
--- more_headers eval
["Content-Type: text/b", "Content-Type: text/c"]
--- response_body eval
["[yes]\n", "[]\n"]



=== a range that the client did not ask for
--- config
    more_set_input_headers "Range: bytes=$arg_from-$arg_to";
--- user_files
>>> a.txt
0123456789
--- request
GET /a.txt?from=2&to=4
--- error_code: 206
--- response_body: 234



=== HTTP/0.9 has no headers, here and there
--- config
    location /t {
        more_set_input_headers "X-A: b";
        more_set_headers "X-A: b";
        echo [$http_x_a];
    }
--- http09
--- raw_request eval
"GET /t\r\n"
--- response_body
[]



=== HTTP/1.0 has them
--- config
    location /t {
        more_set_input_headers "X-A: in";
        more_set_headers "X-A: out";
        echo [$http_x_a];
    }
--- request
GET /t HTTP/1.0
--- response_headers
X-A: out
--- response_body
[in]



=== where an unread body ends is the client's to say
--- config
    location /t {
        more_set_input_headers "Content-Length: 2";
        echo_read_request_body;
        echo -n "$http_content_length ";
        echo_request_body;
    }
--- request
POST /t
abcd
--- response_body: 2 abcd



=== an option nobody knows
--- config
    more_set_input_headers -s 404 "X: y";
--- must_die
--- error_log
more_set_input_headers: invalid option name: "-s" in



=== an option without its argument
--- config
    more_clear_headers X -t;
--- must_die
--- error_log
more_clear_headers: option -t takes an argument. in



=== a status that is none
--- config
    more_set_headers -s "200 4x" "X: y";
--- must_die
--- error_log
more_set_headers: invalid digit "x" found in the status code list "200 4x" in



=== a star alone
--- config
    more_clear_headers "*";
--- must_die
--- error_log
more_clear_headers: wildcard key too short: * in



=== headers of a request that goes to another location
--- config
    location /t {
        rewrite ^ /other last;
        more_set_input_headers "X-In: 1";
        rewrite_by_lua_block { ngx.req.set_header("X-Lua", "1") }
    }
    location /other {
        return 200 "in=$http_x_in lua=$http_x_lua.";
    }
--- request
GET /t
--- response_body: in=1 lua=.

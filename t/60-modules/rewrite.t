__DATA__


=== a rewrite with last looks for a location again
--- config
    location /old/ { rewrite ^/old/(.*)$ /new/$1 last; return 200 "old"; }
    location /new/ { return 200 "new $uri"; }
--- request
GET /old/a/b
--- response_body: new /new/a/b



=== break stays in the location and ends the instructions
--- config
    location /old/ { rewrite ^/old/(.*)$ /new/$1 break; return 200 "unreached"; }
    location /new/ { return 200 "unreached as well"; }
--- user_files
>>> new/x.txt
file
--- request
GET /old/x.txt
--- response_body
file



=== without a flag the next instructions go on with the new uri
--- config
    location /a { rewrite ^/a /b; rewrite ^/b(.*)$ /c$1; }
    location /b { return 200 "b"; }
    location /c { return 200 "c $uri"; }
--- request
GET /ax
--- response_body: c /c



=== redirect is a 302
--- config
    location /a { rewrite ^/a/(.*)$ /b/$1 redirect; }
--- request
GET /a/x
--- error_code: 302
--- response_headers eval
"Location: http://localhost:$ENV{TEST_NGINX_SERVER_PORT}/b/x"



=== permanent is a 301
--- config
    location /a { rewrite ^ http://example.com$uri permanent; }
--- request
GET /a/x
--- error_code: 301
--- response_headers
Location: http://example.com/a/x



=== a replacement with a scheme redirects by itself
--- config
    location /a { rewrite ^/a/(.*)$ https://$host/$1; }
--- request
GET /a/x
--- error_code: 302
--- response_headers
Location: https://localhost/x



=== $scheme at the front redirects as well
--- config
    location /a { rewrite ^/a/(.*)$ $scheme://example.com/$1; }
--- request
GET /a/x
--- error_code: 302
--- response_headers
Location: http://example.com/x



=== the arguments are kept
--- config
    location /a { rewrite ^ /b last; }
    location /b { return 200 "$args"; }
--- request
GET /a?x=1
--- response_body: x=1



=== new arguments come before those of the request
--- config
    location /a { rewrite ^ /b?y=2 last; }
    location /b { return 200 "$args"; }
--- request eval
["GET /a?x=1", "GET /a"]
--- response_body eval
["y=2&x=1", "y=2"]



=== a question mark at the end drops the arguments
--- config
    location /a { rewrite ^ /b? last; }
    location /c { rewrite ^ /b?y=2? last; }
    location /b { return 200 "[$args]"; }
--- request eval
["GET /a?x=1", "GET /c?x=1"]
--- response_body eval
["[]", "[y=2]"]



=== redirects keep the arguments too
--- config
    location /a { rewrite ^ /b redirect; }
    location /c { rewrite ^ /b?y=2 redirect; }
    location /d { rewrite ^ /b? redirect; }
--- request eval
["GET /a?x=1", "GET /c?x=1", "GET /d?x=1"]
--- error_code eval
[302, 302, 302]
--- raw_response_headers_like eval
["/b\\?x=1\r\n", "/b\\?y=2&x=1\r\n", "/b\r\n"]



=== what was decoded is encoded again in a query
--- config
    location /a/ { rewrite ^/a/(.*)$ /b?q=$1 last; }
    location /b { return 200 "$args"; }
--- request eval
["GET /a/x%26y%3D", "GET /a/x&y"]
--- response_body eval
["q=x%26y=", "q=x&y"]



=== rules of the server come before the locations
--- config
    rewrite ^/a$ /b;
    location = /a { return 200 "a"; }
    location = /b { return 200 "b"; }
--- request
GET /a
--- response_body: b



=== last in a server ends its rules only
--- config
    rewrite ^/a$ /b last;
    rewrite ^/b$ /c;
    location = /b { return 200 "b"; }
    location = /c { return 200 "c"; }
--- request eval
["GET /a", "GET /b"]
--- response_body eval
["b", "c"]



=== a rewrite cycle ends after ten rounds
--- config
    location /a { rewrite ^ /a last; }
--- request
GET /a
--- error_code: 500
--- error_log
rewrite or internal redirection cycle while processing "/a"



=== rewrite_log tells what it does
--- config
    rewrite_log on;
    location /a { rewrite ^/x /y; rewrite ^/a(.*) /b$1?z last; }
    location /b { return 200 "b"; }
--- request
GET /a1
--- response_body: b
--- error_log
[notice]
"^/x" does not match "/a1"
"^/a(.*)" matches "/a1"
rewritten data: "/b1", args: "z"



=== inner locations do not inherit the rules
--- config
    location /a/ {
        set $x outer;
        location /a/b/ { return 200 "[$x]"; }
        return 200 "[$x]";
    }
--- request eval
["GET /a/", "GET /a/b/"]
--- response_body eval
["[outer]", "[]"]



=== return with a text
--- config
    location /a { return 200 "text $uri"; }
    location /b { return 404 "mine"; }
    location /c { return 204; }
    location /d { return 403; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- error_code eval
[200, 404, 204, 403]
--- response_body_like eval
["^text /a\$", "^mine\$", "^\$", "403 Forbidden"]



=== return with a place to go
--- config
    location /a { return 301 /x; }
    location /b { return 307 http://example.com/; }
    location /c { return http://example.com/c; }
    location /d { return 302 $scheme://example.com$request_uri; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d?e"]
--- error_code eval
[301, 307, 302, 302]
--- raw_response_headers_like eval
["/x\r\n", "example.com/\r\n", "example.com/c\r\n", "example.com/d\\?e\r\n"]



=== return 444 says nothing
--- config
    location /t { return 444; }
--- raw_request eval
"GET /t HTTP/1.0\r\nHost: localhost\r\n\r\n"
--- ignore_response
--- access_log eval
qr/ 444 0 /



=== set takes a text with variables
--- config
    location /a { set $x "a$arg_y"; return 200 "$x"; }
--- request
GET /a?y=1
--- response_body: a1



=== a variable that is only set elsewhere is empty
--- config
    location /a { set $x 1; }
    location /b { return 200 "[$x]"; }
--- request
GET /b
--- response_body: []
--- error_log
using uninitialized "x" variable



=== uninitialized_variable_warn off is silent
--- config
    location /a { set $x 1; return 200; }
    location /b { uninitialized_variable_warn off; return 200 "[$x]"; }
--- request
GET /b
--- response_body: []
--- no_error_log
[warn]



=== a value that was set survives a redirect inside
--- config
    location /a { set $x kept; rewrite ^ /b last; }
    location /b { return 200 "$x"; }
--- request
GET /a
--- response_body: kept



=== break ends the instructions of a location
--- config
    location /t { set $x 1; break; set $x 2; }
    location /u { set $x 1; if ($x) { break; } return 200 "unreached"; }
--- user_files
>>> t
t
>>> u
u
--- request eval
["GET /t", "GET /u"]
--- response_body eval
["t\n", "u\n"]



=== a flag that is none
--- config
    location /a { rewrite ^ /b first; }
--- must_die
--- error_log
invalid parameter "first" in



=== a code that is none
--- config
    location /a { return abc; }
--- must_die
--- error_log
invalid return code "abc" in



=== a variable without a dollar
--- config
    location /a { set x 1; }
--- must_die
--- error_log
invalid variable name "x" in



=== what need not be escaped in a redirect is not, up to the query
--- config
    location /t {
        rewrite ^/t/(.*)$ /$1 redirect;
    }
--- request eval
["GET /t/a%27b%7E", "GET /t/a%20b%25c%7F", "GET /t/a%3Fb%27", "GET /t/%C3%a4"]
--- error_code eval
[302, 302, 302, 302]
--- response_headers_like eval
["Location: http://localhost:\\d+/a'b~", "Location: http://localhost:\\d+/a%20b%25c%7F", "Location: http://localhost:\\d+/a\\?b.*", "Location: http://localhost:\\d+/%C3%A4"]



=== a redirect is in the log, if it is asked for
--- config
    rewrite_log on;
    error_log logs/error.log notice;
    location /t { rewrite ^/t(.*)$ /there$1 redirect; }
--- error_code: 302
--- error_log
rewritten redirect: "/there"



=== a uri that is rewritten to nothing is an error
--- config
    location /t { set $no ""; rewrite ^ $no last; }
--- error_code: 500
--- error_log
the rewritten URI has a zero length



=== the text of a return knows its status
--- config
    location = /t { return 202 "$status"; }
    location = /u { error_page 404 = @u; return 404; }
    location @u { return 200 "$status"; }
--- request eval
["GET /t", "GET /u"]
--- error_code eval
[202, 200]
--- response_body eval
["202", "200"]



=== instructions of a server run once, also where there is no location
--- config
    if ($uri = /t) {
        rewrite ^ /there.txt last;
    }
    if ($uri ~ ^/none) {
        return 200 "never $uri";
    }
    set $n "${n}x";
    add_header N $n;
--- user_files
>>> there.txt
there
--- request eval
["GET /t", "GET /there.txt"]
--- response_body eval
["there\n", "there\n"]
--- response_headers eval
["N: ", "N: x"]

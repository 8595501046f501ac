__DATA__


=== each string is replaced once, in either case
--- config
    location /t {
        default_type text/html;
        sub_filter HELLO bye;
        return 200 "Hello hello";
    }
--- response_headers
!Content-Length
--- response_body chomp
bye hello



=== or every time
--- config
    location /t {
        default_type text/html;
        sub_filter aa b; sub_filter_once off;
        return 200 "aaaaa-AA";
    }
--- response_body chomp
bba-b



=== several strings, and what was replaced is not looked at again
--- config
    location /t {
        default_type text/html; sub_filter_once off;
        sub_filter a b; sub_filter b c; sub_filter_types text/plain;
        return 200 "ab ba";
    }
--- response_body chomp
bc cb



=== of those that begin at one place the first that is given
--- config
    default_type text/html; sub_filter_once off;
    location /a { sub_filter abc 1; sub_filter ab 2; return 200 "abc abd ab"; }
    location /b { sub_filter ab 2; sub_filter abc 1; return 200 "abc abd ab"; }
--- request eval
["GET /a", "GET /b"]
--- response_body eval
["1 2d 2", "2c 2d 2"]



=== of those that overlap the one that begins earlier
--- config
    location /t {
        default_type text/html; sub_filter_once off;
        sub_filter bcd 1; sub_filter abc 2; sub_filter xyxz 3;
        return 200 "abcd bcd xyxyxz ab";
    }
--- response_body chomp
2d 1 xy3 ab



=== strings that lie across buffers
--- config
    location /t {
        default_type text/html; sub_filter_once off;
        sub_filter hello 1; sub_filter ll 2; sub_filter </head> "<b></head>";
        content_by_lua_block {
            for c in ("hello hell-hel hellhello </HEAD> </hea"):gmatch(".") do
                ngx.print(c) ngx.flush(true)
            end
        }
    }
--- response_body chomp
1 he2-hel he21 <b></head> </hea



=== across buffers of any size
--- config
    location /t {
        default_type text/html; sub_filter_once off;
        sub_filter needle "N"; sub_filter needless "L"; sub_filter ed E;
        content_by_lua_block {
            local text = ("a needle needless eed nee "):rep(50)
            local at, n = 1, tonumber(ngx.var.arg_n)
            while at <= #text do
                ngx.print(text:sub(at, at + n - 1)) ngx.flush()
                at = at + n
            end
        }
    }
--- request eval
["GET /t?n=2", "GET /t?n=3", "GET /t?n=5", "GET /t?n=7", "GET /t?n=64"]
--- response_body eval
["a N Nss eE nee " x 50, "a N Nss eE nee " x 50, "a N Nss eE nee " x 50, "a N Nss eE nee " x 50, "a N Nss eE nee " x 50]



=== both may have variables; a string that is empty then is not looked for
--- config
    location /t {
        default_type text/html; sub_filter_once off;
        sub_filter $arg_a "[$arg_b]"; sub_filter $arg_none x;
        return 200 "one two";
    }
--- request
GET /t?a=Two&b=2
--- response_body chomp
one [2]



=== by nothing at all
--- config
    location /t { default_type text/html; sub_filter b ""; return 200 "abc"; }
--- response_body chomp
ac



=== only the types that are asked for, and text/html
--- config
    sub_filter a b; sub_filter_types text/css;
    location /a { default_type text/css; return 200 "a"; }
    location /b { default_type text/html; return 200 "a"; }
    location /c { default_type text/plain; return 200 "a"; }
    location /d { default_type x/y; sub_filter_types *; return 200 "a"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- response_body eval
["b", "b", "a", "b"]



=== a file has no length, date and tag any more
--- config
    location /a { sub_filter "0123" ""; types { text/html txt; } }
--- user_files eval
[["a.txt", "0123456789" x 20000, "202601021530.00"]]
--- request
GET /a.txt
--- response_headers
!Content-Length
!Last-Modified
!ETag
!Accept-Ranges
--- response_body eval
"456789" . ("0123456789" x 19999)



=== it keeps date and a weak tag when told to
--- config
    location /a { sub_filter x y; sub_filter_last_modified on; types { text/html txt; } }
--- user_files eval
[["a.txt", "x", "202601021530.00"]]
--- request
GET /a.txt
--- response_headers
Last-Modified: Fri, 02 Jan 2026 15:30:00 GMT
ETag: W/"6957e478-1"
--- response_body: y



=== a large file, every match of it
--- config
    location /a { sub_filter "9012" "-"; sub_filter_once off; types { text/html txt; } }
--- user_files eval
[["a.txt", "0123456789" x 20000]]
--- request
GET /a.txt
--- response_body eval
"012345678" . ("-345678" x 19999) . "9"



=== what a subrequest says is changed by its own location
--- config
    default_type text/html; sub_filter_types *;
    location /t { sub_filter a b; echo "a"; echo_location /u; echo "a"; }
    location /u { sub_filter a c; echo "a"; }
--- response_body
b
c
a



=== compression comes after it
--- config
    gzip on; gzip_min_length 1;
    location /t { default_type text/html; sub_filter a b; return 200 "aaaa"; }
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip



=== an inner level's strings take the place of the outer ones
--- config
    default_type text/html;
    sub_filter a b;
    location /t { sub_filter b c; return 200 "ab"; }
--- response_body: ac



=== nothing can not be looked for
--- config
    sub_filter "" a;
--- must_die
--- error_log
empty search pattern



=== in an "if", behind limit_except, with expires
--- config
    default_type text/html; sub_filter a b;
    location /t {
        expires 1h; limit_except GET { deny all; }
        if ($arg_x) { set $y 1; }
        echo "a$y";
    }
--- request eval
["GET /t?x=1", "POST /t"]
--- error_code eval
[200, 403]
--- response_body_like eval
["^b1\n$", "403"]

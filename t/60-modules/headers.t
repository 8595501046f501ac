__DATA__


=== headers are added to good answers
--- config
    location /a { add_header X-One 1; add_header X-Two "$arg_a-2"; return 200 "x"; }
--- request
GET /a?a=b
--- response_headers
X-One: 1
X-Two: b-2



=== not to errors, unless always
--- config
    location /a { add_header X-One 1; add_header X-Two 2 always; return 404 "x"; }
--- request
GET /a
--- error_code: 404
--- response_headers
!X-One
X-Two: 2



=== redirects are good answers
--- config
    location /a { add_header X-One 1; return 301 /b; }
--- request
GET /a
--- error_code: 301
--- response_headers
X-One: 1



=== an empty value adds nothing
--- config
    location /a { add_header X-One "$arg_a"; return 200 "x"; }
--- request
GET /a
--- response_headers
!X-One



=== a level that has some does not inherit
--- http_config
    add_header X-Http 1;
--- config
    location /a { add_header X-Loc 1; return 200 "x"; }
    location /b { return 200 "x"; }
--- request eval
["GET /a", "GET /b"]
--- response_headers eval
["X-Loc: 1
!X-Http", "X-Http: 1
!X-Loc"]



=== a header may be added twice
--- config
    location /a { add_header X-A 1; add_header X-A 2; return 200 "x"; }
--- request
GET /a
--- raw_response_headers_like: X-A: 1\r\nX-A: 2\r\n



=== Last-Modified and ETag are replaced
--- config
    location /a {
        add_header Last-Modified "Thu, 01 Jan 2026 00:00:00 GMT";
        add_header ETag '"mine"';
    }
    location /b { add_header Last-Modified ""; }
--- user_files
>>> a
x
>>> b
x
--- request eval
["GET /a", "GET /b"]
--- response_headers eval
["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT
ETag: \"mine\"", "!Last-Modified"]



=== expires after a while
--- config
    location /a { expires 1h; return 200 "x"; }
--- request
GET /a
--- response_headers
Cache-Control: max-age=3600
--- raw_response_headers_like: Expires: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n



=== expires in the past
--- config
    location /a { expires -1; return 200 "x"; }
--- request
GET /a
--- response_headers
Cache-Control: no-cache



=== epoch, max and off
--- config
    location /a { expires epoch; return 200 "x"; }
    location /b { expires max; return 200 "x"; }
    location /c { expires off; return 200 "x"; }
--- request eval
["GET /a", "GET /b", "GET /c"]
--- response_headers eval
["Expires: Thu, 01 Jan 1970 00:00:01 GMT
Cache-Control: no-cache", "Expires: Thu, 31 Dec 2037 23:55:55 GMT
Cache-Control: max-age=315360000", "!Expires
!Cache-Control"]



=== expires counted from the last change
--- config
    location /a { expires modified 1d; }
--- user_files
>>> a 202001010000.00
x
--- request
GET /a
--- response_headers
Expires: Thu, 02 Jan 2020 00:00:00 GMT
Cache-Control: no-cache



=== expires at a time of the day
--- config
    location /a { expires @15h30m; return 200 "x"; }
--- request
GET /a
--- raw_response_headers_like: Cache-Control: max-age=\d+\r\n



=== expires from a variable
--- http_config
    map $arg_a $e { 1 1m; 2 max; default off; }
--- config
    location /a { expires $e; return 200 "x"; }
--- request eval
["GET /a?a=1", "GET /a?a=2", "GET /a"]
--- response_headers eval
["Cache-Control: max-age=60", "Cache-Control: max-age=315360000", "!Cache-Control"]



=== errors do not expire
--- config
    location /a { expires 1h; return 404 "x"; }
--- request
GET /a
--- error_code: 404
--- response_headers
!Expires



=== more than a day is no time of it
--- config
    location /a { expires @25h; }
--- must_die
--- error_log
daily time value must be less than 24 hours in



=== a time that is none
--- config
    location /a { expires soon; }
--- must_die
--- error_log
invalid value in



=== a word that is none
--- config
    location /a { add_header X 1 never; }
--- must_die
--- error_log
invalid parameter "never" in



=== a Last-Modified that is added is sent as it was written
--- config
    location /t {
        add_header Last-Modified "Sunday, 06-Nov-94 08:49:37 GMT";
        return 200 "text";
    }
--- response_headers
Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT



=== add_header_inherit merge: those of the level around follow
--- config
    add_header X-A outer;
    location = /t {
        add_header_inherit merge;
        add_header X-B inner;
        add_header X-A inner;
        return 200 ok;
    }
--- response_headers
X-B: inner
X-A: inner, outer



=== add_header_inherit off: not even where there are none
--- config
    add_header X-A outer;
    add_header_inherit off;
    location = /t { return 200 ok; }
--- response_headers
!X-A



=== add_header_inherit off leaves the headers of its own level
--- config
    add_header_inherit off;
    location = /t { add_header X-A own; return 200 ok; }
--- response_headers
X-A: own



=== an Expires that was added stands beside that of expires
--- config
    location = /t {
        expires epoch;
        add_header Expires later;
        return 200 ok;
    }
--- response_headers
Expires: Thu, 01 Jan 1970 00:00:01 GMT, later



=== modified 0 is no time, as 0 is
--- config
    location /a { expires modified 0; }
--- user_files
>>> a.txt 200001010000.00
a
--- request
GET /a.txt
--- response_headers
Cache-Control: max-age=0

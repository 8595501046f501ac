__DATA__


=== If-Modified-Since with the date of the file
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request
GET /a.txt
--- more_headers
If-Modified-Since: Fri, 02 Jan 2026 15:30:00 GMT
--- error_code: 304
--- response_headers
!Content-Length
!Content-Type
ETag: "6957e478-2"
Last-Modified: Fri, 02 Jan 2026 15:30:00 GMT
--- response_body



=== by default the date must be the same
--- config
    location /before { if_modified_since before; }
    location /off { if_modified_since off; }
--- user_files
>>> a.txt 202601021530.00
>>> before 202601021530.00
>>> off 202601021530.00
--- request eval
["GET /a.txt", "GET /a.txt", "GET /before", "GET /before", "GET /off"]
--- more_headers eval
["If-Modified-Since: Fri, 02 Jan 2026 15:30:01 GMT", "If-Modified-Since: Fri, 02 Jan 2026 15:29:59 GMT", "If-Modified-Since: Fri, 02 Jan 2026 15:30:01 GMT", "If-Modified-Since: Fri, 02 Jan 2026 15:29:59 GMT", "If-Modified-Since: Fri, 02 Jan 2026 15:30:00 GMT"]
--- error_code eval
[200, 200, 304, 200, 200]



=== If-None-Match with the tag
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["If-None-Match: \"6957e478-2\"", "If-None-Match: W/\"6957e478-2\"", "If-None-Match: \"a\" , \"6957e478-2\"", "If-None-Match: *", "If-None-Match: \"a\""]
--- error_code eval
[304, 304, 304, 304, 200]



=== both must agree
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["If-None-Match: \"a\"\nIf-Modified-Since: Fri, 02 Jan 2026 15:30:00 GMT", "If-None-Match: \"6957e478-2\"\nIf-Modified-Since: Fri, 02 Jan 2026 15:30:01 GMT", "If-None-Match: \"6957e478-2\"\nIf-Modified-Since: Fri, 02 Jan 2026 15:30:00 GMT"]
--- error_code eval
[200, 200, 304]



=== If-Match must have the tag, strongly
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["If-Match: \"6957e478-2\"", "If-Match: *", "If-Match: \"a\"", "If-Match: W/\"6957e478-2\""]
--- error_code eval
[200, 200, 412, 412]



=== If-Unmodified-Since
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["If-Unmodified-Since: Fri, 02 Jan 2026 15:30:00 GMT", "If-Unmodified-Since: Fri, 02 Jan 2026 15:29:59 GMT", "If-Unmodified-Since: nonsense"]
--- error_code eval
[200, 412, 412]



=== a 412 has a page of its own and nothing of the file
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- request
GET /a.txt
--- more_headers
If-Match: "a"
--- error_code: 412
--- response_headers
!ETag
!Last-Modified
Content-Type: text/html
--- response_body_like: 412 Precondition Failed



=== the connection goes on after a 304
--- config
--- user_files
>>> a.txt 202601021530.00
x
--- pipelined_requests eval
["GET /a.txt", "GET /a.txt"]
--- more_headers
If-None-Match: "6957e478-2"
--- error_code eval
[304, 304]



=== headers of the configuration are on a 304
--- config
    location /a { add_header X-A b; expires 1h; }
--- user_files
>>> a.txt 202601021530.00
x
--- request
GET /a.txt
--- more_headers
If-None-Match: *
--- error_code: 304
--- response_headers
X-A: b
Cache-Control: max-age=3600



=== only a 200 can be a 304
--- config
    location /t { add_header ETag '"x"'; return 404 "none"; }
--- more_headers
If-None-Match: *
--- error_code: 404
--- response_body: none



=== a tag without quotes is compared as it stands
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.ETag = "12345"
            ngx.say("x")
        }
    }
--- request
GET /t
--- more_headers
If-None-Match: "a", 1234, 12345
--- error_code: 304
--- response_body

__DATA__


=== the first bytes
--- config
--- user_files
>>> a.txt
0123456789
--- request
GET /a.txt
--- more_headers
Range: bytes=0-3
--- error_code: 206
--- response_headers
Content-Range: bytes 0-3/11
Content-Length: 4
!Accept-Ranges
--- response_body: 0123



=== from somewhere to the end, and the last bytes
--- config
--- user_files eval
[["a.txt", "0123456789"]]
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["Range: bytes=7-", "Range: bytes=-2", "Range: bytes=-99", "Range: bytes=8-99"]
--- error_code eval
[206, 206, 206, 206]
--- response_body eval
["789", "89", "0123456789", "89"]



=== a part of a large file
--- config
--- user_files eval
[["big.txt", ("x" x 200000) . "needle" . ("y" x 200000)]]
--- request
GET /big.txt
--- more_headers
Range: bytes=200000-200005
--- error_code: 206
--- response_headers
Content-Range: bytes 200000-200005/400006
--- response_body: needle



=== several parts are multipart/byteranges
--- config
    location /a { types { text/x txt; } }
--- user_files eval
[["a.txt", "0123456789"]]
--- request
GET /a.txt
--- more_headers
Range: bytes=0-1, 8-
--- error_code: 206
--- raw_response_headers_like: Content-Type: multipart/byteranges; boundary=\d+\r\n
--- response_body_like eval
"^\r\n--\\d+\r\nContent-Type: text/x\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--\\d+\r\nContent-Type: text/x\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n--\\d+--\r\n\$"



=== parts of a large file
--- config
--- user_files eval
[["big.txt", ("x" x 100000) . "needle" . ("y" x 100000)]]
--- request
GET /big.txt
--- more_headers
Range: bytes=100000-100005,0-2
--- error_code: 206
--- response_body_like eval
"bytes 100000-100005/200006\r\n\r\nneedle\r\n--\\d+\r\n.*bytes 0-2/200006\r\n\r\nxxx\r\n--"



=== beyond the end is a 416
--- config
--- user_files eval
[["a.txt", "0123456789"]]
--- request
GET /a.txt
--- more_headers
Range: bytes=10-12
--- error_code: 416
--- response_headers
Content-Range: bytes */10
--- response_body_like: 416 Requested Range Not Satisfiable



=== nonsense is a 416 too, unless the unit is another
--- config
--- user_files eval
[["a.txt", "0123456789"]]
--- request eval
["GET /a.txt", "GET /a.txt", "GET /a.txt"]
--- more_headers eval
["Range: bytes=a-b", "Range: bytes=3-1", "Range: lines=1-2"]
--- error_code eval
[416, 416, 200]



=== more bytes than there are give the whole
--- config
--- user_files eval
[["a.txt", "0123456789"]]
--- request
GET /a.txt
--- more_headers
Range: bytes=0-9,0-1
--- response_headers
Accept-Ranges: bytes
Content-Length: 10
--- response_body: 0123456789



=== max_ranges
--- config
    location /a { max_ranges 1; }
    location /b { max_ranges 0; }
--- user_files eval
[["a", "0123456789"], ["b", "0123456789"]]
--- request eval
["GET /a", "GET /a", "GET /b"]
--- more_headers eval
["Range: bytes=0-1", "Range: bytes=0-1,4-5", "Range: bytes=0-1"]
--- error_code eval
[206, 200, 200]
--- response_headers eval
["Content-Length: 2", "Accept-Ranges: bytes", "!Accept-Ranges"]



=== many small parts are the whole, where nobody has said how many there may be
--- config
    location /a { }
    location /b { alias html/a; max_ranges 100; }
--- user_files eval
[["a", "x" x 100]]
--- request eval
["GET /a", "GET /a", "GET /b"]
--- more_headers eval
["Range: bytes=" . join(",", map { "$_-$_" } 0 .. 15), "Range: bytes=" . join(",", map { "$_-$_" } 0 .. 16), "Range: bytes=" . join(",", map { "$_-$_" } 0 .. 16)]
--- error_code eval
[206, 200, 206]



=== If-Range with the tag
--- config
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- request eval
["GET /a.txt", "GET /a.txt"]
--- more_headers eval
["Range: bytes=0-1\nIf-Range: \"6957e478-a\"", "Range: bytes=0-1\nIf-Range: \"other\""]
--- error_code eval
[206, 200]



=== If-Range with the date
--- config
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- request eval
["GET /a.txt", "GET /a.txt"]
--- more_headers eval
["Range: bytes=0-1\nIf-Range: Fri, 02 Jan 2026 15:30:00 GMT", "Range: bytes=0-1\nIf-Range: Fri, 02 Jan 2026 15:30:01 GMT"]
--- error_code eval
[206, 200]



=== HEAD has the header of the part
--- config
--- user_files eval
[["a.txt", "0123456789"]]
--- request
HEAD /a.txt
--- more_headers
Range: bytes=2-4
--- error_code: 206
--- response_headers
Content-Range: bytes 2-4/10
Content-Length: 3
--- response_body



=== what is no file has no parts
--- config
    location /t { return 200 "0123456789"; }
--- more_headers
Range: bytes=0-1
--- response_headers
!Accept-Ranges
--- response_body: 0123456789



=== no range at all is none
--- config
    location /t { return 200 "text"; }
    location /f/ { alias html/; }
--- user_files
>>> a
text
--- more_headers
Range: bytes=
--- request
GET /f/a
--- response_body
text



=== a page for ranges that cannot be had
--- config
    location /f/ { error_page 416 /page; alias html/; }
    location /n/ { error_page 416 @named; alias html/; }
    location = /page { return 200 "page $http_range $sent_http_content_range"; }
    location @named { return 200 "named $status"; }
--- user_files
>>> a
0123456789
--- pipelined_requests eval
["GET /f/a", "GET /n/a", "HEAD /f/a"]
--- more_headers
Range: bytes=99-
--- error_code eval
[416, 416, 416]
--- response_headers eval
["Content-Range: bytes */11", "Content-Range: bytes */11", "Content-Length: 25"]
--- response_body eval
["page bytes=99- bytes */11", "named 416", ""]



=== an answer of several parts has no range of its own
--- config
    location = /t.txt { add_header Content-Range "bytes 0-1/2"; }
--- user_files
>>> t.txt
0123456789
--- request: GET /t.txt
--- more_headers
Range: bytes=0-1, 3-4
--- error_code: 206
--- response_headers
! Content-Range
--- response_body_like: Content-Range: bytes 0-1/11



=== of two Range lines the first counts
--- config
    location = /t.txt { }
--- user_files
>>> t.txt
0123456789
--- request: GET /t.txt
--- more_headers
Range: bytes=0-1
Range: bytes=4-5
--- error_code: 206
--- response_body chomp
01

__DATA__


=== from a byte on, with a header of its own
--- config
    location /v/ { flv; types { video/x-flv flv; } }
--- user_files eval
[["v/a.flv", "0123456789"]]
--- request
GET /v/a.flv?start=4
--- response_headers
Content-Type: video/x-flv
Content-Length: 19
Accept-Ranges: bytes
--- response_body eval
"FLV\x01\x05\x00\x00\x00\x09\x00\x00\x00\x00456789"



=== a range is one of that, over header and rest
--- config
    location /v/ { flv; }
--- user_files eval
[["v/a.flv", "0123456789"]]
--- more_headers
Range: bytes=12-14
--- request
GET /v/a.flv?start=4
--- error_code: 206
--- response_headers_like
Content-Range: bytes 12-14/19
ETag: "[0-9a-f]+-13"
--- response_body eval
"\x0045"



=== as a whole, and in ranges
--- config
    location /v/ { flv; }
--- user_files eval
[["v/a.flv", "0123456789"]]
--- more_headers eval
["", "Range: bytes=2-3", "", ""]
--- request eval
["GET /v/a.flv", "GET /v/a.flv", "GET /v/a.flv?start=10",
 "GET /v/a.flv?start=-1"]
--- error_code eval
[200, 206, 200, 200]
--- response_body eval
["0123456789", "23", "0123456789", "0123456789"]



=== what is not there, and other methods
--- config
    location /v/ { flv; }
--- user_files
>>> v/x
--- request eval
["GET /v/a.flv?start=1", "PUT /v/x\na"]
--- error_code eval
[404, 405]

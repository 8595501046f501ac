__DATA__


=== an answer comes in parts, and goes out whole
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
    location /a { access_log logs/parts.log parts; }
    location /log { default_type text/plain; alias logs/parts.log; }
--- http_config
    log_format parts "$http_range $status";
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- request eval
["GET /t", "GET /log"]
--- response_headers eval
["Content-Length: 10", ""]
--- response_body eval
["0123456789", "bytes=0-3 206\nbytes=4-7 206\nbytes=8-11 206\n"]



=== what stands in its header
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- response_headers
!Content-Range
Accept-Ranges: bytes
ETag: "6957e478-a"
--- response_body chomp
0123456789



=== a range of it, from the parts that have it
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files eval
[["a.txt", "0123456789abcdefghij"]]
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Range: bytes=5-9", "Range: bytes=8-", "Range: bytes=-3", "Range: bytes=2-2", "Range: bytes=0-1,5-6"]
--- error_code eval
[206, 206, 206, 206, 200]
--- response_body eval
["56789", "89abcdefghij", "hij", "2", "0123456789abcdefghij"]



=== only those parts are asked for
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
    location /a { access_log logs/parts.log parts; }
    location /log { default_type text/plain; alias logs/parts.log; }
--- http_config
    log_format parts "$http_range $status";
--- user_files eval
[["a.txt", "0123456789abcdefghij"]]
--- request eval
["GET /t", "GET /log"]
--- more_headers eval
["Range: bytes=9-13", ""]
--- response_headers eval
["Content-Range: bytes 9-13/20", ""]
--- error_code eval
[206, 200]
--- response_body eval
["9abcd", "bytes=8-11 206\nbytes=12-15 206\n"]



=== what lies behind its end is refused
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files eval
[["a.txt", "0123456789"]]
--- more_headers
Range: bytes=50-60
--- error_code: 416



=== much of it
--- config
    location /t { slice 64k; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files eval
[["a.txt", "0123456789" x 100000]]
--- response_headers
Content-Length: 1000000
--- response_body eval
"0123456789" x 100000



=== who does not know ranges is passed on as he is
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { echo "whole"; }
--- response_body
whole



=== a HEAD, and what is not there
--- config
    location /t/ { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/; }
--- user_files eval
[["a.txt", "0123456789"]]
--- request eval
["GET /t/none", "HEAD /t/a.txt"]
--- error_code eval
[404, 200]



=== a file that changes on the way is not mixed
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back {
        content_by_lua_block {
            local from = tonumber(ngx.var.http_range:match("%d+"))
            ngx.status = 206
            ngx.header.etag = from == 0 and '"a"' or '"b"'
            ngx.header.content_range = "bytes " .. from .. "-" .. from + 3 .. "/8"
            ngx.header.content_length = 4
            ngx.print("abcd")
        }
    }
--- ignore_response
--- error_log
etag mismatch in slice response



=== a part that was not asked for, none at all, one without an end
--- config
    location /t { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back?$args; }
    location /back {
        content_by_lua_block {
            ngx.status = 206
            ngx.header.content_range = ngx.unescape_uri(ngx.var.arg_r)
            ngx.print("abcd")
        }
    }
--- pipelined_requests eval
["GET /t?r=bytes%201-4/8"]
--- ignore_response
--- error_log
unexpected range in slice response: 1-5, expected: 0-4



=== $slice_range is nothing where there are no slices
--- config
    location /t { echo "[$slice_range]"; }
    location /u { slice 8k; echo "$slice_range"; }
--- request eval
["GET /t", "GET /u", "GET /u"]
--- more_headers eval
["", "Range: bytes=9000-", "Range: bytes=x"]
--- response_body eval
["[]\n", "bytes=8192-16383\n", "bytes=0-8191\n"]



=== parts are asked for in the place of the whole
--- config
    location /t/ { slice 4; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/; }
--- user_files eval
[["a.txt", "0123456789"]]
--- request
GET /t/a.txt
--- response_body chomp
0123456789

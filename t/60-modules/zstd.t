__DATA__


=== an answer is compressed for who takes it
--- http_config
    log_format f "ratio $zstd_ratio $zstd_bytes_in;";
--- config
    location /t { zstd on; default_type text/html; access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f;
        alias html/a.txt; }
--- user_files eval
[["a.txt", "0123456789" x 20000, "202601021530.00"]]
--- more_headers
Accept-Encoding: gzip, zstd
Range: bytes=0-1
--- response_headers
Content-Encoding: zstd
ETag: W/"6957e478-30d40"
!Accept-Ranges
!Content-Length
!Vary
--- response_body_like eval
qr/^\x28\xb5\x2f\xfd/s
--- access_log eval
qr/^ratio [1-9]\d{2,4}\.\d\d 200000;$/m



=== not for who does not
--- config
    location /t { zstd on; default_type text/html; return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["", "Accept-Encoding: gzip, zstd;q=0", "Accept-Encoding: xzstd", "Accept-Encoding: zstdx"]
--- response_headers eval
["!Content-Encoding", "!Content-Encoding", "!Content-Encoding", "!Content-Encoding"]
--- response_body eval
["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]



=== short answers, other types and what is packed already are left alone
--- config
    zstd_min_length 6; zstd on;
    location /a { default_type text/html; return 200 "short"; }
    location /b { default_type text/html; return 200 "longer"; }
    location /c { default_type text/css; return 200 "longer"; }
    location /d { default_type text/css; zstd_types text/css; return 200 "longer"; }
    location /e { default_type text/html; add_header Content-Encoding x; return 200 "longer"; }
    location /f { default_type text/html; return 500 "longer"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f"]
--- more_headers
Accept-Encoding: zstd
--- response_headers eval
["!Content-Encoding", "Content-Encoding: zstd", "!Content-Encoding", "Content-Encoding: zstd", "Content-Encoding: x", "!Content-Encoding"]
--- error_code eval
[200, 200, 200, 200, 200, 500]



=== HEAD is told what GET would have got, HTTP/1.0 has it too
--- config
    zstd on; zstd_min_length 1; default_type text/html;
    location /t { return 200 "abc"; }
--- request eval
["HEAD /t", "GET /t HTTP/1.0"]
--- more_headers
Accept-Encoding: zstd
--- response_headers eval
["Content-Encoding: zstd", "Content-Encoding: zstd"]



=== gzip_vary tells caches, compressed or not
--- config
    zstd on; gzip_vary on; zstd_min_length 1;
    location /t { default_type text/html; return 200 "abc"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: zstd", ""]
--- response_headers eval
["Vary: Accept-Encoding", "Vary: Accept-Encoding"]



=== proxies get it, unless they must not
--- config
    zstd on; zstd_min_length 1; default_type text/html;
    location /a { return 200 "abc"; }
    location /b { zstd_proxied off; return 200 "abc"; }
    location /c { zstd_proxied no-store; add_header Cache-Control no-store; return 200 "abc"; }
    location /d { zstd_proxied no-store; add_header Cache-Control private; return 200 "abc"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- more_headers
Accept-Encoding: zstd
Via: 1.1 somebody
--- response_headers eval
["Content-Encoding: zstd", "!Content-Encoding", "Content-Encoding: zstd", "!Content-Encoding"]



=== it comes before gzip, which has the rest
--- config
    zstd on; gzip on; gzip_min_length 1; zstd_min_length 1; default_type text/html;
    location /t { return 200 "abc"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: gzip, zstd", "Accept-Encoding: gzip"]
--- response_headers eval
["Content-Encoding: zstd", "Content-Encoding: gzip"]



=== every level, and few buffers
--- config
    zstd on; zstd_min_length 1; zstd_buffers 2 1k; default_type text/html;
    location /1 { zstd_comp_level 1; alias html/a.txt; }
    location /2 { zstd_comp_level 9; alias html/a.txt; }
    location /4 { zstd_comp_level 22; }
    location /3 { zstd_comp_level 7; alias html/a.txt; }
--- user_files eval
[["a.txt", join(",", 1 .. 8000)]]
--- request eval
["GET /1", "GET /2", "GET /3"]
--- more_headers
Accept-Encoding: zstd
--- response_headers eval
["Content-Encoding: zstd", "Content-Encoding: zstd", "Content-Encoding: zstd"]
--- response_body_like eval
[qr/^.{1000}/s, qr/^.{1000}/s, qr/^.{1000}/s]
--- no_error_log
[error]
[alert]



=== a level that is none
--- config
    zstd_comp_level 23;
--- must_die
--- error_log
value must be between 1 and 22



=== a file that was compressed before
--- config
    zstd_static on; types { text/css txt; }
--- user_files eval
[["a.txt", "hello"], ["a.txt.zst", "packed", "202601021530.00"], ["b.txt", "plain"]]
--- request eval
["GET /a.txt", "GET /a.txt", "GET /b.txt", "GET /c.txt"]
--- more_headers eval
["Accept-Encoding: zstd", "Accept-Encoding: gzip", "Accept-Encoding: zstd", "Accept-Encoding: zstd"]
--- response_headers eval
["Content-Encoding: zstd", "!Content-Encoding", "!Content-Encoding", "!Content-Encoding"]
--- response_body_like eval
["^packed\$", "^hello\$", "^plain\$", "404"]
--- error_code eval
[200, 200, 200, 404]



=== the file's own headers
--- config
    zstd_static on; gzip_vary on; types { text/css txt; }
--- user_files eval
[["a.txt", "hello"], ["a.txt.zst", "packed", "202601021530.00"]]
--- request
GET /a.txt
--- more_headers
Accept-Encoding: zstd
--- response_headers
Content-Type: text/css
Content-Length: 6
ETag: "6957e478-6"
Vary: Accept-Encoding



=== always, whoever asks
--- config
    zstd_static always;
--- user_files
>>> a.txt
plain
>>> a.txt.zst
packed
--- request
GET /a.txt
--- response_headers
Content-Encoding: zstd
--- response_body
packed



=== brotli comes before it
--- config
    zstd on; brotli on; zstd_min_length 1; brotli_min_length 1; default_type text/html;
    location /t { return 200 "abc"; }
--- request
GET /t
--- more_headers
Accept-Encoding: gzip, deflate, br, zstd
--- response_headers
Content-Encoding: br



=== with a dictionary what it says is not said again
--- http_config
    zstd_dict_file $TEST_NGINX_HTML_DIR/dict;
--- config
    zstd on;
    location /low { default_type text/html; alias html/a.txt; }
    location /high { default_type text/html; alias html/a.txt; zstd_comp_level 22; }
--- user_files eval
[["dict", "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnArl63XykWZeiNNCiia3anXn9k3ksu9mI4ROnl89Sm995ytbxAk7jqevt0MLaMRTvetw0tESulEETldq8b8Vw2zbJYAxyL1aCcTlN99mhWp708DwGw5HqXDgLVXZx3scB8fnvGNx6jvr7SIftRutlZfOjUStEkUdfMI7zcpVMw0qDPAjd6OcZFv1niUK8iO5YAgkBxjd2AsjD7N2kHD9FSUuErsEz5jhy0I9lO7F3vlfFrGYJ3GxeYYXwSLQcWtxJTQr1FqXST"], ["a.txt", "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnArl63XykWZeiNNCiia3anXn9k3ksu9mI4ROnl89Sm995ytbxAk7jqevt0MLaMRTvetw0tESulEETldq8b8Vw2zbJYAxyL1aCcTlN99mhWp708DwGw5HqXDgLVXZx3scB8fnvGNx6jvr7SIftRutlZfOjUStEkUdfMI7zcpVMw0qDPAjd6OcZFv1niUK8iO5YAgkBxjd2AsjD7N2kHD9FSUuErsEz5jhy0I9lO7F3vlfFrGYJ3GxeYYXwSLQcWtxJTQr1FqXST"]]
--- request eval
["GET /low", "GET /high"]
--- more_headers
Accept-Encoding: zstd
--- response_headers eval
["Content-Encoding: zstd", "Content-Encoding: zstd"]
--- response_body_like eval
[qr/^\x28\xb5\x2f\xfd.{4,60}$/s, qr/^\x28\xb5\x2f\xfd.{4,60}$/s]



=== a dictionary that is not there
--- http_config
    zstd_dict_file conf/none;
--- must_die
--- error_log
[emerg]
none" failed

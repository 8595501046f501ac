__DATA__


=== an answer is compressed for who takes it
--- http_config
    log_format f "ratio $brotli_ratio;";
--- config
    location /t { brotli on; default_type text/html; access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f;
        alias html/a.txt; }
--- user_files eval
[["a.txt", "0123456789" x 20000, "202601021530.00"]]
--- more_headers
Accept-Encoding: gzip, br
Range: bytes=0-1
--- response_headers
Content-Encoding: br
ETag: W/"6957e478-30d40"
!Accept-Ranges
!Content-Length
!Vary
--- response_body_like eval
qr/^.{8,400}\z/s
--- access_log eval
qr/^ratio [1-9]\d{2,4}\.\d\d;$/m



=== not for who does not
--- config
    location /t { brotli on; default_type text/html; return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["", "Accept-Encoding: gzip, br;q=0", "Accept-Encoding: xbr", "Accept-Encoding: brx"]
--- response_headers eval
["!Content-Encoding", "!Content-Encoding", "!Content-Encoding", "!Content-Encoding"]
--- response_body eval
["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]



=== short answers, other types and what is packed already are left alone
--- config
    brotli_min_length 6; brotli on;
    location /a { default_type text/html; return 200 "short"; }
    location /b { default_type text/html; return 200 "longer"; }
    location /c { default_type text/css; return 200 "longer"; }
    location /d { default_type text/css; brotli_types text/css; return 200 "longer"; }
    location /e { default_type text/html; add_header Content-Encoding x; return 200 "longer"; }
    location /f { default_type text/html; return 500 "longer"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f"]
--- more_headers
Accept-Encoding: br
--- response_headers eval
["!Content-Encoding", "Content-Encoding: br", "!Content-Encoding", "Content-Encoding: br", "Content-Encoding: x", "!Content-Encoding"]
--- error_code eval
[200, 200, 200, 200, 200, 500]



=== HEAD is told what GET would have got, HTTP/1.0 has it too
--- config
    brotli on; brotli_min_length 1; default_type text/html;
    location /t { return 200 "abc"; }
--- request eval
["HEAD /t", "GET /t HTTP/1.0"]
--- more_headers
Accept-Encoding: br
--- response_headers eval
["Content-Encoding: br", "Content-Encoding: br"]



=== gzip_vary tells caches, compressed or not
--- config
    brotli on; gzip_vary on; brotli_min_length 1;
    location /t { default_type text/html; return 200 "abc"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: br", ""]
--- response_headers eval
["Vary: Accept-Encoding", "Vary: Accept-Encoding"]



=== proxies get it, unless they must not
--- config
    brotli on; brotli_min_length 1; default_type text/html;
    location /a { return 200 "abc"; }
    location /b { brotli_proxied off; return 200 "abc"; }
    location /c { brotli_proxied no-store; add_header Cache-Control no-store; return 200 "abc"; }
    location /d { brotli_proxied no-store; add_header Cache-Control private; return 200 "abc"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- more_headers
Accept-Encoding: br
Via: 1.1 somebody
--- response_headers eval
["Content-Encoding: br", "!Content-Encoding", "Content-Encoding: br", "!Content-Encoding"]



=== it comes before gzip, which has the rest
--- config
    brotli on; gzip on; gzip_min_length 1; brotli_min_length 1; default_type text/html;
    location /t { return 200 "abc"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: gzip, br", "Accept-Encoding: gzip"]
--- response_headers eval
["Content-Encoding: br", "Content-Encoding: gzip"]



=== every level, and few buffers
--- config
    brotli on; brotli_min_length 1; brotli_buffers 2 1k; default_type text/html;
    location /1 { brotli_comp_level 0; alias html/a.txt; }
    location /2 { brotli_comp_level 9; brotli_window 16m; alias html/a.txt; }
    location /3 { brotli_window 1k; alias html/a.txt; }
    location /4 { brotli_comp_level 11; }
--- user_files eval
[["a.txt", join(",", 1 .. 8000)]]
--- request eval
["GET /1", "GET /2", "GET /3"]
--- more_headers
Accept-Encoding: br
--- response_headers eval
["Content-Encoding: br", "Content-Encoding: br", "Content-Encoding: br"]
--- response_body_like eval
[qr/^.{1000}/s, qr/^.{1000}/s, qr/^.{1000}/s]
--- no_error_log
[error]
[alert]



=== a level that is none
--- config
    brotli_comp_level 12;
--- must_die
--- error_log
value must be between 0 and 11



=== a file that was compressed before
--- config
    brotli_static on; types { text/css txt; }
--- user_files eval
[["a.txt", "hello"], ["a.txt.br", "packed", "202601021530.00"], ["b.txt", "plain"]]
--- request eval
["GET /a.txt", "GET /a.txt", "GET /b.txt", "GET /c.txt"]
--- more_headers eval
["Accept-Encoding: br", "Accept-Encoding: gzip", "Accept-Encoding: br", "Accept-Encoding: br"]
--- response_headers eval
["Content-Encoding: br", "!Content-Encoding", "!Content-Encoding", "!Content-Encoding"]
--- response_body_like eval
["^packed\$", "^hello\$", "^plain\$", "404"]
--- error_code eval
[200, 200, 200, 404]



=== the file's own headers
--- config
    brotli_static on; gzip_vary on; types { text/css txt; }
--- user_files eval
[["a.txt", "hello"], ["a.txt.br", "packed", "202601021530.00"]]
--- request
GET /a.txt
--- more_headers
Accept-Encoding: br
--- response_headers
Content-Type: text/css
Content-Length: 6
ETag: "6957e478-6"
Vary: Accept-Encoding



=== always, whoever asks
--- config
    brotli_static always;
--- user_files
>>> a.txt
plain
>>> a.txt.br
packed
--- request
GET /a.txt
--- response_headers
Content-Encoding: br
--- response_body
packed



=== a window that is none
--- config
    brotli_window 3k;
--- must_die
--- error_log
"brotli_window" directive must be 1k, 2k, 4k, 8k


__DATA__


=== an answer is compressed for who takes it
--- config
    location /t { gzip on; default_type text/html; return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip
!Content-Length
--- response_body_like eval
"^\x1f\x8b\x08"



=== not for who does not
--- config
    location /t { gzip on; default_type text/html; return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["", "Accept-Encoding: gzip;q=0, br", "Accept-Encoding: xgzip",
 "Accept-Encoding: gzip;q=1.5", "Accept-Encoding: gzip;q=0.x", "Accept-Encoding: gzip;q=0.0001"]
--- response_headers eval
[("!Content-Encoding") x 6]
--- response_body eval
[("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") x 6]



=== short answers are left alone
--- config
    location /a { gzip on; default_type text/html; return 200 "short"; }
    location /b { gzip on; gzip_min_length 3; default_type text/html; return 200 "short"; }
--- request eval
["GET /a", "GET /b"]
--- more_headers
Accept-Encoding: gzip
--- response_headers eval
["!Content-Encoding", "Content-Encoding: gzip"]



=== only the types that were asked for, and text/html
--- config
    gzip on; gzip_min_length 1; gzip_types text/css;
    location /a { default_type text/css; return 200 "abc"; }
    location /b { default_type text/html; return 200 "abc"; }
    location /c { default_type text/plain; return 200 "abc"; }
    location /d { gzip_types *; default_type x/y; return 200 "abc"; }
    location /e { gzip_types *; gzip_types a/b; default_type x/y; return 200 "abc"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d", "GET /e"]
--- more_headers
Accept-Encoding: gzip
--- response_headers eval
["Content-Encoding: gzip", "Content-Encoding: gzip", "!Content-Encoding", "Content-Encoding: gzip", "Content-Encoding: gzip"]



=== Vary tells caches, compressed or not
--- config
    gzip on; gzip_vary on; gzip_min_length 1;
    location /t { default_type text/html; return 200 "abc"; }
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: gzip", ""]
--- response_headers eval
["Vary: Accept-Encoding", "Vary: Accept-Encoding"]



=== a file is compressed, its tag is weak, ranges are off
--- config
    location /a { gzip on; types { text/html txt; } }
--- user_files eval
[["a.txt", "0123456789" x 20000, "202601021530.00"]]
--- request
GET /a.txt
--- more_headers
Accept-Encoding: gzip, deflate
Range: bytes=0-1
--- response_headers
Content-Encoding: gzip
ETag: W/"6957e478-30d40"
!Accept-Ranges
--- response_body_like eval
"^\x1f\x8b\x08"



=== HTTP/1.0 is not for gzip, unless it is said
--- config
    gzip on; gzip_min_length 1;
    location /a { default_type text/html; return 200 "abc"; }
    location /b { gzip_http_version 1.0; default_type text/html; return 200 "abc"; }
--- request eval
["GET /a HTTP/1.0", "GET /b HTTP/1.0"]
--- more_headers
Accept-Encoding: gzip
--- response_headers eval
["!Content-Encoding", "Content-Encoding: gzip"]



=== proxies get it as gzip_proxied says
--- config
    gzip on; gzip_min_length 1;
    location /a { default_type text/html; return 200 "abc"; }
    location /b { gzip_proxied any; default_type text/html; return 200 "abc"; }
    location /c { gzip_proxied no-store; add_header Cache-Control no-store;
                  default_type text/html; return 200 "abc"; }
--- request eval
["GET /a", "GET /b", "GET /c"]
--- more_headers
Accept-Encoding: gzip
Via: 1.1 somebody
--- response_headers eval
["!Content-Encoding", "Content-Encoding: gzip", "Content-Encoding: gzip"]



=== gzip_disable by the name of the browser
--- config
    gzip on; gzip_min_length 1; gzip_disable "msie6" "old";
    location /t { default_type text/html; return 200 "abc"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Accept-Encoding: gzip
User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)", "Accept-Encoding: gzip
User-Agent: Very Old", "Accept-Encoding: gzip
User-Agent: new"]
--- response_headers eval
["!Content-Encoding", "!Content-Encoding", "Content-Encoding: gzip"]



=== HEAD is not compressed
--- config
    location /t { gzip on; default_type text/html; return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- request
HEAD /t
--- more_headers
Accept-Encoding: gzip
--- response_body



=== the ratio is in the log
--- http_config
    log_format f "ratio $gzip_ratio";
--- config
    location /t { access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f; gzip on; default_type text/html;
        return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }
--- more_headers
Accept-Encoding: gzip
--- access_log eval
qr/^ratio [2-4]\.\d\d$/m



=== a level that is none
--- config
    gzip_comp_level 10;
--- must_die
--- error_log
value must be between 1 and 9



=== text/html is one of the types in any case: who names it is told
--- config
    gzip_types text/html a/b;
    location = /t { return 200 "x"; }
--- response_body: x
--- error_log
duplicate MIME type "text/html"
--- no_error_log
duplicate MIME type "a/b"
[error]



=== which nobody is who names none
--- config
    location = /t { gzip on; sub_filter a b; addition_types *; return 200 "x"; }
--- response_body: x
--- no_error_log
duplicate MIME type



=== HEAD is told what GET would get
--- config
    gzip on; gzip_min_length 1; gzip_types text/plain;
    location = /t { default_type text/plain; return 200 "hello hello hello"; }
--- request
HEAD /t
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip
!Content-Length



=== a small window and a small table compress as well
--- config
    gzip on; gzip_min_length 1; gzip_types text/plain;
    gzip_window 512; gzip_hash 512;
    location = /z { default_type text/plain; return 200 "abcabcabcabcabc"; }
    location = /t {
        gunzip on; gzip off;
        proxy_http_version 1.1;
        proxy_set_header Accept-Encoding gzip;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/z;
    }
--- response_body chomp
abcabcabcabcabc



=== a window that is no power of two
--- config
    gzip_window 1000;
--- must_die
--- error_log: "gzip_window" directive must be 512, 1k, 2k, 4k, 8k, 16k, or 32k

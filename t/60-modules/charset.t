# Known attacks of this kind: CVE-2026-42934, CVE-2026-48142.

__DATA__


=== the charset is said behind the type
--- config
    location /t { charset koi8-r; default_type text/plain; return 200 "a"; }
--- response_headers
Content-Type: text/plain; charset=koi8-r



=== only of the types that are asked for, and text/html
--- config
    charset utf-8;
    location /a { default_type text/html; return 200 "a"; }
    location /b { default_type application/javascript; return 200 "a"; }
    location /c { default_type text/css; return 200 "a"; }
    location /d { default_type text/css; charset_types text/css; return 200 "a"; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- response_headers eval
["Content-Type: text/html; charset=utf-8", "Content-Type: application/javascript; charset=utf-8", "Content-Type: text/css", "Content-Type: text/css; charset=utf-8"]



=== off again, and by a variable
--- config
    charset utf-8; default_type text/html;
    location /a { charset off; return 200 "a"; }
    location /b { charset $arg_c; return 200 "a"; }
    location /c { if ($arg_c) { charset x; } return 200 "a"; }
--- request eval
["GET /a", "GET /b?c=windows-1251", "GET /c?c=1"]
--- response_headers eval
["Content-Type: text/html", "Content-Type: text/html; charset=windows-1251", "Content-Type: text/html; charset=x"]



=== from bytes to bytes, both ways
--- http_config
    charset_map one two { 41 61; FF 80; }
--- config
    default_type text/html;
    location /a { charset two; source_charset one; content_by_lua_block { ngx.print("ABC\255\200") } }
    location /b { charset one; source_charset TWO; content_by_lua_block { ngx.print("abC\128\200") } }
--- request eval
["GET /a", "GET /b"]
--- response_headers eval
["Content-Type: text/html; charset=two", "Content-Type: text/html; charset=one"]
--- response_body eval
["aBC\x80?", "AbC\xff?"]



=== from bytes to UTF-8
--- http_config
    charset_map koi8-r utf-8 { C0 D18E; C1 D0B0; 80 E29480; }
--- config
    location /u {
        charset utf-8; source_charset koi8-r; default_type text/html;
        content_by_lua_block { ngx.print("a\192\193\128\255z") }
    }
--- request
GET /u
--- response_headers
Content-Type: text/html; charset=utf-8
!Content-Length
--- response_body eval
"a\xd1\x8e\xd0\xb0\xe2\x94\x80?z"



=== from UTF-8 to bytes, whatever lies across buffers
--- http_config
    charset_map koi8-r utf-8 { C0 D18E; C1 D0B0; 80 E29480; }
--- config
    location /t {
        charset koi8-r; source_charset utf-8; default_type text/html;
        content_by_lua_block {
            local text = "a\209\142-\226\148\128-\208\182-\240\159\152\128-\209-\192\128-\226\148"
            local n = tonumber(ngx.var.arg_n)
            for i = 1, #text, n do
                ngx.print(text:sub(i, i + n - 1)) ngx.flush()
            end
        }
    }
--- request eval
["GET /t?n=1", "GET /t?n=2", "GET /t?n=3", "GET /t?n=5", "GET /t?n=99"]
--- response_body eval
["a\xc0-\x80-&#1078;-&#128512;-?-??-?", "a\xc0-\x80-&#1078;-&#128512;-?-??-?", "a\xc0-\x80-&#1078;-&#128512;-?-??-?", "a\xc0-\x80-&#1078;-&#128512;-?-??-?", "a\xc0-\x80-&#1078;-&#128512;-?-??-?"]



=== a file, of any length
--- http_config
    charset_map one two { 30 61; }
--- config
    location /a { charset two; source_charset one; types { text/html txt; } }
--- user_files eval
[["a.txt", "0123456789" x 10000, "202601021530.00"]]
--- request
GET /a.txt
--- response_headers
Content-Length: 100000
--- response_body eval
"a123456789" x 10000



=== what the answer says itself is overridden when told to
--- http_config
    charset_map one two { 61 62; }
--- config
    default_type text/html;
    location /t { override_charset on; charset two; echo_location /u; echo "a"; }
    location /u { source_charset one; echo "a"; }
--- response_headers
Content-Type: text/html; charset=two
--- response_body
b
a



=== a redirect has none
--- config
    charset utf-8; default_type text/html;
    location /t { return 302 /u; }
    location /v { return 303 /u; }
--- request eval
["GET /t", "GET /v"]
--- error_code eval
[302, 303]
--- response_headers eval
["Content-Type: text/html", "Content-Type: text/html; charset=utf-8"]



=== charsets that no map joins are left alone, and the log says so
--- config
    location /t { charset $arg_c; source_charset two; default_type text/html; return 200 "a"; }
--- request
GET /t?c=one
--- response_headers
Content-Type: text/html
--- error_log
no "charset_map" between the charsets "two" and "one"



=== when both are known, there must be a map
--- config
    location /t { charset one; source_charset two; }
--- must_die
--- error_log
no "charset_map" between the charsets "two" and "one"



=== one map between two
--- http_config
    charset_map one two { }
    charset_map Two one { }
--- config
--- must_die
--- error_log
duplicate "charset_map" between "Two" and "one"



=== a map has bytes
--- http_config
    charset_map one two { 100 20; }
--- config
--- must_die
--- error_log
invalid value "100"



=== a map to UTF-8 has characters
--- http_config
    charset_map one utf-8 { C0 FF; }
--- config
--- must_die
--- error_log
invalid value "FF"



=== what came compressed is of that charset, too
--- config
    location = /z { gzip_static always; }
    location = /t {
        charset utf-8;
        charset_types text/plain;
        default_type text/plain;
        more_set_headers "Content-Encoding: x";
        echo hello;
    }
--- response_headers
Content-Type: text/plain; charset=utf-8



=== X-Accel-Charset asks for another than the server's own, in parts too
--- http_config
    charset_map B A { 58 59; }
    proxy_cache_path wanted keys_zone=wanted:1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        charset B; add_header X-Accel-Charset A;
    } }
--- user_files eval
[["t.html", "X01X456789"]]
--- config
    location /t { proxy_cache wanted; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t.html", "GET /t.html"]
--- more_headers eval
["", "Range: bytes=0-1, 3-4"]
--- error_code eval
[200, 206]
--- response_body_like eval
["^Y01Y456789\$", "text/html; charset=A\r\nContent-Range: bytes 0-1/10\r\n\r\nY0\r\n.*\r\n\r\nY4\r\n--"]
--- response_headers_like eval
["Content-Type: text/html; charset=A", "Content-Type: multipart/byteranges; boundary=\\w+"]



=== X-Accel-Charset asks for one that the configuration knows
--- http_config
    charset_map koi8-r utf-8 { C0 D18E; }
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        content_by_lua_block { ngx.header["X-Accel-Charset"] = ngx.var.arg_c; ngx.header.Content_Type = ngx.var.arg_t; ngx.print("x") }
    } }
--- config
    charset windows-1251;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t?c=KOI8-R&t=text/html", "GET /t?c=windows-1251&t=text/css", "GET /t?c=nope&t=text/html", "GET /t?c=utf-8&t=text/html;charset=zz"]
--- response_headers eval
["Content-Type: text/html; charset=KOI8-R", "Content-Type: text/css; charset=windows-1251", "Content-Type: text/html",
 "Content-Type: text/html;charset=zz"]



=== one that it does not know is left alone, and said
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { add_header X-Accel-Charset nope; return 200 "x"; } }
--- config
    charset utf-8;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- response_headers
Content-Type: text/plain
--- error_log
unknown charset "nope" to override while reading response header from upstream



=== X-Accel-Charset is about where X-Accel-Redirect leads, too
--- http_config
    charset_map B A { 58 59; }
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header X-Accel-Charset A; add_header X-Accel-Redirect /in; return 200 "none";
    } }
--- config
    source_charset B;
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /in { internal; return 200 "X"; }
--- response_body chomp
Y
--- response_headers
Content-Type: text/plain; charset=A

__DATA__


=== what other locations say, before and after
--- config
    default_type text/html;
    location /t { add_before_body /b; add_after_body /a; return 200 "[body]"; }
    location /b { return 200 "before "; }
    location /a { return 200 " after"; }
--- response_headers
!Content-Length
--- response_body chomp
before [body] after



=== only before, only after
--- config
    default_type text/html;
    location /1 { add_before_body /b; return 200 "body"; }
    location /2 { add_after_body /a; return 200 "body"; }
    location /a { return 200 "-after"; }
    location /b { return 200 "before-"; }
--- request eval
["GET /1", "GET /2"]
--- response_body eval
["before-body", "body-after"]



=== in order, whoever is slow
--- config
    default_type text/html;
    location /t { add_before_body /b; add_after_body /a; echo "body"; echo_sleep 0.02; echo "more"; }
    location /b { echo_sleep 0.05; echo "before"; }
    location /a { echo_sleep 0.01; echo "after"; }
--- response_body
before
body
more
after



=== only the types that are asked for, and text/html
--- config
    add_before_body /in; addition_types text/css;
    location /a { default_type text/css; return 200 "a"; }
    location /b { default_type text/html; return 200 "a"; }
    location /c { default_type text/plain; return 200 "a"; }
    location /in { return 200 "+"; }
--- request eval
["GET /a", "GET /b", "GET /c"]
--- response_body eval
["+a", "+a", "a"]



=== only what has succeeded
--- config
    default_type text/html; add_before_body /in;
    location /t { return 404 "none"; }
    location /in { return 200 "+"; }
--- error_code: 404
--- response_body chomp
none



=== around a file, whose tag is weak then
--- config
    location /a { add_before_body /in; types { text/html txt; } }
    location /in { return 200 "+"; }
--- user_files eval
[["a.txt", "x", "202601021530.00"]]
--- request
GET /a.txt
--- response_headers
ETag: W/"6957e478-1"
!Accept-Ranges
--- response_body chomp
+x



=== an inner level can have none
--- config
    default_type text/html; add_before_body /in; add_after_body /in;
    location /t { add_before_body ""; return 200 "a"; }
    location /in { return 200 "+"; }
--- response_body chomp
a+



=== a HEAD asks for none
--- config
    default_type text/html; add_before_body /in;
    location /t { return 200 "a"; }
    location /in { content_by_lua_block { ngx.log(ngx.WARN, "asked") } }
--- request
HEAD /t
--- response_body chop
--- no_error_log
asked



=== what is added is replaced as its own location says
--- config
    default_type text/html; sub_filter_once off;
    location /t { add_before_body /in; sub_filter a b; return 200 "aa"; }
    location /in { sub_filter a c; return 200 "aa"; }
--- response_body chomp
ccbb



=== compression comes after it
--- config
    default_type text/html; add_before_body /in;
    location /t { gzip on; gzip_min_length 1; return 200 "a"; }
    location /in { return 200 "+"; }
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip

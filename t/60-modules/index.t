__DATA__


=== the first that is there
--- config
    location /a1/ { index x.html y.html z.html; }
--- user_files
>>> a1/y.html
y
>>> a1/z.html
z
--- request
GET /a1/
--- response_body
y



=== index.html is the default
--- config
    location /a2/ { root $TEST_NGINX_HTML_DIR; }
--- user_files
>>> a2/index.html
index
--- request
GET /a2/
--- response_body
index



=== the redirect looks for a location again
--- config
    location /a3/ { index x.php; }
    location ~ \.php$ { return 200 "php $uri $args"; }
--- user_files
>>> a3/x.php
--- request
GET /a3/?b
--- response_body: php /a3/x.php b



=== an absolute one is a redirect in any case
--- config
    location /a4/ { index none.html /b; }
    location = /b { return 200 "b"; }
--- user_files
>>> a4/x
--- request
GET /a4/
--- response_body: b



=== variables in the name
--- config
    location /a5/ { index $arg_i.html index.html; }
--- user_files
>>> a5/one.html
one
>>> a5/index.html
index
--- request eval
["GET /a5/?i=one", "GET /a5/?i=two"]
--- response_body eval
["one\n", "index\n"]



=== a folder that is not there
--- config
--- request
GET /none/
--- error_code: 404
--- error_log eval
qr/\[error\] .*"\S+html\/none\/(index\.html)?" is not found \(\d+: /



=== other methods do not ask for an index
--- config
    location /a7/ { index index.html; }
--- user_files
>>> a7/index.html
--- request
DELETE /a/
--- error_code: 405



=== an empty name is refused
--- config
    location /a8/ { index ""; }
--- must_die
--- error_log
index "" in "index" directive is invalid in



=== only the last of them should be absolute
--- config
    location /t/ { index /a b; alias $TEST_NGINX_HTML_DIR/; }
    location = /a { return 200 "a"; }
--- request
GET /t/
--- response_body: a

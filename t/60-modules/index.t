__DATA__


=== the first that is there
--- config
    location /a/ { index x.html y.html z.html; }
--- user_files
>>> a/y.html
y
>>> a/z.html
z
--- request
GET /a/
--- response_body
y



=== index.html is the default
--- config
    location /a/ { root $TEST_NGINX_HTML_DIR; }
--- user_files
>>> a/index.html
index
--- request
GET /a/
--- response_body
index



=== the redirect looks for a location again
--- config
    location /a/ { index x.php; }
    location ~ \.php$ { return 200 "php $uri $args"; }
--- user_files
>>> a/x.php
--- request
GET /a/?b
--- response_body: php /a/x.php b



=== an absolute one is a redirect in any case
--- config
    location /a/ { index none.html /b; }
    location = /b { return 200 "b"; }
--- user_files
>>> a/x
--- request
GET /a/
--- response_body: b



=== variables in the name
--- config
    location /a/ { index $arg_i.html index.html; }
--- user_files
>>> a/one.html
one
>>> a/index.html
index
--- request eval
["GET /a/?i=one", "GET /a/?i=two"]
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
    location /a/ { index index.html; }
--- user_files
>>> a/index.html
--- request
DELETE /a/
--- error_code: 405



=== an empty name is refused
--- config
    location /a/ { index ""; }
--- must_die
--- error_log
index "" in "index" directive is invalid in

__DATA__


=== the first file that is there
--- config
    location /t/ { try_files $uri.html $uri.txt =404; }
--- user_files
>>> t/a.txt
text
>>> t/b.html
html
>>> t/b.txt
text
--- request eval
["GET /t/a", "GET /t/b", "GET /t/c"]
--- error_code eval
[200, 200, 404]
--- response_body_like eval
["^text\n\$", "^html\n\$", "404"]



=== a folder that is there is a redirect to it
--- config
    location /t/ { try_files $uri $uri/ =404; }
--- user_files
>>> t/sub/x
--- request eval
["GET /t/sub", "GET /t/none"]
--- error_code eval
[301, 404]
--- raw_response_headers_like eval
["/t/sub/\r\n", ""]



=== the last is a redirect inside
--- config
    location /t { try_files $uri /back?from=$uri&$args; }
    location = /back { return 200 "$uri $args"; }
--- request
GET /tx?a=b
--- response_body: /back from=/tx&a=b



=== the last may be a named location
--- config
    location /t { try_files $uri @back; }
    location @back { return 200 "back for $uri"; }
--- request
GET /tx
--- response_body: back for /tx



=== the last may be a status
--- config
    location /t { try_files $uri =403; }
--- request
GET /tx
--- error_code: 403



=== a folder is no file
--- config
    location /t/ { try_files $uri =404; }
--- user_files
>>> t/sub/x
--- request
GET /t/sub
--- error_code: 404



=== with alias
--- config
    location /t/ { alias $TEST_NGINX_HTML_DIR/files/; try_files $uri other.txt =404; }
--- user_files
>>> files/a.txt
a
>>> files/other.txt
other
--- request eval
["GET /t/a.txt", "GET /t/b.txt"]
--- response_body eval
["a\n", "other\n"]



=== the type is that of the file that was found
--- config
    location /t { types { a/b x; } try_files $uri.x =404; }
--- user_files
>>> ta.x
x
--- request
GET /ta
--- response_headers
Content-Type: a/b
--- response_body
x



=== inner locations do not inherit it
--- config
    location /t/ {
        try_files /none =403;
        location /t/in/ { return 200 "inner"; }
    }
--- request eval
["GET /t/x", "GET /t/in/x"]
--- error_code eval
[403, 200]



=== a code that is none
--- config
    location /t { try_files $uri =many; }
--- must_die
--- error_log
invalid code "=many" in



=== an alias in a location by regex is a folder
--- config
    location ~ ^/re { alias $TEST_NGINX_HTML_DIR/there; try_files $uri =404; }
--- user_files
>>> there/re.txt
found
--- request
GET /re.txt
--- response_body
found



=== a last URI that is empty names no folder
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location /u { try_files /none $arg_x; }
        location / { index index.html; autoindex on; }
    }
--- config
    location = /t { proxy_redirect off; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/u; }
--- request
GET /t
--- error_code: 301
--- response_headers_like
Location: http://.*/$



=== below an alias in a location by regex, names are taken as they are
--- config
    location ~ ^/re/(.*)$ {
        alias $TEST_NGINX_HTML_DIR/there/;
        try_files $1.txt $1 $1/ =404;
    }
    location ~ ^/whole/(.*)$ {
        alias $TEST_NGINX_HTML_DIR/there/$1;
        try_files "" =404;
    }
--- user_files
>>> there/a.txt
found
>>> there/b
other
--- request eval
["GET /re/a", "GET /re/b", "GET /re/c", "GET /whole/b", "GET /whole/c"]
--- error_code eval
[200, 200, 404, 200, 404]
--- response_body_like eval
["found", "other", "404", "other", "404"]

__DATA__


=== a request is answered by another server
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location /back { return 200 "$request_method $request_uri $http_host $http_x"; }
--- more_headers
X: y
--- response_body_like: ^GET /back 127.0.0.1:\d+ y$
--- no_error_log
[error]



=== the uri replaces the location's prefix, the query stays
--- config
    location /t/ { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back/; }
    location /back { return 200 "$request_uri"; }
--- request
GET /t/a%20b/c?d=%20e
--- response_body: /back/a%20b/c?d=%20e



=== without a uri the request's own is passed as it came
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$request_uri"; }
--- request
GET /t/%41/../b//c?d
--- response_body: /t/%41/../b//c?d



=== an address that has variables
--- config
    location /t { set $back 127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_pass http://$back/x?y=$arg_a; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$request_uri"; }
--- request
GET /t?a=b
--- response_body: /x?y=b



=== the name of an upstream in a variable
--- config
    location /t { set $back one; proxy_pass http://$back; }
--- http_config
    upstream one { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "$http_host"; }
--- response_body: one



=== nobody listens
--- config
    location /t { proxy_pass http://127.0.0.1:1/x; }
--- error_code: 502
--- error_log eval
qr{connect\(\) failed \(.*\) while connecting to upstream, client: 127.0.0.1, server: \S+, request: "GET /t HTTP/1.1", upstream: "http://127.0.0.1:1/x", host:}



=== arguments that were changed are the server's as well, without another uri
--- config
    location /set { set $args "z=9"; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    location /none { set $args ""; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    location /lua { rewrite_by_lua_block { ngx.req.set_uri_args { q = "1" } }
                    proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    location /as { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    if ($http_x_back) { return 200 $request_uri; }
    proxy_set_header X-Back 1;
--- request eval
["GET /set/a%20b?x", "GET /none?x", "GET /lua?x", "GET /as/a%2fb?x"]
--- response_body eval
["/set/a%20b?z=9", "/none", "/lua?q=1", "/as/a%2fb?x"]

no_root_location();

__DATA__


=== HTTP/2 is chosen by ALPN
--- http2: tls
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t {
        return 200 "$server_protocol $http2 $ssl_alpn_protocol $scheme";
    }
--- response_body: HTTP/2.0 h2 h2 https
--- response_headers
Content-Length: 20
! Connection



=== who does not offer it gets HTTP/1.1
--- http2: tls
--- curl_options: --http1.1
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t {
        return 200 "$server_protocol[$http2] $ssl_alpn_protocol";
    }
--- response_body: HTTP/1.1[] http/1.1



=== bodies of many records go both ways over HTTP/2
--- http2: tls
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    client_body_buffer_size 512k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
--- request eval
"POST /t\n" . ("0123456789" x 20000)
--- response_body eval
"0123456789" x 20000




=== the server that a client names in its handshake says whether there is HTTP/2
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; return 200; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        server_name on.test; http2 on;
        return 200 "$server_name $server_protocol";
    }
    proxy_http_version 2;
    proxy_ssl_server_name on;
    proxy_ssl_name $arg_a;
    proxy_set_header Host $arg_a;
--- config
    location = /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t?a=on.test", "GET /t?a=off.test"]
--- error_code eval
[200, 502]
--- response_body_like eval
["^on.test HTTP/2.0\$", "502"]



=== where the server that was named has none, the address's default does not count
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        http2 on; return 200 "$server_protocol";
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        server_name off.test; return 200;
    }
    proxy_http_version 2;
    proxy_ssl_server_name on;
    proxy_ssl_name $arg_a;
    proxy_set_header Host $arg_h;
--- config
    location = /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t?a=any.test&h=any.test", "GET /t?a=off.test&h=off.test", "GET /t?a=any.test&h=off.test"]
--- error_code eval
[200, 502, 421]
--- response_body_like eval
["HTTP/2.0", "502", "421"]



=== settings of HTTP/2 are those of the server that was named
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; http2 on; return 200;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; server_name on.test;
        http2 on; large_client_header_buffers 2 200;
        return 200 "$server_name";
    }
    proxy_http_version 2;
    proxy_ssl_server_name on;
    proxy_ssl_name $arg_a;
    proxy_set_header Host on.test;
--- config
    location = /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- more_headers eval
"X: " . ("x" x 300)
--- request eval
["GET /t?a=on.test", "GET /t?a=any.test"]
--- error_code eval
[502, 200]
--- response_body_like eval
["502", "on.test"]

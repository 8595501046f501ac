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


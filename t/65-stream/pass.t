__DATA__


=== a connection goes to a server of http
--- stream_server_config
    pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t { return 200 "http at $server_port"; }
--- stream_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- stream_response_like: http at \d+$



=== to one of stream, by a variable
--- stream_config
    map $protocol $port { TCP $TEST_NGINX_RAND_PORT_1; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             return "$server_addr:$server_port"; }
--- stream_server_config
    pass 127.0.0.1:$port;
--- stream_response_like: ^127\.0\.0\.1:\d+$



=== what was read behind a PROXY header goes along
--- stream_listen: proxy_protocol
--- stream_server_config
    pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t { return 200 "$proxy_protocol_addr"; }
--- stream_request eval
"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET /t HTTP/1.0\r\n\r\n"
--- stream_response_like: 192\.0\.2\.1$



=== a circle comes to an end
--- stream_server_config
    pass 127.0.0.1:$TEST_NGINX_STREAM_PORT;
--- stream_response eval: ""
--- error_log
cannot pass connection while passing connection to port
finalize stream session: 500



=== nobody listens there
--- stream_server_config
    pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response eval: ""
--- error_log
port not found for "127.0.0.1:
finalize stream session: 500



=== what a variable names has to be an address
--- stream_config
    map $remote_port $nowhere { default "no.such:port"; }
--- stream_server_config
    pass $nowhere;
--- stream_response eval: ""
--- error_log
invalid port in pass "no.such:port"
finalize stream session: 500



=== of several servers that pass, TLS names one before it is spoken
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location = /t { return 200 "secret $scheme"; }
    }
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        ssl_preread on;
        return "default";
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server_name *.example.com;
        pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            assert(sock:sslhandshake(nil, "One.Example.com", false))
            assert(sock:send("GET /t HTTP/1.0\r\n\r\n"))
            ngx.say((sock:receive("*a")):match("secret.*$"))
        }
    }
--- request
GET /t
--- response_body
secret https



=== TLS ends here, and http goes on
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location = /t { return 200 "open $scheme"; }
    }
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            assert(sock:sslhandshake(nil, "one.example.com", false))
            assert(sock:send("GET /t HTTP/1.0\r\n\r\n"))
            ngx.say((sock:receive("*a")):match("open.*$"))
        }
    }
--- request
GET /t
--- response_body
open https

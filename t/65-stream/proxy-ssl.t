__DATA__


=== a server is spoken to over TLS
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "$ssl_protocol|$ssl_server_name|$ssl_client_verify|";
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
--- stream_response: TLSv1.3||NONE|
--- no_error_log
[error]



=== bytes go both ways
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_buffer_size 3k;
--- config
    location = /t { content_by_lua_block {
        ngx.req.read_body()
        ngx.print(ngx.req.get_body_data() or io.open(ngx.req.get_body_file()):read("*a"))
    } }
--- stream_request eval
"POST /t HTTP/1.0\r\nContent-Length: 320000\r\n\r\n" . ("abcdefgh" x 40000)
--- stream_response_like eval
"Content-Length: 320000.*\r\n\r\n(?:abcdefgh)+\\z"
--- no_error_log
[error]



=== the server is told who is meant, and what is spoken
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_alpn b c;
        return "$ssl_server_name|$ssl_alpn_protocol|";
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_server_name on;
    proxy_ssl_name x${server_port}.test:80;
    proxy_ssl_alpn a b;
--- stream_response_like: ^x\d+\.test\|b\|$



=== nothing in common to speak
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_alpn b;
        return "never";
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_alpn a;
--- stream_response eval: ""
--- error_log eval
["[error]", "SSL_do_handshake() failed (SSL: error:", "while SSL handshaking to upstream, client: 127.0.0.1, server: 0.0.0.0:",
 "finalize stream session: 502"]



=== sessions are gone on with
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "$ssl_session_reused";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_ssl on;
        proxy_ssl_session_reuse off;
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_protocols TLSv1.2;
--- config
    location = /t { content_by_lua_block {
        for _, port in ipairs { $TEST_NGINX_STREAM_PORT, $TEST_NGINX_RAND_PORT_2 } do
            for i = 1, 3 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", port))
                ngx.print(sock:receive("*a"))
            end
        end
    } }
--- request
GET /t
--- response_body: .rr...



=== it has to be who it should be
--- stream_config
    proxy_ssl on;
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "ok";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_ssl_name a.example.com;
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl_name other.test;
--- config
    location = /t { content_by_lua_block {
        for _, port in ipairs { $TEST_NGINX_RAND_PORT_2, $TEST_NGINX_STREAM_PORT } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", port))
            ngx.say(sock:receive("*a") == "ok")
        end
    } }
--- request
GET /t
--- response_body
true
false
--- error_log
upstream SSL certificate does not match "other.test" while SSL handshaking to upstream
finalize stream session: 502



=== and somebody who is trusted says so
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_verify on;
--- must_die
--- error_log
[emerg] no proxy_ssl_trusted_certificate for proxy_ssl_verify



=== who asks may have a certificate, of any name
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        ssl_verify_client on;
        return "$ssl_client_s_dn";
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
    proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
--- stream_response: CN=A Client,O=Lunette tests



=== a PROXY header stands before the handshake
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl proxy_protocol;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "$proxy_protocol_addr $ssl_protocol";
    }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_protocol on;
--- stream_response: 127.0.0.1 TLSv1.3



=== a server that speaks no TLS is one that fails
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_2;
        # What is not read turns the end into a reset.
        content_by_lua_block {
            local sock = ngx.req.socket(true)
            sock:receiveany(65536)
            sock:send("plain")
            sock:receiveany(65536)
        }
    }
    upstream both {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "ok";
    }
--- stream_server_config
    proxy_pass both;
    proxy_ssl on;
--- stream_response: ok
--- error_log
SSL_do_handshake() failed (SSL: error:



=== a handshake has the time of connecting
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    proxy_ssl on;
    proxy_connect_timeout 100ms;
--- tcp_listen: $TEST_NGINX_RAND_PORT_2
--- tcp_no_close
--- stream_response eval: ""
--- error_log
finalize stream proxy: 502
--- no_error_log
[error]



=== a hello that chose the server is passed on to it
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return "behind $ssl_server_name";
    }
--- stream_server_config
    ssl_preread on;
    proxy_pass $ssl_preread_server_name:$TEST_NGINX_RAND_PORT_1;
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
--- config
    location = /t { content_by_lua_block {
        local get = require "stream_tls".get
        ngx.print((get($TEST_NGINX_STREAM_PORT, { name = "127.0.0.1" })))
    } }
--- request
GET /t
--- response_body: behind 127.0.0.1



=== what a server is offered may have variables; what these make empty is not said
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_alpn b c;
        return "[$ssl_alpn_protocol]";
    }
    map $remote_addr $second { default c; }
    map $remote_addr $none { default ""; }
    proxy_ssl on;
    server {
        listen $TEST_NGINX_RAND_PORT_2; proxy_ssl_alpn $none $second;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    server {
        listen $TEST_NGINX_RAND_PORT_3; proxy_ssl_alpn $none;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- stream_server_config
    return "";
--- config
    location = /t { content_by_lua_block {
        for _, port in ipairs { $TEST_NGINX_RAND_PORT_2, $TEST_NGINX_RAND_PORT_3 } do
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            ngx.say(sock:receive("*a"))
        end
    } }
--- request
GET /t
--- response_body
[c]
[]



=== a server that is back has all sessions again once it has taken one
--- user_files
>>> bad
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate_by_lua_block {
            local f = io.open(ngx.config.prefix() .. "html/bad")
            if f then f:close() ngx.exit(ngx.ERROR) end
        }
        content_by_lua_block { ngx.say "first" ngx.req.socket():receive() }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        content_by_lua_block { ngx.say "backup" ngx.req.socket():receive() }
    }
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 fail_timeout=1s;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 backup;
    }
    server { listen $TEST_NGINX_RAND_PORT_3; proxy_ssl on; proxy_pass u; }
--- stream_server_config
    return "";
--- config
    location = /t { content_by_lua_block {
        local socks = {}
        local function open()
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_3)
            socks[#socks + 1] = sock
            return sock:receive()
        end
        ngx.say(open())
        os.remove(ngx.config.prefix() .. "html/bad")
        ngx.sleep(2.1)
        ngx.say(open(), " ", open(), " ", open())
    } }
--- request
GET /t
--- response_body
backup
first first first
--- timeout: 10

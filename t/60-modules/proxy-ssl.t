__DATA__


=== a request is answered by a server behind TLS
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        location / { return 200 "$ssl_protocol|$ssl_server_name|$http_host|$request"; }
    }
--- config
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/x; }
--- response_body_like chop
^TLSv1.3\|\|127.0.0.1:\d+\|GET /x HTTP/1.1$



=== an address that has variables
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        location / { return 200 "$https $request_uri"; }
    }
--- config
    location /t {
        set $scheme_ HTTPS;
        proxy_pass $scheme_://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        add_header A "$proxy_port $upstream_addr";
    }
--- response_body chomp
on /t
--- raw_response_headers_like chomp
A: (\d+) 127.0.0.1:\1\b



=== the port of https is 443, and the host's name has none
--- config
    location /t { proxy_connect_timeout 1s; proxy_pass https://127.0.0.1; add_header A "$proxy_host $proxy_port $upstream_addr" always; }
--- error_code: 502
--- response_headers
A: 127.0.0.1 443 127.0.0.1:443
--- error_log
while connecting to upstream
upstream: "https://127.0.0.1:443/t"



=== a body goes both ways
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        location / { content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data() or io.open(ngx.req.get_body_file()):read("*a"))
        } }
    }
--- config
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_buffers 4 4k; }
    location /s { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; proxy_request_buffering off; proxy_buffering off; }
--- request eval
["POST /t\n" . ("abcdefgh" x 40000), "POST /s\n" . ("ijklmnop" x 40000)]
--- response_body eval
["abcdefgh" x 40000, "ijklmnop" x 40000]



=== the server is told who is meant, without a port
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "$ssl_server_name."; } }
    upstream named { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    proxy_ssl_server_name on;
    location /a { proxy_pass https://named; }
    location /b { proxy_pass https://named; proxy_ssl_name $arg_n:8443; }
    location /c { proxy_pass https://named; proxy_ssl_server_name off; }
    location /d { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /e { proxy_pass https://named; proxy_ssl_name [::1]; }
--- request eval
["GET /a", "GET /b?n=x.test", "GET /b?n=y.test", "GET /c", "GET /d", "GET /e"]
--- response_body eval
["named.", "x.test.", "y.test.", ".", ".", "."]



=== a name that is too long to be told is an error
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "ok"; } }
--- config
    proxy_ssl_server_name on;
    proxy_ssl_name $arg_n;
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t?n=" . ("x" x 255), "GET /t?n=" . ("x" x 256)]
--- error_code eval
[200, 500]



=== a server's certificate is checked, and its name
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "ok"; } }
--- config
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_name $arg_n;
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t?n=localhost", "GET /t?n=a.example.com", "GET /t?n=other.test", "GET /t"]
--- error_code eval
[200, 200, 502, 502]



=== which is said when it is another
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "ok"; } }
--- config
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_name other.test:443;
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log eval
qr{\[error\] .* upstream SSL certificate does not match "other.test" while SSL handshaking to upstream, client: 127.0.0.1, server: localhost, request: "GET /t HTTP/1.1", upstream: "https://127.0.0.1:\d+/t"}



=== a certificate that nobody vouches for
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/stranger.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/stranger.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "ok"; } }
--- config
    location /t {
        proxy_ssl_verify on;
        proxy_ssl_trusted_certificate ../../cert/ca.crt;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 502
--- error_log eval
qr/upstream SSL certificate verify error: \(18:self.signed certificate\) while SSL handshaking to upstream/



=== lists of what was revoked
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        return 200 "ok";
    }
--- config
    proxy_ssl_verify on;
    proxy_ssl_name localhost;
    proxy_ssl_crl $TEST_NGINX_CERT_DIR/ca.crl;
    location /t {
        proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body: ok



=== a list of somebody else
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "ok"; } }
--- config
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_crl $TEST_NGINX_CERT_DIR/stranger.crl;
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log
upstream SSL certificate verify error: (3:unable to get certificate CRL) while SSL handshaking to upstream



=== the server asks for a certificate of ours
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        ssl_verify_client optional;
        location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
    }
--- config
    location /t {
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
        proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /none { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request eval
["GET /t", "GET /none"]
--- response_body eval
["SUCCESS CN=A Client,O=Lunette tests", "NONE "]



=== a key under a password
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        ssl_verify_client optional_no_ca;
        location / { return 200 "$ssl_client_s_dn"; }
    }
--- config
    location /t {
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/locked.key;
        proxy_ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body_like: ^CN=localhost



=== protocols, ciphers, and what OpenSSL calls a command
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "$ssl_protocol $ssl_cipher"; } }
--- config
    location /a {
        proxy_ssl_protocols TLSv1.2;
        proxy_ssl_ciphers ECDHE-ECDSA-AES256-GCM-SHA384;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /b {
        proxy_ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /a", "GET /b"]
--- response_body eval
["TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384", "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256"]



=== nothing that both sides speak
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; ssl_protocols TLSv1.3; return 200 "ok"; }
--- config
    location /t { proxy_ssl_protocols TLSv1.2; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log eval
qr{\[error\] .* SSL_do_handshake\(\) failed \(SSL: error:\w+:.*alert protocol version.*\) while SSL handshaking to upstream, client: 127.0.0.1, server: localhost, request: "GET /t HTTP/1.1", upstream: "https://127.0.0.1:\d+/t"}



=== a server that does not speak TLS
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "ok"; }
--- config
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log eval
qr/SSL_do_handshake\(\) failed \(SSL: error:.*wrong version number\) while SSL handshaking to upstream/



=== a server that leaves
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 proxy_protocol; }
--- config
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log eval
qr/(peer closed connection in SSL handshake|SSL_do_handshake\(\) failed \(\d+: .*\)) while SSL handshaking to upstream/



=== a handshake that takes too long
--- config
    location /t { proxy_connect_timeout 100ms; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply_delay: 1s
--- tcp_reply:
--- error_code: 504
--- error_log eval
qr{upstream timed out \(\d+: .*\) while SSL handshaking to upstream}



=== another server is asked
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "plain"; }
    server { listen $TEST_NGINX_RAND_PORT_2 ssl; return 200 "tls"; }
    upstream two { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
--- config
    location /t { proxy_pass https://two; add_header S $upstream_status; }
--- response_body chomp
tls
--- response_headers
S: 502, 200



=== connections are kept, sessions are used again
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "$connection_requests $ssl_session_reused"; } }
    upstream kept { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    upstream lost { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 0; }
--- config
    location /k { proxy_pass https://kept; }
    location /l { proxy_pass https://lost; }
    location /o { proxy_pass https://lost; proxy_ssl_session_reuse off; }
    location /2 { proxy_pass https://lost; proxy_ssl_protocols TLSv1.2; }
--- request eval
["GET /k", "GET /k", "GET /l", "GET /l", "GET /o", "GET /o", "GET /2", "GET /2"]
--- response_body eval
["1 .", "2 .", "1 .", "1 r", "1 .", "1 .", "1 .", "1 r"]



=== so many sessions, those that were not used for longest make room
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 $ssl_session_reused; } }
    upstream lost { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 0; }
--- config
    location = /p { proxy_ssl_name n$arg_n.test; proxy_pass https://lost; }
    location = /t {
        content_by_lua_block {
            local function reused(n)
                return ngx.location.capture("/p?n=" .. n).body
            end
            for n = 1, 128 do
                reused(n)
            end
            ngx.say(reused(1), reused(129), reused(2), reused(1), reused(129))
        }
    }
--- response_body
r..rr
--- timeout: 60



=== a connection that is kept is used by nobody who speaks otherwise
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { return 200 "$connection_requests $ssl_server_name"; } }
    upstream all { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    proxy_ssl_server_name on;
    location /n { proxy_ssl_name $arg_n; proxy_pass https://all; }
    location /plain { proxy_pass http://all; error_page 400 =200 @said; proxy_intercept_errors on; }
    location @said { return 200 "plain"; }
--- request eval
["GET /n?n=a", "GET /n?n=b", "GET /plain", "GET /n?n=a"]
--- response_body eval
["1 a", "1 b", "plain", "2 a"]
--- no_error_log
[error]



=== after 101 bytes go both ways, encrypted
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; location / { proxy_http_version 1.1; proxy_set_header Upgrade x; proxy_set_header Connection upgrade;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_2; } }
--- config
    location /t {
        proxy_set_header Upgrade x;
        proxy_set_header Connection upgrade;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_2
--- tcp_reply eval
"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello"
--- more_headers
Upgrade: x
Connection: upgrade
--- error_code: 101
--- response_body chomp
hello



=== who is to be checked needs somebody who is trusted
--- config
    location /t { proxy_ssl_verify on; proxy_pass https://127.0.0.1; }
--- must_die
--- error_log
[emerg] no proxy_ssl_trusted_certificate for proxy_ssl_verify



=== a certificate has a key
--- config
    location /t { proxy_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt; proxy_pass https://127.0.0.1; }
--- must_die
--- error_log eval
qr{\[emerg\] no "proxy_ssl_certificate_key" is defined for certificate ".*client.crt"}



=== which are files
--- config
    location /t { proxy_ssl_certificate no.crt; proxy_ssl_certificate_key no.key; proxy_pass https://127.0.0.1; }
--- must_die
--- error_log eval
qr{\[emerg\] cannot load certificate ".*no.crt": BIO_new_file\(\) failed \(SSL: }



=== whose names may have variables
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_verify_client optional_no_ca;
        location / { return 200 "$ssl_session_reused $ssl_client_s_dn"; }
    }
--- config
    location /t {
        set $file "";
        if ($arg_a) { set $file $TEST_NGINX_CERT_DIR/$arg_a; }
        proxy_ssl_certificate $file;
        proxy_ssl_certificate_key $file;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /s {
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/$arg_a.crt;
        proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/$arg_b.key;
        proxy_ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /s?a=client&b=client", "GET /s?a=other&b=other", "GET /s?a=server&b=locked",
 "GET /s?a=other&b=other", "GET /t"]
--- response_body_like eval
["^. CN=A Client", "^\\. CN=other", "^\\. CN=localhost", "^r CN=other", "^\\. \\z"]
--- no_error_log
[error]



=== a certificate that is not there at the time of a request
--- config
    location /t {
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/$arg_a.crt;
        proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; }
--- request
GET /t?a=none
--- error_code: 500
--- error_log
none.crt": BIO_new_file() failed (SSL: error:



=== a certificate that does not fit its key at the time of a request
--- config
    location /t {
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/$arg_a.crt;
        proxy_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; }
--- request
GET /t?a=other
--- error_code: 500
--- error_log
other.crt": SSL_use_PrivateKey() failed (SSL: error:



=== certificates that were read are kept
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_verify_client optional_no_ca;
        location / { return 200 "$ssl_client_s_dn"; }
    }
    proxy_ssl_session_reuse off;
--- config
    location /kept {
        proxy_ssl_certificate $TEST_NGINX_HTML_DIR/$arg_a.crt;
        proxy_ssl_certificate_key $TEST_NGINX_HTML_DIR/$arg_a.key;
        proxy_ssl_certificate_cache max=2 valid=1h;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /checked {
        proxy_ssl_certificate $TEST_NGINX_HTML_DIR/$arg_a.crt;
        proxy_ssl_certificate_key $TEST_NGINX_HTML_DIR/$arg_a.key;
        proxy_ssl_certificate_cache max=10 valid=0 inactive=1h;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /put { content_by_lua_block {
        for _, kind in ipairs { ".crt", ".key" } do
            local from = assert(io.open("$TEST_NGINX_CERT_DIR/" .. ngx.var.arg_from .. kind))
            local to = assert(io.open("$TEST_NGINX_HTML_DIR/" .. ngx.var.arg_to .. kind, "w"))
            to:write(from:read("*a"))
            to:close()
        end
    } }
--- request eval
["GET /put?from=client&to=a", "GET /put?from=client&to=b", "GET /kept?a=a", "GET /checked?a=a",
 "GET /put?from=stapled&to=a", "GET /kept?a=a", "GET /kept?a=b", "GET /kept?a=a"]
--- response_body_like eval
["", "", "CN=A Client", "CN=A Client", "", "CN=A Client", "CN=A Client", "CN=stapled"]
--- no_error_log
[error]



=== of which there are as many as it says
--- config
    proxy_ssl_certificate_cache inactive=10s;
--- must_die
--- error_log
"proxy_ssl_certificate_cache" must have the "max" parameter



=== an address without https has no use for them
--- config
    location /t { proxy_ssl_certificate no.crt; proxy_ssl_verify on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location /s { return 200 "ok"; }
--- response_body: ok

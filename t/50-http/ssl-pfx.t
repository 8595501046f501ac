# Certificates and keys in one file (PKCS#12), and authorities of the system.

__DATA__


=== a certificate with its key and its issuer
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.pfx;
        ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
        location / { return 200 "open"; }
    }
--- config
    location /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_verify on;
        proxy_ssl_name localhost;
        proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    }
--- response_body chomp
open



=== beside one whose key is a file: the list of keys has no place for it
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/rsa.p12;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$ssl_cipher"; }
    }
--- config
    location /rsa {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_protocols TLSv1.2;
        proxy_ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256;
    }
    location /ecdsa {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_protocols TLSv1.2;
        proxy_ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;
    }
--- request eval
["GET /rsa", "GET /ecdsa"]
--- response_body eval
["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"]



=== read for each handshake, by a name with variables
--- http_config
    map $ssl_server_name $file { default server; }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/$file.pfx;
        ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
        ssl_certificate_cache max=10;
        location / { return 200 "open"; }
    }
--- config
    location /t { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["open", "open"]



=== shown to a server
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_verify_client on;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        location / { return 200 $ssl_client_verify; }
    }
--- config
    location /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_certificate $TEST_NGINX_CERT_DIR/rsa.p12;
    }
--- response_body chomp
SUCCESS



=== a password that does not fit
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.pfx;
    }
--- config
--- must_die
--- error_log
server.pfx": PKCS12_parse() failed (SSL: error:



=== a file that is none
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_SERVER_ROOT/html/none.pfx;
    }
--- config
--- user_files
>>> none.pfx
-----BEGIN CERTIFICATE-----
--- must_die
--- error_log
none.pfx": d2i_PKCS12_bio() failed



=== the system's authorities do not know ours
--- http_config
    lua_ssl_trusted_certificate system;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_verify_client optional;
        ssl_trusted_certificate system;
        location / { return 200 "open"; }
    }
--- config
    location /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_verify on;
        proxy_ssl_name localhost;
        proxy_ssl_trusted_certificate system;
    }
--- error_code: 502
--- error_log
upstream SSL certificate verify error: (20:unable to get local issuer certificate)



=== clients are told of a list, not of the system's
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_client_certificate system;
    }
--- config
--- must_die
--- error_log
cannot load certificate

no_root_location();

__DATA__


=== a listener without a certificate
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
--- must_die
--- error_log
no "ssl_certificate" is defined for the "listen ... ssl" directive in



=== a certificate without a key
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
--- must_die
--- error_log
no "ssl_certificate_key" is defined for certificate "



=== a certificate that is not there
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate none.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- must_die
--- error_log
conf/none.crt": BIO_new_file() failed (SSL: error:



=== a certificate that is none
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.key;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- must_die
--- error_log
server.key": PEM_read_bio_X509_AUX() failed (SSL: error:



=== a key that is not there
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key none.key;
--- must_die
--- error_log
conf/none.key": BIO_new_file() failed (SSL: error:



=== a key of another certificate
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/other.key;
--- must_die
--- error_log
other.key") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)



=== a key whose password nobody knows
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/locked.key;
--- must_die
--- error_log
PEM_read_bio_PrivateKey() failed (SSL: error:



=== ciphers that nobody knows
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_ciphers NONSENSE;
--- must_die
--- error_log
SSL_CTX_set_cipher_list("NONSENSE") failed (SSL: error:0A0000B9:SSL routines::no cipher match)



=== a curve that nobody knows
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_ecdh_curve nonsense;
--- must_die
--- error_log
SSL_CTX_set1_curves_list("nonsense") failed



=== a command that nobody knows
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_conf_command Nonsense On;
--- must_die
--- error_log
SSL_CONF_cmd("Nonsense", "On") failed (SSL: error:



=== verifying needs somebody to trust
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_verify_client on;
--- must_die
--- error_log
no ssl_client_certificate or ssl_trusted_certificate for ssl_verify_client



=== a session cache that is none
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache sometimes;
--- must_die
--- error_log
invalid session cache "sometimes"



=== a session cache too small to be one
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:S:1k;
--- must_die
--- error_log
session cache "shared:S:1k" is too small



=== a ticket key of a wrong size
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_ticket_key $TEST_NGINX_CERT_DIR/passwords;
--- must_die
--- error_log
passwords" must be 48 or 80 bytes



=== who refuses by default wants certificates from the others
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1 ssl default_server; ssl_reject_handshake on; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
--- must_die
--- error_log
no "ssl_certificate" is defined for the "listen ... ssl" directive in



=== a hello that OpenSSL could not open would not
--- config
    ssl_ech_file keys.pem;
    location = /t { return 200 up; }
--- response_body chomp
up
--- error_log
"ssl_ech_file" is not supported on this platform, ignored

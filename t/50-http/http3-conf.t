# Directives of HTTP/3 and QUIC that are wrong, and what is said of them.
#
# SPDX-License-Identifier: BSD-2-Clause

no_root_location();

__DATA__


=== a listener for QUIC without a certificate
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 quic;
    }
--- config
--- must_die
--- error_log
no "ssl_certificate" is defined for the "listen ... quic" directive in



=== QUIC has TLS already
--- config
    listen $TEST_NGINX_RAND_PORT_1 quic ssl;
--- must_die
--- error_log
"ssl" parameter is incompatible with "quic" in



=== HTTP/2 is not spoken over QUIC
--- config
    listen $TEST_NGINX_RAND_PORT_1 quic http2;
--- must_die
--- error_log
"http2" parameter is incompatible with "quic" in



=== nor comes a PROXY header
--- config
    listen $TEST_NGINX_RAND_PORT_1 quic proxy_protocol;
--- must_die
--- error_log
"proxy_protocol" parameter is incompatible with "quic" in



=== what is of connections of TCP
--- config
    listen $TEST_NGINX_RAND_PORT_1 quic backlog=100;
--- must_die
--- error_log
"backlog" parameter is incompatible with "quic" in



=== the same address twice
--- config
    listen $TEST_NGINX_RAND_PORT_1 quic;
    listen $TEST_NGINX_RAND_PORT_1 quic;
--- must_die
--- error_log
a duplicate listen 0.0.0.0:



=== a flag that is none
--- config
    http3 maybe;
--- must_die
--- error_log
invalid value "maybe" in "http3" directive, it must be "on" or "off" in



=== no way to send
--- config
    quic_congestion_control vegas;
--- must_die
--- error_log
invalid value "vegas" in



=== no word for retries
--- config
    quic_retry sometimes;
--- must_die
--- error_log
invalid value "sometimes" in



=== a number that is none
--- config
    http3_max_concurrent_streams many;
--- must_die
--- error_log
invalid number in



=== a key that is not there
--- config
    quic_host_key none.key;
--- must_die
--- error_log
conf/none.key



=== a key that is empty
--- user_files
>>> empty.key
--- config
    quic_host_key ../html/empty.key;
--- must_die
--- error_log
zero key size



=== a key that can be guessed
--- user_files
>>> short.key
abc
--- config
    quic_host_key ../html/short.key;
    location = /t { return 200 "served"; }
--- response_body: served
--- error_log
short.key" has 4 bytes: that can be guessed



=== quic_bpf is read, and not needed
--- main_config
    quic_bpf on;
--- config
    location = /t { return 200 "served"; }
--- response_body: served
--- error_log
"quic_bpf" is not needed: packets find their worker without it



=== all of them together, over TCP
--- http_config
    quic_gso off;
    quic_retry auto;
    quic_qlog off;
    quic_congestion_control bbr;
    http3_max_table_capacity 0;
    server {
        listen $TEST_NGINX_RAND_PORT_1 quic;
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        http3_stream_buffer_size 128k;
        http3_max_concurrent_streams 16;
        quic_active_connection_id_limit 4;
        quic_host_key $TEST_NGINX_CERT_DIR/server.key;
    }
--- config
    location = /t { return 200 "$server_protocol [$http3] [$quic_connection]"; }
--- response_body: HTTP/1.1 [] []



=== QUIC wants TLS 1.3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 quic; ssl_protocols TLSv1.2; }
--- config
--- must_die
--- error_log
"ssl_protocols" must enable TLSv1.3 for the "listen ... quic" directive in

__DATA__


=== what a hello says
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"\x16\x03\x01\x00\x5d\x01\x00\x00Y\x03\x03" . ("r" x 32) . "\x00\x00\x00"
 . "\x00\x001\x00\x00\x00\x10\x00\x0e\x00\x00\x0bfoo.example\x00\x10\x00"
 . "\x0e\x00\x0c\x02h2\x08http/1.1\x00+\x00\x07\x06\x0a\x0a\x03\x04\x03"
 . "\x03"
--- stream_response: TLSv1.3|foo.example|h2,http/1.1|



=== one that says nothing
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"\x16\x03\x01\x00,\x01\x00\x00(\x03\x02" . ("r" x 32) . "\x00\x00\x00"
 . "\x00\x00\x00"
--- stream_response: TLSv1.1|||



=== one that comes in records of a few bytes, and in pieces
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
["\x16\x03\x01",
 "\x00\x07\x01\x00\x00Y\x03\x03r\x16\x03\x01\x00\x07rrrrrrr\x16\x03\x01"
 . "\x00\x07rrrrrrr\x16\x03\x01\x00\x07rrrrrrr\x16\x03\x01\x00\x07rrrrrr"
 . "r\x16\x03\x01\x00\x07rrr\x00\x00\x00\x00\x16\x03\x01\x00\x07\x001"
 . "\x00\x00\x00\x10\x00\x16\x03\x01\x00\x07\x0e\x00\x00\x0bfoo\x16\x03"
 . "\x01\x00",
 "\x07.exampl\x16\x03\x01\x00\x07e\x00\x10\x00\x0e\x00\x0c\x16\x03\x01"
 . "\x00\x07\x02h2\x08htt\x16\x03\x01\x00\x07p/1.1\x00+\x16\x03\x01\x00"
 . "\x07\x00\x07\x06\x0a\x0a\x03\x04\x16\x03\x01\x00\x02\x03\x03"]
--- raw_request_middle_delay: 20ms
--- stream_response: TLSv1.3|foo.example|h2,http/1.1|



=== a client that does not speak TLS
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"GET / HTTP/1.0\r\n\r\n"
--- stream_response: |||
--- no_error_log
[error]



=== and whose log says so
--- stream_config
    log_format f "$ssl_preread_protocol|$ssl_preread_server_name|";
--- stream_server_config
    ssl_preread on;
    access_log $TEST_NGINX_SERVER_ROOT/logs/access.log f;
    return "here";
--- stream_request eval
"GET / HTTP/1.0\r\n\r\n"
--- stream_response: here
--- access_log
-|-|



=== a broken hello is served by what stands before the damage
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"\x16\x03\x01\x00A\x01\x00\x00=\x03\x03" . ("r" x 32) . "\x00\x00\x00"
 . "\x00\x00\x15\x00\x00\x00\x08\x00\x06\x00\x00\x03foo\x00\x10\x00\x05"
 . "\x00\x09\x02h2"
--- stream_response: TLSv1.2|foo||



=== a hello longer than the buffer
--- stream_config
    preread_buffer_size 64;
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"\x16\x03\x01\x00\x5d\x01\x00\x00Y\x03\x03" . ("r" x 32) . "\x00\x00\x00"
 . "\x00\x001\x00\x00\x00\x10\x00\x0e\x00\x00\x0bfoo.example\x00\x10\x00"
 . "\x0e\x00\x0c\x02h2\x08http/1.1\x00+\x00\x07\x06\x0a\x0a\x03\x04\x03"
 . "\x03"
--- stream_response eval: ""
--- error_log eval
["preread buffer full while prereading client data, client: 127.0.0.1, server: 0.0.0.0:",
 "finalize stream session: 400"]



=== a hello that does not come
--- stream_config
    preread_timeout 50ms;
--- stream_server_config
    ssl_preread on;
    return "$ssl_preread_protocol|$ssl_preread_server_name|$ssl_preread_alpn_protocols|";
--- stream_request eval
"\x16\x03\x01\x00\x5d\x01\x00\x00Y\x03\x03" . ("r" x 32) . "\x00\x00\x00"
 . "\x00\x001\x00"
--- stream_response eval: ""
--- error_log
finalize stream session: 200



=== nobody looks where it is off
--- stream_config
    ssl_preread on;
--- stream_server_config
    ssl_preread off;
    return "$ssl_preread_protocol|$ssl_preread_server_name|";
--- stream_response: ||

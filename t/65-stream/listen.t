__DATA__


=== a port is needed
--- stream_config
    server { listen 127.0.0.1; return ""; }
--- must_die
--- error_log
no port in "127.0.0.1" of the "listen" directive



=== a server has to listen
--- stream_config
    server { return ""; }
--- must_die
--- error_log
no "listen" is defined for server in



=== words that nobody knows are refused
--- stream_config
    server { listen 8000 http2; return ""; }
--- must_die
--- error_log
invalid parameter "http2"



=== an address is one protocol's
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return ""; }
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- must_die
--- error_log
another protocol listens to 127.0.0.1:



=== an address of its own is told apart from the wildcard
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_STREAM_PORT;
        return "own $server_addr";
    }
--- stream_server_config
    return "wildcard";
--- stream_response: own 127.0.0.1



=== the client is whom the proxy names, in a variable
--- stream_listen: proxy_protocol
--- stream_server_config
    return "$proxy_protocol_addr:$proxy_protocol_port $remote_addr";
--- stream_request eval
["PROXY TCP4 192.0.2.1", " 192.0.2.2 1234 80\r\n"]
--- raw_request_middle_delay: 20ms
--- stream_response: 192.0.2.1:1234 127.0.0.1



=== a broken PROXY header is 400
--- stream_listen: proxy_protocol
--- stream_server_config
    return "never";
--- stream_request eval
"GET / HTTP/1.0\r\n\r\n"
--- stream_response eval: ""
--- error_log eval
["broken header: \"GET / HTTP/1.0\" while reading PROXY protocol, client: 127.0.0.1, server: 0.0.0.0:",
 "finalize stream session: 400"]



=== a PROXY header that does not come ends the session
--- stream_config
    proxy_protocol_timeout 50ms;
--- stream_listen: proxy_protocol
--- stream_server_config
    return "never";
--- stream_response eval: ""
--- error_log
finalize stream session: 200



=== access is refused, and logged
--- stream_server_config
    deny all;
    return "never";
--- stream_response eval: ""
--- error_log
access forbidden by rule while initializing session, client: 127.0.0.1, server: 0.0.0.0:
finalize stream session: 403

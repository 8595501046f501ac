__DATA__





=== an answer may be a pattern
--- stream_server_config
    return "port $server_port";
--- stream_response_like: ^port \d+$



=== stream_config stands around the server
--- stream_config
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        return "other";
    }
--- stream_server_config
    return "own";
--- stream_response: own



=== a request is one of HTTP, beside the stream
--- stream_server_config
    return "stream says hello";
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            ngx.print(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body: stream says hello



=== stream_listen has words for the server's listen
--- stream_listen: proxy_protocol
--- stream_server_config
    return $proxy_protocol_addr;
--- stream_request eval
"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n"
--- stream_response: 1.2.3.4

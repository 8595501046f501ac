__DATA__


=== return says a text with variables and closes
--- stream_server_config
    return "$protocol $remote_addr $pid\n";
--- stream_response_like: ^TCP 127\.0\.0\.1 \d+\n$
--- error_log eval
qr/\[info\] .* client 127\.0\.0\.1:\d+ connected to 0\.0\.0\.0:\d+/



=== an empty text closes at once
--- stream_server_config
    return "";
--- stream_response eval: ""






=== return stands in a server, once
--- stream_server_config
    return a;
    return b;
--- must_die
--- error_log
"return" directive is duplicate



=== a server without a content hangs up
--- stream_config
    log_format over '[$status] [$bytes_sent]';
    access_log logs/over.log over;
--- stream_server_config
    tcp_nodelay off;
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            ngx.say(select(2, sock:receive()))
            local path = ngx.config.prefix() .. "logs/over.log"
            local line
            repeat
                ngx.sleep(0.01)
                local file = io.open(path)
                line = file and file:read("*a") or ""
                if file then file:close() end
            until line:find("]\n", 1, true)
            ngx.print(line)
        }
    }
--- request
GET /t
--- response_body
closed
[500] [0]



=== what is logged at the end tells that text was returned
--- stream_server_config
    return "one";
    log_by_lua_block { ngx.log(ngx.WARN, "over") }
--- stream_response: one
--- error_log
over while returning text, client: 127.0.0.1

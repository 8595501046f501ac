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



=== a server without a content is refused
--- stream_server_config
    tcp_nodelay off;
--- must_die
--- error_log
no handler for server in



=== what is logged at the end tells that text was returned
--- stream_server_config
    return "one";
    log_by_lua_block { ngx.log(ngx.WARN, "over") }
--- stream_response: one
--- error_log
over while returning text, client: 127.0.0.1

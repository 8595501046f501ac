__DATA__


=== the address to connect from
--- config
    location /s { return 200 "$remote_addr"; }
    proxy_bind 127.0.0.2;
    location /a { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location /b { proxy_bind off; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
    location /c { proxy_bind $arg_from; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- request eval
["GET /a", "GET /b", "GET /c?from=127.0.0.3", "GET /c"]
--- response_body eval
["127.0.0.2", "127.0.0.1", "127.0.0.3", "127.0.0.1"]
--- no_error_log
[error]



=== an address for each server that is tried, or for all of them
--- http_config
    upstream u { server 127.0.0.1:1 max_fails=0; server 127.0.0.1:$TEST_NGINX_SERVER_PORT backup; }
    map $upstream_last_addr $from { volatile; 127.0.0.1:1 127.0.0.2; default 127.0.0.3; }
    proxy_bind $from;
--- config
    location /s { return 200 "$remote_addr"; }
    location /a { proxy_pass http://u/s; }
    location /b { proxy_pass http://u/s; proxy_bind_dynamic on; }
--- request eval
["GET /a", "GET /b"]
--- response_body eval
["127.0.0.2", "127.0.0.3"]



=== a connection that was made from one address is not kept for another
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_SERVER_PORT; keepalive 8; }
--- config
    location /s { return 200 "$remote_addr $connection_requests"; }
    location /t { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_bind $arg_from; proxy_pass http://u/s; }
    location /u { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_bind $arg_from; proxy_bind_dynamic on; proxy_pass http://u/s; }
    location /v { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://u/s; }
--- request eval
["GET /t?from=127.0.0.2", "GET /t?from=127.0.0.3", "GET /u?from=127.0.0.2", "GET /v", "GET /v?from=127.0.0.3", "GET /t?from=127.0.0.3"]
--- response_body eval
["127.0.0.2 1", "127.0.0.3 1", "127.0.0.2 2", "127.0.0.1 1", "127.0.0.1 2", "127.0.0.3 2"]



=== an address that is none is not used
--- config
    location /s { return 200 "$remote_addr"; }
    location /t { proxy_bind $arg_from; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- request
GET /t?from=unix:/here
--- response_body: 127.0.0.1
--- error_log
[error]
invalid local address "unix:/here" while connecting to upstream



=== an address that this machine does not have
--- config
    location /t { proxy_bind 192.0.2.1; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/s; }
--- error_code: 500
--- error_log eval
qr/\[crit\] .* bind\(192.0.2.1\) failed \(\d+: .*\) while connecting to upstream/



=== is checked when it stands there
--- config
    location /t { proxy_bind here; proxy_pass http://127.0.0.1; }
--- must_die
--- error_log
[emerg] invalid address "here" in



=== and is no socket's name
--- config
    location /t { proxy_bind unix:/here; proxy_pass http://127.0.0.1; }
--- must_die
--- error_log
[emerg] invalid address "unix:/here" in



=== a server behind a socket with a name
--- skip_windows: sockets have no names there
--- http_config
    server { listen unix:$TEST_NGINX_HTML_DIR/s.sock; location / { return 200 "$http_host $request_uri"; } }
--- config
    location /a/ { proxy_pass http://unix:$TEST_NGINX_HTML_DIR/s.sock:/b/; add_header A $upstream_addr; }
    location /c { proxy_pass http://unix:$TEST_NGINX_HTML_DIR/s.sock; }
    location /d { set $where s; proxy_pass http://unix:$TEST_NGINX_HTML_DIR/$where.sock:/e?f; }
--- request eval
["GET /a/x?y", "GET /c/", "GET /d"]
--- response_body eval
["localhost /b/x?y", "localhost /c/", "localhost /e?f"]
--- no_error_log
[error]



=== in a block, with connections that are kept
--- skip_windows: sockets have no names there
--- http_config
    server { listen unix:$TEST_NGINX_HTML_DIR/s.sock; location / { return 200 "$connection_requests"; } }
    upstream s { server unix:$TEST_NGINX_HTML_DIR/s.sock; }
--- config
    location /t { proxy_pass http://s; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["1", "2"]



=== a socket that is not there
--- skip_windows: sockets have no names there
--- config
    location /t { proxy_pass http://unix:$TEST_NGINX_HTML_DIR/none.sock:/u; }
--- error_code: 502
--- error_log eval
qr{\[crit\] .* connect\(\) to unix:/.*/none.sock failed \(2: No such file or directory\) while connecting to upstream, .* upstream: "http://unix:/.*/none.sock:/u"}



=== a name in a variable is asked for
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    location /s { return 200 "$http_host $request_uri"; }
    location /t { set $back back.example; proxy_pass http://$back:$TEST_NGINX_SERVER_PORT/s?$arg_a; add_header A $upstream_addr; }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x80\0\1\0\1\0\0\0\0" . substr($q, 12)
        . "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1";
}
--- request
GET /t?a=b
--- response_body_like: ^back.example:\d+ /s\?b$
--- raw_response_headers_like: A: 127.0.0.1:\d+
--- no_error_log
[error]



=== and of several addresses the next one is asked
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    location /t { set $back back.example; proxy_connect_timeout 1s; proxy_pass http://$back:$TEST_NGINX_RAND_PORT_1; add_header A $upstream_status; }
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 "ok"; }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x80\0\1\0\2\0\0\0\0" . substr($q, 12)
        . "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1"
        . "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\2";
}
--- response_body: ok
--- raw_response_headers_like: A: (502, )?200



=== a name that nobody knows
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    error_page 502 @none;
    location @none { return 502 "[$upstream_addr][$upstream_status]"; }
    location /t { set $back none.example; proxy_pass http://$back; }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x83" . substr($q, 4);
}
--- error_code: 502
--- response_body chomp
[][]
--- error_log eval
qr{\[error\] .* none.example could not be resolved \(3: Host not found\), client: 127.0.0.1, server: localhost, request: "GET /t HTTP/1.1"}



=== a name server that does not answer
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    resolver_timeout 50ms;
    location /t { set $back none.example; proxy_pass http://$back; }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply: nonsense
--- error_code: 502
--- error_log
none.example could not be resolved (110: Operation timed out)



=== who shares a name server waits as long as its own level says
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    resolver_timeout 200ms;
    location = /out { set $h out.example; proxy_pass http://$h; }
    location = /in {
        set $h in.example; resolver_timeout 1s; proxy_pass http://$h;
    }
    location = /t { content_by_lua_block {
        local function ask(uri)
            local from = ngx.now()
            ngx.location.capture(uri)
            ngx.update_time()
            return ngx.now() - from < 0.7 and "soon" or "later"
        end
        ngx.say(ask("/in"), " ", ask("/out"), " ", ask("/in"))
    } }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply: nonsense
--- response_body
later soon later



=== a reload finds other servers, what has begun stays with the old ones
--- master_on
--- user_files
>>> b.conf
server 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- http_config
    upstream b { zone z 64k; include ../html/b.conf; }
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(tonumber(ngx.var.arg_s)) ngx.say "one" } } }
    server { listen $TEST_NGINX_RAND_PORT_2; return 200 two; }
--- config
    location = /b { proxy_pass http://b; }
    location = /t {
        content_by_lua_block {
            local io, reload = require "lunette.spec.io", require "ngx.process".get_master_pid()
            local function get(s)
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
                sock:send("GET /b?s=" .. s .. " HTTP/1.0\r\n\r\n")
                return (sock:receive "*a"):match "%a+%s*$"
            end
            local slow = ngx.thread.spawn(get, 1)
            local first = get(0)
            assert(io.write(ngx.config.prefix() .. "html/b.conf", "server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;"))
            assert(io.tell(reload, "reload", 5000))
            repeat ngx.sleep(0.02) until get(0) == "two"
            ngx.say(first, select(2, ngx.thread.wait(slow)))
        }
    }
--- response_body eval
"one\none\n\n"



=== buffers of the system for connections to servers
--- config
    location /t { proxy_socket_rcvbuf 32k; proxy_socket_sndbuf 32k; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block {
        for i = 1, 64 do ngx.print(("0123456789abcdef"):rep(1024)) end
    } } }
--- response_body eval
"0123456789abcdef" x 65536

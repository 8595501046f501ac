# Servers whose answers are none, and clients that came through others.

__DATA__


=== who was the client before
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }
    location = /back { content_by_lua_block { ngx.print(ngx.var.http_x_forwarded_for) } }
--- more_headers eval
["X: y", "X-Forwarded-For: a", "X-Forwarded-For: a\nX-Forwarded-For: b, c\nX-Forwarded-For: d"]
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["127.0.0.1", "a, 127.0.0.1", "a, b, c, d, 127.0.0.1"]



=== host and port of the server, if it has some
--- http_config
    server { listen unix:$TEST_NGINX_HTML_DIR/p.sock; return 200; }
--- config
    location = /a { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; add_header X "$proxy_host $proxy_port"; }
    location = /b { proxy_pass http://unix:$TEST_NGINX_HTML_DIR/p.sock; add_header X "$proxy_host [$proxy_port]"; }
    location = /c { return 200; add_header X "[$proxy_host$proxy_port]"; }
    location = /back { return 200; }
--- skip_windows: no unix sockets in Wine
--- request eval
["GET /a", "GET /b", "GET /c"]
--- response_headers_like eval
["X: 127.0.0.1:\\d+ \\d+", "X: localhost \\[\\]", "X: \\[\\]"]



=== two lengths that say the same
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"
--- error_code: 502
--- error_log
upstream sent duplicate header line: "Content-Length: 1", previous value: "Content-Length: 1"



=== a length that is none
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx"
--- error_code: 502
--- error_log
upstream sent invalid "Content-Length" header: "Content-Length: -1"



=== chunks and then a length
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\nx"
--- error_code: 502
--- error_log
upstream sent "Content-Length" and "Transfer-Encoding" headers at the same time



=== chunked twice
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent duplicate header line: "Transfer-Encoding: chunked", previous value: "Transfer-Encoding: chunked"



=== a coding that nobody knows
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent unknown "Transfer-Encoding": "x"



=== chunks that are none end the answer
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx\r\n"
--- ignore_response
--- error_log
upstream sent invalid chunked response



=== an answer without a header is a body
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval: "nothing of HTTP\n"
--- ignore_response
--- error_log
upstream sent no valid HTTP/1.0 header



=== an address that a variable has wrong
--- config
    location = /a { set $to ftp://127.0.0.1; proxy_pass $to; }
    location = /b { set $to http://127.0.0.1:x; proxy_pass $to; }
    location = /c { set $to http://; proxy_pass $to; }
    location = /d { set $to ""; proxy_pass $to; }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /d"]
--- error_code eval
[500, 500, 500, 500]



=== a prefix alone is said to be one
--- config
    location = /t { set $to http://; proxy_pass $to; }
--- error_code: 500
--- error_log
invalid URL prefix in "http://"



=== nobody can be asked for a name where there is no resolver
--- config
    location = /t { set $to localhost; proxy_pass http://$to:$TEST_NGINX_SERVER_PORT; add_header S $upstream_status always; }
--- error_code: 502
--- response_headers
!S
--- error_log
no resolver defined to resolve localhost



=== a server that was not asked has no status
--- config
    location = /t { set $name none; proxy_ssl_certificate $name; proxy_ssl_certificate_key $name; proxy_pass https://127.0.0.1:$TEST_NGINX_SERVER_PORT; add_header S "$upstream_addr [$upstream_status]" always; }
--- error_code: 500
--- response_headers_like
S: 127.0.0.1:\d+ \[-\]
--- error_log
cannot load certificate

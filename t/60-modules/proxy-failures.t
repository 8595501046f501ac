__DATA__


=== the next server answers
--- config
    location /t { proxy_pass http://two; add_header A "$upstream_addr|$upstream_status"; }
--- http_config
    upstream two { server 127.0.0.1:1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 200 "ok"; }
--- response_body: ok
--- raw_response_headers_like: A: 127.0.0.1:1, 127.0.0.1:\d+\|502, 200



=== a header that does not come
--- config
    location /t { proxy_read_timeout 100ms; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(0.5) } } }
--- error_code: 504
--- error_log eval
qr{upstream timed out \(\d+: .*\) while reading response header from upstream, client: 127.0.0.1, server: \S+, request: "GET /t HTTP/1.1", upstream: "http://127.0.0.1:\d+/t"}



=== a server that closes at once
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply:
--- error_code: 502
--- error_log
upstream prematurely closed connection while reading response header from upstream



=== a header larger than its buffer
--- config
    location /t { proxy_buffer_size 1k; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nX: " . "y" x 2000 . "\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent too big header while reading response header from upstream



=== headers that fit exactly do pass
--- config
    location /t { proxy_buffer_size 1k; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nX: " . "y" x 1000 . "\r\n\r\nok"
--- response_body chomp
ok



=== a header that is none
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nX\x01y: z\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent invalid header: "X\x01..." while reading response header from upstream



=== two lengths, or a length and chunks
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
--- error_code: 502
--- error_log
upstream sent "Transfer-Encoding" and "Content-Length" headers at the same time while reading



=== no live servers
--- config
    location /t { proxy_pass http://dead; add_header A "$upstream_addr" always; }
--- http_config
    upstream dead { server 127.0.0.1:1 down; server 127.0.0.1:2 down; }
--- error_code: 502
--- response_headers
A: dead
--- error_log
no live upstreams while connecting to upstream, client: 127.0.0.1
upstream: "http://dead/t"



=== statuses that another server may do better
--- config
    location /t { proxy_next_upstream http_500 http_404; proxy_pass http://two; add_header S $upstream_status always; }
--- http_config
    upstream two { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
    server { listen $TEST_NGINX_RAND_PORT_1; return 500; }
    server { listen $TEST_NGINX_RAND_PORT_2; return 404; }
--- error_code: 404
--- response_headers
S: 500, 404



=== a POST is not sent twice
--- config
    location /t { proxy_read_timeout 50ms; proxy_pass http://two; add_header S $upstream_status always; }
--- http_config
    upstream two { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_fails=0; server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 max_fails=0; }
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.sleep(0.3) } } }
    server { listen $TEST_NGINX_RAND_PORT_2; location / { content_by_lua_block { ngx.sleep(0.3) } } }
--- request eval
["POST /t\nx", "GET /t"]
--- error_code eval
[504, 504]
--- response_headers eval
["S: 504", "S: 504, 504"]



=== pages of ours in place of theirs
--- config
    location /t { proxy_intercept_errors on; error_page 503 =200 /page; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /page { return 200 "ours"; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; return 503 "theirs"; }
--- response_body: ours



=== a client that leaves
--- config
    location /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- http_config
    server { listen $TEST_NGINX_RAND_PORT_1; location / { lua_check_client_abort on; content_by_lua_block { ngx.sleep(50) } } }
--- timeout: 0.2
--- abort
--- ignore_response
--- error_log
client prematurely closed connection, so upstream connection is closed too while reading response header from upstream



=== a scheme that is none
--- config
    location /t { proxy_pass ftp://127.0.0.1; }
--- must_die
--- error_log
[emerg] invalid URL prefix



=== a uri where there is no prefix for it
--- config
    location ~ /t { proxy_pass http://127.0.0.1/uri; }
--- must_die
--- error_log
"proxy_pass" cannot have URI part in location given by regular expression, or inside named location



=== half of a header, and the whole one of the next server
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                sock:send("HTTP/1.1 200 OK\r\nX: fir")
                ngx.sleep(ngx.var.arg_wait)
            }
        }
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2; return 200 "$connection_requests"; }
    upstream b {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_fails=0;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 backup;
    }
--- config
    location = /t {
        proxy_read_timeout 300ms;
        proxy_pass http://b;
        add_header Y "$upstream_status, $upstream_http_x";
    }
--- request eval
["GET /t?wait=0.01", "GET /t?wait=1", "GET /t?wait=0.01"]
--- response_body eval
["1", "2", "3"]
--- response_headers eval
["Y: 502, 200, ", "Y: 504, 200, ", "Y: 502, 200, "]



=== a header whose body never comes is passed on all the same
--- config
    location /c { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            s:send("GET /c HTTP/1.0\r\n\r\n")
            ngx.print(s:receive("*a"):match("X%-A: b"))
        }
    }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\n"
--- response_body chomp
X-A: b
--- error_log
prematurely closed



=== a client that is slow gets all that came of an answer which is cut off
--- config
    location /t { proxy_max_temp_file_size 0; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        s:settimeout(20000)
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        s:send("GET /t HTTP/1.0\r\nHost: h\r\n\r\n")
        ngx.sleep(0.3)
        local all = s:receive("*a")
        ngx.say(#all:match("\r\n\r\n(.*)"), " ", all:match("Length: %d+"))
    } }
--- request
GET /client
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" . "0123456789" x 400000
--- response_body
4000000 Length: 9000000
--- error_log
upstream prematurely closed connection while reading upstream



=== what is cut off has no last chunk
--- config
    location /t { sub_filter_types *; sub_filter a b; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        s:send("GET /t HTTP/1.1\r\nHost: h\r\n\r\n")
        ngx.print((s:receive("*a"):match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
    } }
--- request
GET /client
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\naaaa"
--- response_body chomp
4|baaa|
--- error_log
upstream prematurely closed connection while reading upstream



=== a HEAD that is kept as a GET has its header, though the body is cut off
--- http_config
    proxy_cache_path cut keys_zone=cut:1m;
--- config
    location /t { proxy_cache cut; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- request
HEAD /t
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX-A: b\r\n\r\naaaa"
--- response_headers
Content-Length: 9
X-A: b
--- error_log
upstream prematurely closed connection while reading upstream



=== nobody but the servers of a resolver is asked, even for localhost
--- config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2 ipv6=off;
    location /t { set $back localhost; proxy_connect_timeout 1s; proxy_pass http://$back:$TEST_NGINX_RAND_PORT_1; add_header A $upstream_status; }
--- http_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return 200 "ok"; }
--- udp_listen: $TEST_NGINX_RAND_PORT_2
--- udp_reply eval
sub {
    my $q = shift;
    return substr($q, 0, 2) . "\x81\x83" . substr($q, 4);
}
--- error_code: 502
--- error_log
localhost could not be resolved (3: Host not found)

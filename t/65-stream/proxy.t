__DATA__


=== bytes go to a server and back
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "hello"; }
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response: hello
--- error_log eval
[qr/proxy 127\.0\.0\.1:\d+ connected to 127\.0\.0\.1:\d+$/,
 qr/upstream disconnected, bytes from\/to client:0\/5, bytes from\/to upstream:5\/0$/]



=== a request and its answer pass unchanged
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t { return 200 "of http"; }
--- stream_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- stream_response_like: of http$



=== megabytes pass both ways
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    client_body_buffer_size 8m;
    location = /echo {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.md5(ngx.req.get_body_data()), "\n",
                      ngx.req.get_body_data())
        }
    }
    location = /t {
        content_by_lua_block {
            local body = ("0123456789abcde\n"):rep(256 * 1024)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            assert(sock:send("POST /echo HTTP/1.0\r\nContent-Length: "
                             .. #body .. "\r\n\r\n"))
            assert(sock:send(body))
            local all = assert(sock:receive("*a"))
            local sum, back = all:match("\r\n\r\n(%x+)\n(.*)$")
            ngx.say(sum == ngx.md5(body), " ", back == body)
        }
    }
--- request
GET /t
--- response_body
true true



=== a buffer of a few bytes is enough
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             return "hello and goodbye"; }
--- stream_server_config
    proxy_buffer_size 3;
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response: hello and goodbye



=== a server that refuses is passed over
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "second"; }
--- stream_server_config
    proxy_pass u;
--- stream_response: second
--- error_log eval
[qr/connect\(\) failed \(\d+: .*\) while connecting to upstream, client: 127\.0\.0\.1, server: 0\.0\.0\.0:\d+, upstream: "127\.0\.0\.1:\d+", bytes from/]



=== with proxy_next_upstream off the first is the last
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "second"; }
--- stream_server_config
    proxy_next_upstream off;
    proxy_pass u;
--- stream_response eval: ""
--- error_log
finalize stream session: 502



=== all servers down are 502
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2 down;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 down;
    }
--- stream_server_config
    proxy_pass u;
--- stream_response eval: ""
--- error_log
no live upstreams while connecting to upstream
finalize stream session: 502



=== an address may have variables
--- stream_config
    map $protocol $port { TCP $TEST_NGINX_RAND_PORT_1; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "by number"; }
--- stream_server_config
    proxy_pass 127.0.0.1:$port;
--- stream_response: by number



=== a variable may name an upstream
--- stream_config
    map $protocol $name { TCP second; }
    upstream second { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "by name"; }
--- stream_server_config
    proxy_pass $name;
--- stream_response: by name



=== an address from variables needs a port
--- stream_config
    map $protocol $name { TCP 127.0.0.1; }
--- stream_server_config
    proxy_pass $name;
--- stream_response eval: ""
--- error_log
no port in upstream "127.0.0.1"
finalize stream session: 500



=== a name from variables needs a resolver
--- stream_config
    map $protocol $name { TCP localhost:80; }
--- stream_server_config
    proxy_pass $name;
--- stream_response eval: ""
--- error_log
no resolver defined to resolve localhost
finalize stream session: 500



=== the server is told of the client, version 1
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
             return "$proxy_protocol_addr $proxy_protocol_server_port"; }
--- stream_server_config
    proxy_protocol on;
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response_like: ^127\.0\.0\.1 \d+$



=== the server is told of the client, version 2
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
             return "$proxy_protocol_addr"; }
--- stream_server_config
    proxy_protocol v2;
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_response: 127.0.0.1



=== what a client has sent before the header goes behind it
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
             proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- stream_server_config
    proxy_protocol on;
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- config
    location = /t { return 200 "behind"; }
--- stream_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- stream_response_like: behind$



=== silence ends a session
--- stream_server_config
    proxy_timeout 100ms;
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- stream_response eval: ""
--- error_log eval
qr/connection timed out.* while proxying connection, client: 127\.0\.0\.1/



=== a download is slowed down
--- stream_server_config
    proxy_download_rate 1k;
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /big { return 200 $request_uri; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            ngx.update_time()
            local from = ngx.now()
            sock:send("GET /big?" .. ("x"):rep(2500) .. " HTTP/1.0\r\n\r\n")
            local all = assert(sock:receive("*a"))
            ngx.update_time()
            ngx.say(#all > 2500, " ", ngx.now() - from >= 0.95)
        }
    }
--- request
GET /t
--- response_body
true true



=== an upload is slowed down
--- stream_server_config
    proxy_upload_rate 1k;
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /big { return 200 ok; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            ngx.update_time()
            local from = ngx.now()
            sock:send("GET /big?" .. ("x"):rep(2500) .. " HTTP/1.0\r\n\r\n")
            local all = assert(sock:receive("*a"))
            ngx.update_time()
            ngx.say(all:sub(-2), " ", ngx.now() - from >= 0.95)
        }
    }
--- request
GET /t
--- response_body
ok true



=== an end of the client's side ends the session
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
             proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT; }
--- stream_request: X
--- shutdown
--- stream_response eval: ""
--- error_log
client disconnected, bytes from/to client:1/0, bytes from/to upstream:0/1



=== with proxy_half_close the server may still speak
--- stream_server_config
    proxy_half_close on;
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t {
        content_by_lua_block { ngx.sleep(0.1) ngx.print("late") }
    }
--- stream_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- shutdown
--- stream_response_like: late$



=== what became of servers is in variables
--- stream_config
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "12345"; }
    log_format own "$status $bytes_sent $bytes_received $upstream_addr "
                   "$upstream_bytes_received $upstream_connect_time "
                   "$upstream_first_byte_time $upstream_session_time";
--- stream_server_config
    access_log logs/access.log own;
    proxy_pass u;
--- stream_response: 12345
--- access_log eval
qr/^200 5 0 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+ 0, 5 -, \d+\.\d{3} -, \d+\.\d{3} \d+\.\d{3}, \d+\.\d{3}$/



=== an upstream with a zone counts for all workers
--- workers: 2
--- stream_config
    upstream u {
        zone u 64k;
        least_conn;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_conns=1;
    }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return "zoned"; }
--- stream_server_config
    proxy_pass u;
--- stream_response: zoned



=== an address needs a port
--- stream_server_config
    proxy_pass 127.0.0.1;
--- must_die
--- error_log
no port in upstream "127.0.0.1"



=== a rate is a size
--- stream_server_config
    proxy_upload_rate fast;
    proxy_pass 127.0.0.1:80;
--- must_die
--- error_log
"proxy_upload_rate" directive invalid value



=== proxy_bind transparent: the server sees the client's address
--- stream_config
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1; return $remote_addr; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        proxy_bind $remote_addr transparent;
        proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:bind("127.0.0.7")
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2))
            ngx.say(sock:receive("*a"))
        }
    }
--- request
GET /t
--- response_body
127.0.0.7
--- skip_windows: it warns, and binds to what is this machine's



=== where that cannot be, it is said
--- stream_server_config
    proxy_bind 127.0.0.1 transparent;
    proxy_pass 127.0.0.1:$TEST_NGINX_SERVER_PORT;
--- config
    location = /t { return 200 "there\n"; }
--- stream_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- stream_response_like: there
--- error_log
transparent proxying is not supported on this platform, ignored in
--- skip_linux: it can be

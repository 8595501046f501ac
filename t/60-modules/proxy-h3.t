# proxy_http_version 3; the server is HTTP/3 of our own.

__DATA__


=== what a server gets, and an answer
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.header["X-A"] = ngx.var.http_x_a
                ngx.say(ngx.var.server_protocol, " ", ngx.var.request_method, " ", ngx.var.request_uri,
                        " ", ngx.var.http_host == "127.0.0.1:$TEST_NGINX_RAND_PORT_1",
                        " ", ngx.var.http_te, " ", ngx.var.http_connection, " ", ngx.var.http_content_length,
                        " ", ngx.req.get_body_data())
            }
        }
    }
--- config
    location /t {
        proxy_http_version 3;
        proxy_set_header Connection upgrade;
        proxy_set_header Upgrade $http_upgrade;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/x;
    }
--- more_headers
TE: gzip, trailers
X-A: b
Upgrade: websocket
--- request
POST /t?a=%20b
hello
--- response_headers
X-A: b
--- response_body
HTTP/3.0 POST /x?a=%20b true nil nil 5 hello
--- no_error_log
[error]



=== a body that is larger than all windows, both ways, streamed or not
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        client_max_body_size 10m;
        location / {
            client_body_buffer_size 10m;
            content_by_lua_block {
                ngx.req.read_body()
                local data = ngx.req.get_body_data()
                ngx.say(#data, " ", ngx.crc32_long(data))
                ngx.print(data)
            }
        }
    }
--- config
    proxy_http_version 3;
    location /p { client_max_body_size 10m; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /q { client_max_body_size 10m; proxy_request_buffering off; proxy_buffering off; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local data = ("0123456789abcdef"):rep(200000)
            for _, uri in ipairs { "/p", "/q" } do
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                assert(sock:send("POST " .. uri .. " HTTP/1.0\r\nContent-Length: " .. #data .. "\r\n\r\n" .. data))
                local text = assert(sock:receive("*a"))
                local line, body = text:match("\r\n\r\n([^\n]*)\n(.*)")
                ngx.say(line == #data .. " " .. ngx.crc32_long(data), " ", body == data)
            end
        }
    }
--- response_body
true true
true true



=== trailers, where they are wanted
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { add_trailer X-T $http_te; return 200 "ok"; }
    }
--- config
    proxy_http_version 3;
    location = /p { proxy_pass_trailers on; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /q { proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/p", "/q" } do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: close\r\n\r\n")
                local all = sock:receive("*a")
                ngx.say((all:match("\r\n\r\n(.*)"):gsub("\r\n", "|")))
            end
        }
    }
--- response_body
2|ok|0|x-t: trailers||
ok



=== no body, though its length is passed on
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$request_method $http_content_length $http_x_a"; }
    }
--- config
    location = /t {
        proxy_http_version 3;
        proxy_pass_request_body off;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- more_headers
X-A: b
--- request
POST /t
hello
--- response_body eval: "POST  b"



=== a body of its own
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { content_by_lua_block { ngx.req.read_body() ngx.say(ngx.req.get_body_data()) } }
    }
--- config
    location = /t {
        proxy_http_version 3;
        proxy_set_body "<$arg_a>";
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request: GET /t?a=b
--- response_body
<b>



=== connections are kept, and requests share them
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$connection $connection_requests $server_protocol"; }
        location /slow { echo_sleep 0.2; echo -n "$connection $connection_requests $server_protocol"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    proxy_http_version 3;
    location = /one { proxy_pass https://u/; }
    location = /slow { proxy_pass https://u; }
    location = /t {
        content_by_lua_block {
            local seen
            local function say(res)
                local conn, n, version = res.body:match("(%S+) (%S+) (%S+)")
                seen = seen or conn
                ngx.say(seen == conn, " ", (n:gsub("[34]", "3 or 4")), " ", version)
            end
            say(ngx.location.capture("/one"))
            say(ngx.location.capture("/one"))
            local a, b = ngx.location.capture_multi { { "/slow" }, { "/slow" } }
            say(a)
            say(b)
            say(ngx.location.capture("/one"))
        }
    }
--- response_body
true 1 HTTP/3.0
true 2 HTTP/3.0
true 3 or 4 HTTP/3.0
true 3 or 4 HTTP/3.0
true 5 HTTP/3.0
--- no_error_log
[error]



=== no more at a time than is said
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { echo_sleep 0.2; echo -n $connection; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    proxy_http_version 3;
    proxy_http3_max_concurrent_streams 2;
    location = /slow { proxy_pass https://u; }
    location = /t {
        content_by_lua_block {
            assert(ngx.location.capture("/slow").status == 200)
            local seen, n = {}, 0
            for _, res in ipairs { ngx.location.capture_multi { { "/slow" }, { "/slow" }, { "/slow" }, { "/slow" } } } do
                n = seen[res.body] and n or n + 1
                seen[res.body] = true
            end
            ngx.say(n > 1, " ", n < 4)
        }
    }
--- response_body
true true



=== who does not read stalls nobody else
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location = /large { content_by_lua_block { for _ = 1, 300 do ngx.print(("x"):rep(65536)) end } }
        location = /small { return 200 "small\n"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    proxy_http_version 3;
    location /u/ { proxy_buffering off; proxy_pass https://u/; }
    location = /t {
        content_by_lua_block {
            local slow = ngx.socket.tcp()
            slow:settimeout(20000)
            assert(slow:connect("127.0.0.1", ngx.var.server_port))
            slow:send("GET /u/large HTTP/1.0\r\n\r\n")
            slow:receive("*l")
            for _ = 1, 5 do
                ngx.print(ngx.location.capture("/u/small").body)
            end
            local all = slow:receive("*a")
            ngx.say(#all:match("\r\n\r\n(.*)"))
        }
    }
--- response_body
small
small
small
small
small
19660800



=== who leaves ends nobody else's request
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location = /long { content_by_lua_block { ngx.print("begins") ngx.flush(true) ngx.sleep(1) } }
        location = /slow { echo_sleep 0.3; echo -n $connection; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_3; keepalive 8; }
--- config
    proxy_http_version 3;
    location /u/ { proxy_buffering off; proxy_pass https://u/; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/u/slow").body
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /u/long HTTP/1.0\r\n\r\n")
            sock:receive("*l")
            local other = ngx.thread.spawn(function() return ngx.location.capture("/u/slow").body end)
            sock:close()
            local _, body = ngx.thread.wait(other)
            ngx.say(body == first, " ", ngx.location.capture("/u/slow").body == first)
        }
    }
--- response_body
true true



=== a server that is not there, and the next one
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "there\n"; }
    }
    upstream u {
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
        server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 backup;
    }
--- config
    location = /t { proxy_http_version 3; proxy_pass https://u; proxy_connect_timeout 5s; }
--- response_body
there
--- error_log
connect() failed
--- no_error_log
[alert]



=== none is there
--- config
    location = /t {
        proxy_http_version 3;
        proxy_connect_timeout 5s;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    }
--- error_code: 502
--- error_log
connect() failed



=== a server that says nothing
--- http_config
    lua_shared_dict held 1m;
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_2 udp;
        content_by_lua_block { ngx.sleep(3) }
    }
--- config
    location = /t {
        proxy_http_version 3;
        proxy_connect_timeout 300ms;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    }
--- request
GET /t
--- error_code: 504
--- error_log
upstream timed out



=== an answer that does not come
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location = /no { echo_sleep 2; echo no; }
        location = /cut { content_by_lua_block { ngx.header["Content-Length"] = 10 ngx.print("half") ngx.flush(true) ngx.sleep(0.5) ngx.exit(444) } }
        location / { return 200 "yes\n"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_fails=0; keepalive 8; }
--- config
    proxy_http_version 3;
    location /u/ { proxy_pass https://u/; }
    location = /u/no { proxy_read_timeout 300ms; proxy_pass https://u/no; }
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/u/yes").status)
            ngx.say(ngx.location.capture("/u/no").status)
            ngx.print(ngx.location.capture("/u/yes").body)
            local res = ngx.location.capture("/u/cut")
            ngx.say(res.body, " ", res.truncated)
            ngx.print(ngx.location.capture("/u/yes").body)
        }
    }
--- response_body
200
504
yes
half true
yes
--- error_log
upstream timed out



=== HEAD, 204, 304 and an empty body
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location = /204 { return 204; }
        location = /304 { return 304; }
        location = /empty { content_by_lua_block { ngx.header["X-A"] = "b" ngx.send_headers() } }
        location / { return 200 "five\n"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    proxy_http_version 3;
    location /u/ { proxy_pass https://u/; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(5000)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            for _, line in ipairs { "HEAD /u/", "GET /u/204", "GET /u/304", "GET /u/empty", "GET /u/" } do
                sock:send(line .. " HTTP/1.1\r\nHost: a\r\n\r\n")
                local status, length = sock:receive("*l"):match(" (%d+)"), "-"
                for field in function() return sock:receive("*l") end do
                    if field == "" then break end
                    length = field:match("Content%-Length: (%d+)") or length
                    length = field:match("Transfer%-Encoding: (%a+)") or length
                end
                if line ~= "HEAD /u/" and tonumber(length) then sock:receive(tonumber(length)) end
                if length == "chunked" then sock:receive("*l") sock:receive("*l") end
                ngx.say(line, ": ", status, " ", length)
            end
        }
    }
--- response_body_like chomp
^HEAD /u/: 200 5
GET /u/204: 204 -
GET /u/304: 304 (-|0)
GET /u/empty: 200 (0|chunked)
GET /u/: 200 5
$



=== whom it is spoken to
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        server_name localhost;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$ssl_server_name $ssl_alpn_protocol $ssl_protocol $remote_addr\n"; }
    }
--- config
    proxy_http_version 3;
    proxy_ssl_server_name on;
    location = /named { proxy_ssl_name some.name; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /wary {
        proxy_ssl_name localhost;
        proxy_ssl_verify on;
        proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /other {
        proxy_ssl_name other.name;
        proxy_ssl_verify on;
        proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/named", "/wary", "/other" } do
                local res = ngx.location.capture(uri)
                ngx.print(res.status, " ", res.status == 200 and res.body or "\n")
            end
        }
    }
--- response_body
200 some.name h3 TLSv1.3 127.0.0.1
200 localhost h3 TLSv1.3 127.0.0.1
502 
--- error_log
upstream SSL certificate does not match "other.name"



=== from an address of its own
--- skip_windows: Wine forgets on connect() to which address a datagram socket is bound
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$remote_addr\n"; }
    }
--- config
    location = /t { proxy_http_version 3; proxy_bind 127.0.0.2; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- response_body
127.0.0.2



=== a server of HTTP/1 and 2 is none of HTTP/3
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        http3 off;
        http3_hq on;
        location / { return 200; }
    }
--- config
    location = /t { proxy_http_version 3; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- error_code: 502
--- error_log
upstream



=== answers are kept, whole ones
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=c:1m;
    lua_shared_dict n 1m;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / {
            content_by_lua_block {
                ngx.header["Cache-Control"] = "max-age=60"
                local n = ngx.shared.n:incr("n", 1, 0)
                ngx.print("answer ")
                ngx.flush(true)
                ngx.say(n)
            }
        }
    }
--- config
    location = /p { proxy_http_version 3; proxy_cache c; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; add_header X-S $upstream_cache_status; }
    location = /t {
        content_by_lua_block {
            for _ = 1, 2 do
                local res = ngx.location.capture("/p")
                ngx.print(res.body)
            end
        }
    }
--- response_body
answer 1
answer 1



=== twice
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "there\n"; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 8; }
--- config
    location = /t { proxy_http_version 3; proxy_pass https://u; }
--- request eval
["GET /t", "GET /t"]
--- response_body eval
["there\n", "there\n"]



=== without TLS
--- config
    location = /t { proxy_http_version 3; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- must_die
--- error_log
"proxy_http_version 3" needs an "https://" URL in "proxy_pass"



=== a scheme that turns out to be none
--- config
    location = /t {
        set $scheme_ http;
        proxy_http_version 3;
        proxy_pass $scheme_://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 500
--- error_log
needs an "https://" URL

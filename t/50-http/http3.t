# Requests over HTTP/3: what comes and goes in them, and what is known of it.
#
# Of the frames t/unit/h3.c says more, of packets t/unit/quic.c.
#
# SPDX-License-Identifier: BSD-2-Clause

no_root_location();

__DATA__


=== it is known as HTTP/3
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        return 200 "$server_protocol $http3 [$http2] $scheme $ssl_alpn_protocol";
    }
--- response_body: HTTP/3.0 h3 [] https h3
--- response_headers
Content-Length: 23
! Connection
! Alt-Svc
--- access_log eval
qr{"GET /t HTTP/3.0" 200 23}



=== a connection over QUIC has a name
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        return 200 $quic_connection;
    }
--- response_body_like: ^[0-9a-f]{16,40}$



=== Lua knows the version
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        content_by_lua_block {
            ngx.say(ngx.req.http_version(), " ", ngx.var.server_protocol)
        }
    }
--- response_body
3 HTTP/3.0



=== phases of Lua run in their order
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        rewrite_by_lua_block { ngx.ctx.way = "rewrite" }
        access_by_lua_block {
            ngx.sleep(0.01)
            ngx.ctx.way = ngx.ctx.way .. " access"
        }
        content_by_lua_block { ngx.say(ngx.ctx.way .. " content") }
        header_filter_by_lua_block { ngx.header.X_Way = ngx.ctx.way }
        body_filter_by_lua_block { ngx.arg[1] = ngx.arg[1]:upper() }
        log_by_lua_block { ngx.log(ngx.WARN, "logged ", ngx.status) }
    }
--- response_headers
X-Way: rewrite access
--- response_body
REWRITE ACCESS CONTENT
--- error_log
logged 200



=== bodies of many packets go both ways
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    client_body_buffer_size 512k;
    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.print(ngx.req.get_body_data())
        }
    }
--- request eval
"POST /t\n" . ("0123456789" x 20000)
--- response_body eval
"0123456789" x 20000



=== a body that is read as it comes is a socket
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        content_by_lua_block {
            local sock = assert(ngx.req.socket())
            local n = 0
            repeat
                local data, err, rest = sock:receive(1000)
                n = n + #(data or rest or "")
                ngx.sleep(0)
            until not data
            ngx.say(n)
        }
    }
--- request eval
"POST /t\n" . ("0123456789" x 20000)
--- response_body
200000



=== a body longer than is allowed is refused
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        client_max_body_size 1000;
        content_by_lua_block { ngx.req.read_body() ngx.say("read") }
    }
--- request eval
"POST /t\n" . ("0123456789" x 2000)
--- error_code: 413
--- error_log
client intended to send too large body: 20000 bytes



=== trailers of an answer come behind its body
--- http3
--- curl_options: --show-trailers
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        add_trailer X-Sum 42;
        return 200 "body\n";
    }
--- http09
--- response_body_like: ^HTTP/3 200 [\s\S]*

body
x-sum: 42
$



=== trailers of a request end it
--- http3
--- curl_options: --trailer X-Sum:42
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        content_by_lua_block {
            ngx.req.read_body()
            ngx.say(ngx.req.get_body_data())
        }
    }
--- request
POST /t
hello
--- response_body
hello



=== an upstream answers
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    client_body_buffer_size 512k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.say(ngx.req.get_method(), " ", ngx.var.server_protocol,
                        " ", ngx.var.http_x_was, " ",
                        #ngx.req.get_body_data())
            }
        }
    }
--- config

    location = /t {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_set_header X-Was $server_protocol;
    }
--- request eval
"POST /t\n" . ("0123456789" x 20000)
--- response_body
POST HTTP/1.1 HTTP/3.0 200000



=== a large answer of an upstream goes through windows
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                for i = 1, 100 do
                    ngx.print(("0123456789"):rep(200))
                    ngx.flush(true)
                end
            }
        }
    }
--- config

    location = /t {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_buffering off;
    }
--- response_body eval
"0123456789" x 20000



=== a slow client gets all of a file
--- http3
--- curl_options: --slow
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /big.txt { root html; }
--- user_files eval
">>> big.txt\n" . ("0123456789" x 30000)
--- request
GET /big.txt
--- response_body eval
"0123456789" x 30000



=== a client whose port changes gets all of a file
--- http3
--- curl_options: --rebind
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /big.txt { root html; }
--- user_files eval
">>> big.txt\n" . ("0123456789" x 30000)
--- request
GET /big.txt
--- response_body eval
"0123456789" x 30000



=== a part of a file
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /a.txt { root html; }
--- user_files
>>> a.txt
0123456789
--- request
GET /a.txt
--- more_headers
Range: bytes=2-4
--- error_code: 206
--- response_body: 234



=== HEAD has a length and no body
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t { return 200 "hello"; }
--- request
HEAD /t
--- response_headers
Content-Length: 5
--- response_body:



=== a page of an error
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t { return 404; }
--- error_code: 404
--- response_body_like: 404 Not Found



=== a field that is too large is answered, and the connection goes on
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    large_client_header_buffers 4 1k;
    location = /t { return 200 "served"; }
--- more_headers eval
"X-Large: " . ("x" x 2000)
--- error_code: 400
--- response_body_like: Request Header Or Cookie Too Large
--- error_log
client sent too large header field



=== more fields than are allowed
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    max_headers 5;
    location = /t { return 200 "served"; }
--- more_headers
X-1: 1
X-2: 2
X-3: 3
X-4: 4
X-5: 5
X-6: 6
--- error_code: 400
--- error_log
client sent too many header lines



=== a field of HTTP/1's connections is malformed
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t { return 200 "served"; }
--- more_headers
Upgrade: websocket
--- error_code: 400
--- error_log
client sent "Upgrade" header



=== a host that belongs to another server
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_SERVER_PORT quic;
        server_name second.test;
        location / { return 200 "second"; }
    }
--- config

    location = /t { return 200 "first"; }
--- more_headers
Host: second.test
--- response_body: second



=== the last request of a connection: keepalive_requests
--- http3
--- curl_options: --show-end --pause 500
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    keepalive_requests 1;
    location = /t { return 200 "only\n"; }
--- http09
--- response_body_like: 

only
ended 0x0
connection: application 0x100
$



=== keepalive_timeout ends a connection that waits
--- http3
--- curl_options: --show-end --pause 1500
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    keepalive_timeout 300ms;
    location = /t { return 200 "only\n"; }
--- http09
--- response_body_like: 

only
ended 0x0
connection: application 0x100
$



=== 444 is the end of a stream, and of nothing else
--- http3
--- curl_options: --show-end
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t { return 444; }
--- response_body
closed 0x10c
connection: open
--- error_code: 200
--- http09



=== a client that takes its request back
--- http3
--- curl_options: --cancel --pause 200
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        lua_check_client_abort on;
        content_by_lua_block {
            ngx.on_abort(function () ngx.log(ngx.WARN, "taken back")
                                     ngx.exit(499) end)
            ngx.send_headers()
            ngx.flush(true)
            ngx.sleep(5)
        }
    }
--- ignore_response
--- error_log
taken back
with status 0x10c



=== HTTP/0.9 over QUIC
--- http3
--- curl_options: --alpn hq-interop
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    http3_hq on;
    location = /t { return 200 "$http3"; }
--- http09
--- response_body: hq



=== a client's certificate
--- http3
--- curl_options: --cert $TEST_NGINX_CERT_DIR/client.crt --key $TEST_NGINX_CERT_DIR/client.key
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    location = /t { return 200 "$ssl_client_verify"; }
--- response_body: SUCCESS



=== no certificate where one is asked for
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    location = /t { return 200 "$ssl_client_verify"; }
--- error_code: 400
--- response_body_like: No required SSL certificate was sent



=== a rate is a limit for HTTP/3 as well
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config

    location = /t {
        limit_rate 10k;
        content_by_lua_block {
            ngx.ctx.began = ngx.now()
            ngx.print(("x"):rep(25000))
        }
        log_by_lua_block {
            ngx.update_time()
            local took = ngx.now() - ngx.ctx.began
            ngx.log(ngx.WARN, took > 0.9 and "slow" or "fast " .. took)
        }
    }
--- response_body eval
"x" x 25000
--- error_log
slow



=== Alt-Svc tells clients of TCP where HTTP/3 is
--- http3
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 quic;
        server_name both.test;
        location / { return 200 "both"; }
    }
--- config

    location = /t { return 200 "over QUIC"; }
    location = /tcp {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:sslhandshake(nil, "both.test", false))
            sock:send("GET " .. ngx.var.arg_uri .. " HTTP/1.0\r\n"
                      .. "Host: both.test\r\n\r\n")
            ngx.say((sock:receive("*a"):match("Alt%-Svc: [^\r]*")))
        }
    }
--- request
GET /tcp?uri=/
--- response_body
Alt-Svc: h3=":$TEST_NGINX_RAND_PORT_1"; ma=86400



=== a request in the first packet is known as early
--- http3
--- curl_options: --early
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_early_data on;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / { return 200 "told $http_early_data"; }
    }
--- config

    location = /t {
        set $early $ssl_early_data;
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        add_header X-Early $early;
    }
--- response_headers
X-Early: 1
--- response_body: told 1



=== what is not safe has to wait for the handshake
--- http3
--- curl_options: --early
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_early_data on;
--- config

    location = /t { return 200 "done"; }
--- request
DELETE /t
--- error_code: 425
--- error_log
client sent DELETE in early data



=== an answer goes on over a reload
--- http3
--- master_on
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            ngx.print(("x"):rep(100000))
            ngx.flush(true)
            local master = require "ngx.process".get_master_pid()
            assert(io.tell(master, "reload", 5000))
            ngx.sleep(1)
            ngx.print(("x"):rep(200000))
        }
    }
--- response_body eval
"x" x 300000

no_root_location();

__DATA__


=== a handshake gives a session, which a later one may use
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port, { name = "localhost" })
            ngx.say(type(session), " ", first)
            ngx.say((select(2, https.get(port, { name = "localhost", session = session }))))
        }
    }
--- response_body
cdata localhost.
localhostr
--- log_level: debug
--- error_log eval
[qr/SSL: TLSv1\.2, cipher: "\S+ TLSv1\.2 Kx=\S+ Au=\S+ Enc=\S+ Mac=\w+"/,
 "SSL reused session"]




=== false wants no session
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, _, session = https.get(port, { session = false })
            ngx.say(session)
        }
    }
--- response_body
true




=== the certificate is verified when asked to
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((https.get(port, { name = "localhost", verify = true })))
            ngx.say(https.get(port, { name = "other.test", verify = true }))
        }
    }
--- response_body
200
nilcertificate host mismatch
--- error_log
lua ssl certificate does not match host "other.test"




=== a certificate that nobody vouches for
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say(https.get(port, { name = "localhost", verify = true }))
        }
    }
--- response_body
nil20: unable to get local issuer certificate
--- error_log
lua ssl certificate verify error: (20: unable to get local issuer certificate)




=== a peer that does not speak TLS
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT)
            ngx.say(sock:sslhandshake())
            ngx.say(sock:send("x"))
        }
    }
--- response_body
nilhandshake failed
nilclosed
--- error_log
SSL_do_handshake() failed




=== a peer that says nothing
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:settimeout(100)
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2)
            ngx.say(sock:sslhandshake())
        }
    }
--- response_body
niltimeout
--- tcp_listen: $TEST_NGINX_RAND_PORT_2
--- tcp_reply_delay: 1s
--- tcp_reply: late
--- no_error_log
[error]




=== no handshake on a closed socket
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_server_name$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            ngx.say(select(2, pcall(sock.sslhandshake, sock)))
            ngx.say((select(2, pcall(sock.sslhandshake, sock, 1))):match("bad .*"))
            sock:connect("127.0.0.1", port)
            sock:close()
            ngx.say(sock:sslhandshake())
        }
    }
--- response_body
socket is never created nor connected
bad session argument type
nilclosed
--- error_log
attempt to do ssl handshake on a closed socket




=== kept connections keep their TLS
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$connection_requests"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            for i = 1, 3 do
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", port)
                ngx.print(sock:getreusedtimes(), type(sock:sslhandshake()))
                sock:send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                sock:receiveuntil("\r\n\r\n")()
                ngx.say(sock:receive(1))
                assert(sock:setkeepalive())
            end
        }
    }
--- response_body
0cdata1
1cdata2
2cdata3




=== what is inside a socket with TLS, for FFI
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "."; }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:sslhandshake(nil, "localhost", false))
            ngx.say(type(sock:getsslpointer()), " ",
                    sock:getsslctx() ~= sock:getsslpointer())
            ngx.say(type(sock:getsslsession()))
        }
    }
--- response_body
cdata true
cdata



=== a store of one's own is for one handshake, which is still to come
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
            void *X509_STORE_new(void);
            void X509_STORE_free(void *);
            int ngx_http_lua_ffi_socket_tcp_settrustedstore(void *r, void *u,
                void *store, char **errmsg);
            ]]
            local why = require("resty.core.base").get_errmsg_ptr()
            local empty = ffi.gc(ffi.C.X509_STORE_new(), ffi.C.X509_STORE_free)
            local sock = ngx.socket.tcp()

            local function try(store)
                sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                if store then
                    ngx.say(sock:settrustedstore(store))
                end
                ngx.say(sock:sslhandshake(false, "localhost", true))
            end
            try(empty)
            try()
            ngx.say(ffi.C.ngx_http_lua_ffi_socket_tcp_settrustedstore(
                        nil, sock[1], empty, why), " ", ffi.string(why[0]))
            ngx.say(sock:settrustedstore(empty))

            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(ffi.C.ngx_http_lua_ffi_socket_tcp_settrustedstore(
                        nil, sock[1], empty, why))
            ngx.say(sock:sslhandshake(false, "localhost", true))
        }
    }
--- response_body
true
nil20: unable to get local issuer certificate
true
-1 ssl handshake already done; trusted store cannot be changed on an established TLS connection
nilssl handshake already done; trusted store cannot be changed on an established TLS connection
0
nil20: unable to get local issuer certificate



=== what is still in its records is unread, and no answer to the next
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "abc"; }
    location = /t {
        lua_socket_buffer_size 16;
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:sslhandshake(false)
            sock:send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            ngx.say(sock:receive(15))
            ngx.say(sock:setkeepalive())
            ngx.print(sock:receive(1))
            ngx.say(sock:setkeepalive())
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive(3))
            ngx.say(sock:setkeepalive())
            sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(sock:getreusedtimes())
        }
    }
--- response_body eval
"HTTP/1.1 200 OK\nnilunread data in buffer\n\rnilunread data in buffer\n"
. "abc\n1\n1\n"

__DATA__


=== version 1: whom it speaks for
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /p {
        return 200 "$proxy_protocol_addr $proxy_protocol_port $proxy_protocol_server_addr $proxy_protocol_server_port $remote_addr\n";
    }
    location = /t {
        content_by_lua_block {
            for _, head in ipairs {
                "PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n",
                "PROXY TCP6 2001:DB8::1 ::2 1234 80\r\n", "PROXY UNKNOWN\r\n"
            } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                s:send(head .. "GET /p HTTP/1.0\r\n\r\n")
                ngx.print((s:receive("*a"):match("\r\n\r\n(.*)")))
            end
        }
    }
--- response_body
192.0.2.1 1234 192.0.2.2 80 127.0.0.1
2001:db8::1 1234 ::2 80 127.0.0.1
    127.0.0.1
--- no_error_log
[error]



=== it may come in parts, and is for all requests of the connection
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /p { return 200 "$proxy_protocol_addr"; }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            for part in ("PROXY |TCP4 192.0.2.1 192.0.2.2 1234 80\r|\n|G"
                         .. "|ET /p HTTP/1.1\r\nHost: a\r\n\r\n"):gmatch("[^|]+")
            do
                s:send(part)
                ngx.sleep(0.01)
            end
            s:send("GET /p HTTP/1.0\r\n\r\n")
            local _, n = s:receive("*a"):gsub("\r\n\r\n192.0.2.1", "")
            ngx.say(n)
        }
    }
--- response_body
2
--- no_error_log
[error]



=== version 2, and what it adds
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /p {
        return 200 "$proxy_protocol_addr $proxy_protocol_tlv_alpn $proxy_protocol_tlv_0xea [$proxy_protocol_tlv_ssl_cn] $proxy_protocol_tlv_ssl_verify";
    }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("\r\n\r\n\0\r\nQUIT\n\33\17\0\33\192\0\2\1\192\0\2\2\4\210\0\80"
                   .. "\1\0\2h2\234\0\3xyz\32\0\5\1\0\0\0\7"
                   .. "GET /p HTTP/1.0\r\n\r\n")
            ngx.print((s:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body chop
192.0.2.1 h2 xyz [] 7
--- no_error_log
[error]



=== anything else is no request
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("GET /p HTTP/1.0\r\n\r\n")
            ngx.say(#(s:receive("*a") or ""))
        }
    }
--- response_body
0
--- error_log eval
qr/broken header: "GET \/p HTTP\/1.0" while reading PROXY protocol, client: 127.0.0.1, server: 127.0.0.1:\d+/



=== nor is a version that nobody knows
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("\r\n\r\n\0\r\nQUIT\n\x31\x11\0\12" .. ("x"):rep(12))
            ngx.say(#(s:receive("*a") or ""))
        }
    }
--- response_body
0
--- error_log
unknown PROXY protocol version: 3 while reading PROXY protocol



=== one that is too large
--- http_config
    client_header_buffer_size 256;
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("\r\n\r\n\0\r\nQUIT\n\33\17\255\0" .. ("x"):rep(300))
            ngx.say(#(s:receive("*a") or ""))
        }
    }
--- response_body
0
--- error_log
header is too large while reading PROXY protocol



=== realip believes it, if it trusts the proxy
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    real_ip_header proxy_protocol;
    location = /p {
        set_real_ip_from 127.0.0.1;
        echo "$remote_addr:$remote_port $realip_remote_addr";
    }
    location = /q { echo "$remote_addr"; }
    location = /t {
        content_by_lua_block {
            for _, uri in ipairs { "/p", "/q" } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                s:send("PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\nGET " .. uri
                       .. " HTTP/1.0\r\n\r\n")
                ngx.print((s:receive("*a"):match("\r\n\r\n(.*)")))
            end
        }
    }
--- response_body
192.0.2.1:1234 127.0.0.1
127.0.0.1



=== a listener behind a wildcard address has its own rule
--- no_reload: no system has a wildcard beside the address of the block before
--- config
    listen $TEST_NGINX_RAND_PORT_1;
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /p { echo "[$proxy_protocol_addr]"; }
    location = /t {
        content_by_lua_block {
            for _, case in ipairs { { "1", "PROXY TCP4 192.0.2.1 1.2.3.4 1 2\r\n" }, { "2", "" } } do
                local s = ngx.socket.tcp()
                s:connect("127.0.0." .. case[1], $TEST_NGINX_RAND_PORT_1)
                s:send(case[2] .. "GET /p HTTP/1.0\r\n\r\n")
                ngx.print((s:receive("*a"):match("\r\n\r\n(.*)")))
            end
        }
    }
--- response_body
[192.0.2.1]
[]



=== a name that no TLV has
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 proxy_protocol;
    location = /p { echo "[$proxy_protocol_tlv_nothing]"; }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("PROXY TCP4 192.0.2.1 1.2.3.4 1 2\r\nGET /p HTTP/1.0\r\n\r\n")
            ngx.print((s:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body
[]
--- error_log
unknown PROXY protocol TLV "nothing"



=== it stands in front of TLS
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl proxy_protocol;
    location = /p { return 200 "$proxy_protocol_addr $ssl_server_name"; }
    location = /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            s:send("PROXY TCP4 192.0.2.1 192.0.2.2 1234 443\r\n")
            assert(s:sslhandshake(false, "localhost"))
            s:send("GET /p HTTP/1.0\r\n\r\n")
            ngx.say((s:receive("*a"):match("\r\n\r\n(.*)")))
        }
    }
--- response_body
192.0.2.1 localhost
--- no_error_log
[error]



=== where nobody has said anything there is no TLV
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.var.proxy_protocol_tlv_alpn, " ",
                    ngx.var.proxy_protocol_addr)
        }
    }
--- response_body
nil nil

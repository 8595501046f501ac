add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("stream_config", <<'_EOC_' . ($block->stream_config || ""));
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    init_by_lua_block {
        function text_of(name)
            local f = assert(io.open("$TEST_NGINX_CERT_DIR/" .. name, "rb"))
            local text = f:read("*a")
            f:close()
            return text
        end
    }
_EOC_
    $block->set_value("http_config", <<'_EOC_');
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
_EOC_
});

__DATA__


=== ssl_certificate_by_lua runs in a session's handshake
--- stream_listen: ssl
--- stream_server_config
    ssl_certificate_by_lua_block {
        ngx.log(ngx.WARN, "in ", ngx.get_phase(), " for ",
                require("ngx.ssl").server_name())
        ngx.sleep(0.001)
    }
    content_by_lua_block { ngx.say("served by ", ngx.var.ssl_protocol) }
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.print((get(port, { name = "localhost", verify = true })))
    } }
--- request
GET /t
--- response_body_like: ^served by TLSv1
--- error_log
in ssl_cert for localhost
context: ssl_certificate_by_lua*, client: 127.0.0.1, server: 0.0.0.0:



=== it may give the certificate
--- stream_listen: ssl
--- stream_server_config
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        assert(ssl.clear_certs())
        assert(ssl.set_cert(assert(ssl.parse_pem_cert(text_of("other.crt")))))
        assert(ssl.set_priv_key(assert(ssl.parse_pem_priv_key(
            text_of("other.key")))))
    }
    return "served";
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say((get(port, { name = "other.test", verify = true })))
    } }
--- request
GET /t
--- response_body
served



=== it may refuse
--- stream_listen: ssl
--- stream_server_config
    ssl_certificate_by_lua_block { ngx.exit(ngx.ERROR) }
    content_by_lua_block { ngx.log(ngx.WARN, "never") }
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say(get(port, { name = "localhost" }) or "refused")
    } }
--- request
GET /t
--- response_body_like: refused|handshake
--- no_error_log
never



=== ngx.ctx goes from a handshake to the session
--- stream_listen: ssl
--- stream_server_config
    ssl_client_hello_by_lua_block {
        ngx.ctx.count = 1
        ngx.log(ngx.WARN, "in ", ngx.get_phase())
    }
    ssl_certificate_by_lua_block { ngx.ctx.count = ngx.ctx.count + 1 }
    preread_by_lua_block { ngx.ctx.count = ngx.ctx.count + 1 }
    content_by_lua_block { ngx.say(ngx.ctx.count) }
    log_by_lua_block { ngx.log(ngx.WARN, "count: ", ngx.ctx.count) }
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.print((get(port, { name = "localhost" })))
    } }
--- request
GET /t
--- response_body
3
--- error_log
in ssl_client_hello
count: 3



=== a session's socket speaks TLS as well, and peek sees clear text
--- stream_listen: ssl
--- stream_server_config
    preread_by_lua_block {
        ngx.log(ngx.WARN, "peeked: ", ngx.req.socket():peek(4))
    }
    content_by_lua_block {
        local sock = ngx.req.socket(true)
        sock:send("got " .. sock:receive() .. "\n")
    }
--- config
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        assert(sock:sslhandshake(nil, "localhost", true))
        sock:send("hello\n")
        ngx.say(sock:receive())
    } }
--- request
GET /t
--- response_body
got hello
--- error_log
peeked: hell



=== a session of TLS is a userdata, and is taken back
--- stream_listen: ssl
--- stream_server_config
    return "$ssl_session_reused";
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local function get(session)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
                local made = assert(sock:sslhandshake(session))
                ngx.say(type(made), " ", sock:receive("*a"))
                sock:close()
                return made
            end
            get(get())
            ngx.say(pcall(get, newproxy()))
        }
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        ngx.print(sock:receive("*a"))
    } }
--- request
GET /t
--- response_body_like
^userdata \.
userdata [r.]
false.*bad session argument type



=== serversslhandshake() turns a session into one of TLS
--- stream_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            sock:send("STARTTLS\n")
            ngx.say(sock:receive())
            assert(sock:sslhandshake(false, "localhost"))
            sock:send("hello\n")
            ngx.say(sock:receive())
        }
    }
--- stream_server_config
    ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "chosen") }
    content_by_lua_block {
        local sock = ngx.req.socket()
        ngx.say("go: ", sock:receive())
        local session = assert(sock:serversslhandshake())
        assert(sock:serversslhandshake().protocol == session.protocol)
        ngx.log(ngx.WARN, "speaks ", session.protocol)
        ngx.say("got ", sock:receive())
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        ngx.print(sock:receive("*a"))
    } }
--- request
GET /t
--- response_body
go: STARTTLS
got hello
--- error_log
chosen
speaks TLSv1



=== it may fail, take too long, or be interrupted
--- stream_server_config
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
    content_by_lua_block {
        local sock = ngx.req.socket()
        local how = sock:receive()
        sock:settimeout(how == "late" and 10 or 5000)
        if how == "left" then
            ngx.thread.spawn(function () ngx.sleep(0.01) ngx.exit(403) end)
        end
        local session, err = sock:serversslhandshake()
        ngx.log(ngx.WARN, how, ": ", session, " ", err, ", then ",
                select(2, sock:send("x")), ", ",
                ngx.say("x") and select(2, ngx.flush(true)), ", ",
                select(2, ngx.req.socket()))
    }
--- config
    location = /t { content_by_lua_block {
        for _, how in ipairs { "late\n", "bad\nno handshake at all\n",
                               "left\n" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            sock:send(how)
            sock:receive("*a")
            sock:close()
        end
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
late: nil timeout, then closed, nginx output filter error, closed
bad: nil handshake failed, then closed, nginx output filter error, closed
status 403



=== after one that has failed there is neither peek nor a second one
--- stream_server_config
    preread_by_lua_block {
        local sock = ngx.req.socket()
        sock:settimeout(10)
        local _, err = sock:serversslhandshake()
        ngx.log(ngx.WARN, "first: ", err,
                ", again: ", select(2, sock:serversslhandshake()),
                ", peek: ", select(2, sock:peek(1)))
    }
    return "never";
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        ngx.say(sock:receive("*a"))
    } }
--- request
GET /t
--- response_body eval
"\n"
--- error_log
first: timeout, again: closed, peek: closed
--- no_error_log
[alert]



=== who waits in ngx.flush() may end the session of a handshake
--- stream_server_config
    content_by_lua_block {
        local sock = ngx.req.socket()
        sock:receive()
        ngx.thread.spawn(function ()
            ngx.sleep(0.001)
            ngx.say("x")
            ngx.log(ngx.WARN, "flushed: ", (ngx.flush(true)))
            ngx.exit(403)
        end)
        sock:settimeout(100)
        sock:serversslhandshake()
    }
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
--- config
    location = /t { content_by_lua_block {
        for _, how in ipairs { "good", "bad", "late" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            sock:send("x\n")
            ngx.sleep(0.02)
            if how == "good" then
                sock:sslhandshake(false, "localhost")
            elseif how == "bad" then
                sock:send("no handshake at all")
            end
            sock:receive("*a")
            sock:close()
        end
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
flushed:
status 403
--- no_error_log
[alert]



=== a handler of a handshake may end after its client and the handshake
--- stream_server_config
    ssl_certificate_by_lua_block {
        ngx.sleep(0.1)
        ngx.log(ngx.WARN, "handler ends")
    }
    content_by_lua_block {
        local sock = ngx.req.socket()
        ngx.say(sock:receive())
        ngx.log(ngx.WARN, "then: ", select(2, sock:serversslhandshake()))
        ngx.sleep(0.3)
        ngx.log(ngx.WARN, "session ends")
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
        sock:send("x\n")
        sock:receive()
        sock:settimeout(30)
        sock:sslhandshake(false, "localhost")
        sock:close()
        ngx.sleep(0.5)
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
then: handshake failed
handler ends
session ends
--- no_error_log
[alert]



=== a handshake that fails in preread is the end of the session
--- stream_server_config
    preread_by_lua_block {
        ngx.req.socket():receive()
        ngx.thread.spawn(function ()
            ngx.log(ngx.WARN, "beside: ", select(2, ngx.req.socket()), " ",
                    ngx.say("x"))
        end)
        local _, err = ngx.req.socket():serversslhandshake()
        ngx.log(ngx.WARN, "preread: ", err)
    }
    proxy_pass 127.0.0.1:1;
    log_by_lua_block { ngx.log(ngx.WARN, "status ", ngx.var.status) }
--- config
    location = /t { content_by_lua_block {
        for _, text in ipairs { "", "\22\3\1\0\5", "no handshake at all" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_STREAM_PORT))
            sock:send("x\n" .. text)
            assert(sock:shutdown("send"))
            sock:receive("*a")
            sock:close()
        end
        ngx.say("end")
    } }
--- request
GET /t
--- response_body
end
--- error_log
beside:
preread: handshake failed
status 500
--- no_error_log
[alert]



=== ALPN of Lua's counts from a worker's first handshake, if it is set in time
--- skip_windows: OpenSSL's own functions are not there for ffi.C
--- stream_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    proxy_ssl on;
    proxy_ssl_alpn acme-tls/1;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_client_hello_by_lua_block { require("alpn").set() }
        return "[$ssl_alpn_protocol]";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        ssl_certificate_by_lua_block { require("alpn").set() }
        return "[$ssl_alpn_protocol]";
    }
    server { listen $TEST_NGINX_RAND_PORT_3; proxy_ssl_protocols TLSv1.3; proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    server { listen $TEST_NGINX_RAND_PORT_4; proxy_ssl_protocols TLSv1.2; proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_2; }
--- stream_server_config
    return "";
--- config
    location = /t { content_by_lua_block {
        for _, port in ipairs { $TEST_NGINX_RAND_PORT_3, $TEST_NGINX_RAND_PORT_4 } do
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            ngx.say(sock:receive("*a"))
        end
    } }
--- request
GET /t
--- response_body
[acme-tls/1]
[acme-tls/1]



=== in TLS 1.3 OpenSSL asks for ALPN before certificates: the next handshake has it
--- skip_windows: OpenSSL's own functions are not there for ffi.C
--- stream_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    proxy_ssl on;
    proxy_ssl_alpn acme-tls/1;
    proxy_ssl_protocols TLSv1.3;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate_by_lua_block { require("alpn").set() }
        return "[$ssl_alpn_protocol]";
    }
    server { listen $TEST_NGINX_RAND_PORT_2; proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- stream_server_config
    return "";
--- config
    location = /t { content_by_lua_block {
        for _ = 1, 3 do
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_2)
            ngx.say(sock:receive("*a"))
        end
    } }
--- request
GET /t
--- response_body
[]
[acme-tls/1]
[acme-tls/1]

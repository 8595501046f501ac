# Scripts have a say in handshakes with the servers of an upstream.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ""));
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
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        ssl_verify_client optional;
        location / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
    }
_EOC_
});

__DATA__


=== a certificate and its key come from a script, which knows the request
--- config
    location /t {
        rewrite_by_lua_block { ngx.ctx.name = "client" }
        proxy_ssl_certificate_by_lua_block {
            local ssl = require "ngx.ssl"
            local proxy = require "ngx.ssl.proxysslcert"
            ngx.sleep(0.01)
            local name = ngx.ctx.name
            assert(proxy.clear_certs())
            assert(proxy.set_cert(assert(
                ssl.parse_pem_cert(text_of(name .. ".crt")))))
            assert(proxy.set_priv_key(assert(
                ssl.parse_pem_priv_key(text_of(name .. ".key")))))
            ngx.ctx.seen = ngx.get_phase() .. " "
                           .. require("ngx.proxyssl").get_tls1_version_str()
        }
        header_filter_by_lua_block { ngx.header.Seen = ngx.ctx.seen }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body_like: ^SUCCESS CN=
--- response_headers
Seen: proxy_ssl_cert TLSv1.3
--- error_log
proxy_ssl_certificate_by_lua: cert cb exit code: 1



=== the same from DER; without any the server gets none
--- config
    location /t {
        proxy_ssl_certificate_by_lua_block {
            local ssl = require "ngx.ssl"
            local proxy = require "ngx.ssl.proxysslcert"
            if ngx.var.arg_none then
                return
            end
            assert(proxy.set_der_cert(assert(
                ssl.cert_pem_to_der(text_of("client.crt")))))
            assert(proxy.set_der_priv_key(assert(
                ssl.priv_key_pem_to_der(text_of("client.key")))))
        }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /t", "GET /t?none=1"]
--- response_body_like eval
["^SUCCESS CN=", "^NONE "]



=== an error ends the handshake
--- config
    location /t {
        proxy_ssl_certificate_by_lua_block { error("no key") }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 502
--- error_log
no key
proxy_ssl_certificate_by_lua: handler return value: 500, cert cb exit code: 0
callback failed



=== so does ngx.exit with one, after a wait
--- config
    location /t {
        proxy_ssl_certificate_by_lua_block {
            ngx.sleep(0.001)
            ngx.exit(ngx.ERROR)
        }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 502
--- error_log
proxy_ssl_certificate_by_lua: cert cb exit code: 0
callback failed



=== a server that a script does not trust is not asked, however often
--- config
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_name localhost;
    location /t {
        proxy_ssl_verify_by_lua_block {
            local verify = require "ngx.ssl.proxysslverify"
            ngx.sleep(0.001)
            assert(verify.get_verify_result() == 0)
            assert(type(verify.get_verify_cert()) == "cdata")
            assert(verify.set_verify_result(
                tonumber(ngx.var.arg_result) or 0))
        }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /t", "GET /t?result=23"]
--- error_code eval
[200, 502]
--- response_body_like eval
["^NONE ", "502 Bad Gateway"]
--- error_log
proxy_ssl_verify_by_lua: cert verify callback exit code: 1



=== OpenSSL's own verdict may be left out, or be forgiven
--- config
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/client.crt;
    proxy_ssl_name localhost;
    proxy_ssl_session_reuse off;
    location /t {
        lua_upstream_skip_openssl_default_verify on;
        proxy_ssl_verify_by_lua_block { }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /forgiven {
        proxy_ssl_verify_by_lua_block {
            local verify = require "ngx.ssl.proxysslverify"
            assert(verify.get_verify_result() ~= 0)
            verify.set_verify_result(0)
        }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
    location /default {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- request eval
["GET /t", "GET /forgiven", "GET /default"]
--- error_code eval
[200, 200, 502]



=== a handler that waits for longer than a connection may take is ended
--- config
    location /t {
        proxy_connect_timeout 3s;  # in which the handshake gets so far
        proxy_ssl_certificate_by_lua_block { ngx.sleep(60) }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- error_code: 504
--- error_log
proxy_ssl_certificate_by_lua: cert cb aborted
--- timeout: 30



=== elsewhere there is no such handshake
--- config
    location = /t {
        content_by_lua_block {
            local proxy = require "ngx.ssl.proxysslcert"
            local verify = require "ngx.ssl.proxysslverify"
            ngx.say(proxy.clear_certs())
            ngx.say(proxy.set_cert())
            ngx.say(require("ngx.proxyssl").get_tls1_version())
            ngx.say(select(2, pcall(verify.get_verify_cert)))
        }
    }
--- response_body
nilbad upstream connection
nilbad upstream connection
nilbad upstream connection
API disabled in the current context



=== a location is their place
--- config
    proxy_ssl_verify_by_lua_block { }
--- must_die
--- error_log
"proxy_ssl_verify_by_lua_block" directive is not allowed here



=== they need a server that speaks TLS
--- config
    location /t {
        proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        proxy_ssl_verify_by_lua_block { return }
    }
--- must_die
--- error_log
proxy_ssl_verify_by_lua* should be used with proxy_pass https url in



=== a location inside of one that has a script may do without
--- config
    location /t {
        proxy_ssl_certificate_by_lua_block { return }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location /t/plain {
            proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/plain;
        }
    }
    location /plain { return 200 plain; }
--- request
GET /t/plain
--- response_body chop
plain



=== what OpenSSL has of a server, for FFI
--- config
    location /t {
        proxy_ssl_certificate_by_lua_block {
            local ssl = require "ngx.ssl"
            local pointer = ssl.get_upstream_ssl_pointer()
            ngx.ctx.seen = type(pointer) .. " "
                           .. tostring(ssl.ssl_session_reused(pointer))
        }
        header_filter_by_lua_block { ngx.header.Seen = ngx.ctx.seen }
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body_like: ^NONE
--- response_headers
Seen: cdata false

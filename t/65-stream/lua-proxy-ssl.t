# Scripts have a say in handshakes with servers behind a stream.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("stream_config", <<'_EOC_');
    init_by_lua_block {
        function text_of(name)
            local f = assert(io.open("$TEST_NGINX_CERT_DIR/" .. name, "rb"))
            local text = f:read("*a")
            f:close()
            return text
        end
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        ssl_verify_client optional;
        return "$ssl_client_verify";
    }
_EOC_
});

__DATA__


=== a certificate and its key come from a script
--- stream_server_config
    preread_by_lua_block { ngx.ctx.name = "client" }
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
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
        ngx.log(ngx.WARN, ngx.get_phase(), " ",
                require("ngx.proxyssl").get_tls1_version_str())
    }
--- stream_response chop
SUCCESS
--- error_log
proxy_ssl_cert TLSv1.3



=== a script judges the server's certificate
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_verify on;
    proxy_ssl_name localhost;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/stranger.crt;
    proxy_ssl_verify_by_lua_block {
        local verify = require "ngx.ssl.proxysslverify"
        ngx.sleep(0.01)
        ngx.log(ngx.WARN, "result: ", verify.get_verify_result(), " ",
                type(verify.get_verify_cert()))
        assert(verify.set_verify_result(0))
    }
--- stream_response chop
NONE
--- error_log
result: 20 cdata



=== and may refuse it
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_verify on;
    proxy_ssl_name localhost;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_verify_by_lua_block { ngx.exit(ngx.ERROR) }
    lua_upstream_skip_openssl_default_verify on;
--- stream_response
--- error_log
upstream SSL certificate verify error: (50:



=== and so may OpenSSL, whom it told to look
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl on;
    proxy_ssl_verify on;
    proxy_ssl_name localhost;
    proxy_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    proxy_ssl_conf_command VerifyMode Peer;
    proxy_ssl_verify_by_lua_block {
        ngx.log(ngx.WARN, "no")
        ngx.exit(ngx.ERROR)
    }
--- stream_response
--- error_log eval
[qr/no while loading proxy ssl verify by lua/,
 qr/\[crit\] .*SSL_do_handshake\(\) failed .*certificate verify failed/]
--- no_error_log
[error]



=== which needs TLS
--- stream_server_config
    proxy_pass 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    proxy_ssl_verify_by_lua_block { return }
--- must_die
--- error_log
proxy_ssl_verify_by_lua* should be used with proxy_ssl directive in

no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ''));
    ssl_certificate $TEST_NGINX_CERT_DIR/stapled.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/stapled.key;
    lua_socket_log_errors off;
    init_by_lua_block {
        local cert = "$TEST_NGINX_CERT_DIR/"
        function answer(name)
            local io = require "lunette.spec.io"
            ngx.header.content_type = "application/ocsp-response"
            ngx.print(io.read(cert .. name .. ".ocsp"))
        end
        function look(port)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", port))
            assert(sock:sslhandshake(false, "stapled.test", false, true))
            sock:close()
        end
    }
_EOC_
});

__DATA__


=== a client is shown what a file says
--- log_level: debug
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_file $TEST_NGINX_CERT_DIR/stapled.ocsp;
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
SSL certificate status: 288 bytes



=== what a responder has said is shown to those who come later
--- log_level: debug
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_verify on;
    ssl_stapling_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ {
        content_by_lua_block { asked = ngx.var.uri answer "delegated" }
    }
    location = /t {
        content_by_lua_block {
            for _ = 1, 200 do
                look($TEST_NGINX_RAND_PORT_1)
                if asked then break end
                ngx.sleep(0.02)
            end
            ngx.sleep(0.2)
            look($TEST_NGINX_RAND_PORT_1)
            ngx.say(asked:sub(1, 6), #ngx.decode_base64(asked:sub(6)) > 60)
        }
    }
--- response_body
/ask/Mtrue
--- error_log
SSL certificate status: 0 bytes
SSL certificate status: 729 bytes



=== and what became of the question is counted
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ { content_by_lua_block { answer "delegated" } }
    location = /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            for _ = 1, 200 do
                look($TEST_NGINX_RAND_PORT_1)
                local text = ngx.location.capture("/metrics").body
                if text:find('client_questions_total{outcome="answered"} 1', 1, true) then
                    ngx.say(text:match "client_questions_open (%d+)", " open, ",
                            text:match "client_question_seconds_count (%d+)", " timed")
                    break
                end
                ngx.sleep(0.02)
            end
        }
    }
--- response_body
0 open, 1 timed



=== nobody is told that it was revoked
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    location / { content_by_lua_block { answer "revoked" } }
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
certificate status "revoked" in the OCSP response while requesting certificate status, certificate: "



=== what somebody else has signed is looked at where that is asked for
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_verify on;
    ssl_stapling_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/;
    location / { content_by_lua_block { answer "impostor" } }
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
OCSP_basic_verify() failed while requesting certificate status



=== a responder that is not there
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_responder http://127.0.0.1:$TEST_NGINX_RAND_PORT_2/;
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
connect() failed
requesting certificate status, responder: 127.0.0.1, certificate: "
--- wait: 0.2



=== the certificate says who is asked
--- http_config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_2;
    resolver_timeout 100ms;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
ocsp.test could not be resolved



=== a certificate whose issuer is not known
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_stapling on;
    location = /t { return 200 here; }
--- response_body chop
here
--- error_log
"ssl_stapling" ignored, issuer certificate not found for certificate "



=== and one that names no responder
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_stapling on;
    location = /t { return 200 here; }
--- response_body chop
here
--- error_log
"ssl_stapling" ignored, no OCSP responder URL in the certificate "



=== a responder is asked without TLS
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_responder https://127.0.0.1/;
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
"ssl_stapling" ignored, invalid URL prefix in OCSP responder "https://127.0.0.1/" in the certificate "
SSL certificate status: 0 bytes
--- no_error_log
requesting certificate status
--- log_level: debug



=== nor at a port that there can't be
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_responder http://127.0.0.1:65536/;
    location = /t {
        content_by_lua_block { look($TEST_NGINX_RAND_PORT_1) ngx.say "seen" }
    }
--- response_body
seen
--- error_log
"ssl_stapling" ignored, invalid port in OCSP responder "http://127.0.0.1:65536/" in the certificate "
SSL certificate status: 0 bytes
--- no_error_log
requesting certificate status
--- log_level: debug



=== a file that has no answer
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_stapling on;
    ssl_stapling_file $TEST_NGINX_CERT_DIR/server.crt;
--- must_die
--- error_log
server.crt") failed (SSL: error:

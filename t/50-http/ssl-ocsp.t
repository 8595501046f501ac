no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ''));
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/stapled.crt;
    ssl_verify_client on;
    ssl_verify_depth 3;
    init_by_lua_block {
        local cert, ssl = "$TEST_NGINX_CERT_DIR/", require "ngx.ssl"
        local read = require "lunette.spec.io".read
        questions = 0
        function answer(name)
            questions = questions + 1
            ngx.header.content_type = "application/ocsp-response"
            ngx.print(read(cert .. name .. ".ocsp"))
        end
        -- The status and what the server thinks of us.
        function ask(port, session)
            local status, text, kept = require("https").get(port, {
                name = "localhost", session = session,
                cert = ssl.parse_pem_cert(read(cert .. "stapled.crt")),
                key = ssl.parse_pem_priv_key(read(cert .. "stapled.key"))
            })
            ngx.say(status, " ", text:match "<title>(.-)</title>" or text)
            return kept
        end
    }
_EOC_
});
# Known attacks of this kind: CVE-2026-40701.

__DATA__


=== a client whose certificate is good
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location / { return 200 $ssl_client_verify; }
    location /ask/ { content_by_lua_block { answer "stapled" } }
    location = /t {
        content_by_lua_block { ask($TEST_NGINX_RAND_PORT_1) }
    }
--- response_body
200 SUCCESS
--- no_error_log
[error]



=== and one whose was revoked
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp leaf;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    error_page 495 /why;
    location = /why { return 200 $ssl_client_verify; }
    location /ask/ { content_by_lua_block { answer "revoked" } }
    location = /t {
        content_by_lua_block { ask($TEST_NGINX_RAND_PORT_1) }
    }
--- response_body
400 FAILED:certificate revoked
--- error_log
client SSL certificate verify error: certificate revoked



=== a session that goes on is asked about as well
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    ssl_protocols TLSv1.2;
    error_page 495 /why;
    location = /why { return 200 "$ssl_client_verify $ssl_session_reused"; }
    location / { return 200 "$ssl_client_verify $ssl_session_reused"; }
    location /ask/ {
        content_by_lua_block {
            answer(questions == 0 and "stapled" or "revoked")
        }
    }
    location = /t {
        content_by_lua_block {
            local session = ask($TEST_NGINX_RAND_PORT_1)
            ask($TEST_NGINX_RAND_PORT_1, session)
        }
    }
--- response_body
200 SUCCESS .
400 FAILED:certificate revoked r



=== answers are kept for all
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_cache shared:answers:32k;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location / { return 200 $ssl_client_verify; }
    location /ask/ { content_by_lua_block { answer "stapled" } }
    location = /t {
        content_by_lua_block {
            ask($TEST_NGINX_RAND_PORT_1)
            ask($TEST_NGINX_RAND_PORT_1)
            ngx.say(questions)
        }
    }
--- response_body
200 SUCCESS
200 SUCCESS
1



=== nobody but the issuer may say so
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ { content_by_lua_block { answer "impostor" } }
    location = /t {
        content_by_lua_block { ask($TEST_NGINX_RAND_PORT_1) }
    }
--- response_body
400 400 The SSL certificate error
--- error_log
OCSP_basic_verify() failed while requesting certificate status
client SSL certificate verify error: certificate status request failed



=== an answer of another kind
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ { default_type text/html; return 200 "no"; }
    location = /t {
        content_by_lua_block { ask($TEST_NGINX_RAND_PORT_1) }
    }
--- response_body
400 400 The SSL certificate error
--- error_log
OCSP responder sent invalid "Content-Type" header: "text/html" while requesting certificate status, responder: 127.0.0.1



=== a responder that is not found, and one that says too much
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        ssl_ocsp on;
        ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/none;
    }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ {
        default_type application/ocsp-response;
        content_by_lua_block { ngx.print(("x"):rep(100000)) }
    }
    location = /t {
        content_by_lua_block {
            ask($TEST_NGINX_RAND_PORT_1)
            ask($TEST_NGINX_RAND_PORT_2)
        }
    }
--- response_body
400 400 The SSL certificate error
400 400 The SSL certificate error
--- error_log
OCSP responder sent too large response
OCSP responder sent invalid response



=== a certificate that names nobody
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_ocsp on;
    location = /t {
        content_by_lua_block {
            local ssl, cert = require "ngx.ssl", "$TEST_NGINX_CERT_DIR/client."
            local read = require "lunette.spec.io".read
            local status = require("https").get($TEST_NGINX_RAND_PORT_1, {
                name = "localhost",
                cert = ssl.parse_pem_cert(read(cert .. "crt")),
                key = ssl.parse_pem_priv_key(read(cert .. "key"))
            })
            ngx.say(status)
        }
    }
--- response_body
400
--- error_log
no OCSP responder URL in the certificate
client SSL certificate verify error: certificate status request failed



=== a client that leaves while a responder thinks
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ask;
    location /ask/ {
        content_by_lua_block { asked = true ngx.sleep(0.3) answer "stapled" }
    }
    location = /t {
        content_by_lua_block {
            local ssl, cert = require "ngx.ssl", "$TEST_NGINX_CERT_DIR/stapled."
            local read = require "lunette.spec.io".read
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:setclientcert(ssl.parse_pem_cert(read(cert .. "crt")),
                               ssl.parse_pem_priv_key(read(cert .. "key")))
            sock:sslhandshake(false, "localhost")
            while not asked do ngx.sleep(0.02) end
            sock:close()
            ngx.sleep(0.4)
            ngx.say "done"
        }
    }
--- response_body
done



=== who is not checked cannot be asked about
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_ocsp on;
    ssl_verify_client optional_no_ca;
--- must_die
--- error_log
"ssl_ocsp" is incompatible with "ssl_verify_client optional_no_ca"



=== responders are asked without TLS
--- config
    ssl_ocsp_responder https://127.0.0.1/;
--- must_die
--- error_log
invalid URL prefix in OCSP responder "https://127.0.0.1/" in "ssl_ocsp_responder" in



=== a cache is shared
--- config
    ssl_ocsp_cache builtin;
--- must_die
--- error_log
invalid OCSP cache "builtin" in



=== and not too small
--- config
    ssl_ocsp_cache shared:answers:1k;
--- must_die
--- error_log
OCSP cache "shared:answers:1k" is too small in

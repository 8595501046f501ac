__DATA__


=== a session over TLS
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl
--- stream_server_config
    return "$ssl_protocol|$ssl_server_name|$ssl_session_reused|$ssl_client_verify|$ssl_cipher";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say((get(port, { name = "localhost", verify = true })))
    } }
--- request
GET /t
--- response_body_like: ^TLSv1.3\|localhost\|\.\|NONE\|TLS_
--- no_error_log
[error]



=== a name chooses the server, its certificate and its content
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_STREAM_PORT ssl;
        server_name other.test;
        ssl_certificate $TEST_NGINX_CERT_DIR/other.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/other.key;
        return "other $ssl_server_name";
    }
    server {
        listen $TEST_NGINX_STREAM_PORT ssl;
        server_name ~^(?<sub>\w+)\.example\.com$;
        return "sub $sub $server_addr";
    }
--- stream_listen: ssl default_server
--- stream_server_config
    return "default $ssl_server_name";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        for _, name in ipairs { "other.test", "OTHER.test.", "a.example.com", "localhost" } do
            ngx.say((get(port, { name = name })))
        end
        ngx.say((get(port)))
        ngx.say((get(port, { name = "other.test", verify = true })))
    } }
--- request
GET /t
--- response_body
other other.test
other OTHER.test.
sub a 127.0.0.1
default localhost
default 
other other.test



=== a handshake may be refused
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server {
        listen $TEST_NGINX_STREAM_PORT ssl default_server;
        ssl_reject_handshake on;
        return "never";
    }
--- stream_listen: ssl
--- stream_server_config
    server_name localhost;
    return "ok";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say((get(port, { name = "localhost" })))
        ngx.say((get(port, { name = "elsewhere" })))
        ngx.say((get(port)))
    } }
--- request
GET /t
--- response_body
ok
nil
nil
--- error_log
finalize stream session: 500
SSL_do_handshake() failed
while SSL handshaking, client: 127.0.0.1, server: 0.0.0.0:



=== a client has to show a certificate
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- stream_listen: ssl
--- stream_server_config
    ssl_verify_client on;
    return "$ssl_client_verify $ssl_client_s_dn";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        local ssl = require "ngx.ssl"
        local function pem(name)
            local function text(kind)
                return assert(io.open("$TEST_NGINX_CERT_DIR/" .. name .. kind)):read("*a")
            end
            return assert(ssl.parse_pem_cert(text(".crt"))), assert(ssl.parse_pem_priv_key(text(".key")))
        end
        local function ask(name)
            local cert, key
            if name then
                cert, key = pem(name)
            end
            local text = get(port, { cert = cert, key = key })
            ngx.say(text and text ~= "" and text or "refused")
        end
        ask("client")
        ask("stranger")
        ask()
    } }
--- request
GET /t
--- response_body
SUCCESS CN=A Client,O=Lunette tests
refused
refused
--- error_log
client SSL certificate verify error: (18:self-signed certificate) while SSL handshaking, client: 127.0.0.1
client sent no required SSL certificate while SSL handshaking, client: 127.0.0.1
finalize stream session: 500



=== or may show one
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- stream_listen: ssl
--- stream_server_config
    ssl_verify_client optional;
    ssl_crl $TEST_NGINX_CERT_DIR/ca.crl;
    return "$ssl_client_verify";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        local ssl = require "ngx.ssl"
        local function pem(name)
            local function text(kind)
                return assert(io.open("$TEST_NGINX_CERT_DIR/" .. name .. kind)):read("*a")
            end
            return assert(ssl.parse_pem_cert(text(".crt"))), assert(ssl.parse_pem_priv_key(text(".key")))
        end
        local function ask(name)
            local cert, key
            if name then
                cert, key = pem(name)
            end
            local text = get(port, { cert = cert, key = key })
            ngx.say(text and text ~= "" and text or "refused")
        end
        ask("client")
        ask("revoked")
        ask()
    } }
--- request
GET /t
--- response_body
SUCCESS
refused
NONE



=== sessions come back, by ticket and from a zone
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_protocols TLSv1.2;
    ssl_session_cache shared:sessions:1m;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_session_tickets off;
        return "$ssl_session_reused";
    }
--- stream_listen: ssl
--- stream_server_config
    return "$ssl_session_reused";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        for _, p in ipairs { port, $TEST_NGINX_RAND_PORT_1 } do
            local first, session = get(p)
            ngx.say(first, (get(p, { session = session })))
        end
    } }
--- request
GET /t
--- response_body
.r
.r



=== a session of HTTP is none of stream
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:sessions:1m;
    ssl_protocols TLSv1.2;
--- stream_listen: ssl
--- stream_server_config
    return "$ssl_session_reused";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_session_cache shared:sessions:1m;
    ssl_protocols TLSv1.2;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / { return 200 "$ssl_session_reused"; }
    }
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        local https = require "https"
        local _, text, session = https.get($TEST_NGINX_RAND_PORT_1)
        ngx.say(text, (get(port, { session = session })))
    } }
--- request
GET /t
--- response_body
..



=== what is no hello ends the session
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl
--- stream_server_config
    return "never";
--- stream_request eval
"GET / HTTP/1.0\r\n\r\n"
--- stream_response eval: ""
--- error_log eval
["SSL_do_handshake() failed (SSL: error:", "while SSL handshaking, client: 127.0.0.1, server: 0.0.0.0:",
 "finalize stream session: 500"]



=== a client that leaves in the handshake
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl
--- stream_server_config
    return "never";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local port = $TEST_NGINX_STREAM_PORT
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", port))
        sock:send("\22\3\1\2\0\1")
        sock:close()
        ngx.say("done")
    } }
--- request
GET /t
--- response_body
done
--- error_log
peer closed connection in SSL handshake while SSL handshaking, client: 127.0.0.1
finalize stream session: 500



=== a handshake has its time
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl
--- stream_server_config
    ssl_handshake_timeout 50ms;
    return "never";
--- stream_response eval: ""
--- error_log
finalize stream session: 500



=== names of certificates may have variables
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/$ssl_server_name.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/$ssl_server_name.key;
    ssl_certificate_cache max=4;
    server {
        listen $TEST_NGINX_STREAM_PORT ssl;
        server_name ~^(?<file>o.*)\.test$;
        ssl_certificate $TEST_NGINX_CERT_DIR/$file.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/$file.key;
        return "by pattern";
    }
--- stream_listen: ssl default_server
--- stream_server_config
    return "$ssl_server_name";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        for _ = 1, 2 do
            ngx.say((get(port, { name = "other.test", verify = true })))
            ngx.say((get(port, { name = "server" })))
        end
        ngx.say((get(port, { name = "none" })))
    } }
--- request
GET /t
--- response_body
by pattern
server
by pattern
server
nil
--- error_log
none.crt": BIO_new_file() failed (SSL: error:
while SSL handshaking, client: 127.0.0.1



=== commands of OpenSSL, whose files are those of the configuration
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl
--- stream_server_config
    ssl_conf_command Certificate ../../cert/other.crt;
    ssl_conf_command PrivateKey ../../cert/other.key;
    ssl_conf_command MaxProtocol TLSv1.2;
    return "$ssl_protocol";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say((get(port, { name = "other.test", verify = true })))
    } }
--- request
GET /t
--- response_body
TLSv1.2



=== which have the last word
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_protocols TLSv1.2;
--- stream_listen: ssl
--- stream_server_config
    ssl_session_tickets off;
    ssl_conf_command Options SessionTicket;
    return "$ssl_session_reused";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        local first, session = get(port)
        ngx.say(first, (get(port, { session = session })))
    } }
--- request
GET /t
--- response_body
.r



=== a PROXY header stands before the handshake
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- stream_listen: ssl proxy_protocol
--- stream_server_config
    return "$proxy_protocol_addr $ssl_protocol";
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
--- config
    location = /t { content_by_lua_block {
        local get, port = require "stream_tls".get, $TEST_NGINX_STREAM_PORT
        ngx.say((get(port, { first = "PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n" })))
    } }
--- request
GET /t
--- response_body
192.0.2.1 TLSv1.3



=== a server needs a certificate
--- stream_listen: ssl
--- stream_server_config
    return "never";
--- must_die
--- error_log
no "ssl_certificate" is defined for the "listen ... ssl" directive in



=== the size of records is for HTTP to say
--- stream_server_config
    ssl_buffer_size 4k;
    return "never";
--- must_die
--- error_log
"ssl_buffer_size" directive is not allowed here



=== and protocols are for stream
--- http_config
    ssl_alpn a;
--- must_die
--- error_log
"ssl_alpn" directive is not allowed here



=== CVE-2026-28755: authorities are asked about a client's certificate
--- stream_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/stapled.crt;
    ssl_verify_depth 3;
    ssl_ocsp on;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_verify_client on;
        ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/good;
        return "$ssl_client_verify";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_2 ssl;
        ssl_verify_client on;
        ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/bad;
        return "$ssl_client_verify";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_3 ssl;
        ssl_verify_client optional;
        ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/bad;
        return "$ssl_client_verify";
    }
    server {
        listen $TEST_NGINX_RAND_PORT_4 ssl;
        ssl_verify_client on;
        ssl_ocsp_responder http://127.0.0.1:$TEST_NGINX_SERVER_PORT/none;
        return "$ssl_client_verify";
    }
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
--- config
    default_type application/ocsp-response;
    location /good/ { content_by_lua_block {
        ngx.print(require("lunette.spec.io").read("$TEST_NGINX_CERT_DIR/stapled.ocsp"))
    } }
    location /bad/ { content_by_lua_block {
        ngx.print(require("lunette.spec.io").read("$TEST_NGINX_CERT_DIR/revoked.ocsp"))
    } }
    location = /t { content_by_lua_block {
        local ssl, read = require "ngx.ssl", require("lunette.spec.io").read
        local cert = "$TEST_NGINX_CERT_DIR/stapled."
        for _, port in ipairs { $TEST_NGINX_RAND_PORT_1,
                                $TEST_NGINX_RAND_PORT_2,
                                $TEST_NGINX_RAND_PORT_3,
                                $TEST_NGINX_RAND_PORT_4 } do
            ngx.say((require("stream_tls").get(port, {
                name = "localhost", cert = ssl.parse_pem_cert(read(cert .. "crt")),
                key = ssl.parse_pem_priv_key(read(cert .. "key"))
            })))
        end
    } }
--- request
GET /t
--- response_body_like: ^SUCCESS\n((nil)?\n){3}$
--- error_log
client SSL certificate verify error: certificate revoked

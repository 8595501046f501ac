no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ""));
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
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
});

__DATA__


=== a handler runs before the certificate is shown, and has its place in the log
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "in ", ngx.get_phase()) }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
served
--- error_log
ssl_certificate_by_lua(nginx.conf:
in ssl_cert, context: ssl_certificate_by_lua*, client: 127.0.0.1, server: 0.0.0.0:
ssl_certificate_by_lua: handler return value: 0, cert cb exit code: 1



=== certificate and key come from PEM
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        assert(ssl.clear_certs())
        assert(ssl.set_cert(assert(ssl.parse_pem_cert(text_of("other.crt")))))
        assert(ssl.set_priv_key(assert(ssl.parse_pem_priv_key(text_of("other.key")))))
    }
    location = / { return 200 "served"; }
    location = /t {
        lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port, { name = "other.test", verify = true }))))
            ngx.say((select(2, https.get(port, { name = "localhost", verify = true }))))
        }
    }
--- response_body
served
certificate host mismatch



=== certificate and key come from DER
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        local cert = assert(ssl.cert_pem_to_der(text_of("other.crt")))
        local key = assert(ssl.priv_key_pem_to_der(text_of("other.key")))
        assert(ssl.clear_certs())
        assert(ssl.set_der_cert(cert))
        assert(ssl.set_der_priv_key(key))
        assert(ssl.parse_der_cert(cert .. cert))
        assert(ssl.parse_der_priv_key(key))
    }
    location = / { return 200 "served"; }
    location = /t {
        lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1,
                                         { name = "other.test", verify = true }))))
        }
    }
--- response_body
served



=== a handshake without any certificate fails
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block { assert(require("ngx.ssl").clear_certs()) }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
handshake failed
--- error_log
SSL_do_handshake() failed (SSL: error:



=== what is known of the client
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        local addr, kind = ssl.raw_server_addr()
        local client, client_kind = ssl.raw_client_addr()
        ngx.log(ngx.WARN, ssl.server_name(), " ", ssl.get_tls1_version_str(), " ",
                ssl.get_tls1_version() == ssl.TLS1_3_VERSION, " ",
                ssl.server_port() == $TEST_NGINX_RAND_PORT_1, " ",
                addr:byte(1), ".", addr:byte(4), " ", kind, " ",
                client:byte(1), " ", client_kind, " ",
                #ssl.get_client_random(), " ", ssl.get_client_random(0), " ",
                ssl.get_req_ssl_pointer() ~= nil, ";")
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "localhost" }))))
        }
    }
--- response_body
served
--- error_log
localhost TLSv1.3 true true 127.1 inet 127 inet 32 32 true;



=== a request knows the same, and can export keys
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            ngx.print(ssl.server_name(), " ", ssl.get_tls1_version_str(), " ",
                      #ssl.export_keying_material(48, "EXPERIMENTAL", "x"), " ",
                      ssl.verify_client())
        }
    }
    location = /t {
        content_by_lua_block {
            local https, ssl = require "https", require "ngx.ssl"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
            ngx.say(ssl.server_name())
            ngx.say(ssl.set_der_cert("x"))
            ngx.say(select(3, ssl.raw_client_addr()))
        }
    }
--- response_body
nil TLSv1.3 48 nilAPI disabled in the current context
nilbad request
nild2i_X509_bio() failed
bad request



=== texts that are no certificates and keys
--- config
    location = /t {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            ngx.say(ssl.parse_pem_cert("x"))
            ngx.say(ssl.parse_pem_cert(text_of("server.crt") .. "-----BEGIN CERTIFICATE-----\nx"))
            ngx.say(ssl.parse_pem_priv_key(text_of("locked.key")))
            ngx.say(ssl.parse_der_priv_key("x"))
            ngx.say(ssl.cert_pem_to_der(""))
            ngx.say(ssl.priv_key_pem_to_der(text_of("locked.key"), "wrong"))
            local password = text_of("passwords"):match("[^\r\n]+")
            ngx.say(#(ssl.priv_key_pem_to_der(text_of("locked.key"), password) or
                      ssl.priv_key_pem_to_der(text_of("locked.key"),
                                              text_of("passwords"):match("[^\r\n]+[\r\n]+([^\r\n]+)"))))
        }
    }
--- response_body
nilPEM_read_bio_X509_AUX() failed
nilPEM_read_bio_X509() failed
nilPEM_read_bio_PrivateKey() failed
nild2i_PrivateKey_bio() failed
nilPEM_read_bio_X509_AUX() failed
nilPEM_read_bio_PrivateKey() failed
121



=== clients are asked for a certificate
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        assert(ssl.verify_client(ssl.parse_pem_cert(text_of("ca.crt")), 2))
    }
    location = / { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
    location = /t {
        content_by_lua_block {
            local https, ssl = require "https", require "ngx.ssl"
            local function get(name)
                ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, {
                    cert = name and ssl.parse_pem_cert(text_of(name .. ".crt")),
                    key = name and ssl.parse_pem_priv_key(text_of(name .. ".key"))
                }))))
            end
            get("client")
            get("stranger")
            get(nil)
        }
    }
--- response_body_like
^SUCCESS CN=.*
FAILED:.* CN=.*
NONE $



=== setclientcert wants both or none
--- config
    location = /t {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            local sock = ngx.socket.tcp()
            local cert = ssl.parse_pem_cert(text_of("client.crt"))
            ngx.say(sock:setclientcert())
            ngx.say(sock:setclientcert(cert))
            ngx.say(sock:setclientcert("a", "b"))
            ngx.say(sock:setclientcert(cert, "b"))
            ngx.say(sock:setclientcert(cert, ssl.parse_pem_priv_key(text_of("other.key"))))
            ngx.say(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
            ngx.say(sock:sslhandshake())
        }
    }
--- response_body
true
nilclient certificate must be supplied with corresponding private key
nilbad cert arg: cdata expected, got string
nilbad pkey arg: cdata expected, got string
true
1
nilSSL_use_PrivateKey() failed



=== a handler may wait, for time and for others
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        ngx.sleep(0.01)
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        sock:send("GET /name HTTP/1.0\r\n\r\n")
        local name = sock:receive("*a"):match("[^\n]+$")
        local ssl = require "ngx.ssl"
        assert(ssl.set_cert(ssl.parse_pem_cert(text_of(name .. ".crt"))))
        assert(ssl.set_priv_key(ssl.parse_pem_priv_key(text_of(name .. ".key"))))
    }
    location = /name { return 200 "other"; }
    location = / { return 200 "served"; }
    location = /t {
        lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1,
                                                    { name = "other.test", verify = true }))))
        }
    }
--- response_body
served



=== a client that leaves does not cut a handler short
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_SERVER_PORT))
        ngx.sleep(0.3)
        ngx.log(ngx.WARN, "went on")
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:settimeout(50)
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(sock:sslhandshake())
        }
    }
--- response_body
niltimeout
--- error_log
went on
peer closed connection in SSL handshake
--- no_error_log
[error]



=== one that is too slow, too
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    client_header_timeout 50ms;
    ssl_certificate_by_lua_block {
        ngx.sleep(5)
        ngx.log(ngx.ERR, "went on")
    }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
handshake failed
--- error_log
client timed out
while loading SSL certificate by lua
ssl_certificate_by_lua: cert cb aborted
--- no_error_log
went on



=== ngx.exit with an error refuses the client, before and after a wait
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        if require("ngx.ssl").server_name() then
            ngx.sleep(0.001)
        end
        ngx.exit(ngx.ERROR)
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "localhost" }))))
        }
    }
--- response_body
handshake failed
handshake failed
--- error_log eval
[
'ssl_certificate_by_lua: handler return value: -1, cert cb exit code: 0',
qr/\[info\] .*SSL_do_handshake\(\) failed \(SSL: error:.*cert cb error/,
]



=== ngx.exit(ngx.OK) lets him go on
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        ngx.exit(ngx.OK)
        ngx.log(ngx.ERR, "went on")
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
served
--- no_error_log
went on



=== an error in the handler refuses the client
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block { error("bad bad") }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
handshake failed
--- error_log
lua entry thread aborted: runtime error: ssl_certificate_by_lua(nginx.conf:
ssl_certificate_by_lua: handler return value: 500, cert cb exit code: 0
cert cb error



=== code that does not compile refuses the client
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block { local x = }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
handshake failed
--- error_log
failed to load inlined Lua code: ssl_certificate_by_lua(nginx.conf:



=== requests are not there, and some of the API is not
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        ngx.ctx.seen = "kept"
        local function try(f)
            ngx.log(ngx.WARN, (select(2, pcall(f))))
        end
        try(function () return ngx.var.uri end)
        try(function () ngx.say("x") end)
        try(function () ngx.location.capture("/") end)
        try(function () return ngx.ctx.seen end)
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
served
--- error_log
API disabled in the current context
API disabled in the context of ssl_certificate_by_lua*
kept, context: ssl_certificate_by_lua*



=== each server has its handler, or that of the http block
--- http_config
    ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "for all") }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        server_name second.test;
        ssl_certificate_by_lua_file html/cert.lua;
        return 200 "second";
    }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl default_server;
    location = / { return 200 "first"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "first.test" }))))
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "second.test" }))))
        }
    }
--- user_files
>>> cert.lua
ngx.log(ngx.WARN, "from a file")
--- response_body
first
second
--- grep_error_log eval: qr/for all|from a file/
--- grep_error_log_out
for all
from a file



=== a session that comes back is not asked again
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "asked") }
    location = / { return 200 "$ssl_session_reused"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            ngx.say(first, " ", (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
. r
--- grep_error_log: asked
--- grep_error_log_out
asked



=== a handshake that waits is ended by the worker that began it
--- master_on
--- http_config
    init_worker_by_lua_block { inside = false }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        inside = true
        for _ = 1, 1000 do
            if ngx.worker.exiting() then
                return ngx.log(ngx.WARN, "it exits")
            end
            ngx.sleep(0.02)
        end
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            local client = ngx.thread.spawn(function ()
                return (select(2, require("https").get($TEST_NGINX_RAND_PORT_1)))
            end)
            local master = require "ngx.process".get_master_pid()
            while not inside do ngx.sleep(0.01) end
            assert(require("lunette.spec.io").tell(master, "reload", 20000))
            ngx.say(select(2, ngx.thread.wait(client)))
        }
    }
--- response_body
served
--- error_log
it exits

no_root_location();

__DATA__


=== a reload reads the files of certificates again
--- master_on
--- user_files
>>> now.pem
-----BEGIN CERTIFICATE-----
MIIBwjCCAWegAwIBAgIUDpznVfxnlyIVIy1wqkudSOgcPb4wCgYIKoZIzj0EAwIw
KjEWMBQGA1UECgwNTHVuZXR0ZSB0ZXN0czEQMA4GA1UEAwwHVGVzdCBDQTAgFw0y
NjExMjIwMzQwMzJaGA8yMTI2MTAyOTAzNDAzMlowLDEWMBQGA1UECgwNTHVuZXR0
ZSB0ZXN0czESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAExijcc/Naquz9GER4yCpaJQCwLll50f49gilNxYUUlWLE7LRpxOQhXzfa
WNAcOWORPbuHPCWTJy1Hm/rR1Ihr7qNnMGUwIwYDVR0RBBwwGoIJbG9jYWxob3N0
gg0qLmV4YW1wbGUuY29tMB0GA1UdDgQWBBRMq2r8t7dFgfdeuOuT4PCosS6RPTAf
BgNVHSMEGDAWgBT0zR+3egtXzDBvR09IKEtVVTE1VTAKBggqhkjOPQQDAgNJADBG
AiEA0UOciboecpCuHREl+zw//EsB8G0bUoiJEUYmE4ppl9MCIQDQRTiPW0wHq1qf
/2ZEJpfjENRWXM/X2Je3P6HVOGnfSg==
-----END CERTIFICATE-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIFWIeS0DiXIgsQL9JQnv+6PnCD8JPhIXj8d25hk/Us3/oAoGCCqGSM49
AwEHoUQDQgAExijcc/Naquz9GER4yCpaJQCwLll50f49gilNxYUUlWLE7LRpxOQh
XzfaWNAcOWORPbuHPCWTJy1Hm/rR1Ihr7g==
-----END EC PRIVATE KEY-----
--- http_config
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    lua_socket_log_errors off;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate ../html/now.pem;
    ssl_certificate_key ../html/now.pem;
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local other = "$TEST_NGINX_CERT_DIR/other."
            local function is(name)
                local s = ngx.socket.tcp()
                s:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                return (s:sslhandshake(false, name, true))
            end
            ngx.say(is "localhost", " ", is "other.test")
            assert(io.write(ngx.config.prefix() .. "html/now.pem",
                            io.read(other .. "crt") .. io.read(other .. "key")))
            local master = require "ngx.process".get_master_pid()
            assert(io.tell(master, "reload", 5000))
            -- Until the old worker has heard of it, both answer.
            for _ = 1, 200 do
                if is "other.test" then
                    return ngx.say("changed")
                end
                ngx.sleep(0.02)
            end
        }
    }
--- response_body
true nil
changed



=== keys of tickets are turned by reloads, and a file that is none is no end
--- master_on
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
    lua_socket_log_errors off;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_session_ticket_key ../html/first.key;
        ssl_session_ticket_key ../html/second.key;
        location = / { return 200 "$ssl_session_reused"; }
    }
--- user_files eval
[ [ "first.key" => "1" x 48 ], [ "second.key" => "2" x 80 ] ]
--- config
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https, io = require "https", require "lunette.spec.io"
            local _, first, session = https.get($TEST_NGINX_RAND_PORT_1, {})
            local function come_back()
                return (select(2, https.get($TEST_NGINX_RAND_PORT_1,
                                            { session = session })))
            end
            local function turn(one, two)
                local html = ngx.config.prefix() .. "html/"
                assert(io.write(html .. "first.key", one))
                assert(io.write(html .. "second.key", two))
                io.tell(require("ngx.process").get_master_pid(), "reload", 9000)
                ngx.sleep(0.2)
            end
            ngx.say(first, come_back())
            turn(("3"):rep(80), ("1"):rep(48))
            ngx.say("the second opens it: ", come_back())
            turn(("4"):rep(79), ("5"):rep(48))
            ngx.say("a byte is missing: ", come_back())
            turn("", "")
            ngx.say("all are: ", come_back())
            turn(("6"):rep(48), ("3"):rep(80))
            require("reload").await(function () return come_back() == "." end)
            ngx.say("forgotten")
        }
    }
--- response_body
.r
the second opens it: r
a byte is missing: r
all are: r
forgotten
--- error_log
must be 48 or 80 bytes

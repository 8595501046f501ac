# What ngx.ssl knows of addresses, and says where there is no handshake.

no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_' . ($block->http_config || ""));
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
_EOC_
});

__DATA__


=== addresses of both sides, in bytes
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    listen [::1]:$TEST_NGINX_RAND_PORT_2 ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        local function show(addr, kind)
            return kind .. " " .. addr:gsub(".", function (c) return c:byte() .. "." end)
        end
        package.loaded.seen = show(ssl.raw_server_addr()) .. " " .. show(ssl.raw_client_addr())
            .. " " .. tostring(ssl.server_port() == tonumber(package.loaded.port))
    }
    location = /t {
        content_by_lua_block {
            for addr, port in pairs { ["127.0.0.1"] = $TEST_NGINX_RAND_PORT_1, ["[::1]"] = $TEST_NGINX_RAND_PORT_2 } do
                package.loaded.port = port
                local sock = ngx.socket.tcp()
                assert(sock:connect(addr, port))
                assert(sock:sslhandshake(nil, nil, false))
                package.loaded[addr] = package.loaded.seen
            end
            ngx.say(package.loaded["127.0.0.1"])
            ngx.say(package.loaded["[::1]"])
        }
    }
--- response_body
inet 127.0.0.1. inet 127.0.0.1. true
inet6 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1. inet6 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1. true



=== a socket in the file system has a path, and no port
--- skip_windows: no unix sockets in Wine
--- config
    listen unix:$TEST_NGINX_HTML_DIR/ssl.sock ssl;
    ssl_certificate_by_lua_block {
        local ssl = require "ngx.ssl"
        local addr, kind = ssl.raw_server_addr()
        package.loaded.seen = { kind, " ", tostring(addr:match("[^/]+$")), " ", tostring(select(2, ssl.server_port())), " ",
                                tostring(select(2, ssl.raw_client_addr())) }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("unix:$TEST_NGINX_HTML_DIR/ssl.sock"))
            assert(sock:sslhandshake(nil, nil, false))
            ngx.say(package.loaded.seen)
        }
    }
--- response_body
unix ssl.sock unix domain has no port unix



=== without TLS nothing is known
--- config
    location = /t {
        content_by_lua_block {
            local ssl, ocsp = require "ngx.ssl", require "ngx.ocsp"
            for _, call in ipairs {
                { "clear_certs" }, { "set_der_cert", "x" }, { "set_der_priv_key", "x" }, { "verify_client" },
                { "get_tls1_version" }, { "get_tls1_version_str" }, { "server_name" }, { "server_port" },
                { "raw_server_addr" }, { "raw_client_addr" }, { "get_client_random" }, { "get_req_ssl_pointer" },
                { "export_keying_material", 10, "x" }, { "export_keying_material_early", 10, "x" } }
            do
                ngx.say(call[1], " ", select(2, pcall(ssl[call[1]], unpack(call, 2))))
            end
            ngx.say(select(2, pcall(ocsp.set_ocsp_status_resp, "x")))
        }
    }
--- response_body
clear_certs nilbad request
set_der_cert nild2i_X509_bio() failed
set_der_priv_key nild2i_PrivateKey_bio() failed
verify_client nilAPI disabled in the current context
get_tls1_version nilbad request
get_tls1_version_str nilbad request
server_name nilbad request
server_port nilbad request
raw_server_addr nilnilbad request
raw_client_addr nilnilbad request
get_client_random nilbad request
get_req_ssl_pointer nilno ssl object
export_keying_material nilbad request
export_keying_material_early nilbad request
nilbad request



=== keys for others, where there are some
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            local function hex(s) return s and #s end
            ngx.say(hex(ssl.export_keying_material(16, "EXPORTER-x")), hex(ssl.export_keying_material(0, "EXPORTER-x")),
                    " ", ssl.export_keying_material(16, "EXPORTER-x") == ssl.export_keying_material(16, "EXPORTER-x"),
                    ssl.export_keying_material(16, "EXPORTER-x") == ssl.export_keying_material(16, "EXPORTER-y"),
                    ssl.export_keying_material(16, "EXPORTER-x", "a") == ssl.export_keying_material(16, "EXPORTER-x", "b"))
            ngx.say(ssl.export_keying_material_early(16, "EXPORTER-x"))
            ngx.say(hex(ssl.get_client_random()), " ", ssl.get_client_random(0), " ", hex(ssl.get_client_random(5)))
            ngx.say(ssl.get_tls1_version(), " ", ssl.get_tls1_version_str(), " ", ssl.server_name())
        }
    }
    location = /t {
        content_by_lua_block { ngx.print((select(2, require("https").get($TEST_NGINX_RAND_PORT_1)))) }
    }
--- response_body
160 truefalsefalse
nilSSL_export_keying_material_early() failed
32 32 5
772 TLSv1.3 nil

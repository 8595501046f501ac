# What $ssl_... say of a handshake, and of none.

no_root_location();

__DATA__


=== plain HTTP has none of them
--- config
    location = /t {
        content_by_lua_block {
            for name in ("protocol cipher server_name session_reused ciphers "
                         .. "curve curves session_id alpn_protocol early_data "
                         .. "client_verify client_cert client_raw_cert "
                         .. "client_escaped_cert client_s_dn client_i_dn "
                         .. "client_s_dn_legacy client_serial client_v_start "
                         .. "client_fingerprint client_v_end "
                         .. "client_v_remain"):gmatch("%S+") do
                if ngx.var["ssl_" .. name] ~= nil then
                    ngx.say(name, " ", ngx.var["ssl_" .. name])
                end
            end
            ngx.say("[", ngx.var.https, "] ", ngx.var.scheme)
        }
    }
--- response_body
[] http



=== a handshake without certificate, name, ALPN and early data has none of these
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        return 200 "[$ssl_client_s_dn$ssl_client_cert$ssl_server_name]
[$ssl_alpn_protocol$ssl_early_data] $ssl_client_verify";
    }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
[]
[] NONE



=== the client's ciphers
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_cipher $ssl_ciphers"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        lua_ssl_ciphers ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-SHA;
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body_like
^ECDHE-ECDSA-AES256-GCM-SHA384 ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-SHA(:TLS_EMPTY_RENEGOTIATION_INFO_SCSV)?$



=== the client's curves, and the one that was chosen
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_ecdh_curve secp384r1;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_curve of $ssl_curves"; }
    location = /t {
        lua_ssl_conf_command Groups X25519:P-256:P-384;
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
secp384r1 of X25519:prime256v1:secp384r1



=== a session that came back says so
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_session_cache shared:vars:1m;
    ssl_session_tickets off;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$ssl_session_reused$ssl_session_id"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, first, session = https.get(port)
            local _, second = https.get(port, { session = session })
            ngx.say(first:sub(1, 1), second:sub(1, 1), " ",
                    first:sub(2) == second:sub(2), " ",
                    (second:gsub("%x", "")))
        }
    }
--- response_body
.r true r



=== the protocol that ALPN has chosen
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    location = /t { return 200 "$ssl_alpn_protocol"; }
--- http2: tls
--- response_body: h2



=== the times and both names of a certificate
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    location = / {
        return 200 "$ssl_client_i_dn
$ssl_client_s_dn_legacy
$ssl_client_v_start
$ssl_client_v_remain";
    }
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        content_by_lua_block {
            local function days() return math.floor((4948918832 - ngx.time()) / 86400) end
            local most = days()
            local text = select(2, require("https").get($TEST_NGINX_RAND_PORT_1))
            ngx.say((text:gsub("%d+$", function (n)
                n = tonumber(n)
                return n <= most and n >= days() and "right" or n
            end)))
        }
    }
--- response_body
CN=Test CA,O=Lunette tests
/O=Lunette tests/CN=A Client
Nov 22 03:40:32 2026 GMT
right

no_root_location();
# Known attacks of this kind: CVE-2025-23419.

__DATA__


=== a client without a certificate
--- http_config
log_format s "status $status;";
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    access_log logs/access.log s;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local status, text = https.get(port)
            ngx.say(status, " ", text:match("<title>(.-)</title>"))
        }
    }
--- response_body
400 400 No required SSL certificate was sent
--- access_log
status 400;
--- error_log
client sent no required SSL certificate while reading client request headers, client: 




=== a client with one
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    location = / {
        return 200 "$ssl_client_verify $ssl_client_s_dn
$ssl_client_i_dn_legacy
$ssl_client_serial $ssl_client_fingerprint
$ssl_client_v_end";
    }
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))))
        }
    }
--- response_body
SUCCESS CN=A Client,O=Lunette tests
/O=Lunette tests/CN=Test CA
0E9CE755FC67972215232D70AA4B9D48E81C3DC1 5a92e950971e842f5712df9e1c0f32efc63505c0
Oct 29 03:40:32 2126 GMT




=== the certificate as text
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client optional;
    location = / { return 200 "$ssl_client_escaped_cert"; }
    location = /raw { return 200 "$ssl_client_raw_cert"; }
    location = /head { return 200 "$ssl_client_cert"; }
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/client.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/client.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local function get(path) return (select(2, https.get(port, { path = path }))) end
            local raw = get("/raw")
            ngx.say(raw:sub(1, 27), raw:byte(-1))
            ngx.say(ngx.unescape_uri(get("/")) == raw)
            ngx.say(get("/head") == raw:sub(1, -2):gsub("\n", "\n\t"))
        }
    }
--- response_body
-----BEGIN CERTIFICATE-----10
true
true




=== a certificate from somebody else
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client optional;
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/stranger.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/stranger.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local status, text = https.get(port)
            ngx.say(status, " ", text:match("<title>(.-)</title>"))
        }
    }
--- response_body
400 400 The SSL certificate error
--- error_log
client SSL certificate verify error: (18:




=== ... may be looked at by the configuration itself
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_verify_client optional_no_ca;
    location = / { return 200 "$ssl_client_verify"; }
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/stranger.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/stranger.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))):match("^FAILED:self.signed certificate$") ~= nil)
        }
    }
--- response_body
true




=== a certificate that was taken back
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    ssl_verify_client on;
    ssl_crl $TEST_NGINX_CERT_DIR/ca.crl;
    location = /t {
        lua_ssl_certificate $TEST_NGINX_CERT_DIR/revoked.crt;
        lua_ssl_certificate_key $TEST_NGINX_CERT_DIR/revoked.key;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((https.get(port)))
        }
    }
--- response_body
400
--- error_log
client SSL certificate verify error: (23:certificate revoked)




=== none was asked for
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "[$ssl_client_verify$ssl_client_s_dn]"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))))
        }
    }
--- response_body
[NONE]




=== who is sent elsewhere sees nothing of the other server
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name other.test;
             ssl_verify_client on;
             ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
             error_page 421 =200 /secret; location = /secret { return 200 secret; } }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    error_page 421 =421 /here;
    location = /here { return 421 "$server_name"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local status, body = https.get(port, { name = "localhost",
                                                   host = "other.test" })
            ngx.say(status, " ", body)
        }
    }
--- response_body
421 localhost
--- error_log
client attempted to request the server name different from the one that was negotiated




=== a Host that leads to a server with other rules
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name other.test;
             ssl_verify_client on;
             ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
             return 200 secret; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((https.get(port, { name = "localhost", host = "other.test" })))
            ngx.say((https.get(port, { name = "other.test" })))
        }
    }
--- response_body
421
400
--- error_log
client attempted to request the server name different from the one that was negotiated




=== a session is not carried to a server with other rules
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name other.test;
             ssl_verify_client on;
             ssl_client_certificate $TEST_NGINX_CERT_DIR/ca.crt;
             return 200 secret; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 mine; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, _, session = https.get(port, { name = "localhost" })
            ngx.say((https.get(port, { name = "other.test", session = session })))
        }
    }
--- response_body
421


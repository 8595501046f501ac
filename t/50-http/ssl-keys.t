no_root_location();

__DATA__


=== a key out of a store
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key store:file:$TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 stored; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
stored



=== under a password, and by a name with variables
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    map $ssl_server_name $key { default locked; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key store:file:$TEST_NGINX_CERT_DIR/$key.key;
    ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
    location = / { return 200 open; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
open



=== which has to be there
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key store:file:$TEST_NGINX_CERT_DIR/locked.key;
--- must_die
--- error_log
locked.key": OSSL_STORE_load() failed (SSL: error:



=== a variable's text does not open one
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    map $ssl_server_name $key { default store:file:$TEST_NGINX_CERT_DIR/server.key; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $key;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((https.get($TEST_NGINX_RAND_PORT_1)))
        }
    }
--- response_body
nil
--- error_log
cannot load certificate



=== engines are not spoken to
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key engine:token:key;
--- must_die
--- error_log
cannot load certificate key "engine:token:key": loading "engine:..." certificate keys is not supported



=== a key of all servers, whose password a server knows
--- no_reload: the server that tells of reloads does not know it
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/locked.key;
    ssl_password_file $TEST_NGINX_CERT_DIR/other.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
    location = / { return 200 open; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
open



=== secrets go to a file, of both sides
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    lua_ssl_key_log logs/lua.keys;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_key_log logs/server.keys;
    location = / { return 200 told; }
    location = /proxy {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_key_log logs/proxy.keys;
    }
    location = /t {
        content_by_lua_block {
            local io = require "lunette.spec.io"
            local function keys(name)
                local text = io.read(ngx.config.prefix() .. "logs/" .. name)
                return (select(2, text:gsub("CLIENT_TRAFFIC_SECRET_0 %x+ %x+\n",
                                            "")))
            end
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
            ngx.say(ngx.location.capture("/proxy").body)
            ngx.say(keys "server.keys", keys "lua.keys", keys "proxy.keys")
        }
    }
--- response_body
told
told
211



=== certificates go out compressed, where there are any
--- http_config
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_certificate_compression on;
    location = /there { return 200 here; }
    location = /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/there;
    }
--- response_body chop
here
--- no_error_log
[warn]



=== a kernel that is to encrypt, and may not know how
--- http_config
--- user_files eval
">>> large
" . "0123456789abcdef" x 60000
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_conf_command Options KTLS;
    sendfile on;
    location = /large { }
    location = /said { return 200 said; }
    location = /large_behind { rewrite .* /large break; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /said_behind { rewrite .* /said break; proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /t {
        content_by_lua_block {
            local get = ngx.location.capture
            ngx.say(get("/said_behind").body, ngx.md5(get("/large_behind").body)
                    == ngx.md5(("0123456789abcdef"):rep(60000)))
        }
    }
--- response_body
saidtrue



=== the name of what was signed with, where OpenSSL has one
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        return 200 "[$ssl_sigalg] [$ssl_client_sigalg] [$ssl_ech_status]";
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body_like
^\[(ecdsa_secp256r1_sha256)?\] \[\] \[\]$

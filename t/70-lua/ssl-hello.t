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


=== a handler runs before anything is chosen
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block { ngx.log(ngx.WARN, "in ", ngx.get_phase()) }
    ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "then ", ngx.get_phase()) }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
served
--- grep_error_log eval: qr/in ssl_client_hello, context: ssl_client_hello_by_lua\*, client: 127.0.0.1|then ssl_cert|ssl_client_hello_by_lua: handler return value: 0, client hello cb exit code: 1/
--- grep_error_log_out
in ssl_client_hello, context: ssl_client_hello_by_lua*, client: 127.0.0.1
ssl_client_hello_by_lua: handler return value: 0, client hello cb exit code: 1
then ssl_cert



=== what the client has said
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block {
        local hello = require "ngx.ssl.clienthello"
        local known = {}
        for _, kind in ipairs(hello.get_client_hello_ext_present()) do
            known[kind] = true
        end
        ngx.log(ngx.WARN, hello.get_client_hello_server_name(), " ",
                table.concat(hello.get_supported_versions(), ","), " ",
                #hello.get_client_hello_ext(0), " ", hello.get_client_hello_ext(9999), " ",
                known[0] and known[43], " ",
                hello.get_client_hello_ciphers()[1] == 0x1302, ";")
    }
    location = / { return 200 "served"; }
    location = /t {
        lua_ssl_protocols TLSv1.2 TLSv1.3;
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "localhost" }))))
        }
    }
--- response_body
served
--- error_log
localhost TLSv1.2,TLSv1.3 14 nil true true;



=== a client that names nobody and is old
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block {
        local hello = require "ngx.ssl.clienthello"
        ngx.log(ngx.WARN, hello.get_client_hello_server_name(), " ",
                hello.get_supported_versions(), ";")
    }
    location = / { return 200 "$ssl_protocol"; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
TLSv1.2
--- error_log
nil nil;



=== the handler chooses protocols, for this client
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block {
        local hello = require "ngx.ssl.clienthello"
        if hello.get_client_hello_server_name() == "old.test" then
            assert(hello.set_protocols({ "TLSv1.2" }))
        end
        ngx.log(ngx.WARN, (select(2, hello.set_protocols({ "TLSv9" }))))
    }
    location = / { return 200 "$ssl_protocol"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "old.test" }))))
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "new.test" }))))
        }
    }
--- response_body
TLSv1.2
TLSv1.3
--- error_log
invalid protocols failed



=== a handler may wait, and a client may leave meanwhile
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block {
        local hello = require "ngx.ssl.clienthello"
        local slow = hello.get_client_hello_server_name() == "slow.test"
        ngx.sleep(slow and 0.3 or 0.01)
        ngx.log(ngx.WARN, "went on for ", hello.get_client_hello_server_name())
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1,
                                                    { name = "fast.test" }))))
            local sock = ngx.socket.tcp()
            sock:settimeout(50)
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(sock:sslhandshake(nil, "slow.test"))
        }
    }
--- response_body
served
niltimeout
--- error_log
went on for fast.test
went on for slow.test
peer closed connection in SSL handshake



=== ngx.exit with an error refuses the client, and so does a failure
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block {
        local name = require("ngx.ssl.clienthello").get_client_hello_server_name()
        if name == "exit.test" then
            ngx.exit(ngx.ERROR)
        end
        error("bad bad")
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "exit.test" }))))
            ngx.say((select(2, https.get($TEST_NGINX_RAND_PORT_1, { name = "other.test" }))))
        }
    }
--- response_body
handshake failed
handshake failed
--- error_log
ssl_client_hello_by_lua: handler return value: -1, client hello cb exit code: 0
ssl_client_hello_by_lua: handler return value: 500, client hello cb exit code: 0
runtime error: ssl_client_hello_by_lua(nginx.conf:
SSL_do_handshake() failed (SSL: error:



=== elsewhere there is no hello
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local hello = require "ngx.ssl.clienthello"
        ngx.log(ngx.WARN, (select(2, pcall(hello.get_supported_versions))))
    }
    location = / { return 200 "served"; }
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1))))
            ngx.say((select(2, pcall(require("ngx.ssl.clienthello").set_protocols, {}))))
        }
    }
--- response_body
served
API disabled in the current context
--- error_log
API disabled in the current context, context: ssl_certificate_by_lua*



=== the handler is that of the address's default server
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        server_name second.test;
        ssl_client_hello_by_lua_block { ngx.log(ngx.WARN, "the second's") }
        return 200 "second";
    }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl default_server;
    ssl_client_hello_by_lua_file html/hello.lua;
    location = /t {
        content_by_lua_block {
            ngx.say((select(2, require("https").get($TEST_NGINX_RAND_PORT_1,
                                                    { name = "second.test" }))))
        }
    }
--- user_files
>>> hello.lua
ngx.log(ngx.WARN, "the first's")
--- response_body
second
--- grep_error_log eval: qr/the \w+'s/
--- grep_error_log_out
the first's

=== an issuer has a uri
--- http_config
    acme_issuer example { accept_terms_of_service; }
--- config
--- must_die
--- error_log
acme_issuer: "uri" is missing



=== one of HTTP
--- http_config
    acme_issuer example { uri ftp://a/dir; }
--- config
--- must_die
--- error_log
invalid URL "ftp://a/dir" in "uri"



=== there is one of a name
--- http_config
    acme_issuer example { uri https://localhost/dir; }
    acme_issuer example { uri https://localhost/dir; }
--- config
--- must_die
--- error_log
"acme_issuer" directive is duplicate



=== a certificate's issuer has to be there
--- config
    server_name a.test;
    acme_certificate nobody;
--- must_die
--- error_log
issuer "nobody" is missing in



=== a zone has a name and a size
--- http_config
    acme_shared_zone bad-value;
--- config
--- must_die
--- error_log
"acme_shared_zone" must have "zone" parameter



=== which is one
--- http_config
    acme_shared_zone zone=test:bad-size;
--- config
--- must_die
--- error_log
invalid zone size "test:bad-size"



=== and not too small
--- http_config
    acme_shared_zone zone=test:16k;
--- config
--- must_die
--- error_log
zone test is too small



=== the account's key is a file
--- http_config
    acme_issuer example { uri https://localhost/dir; account_key no.key; }
--- config
--- must_die
--- error_log
cannot load account key



=== with a key in it
--- http_config
    acme_issuer example {
        uri https://localhost/dir; account_key $TEST_NGINX_CERT_DIR/ca.crt;
    }
--- config
--- must_die
--- error_log
it is no key that an account can have



=== or a curve
--- http_config
    acme_issuer example { uri https://localhost/dir; account_key ecdsa:234; }
--- config
--- must_die
--- error_log
account_key: unsupported curve "ecdsa:234"



=== or a size
--- http_config
    acme_issuer example { uri https://localhost/dir; account_key rsa:1024; }
--- config
--- must_die
--- error_log
account_key: unsupported key size "rsa:1024"



=== a challenge is one that we know
--- http_config
    acme_issuer example { uri https://localhost/dir; challenge carrier-pigeon; }
--- config
--- must_die
--- error_log
unsupported challenge: carrier-pigeon



=== an external account's key is base64url
--- http_config
    acme_issuer example {
        uri https://localhost/dir; external_account_key kid data:+/+/;
    }
--- config
--- must_die
--- error_log
"external_account_key" directive invalid base64url encoded value



=== a profile may be required
--- http_config
    acme_issuer example { uri https://localhost/dir; profile a b; }
--- config
--- must_die
--- error_log
invalid value



=== a key of the certificate is of a kind
--- http_config
    acme_issuer example { uri https://localhost/dir; }
--- config
    server_name a.test;
    acme_certificate example key=dsa;
--- must_die
--- error_log
acme_certificate: unsupported key algorithm "dsa"



=== names are those of the server
--- http_config
    acme_issuer example { uri https://localhost/dir; }
    server { server_name ~^a\.test$ ""; acme_certificate example; }
--- config
--- must_die
--- error_log
unsupported regular expression in server_name: ^a\.test$
"acme_certificate": no identifiers found in "server_name"



=== a wildcard cannot be validated by a listener
--- http_config
    acme_issuer example { uri https://localhost/dir; }
--- config
    server_name *.a.test;
    acme_certificate example;
--- must_die
--- error_log
"acme_certificate": unsupported wildcard server name "*.a.test"



=== a name is one of DNS
--- http_config
    acme_issuer example { uri https://localhost/dir; }
--- config
    acme_certificate example a..b;
--- must_die
--- error_log
acme_certificate: invalid server name "a..b"



=== without an answer of the issuer the certificate is our own
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:1/dir; state_path off;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        server_name .a.test;
        acme_certificate example;
        location / { return 200 $ssl_server_name; }
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say((select(2, sock:sslhandshake(nil, "www.a.test", true))))
            sock:close()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:sslhandshake(nil, "www.a.test", false))
            sock:send("GET / HTTP/1.0\r\nHost: www.a.test\r\n\r\n")
            ngx.say(sock:receive("*a"):match "\r\n\r\n(.*)")
        }
    }
--- response_body
18: self-signed certificate
www.a.test
--- error_log
is signed by itself until issuer "example" gives a certificate
reading the directory: not reached; next try in
--- no_error_log
[alert]



=== all that is asked of an authority, to its last answer
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir;
        contact admin@a.test;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        return 301 https://a.test/;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                port = $TEST_NGINX_RAND_PORT_1,
                certificate = "$TEST_NGINX_CERT_DIR/server.crt"
            }
        }
    }
    location = /t { return 200 "here"; }
--- response_body: here
--- error_log
ca: ordered {"identifiers":[{"type":"dns","value":"a.test"}]}
ca: a.test is valid
reading the certificate: the certificate is for another key; next try in



=== a directory that is none
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca { return 200 "<html>"; }
    location = /t { return 200; }
--- error_log
reading the directory: this is no directory of an ACME server; next try in



=== one that is far too large
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca {
        content_by_lua_block {
            for _ = 1, 1000 do ngx.print(("x"):rep(10000)) end
        }
    }
    location = /t { return 200; }
--- error_log
reading the directory: too large answer; next try in



=== one that leads elsewhere
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca; state_path off;
    }
--- config
    acme_certificate example a.test;
    location = /ca { return 302 /t; }
    location = /t { return 200; }
--- error_log
reading the directory: unexpected status 302



=== an authority that has had enough says for how long
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            local ca = require "acme_ca"

            ca.serve { order = function ()
                ngx.header["Retry-After"] = 4711
                ca.problem(429, "rateLimited")
            end }
        }
    }
    location = /t { return 200; }
--- error_log
ordering: told so (rateLimited); next try in 4711 s



=== terms that nobody has accepted
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                more = [[,"meta":{"termsOfService":"https://a/terms"}]]
            }
        }
    }
    location = /t { return 200; }
--- error_log
the terms of service have to be accepted ("accept_terms_of_service"): https://a/terms



=== a token that would be a path is none
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve { token = "../../../etc/passwd" }
        }
    }
    location = /t { return 200; }
--- error_log
reading an authorization: this is no authorization



=== a name that nobody has ordered is not answered for
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve { name = "bank.test" }
        }
    }
    location = /t { return 200; }
--- error_log
nobody has ordered "bank.test"



=== nor is a challenge that there is none of
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:1/dir; state_path off;
    }
--- config
    acme_certificate example a.test;
    location /.well-known/ { return 404 $uri; }
--- request
GET /.well-known/acme-challenge/abc
--- error_code: 404
--- response_body: /.well-known/acme-challenge/abc



=== an external account is shown
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        external_account_key kid-1 data:c2VjcmV0;
        contact admin@a.test; contact tel:+1;
        account_key ecdsa:384; accept_terms_of_service;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                account = function (ca, protected, payload)
                    ngx.log(ngx.NOTICE, "ca: ", protected:match '"alg":"%w+"',
                            " ", payload:match '"contact":%b[]', " ",
                            payload:match '"termsOfServiceAgreed":%w+', " ",
                            payload:match '"externalAccountBinding":')
                    require("acme_ca").problem(403, "unauthorized")
                end
            }
        }
    }
    location = /t { return 200; }
--- error_log eval
qr/ca: "alg":"ES384" "contact":\["mailto:admin\@a.test","tel:\+1"\] "termsOfServiceAgreed":true "externalAccountBinding":/

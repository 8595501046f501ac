worker_connections(1024);

__DATA__


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



=== the next issuer is asked where one refuses
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer first {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/first/dir; state_path off;
    }
    acme_issuer away { uri http://127.0.0.1:1/dir; state_path off; }
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate first a.test;
    acme_certificate away a.test;
    acme_certificate example a.test;
    location = /first/dir { return 403 "{}"; }
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                certificate = "$TEST_NGINX_CERT_DIR/server.crt"
            }
        }
    }
    location = /t { return 200; }
--- error_log
issuer "first": reading the directory: status 403; the next issuer is asked
issuer "away": reading the directory: not reached; the next issuer is asked
ca: ordered {"identifiers":[{"type":"dns","value":"a.test"}]}
reading the certificate: the certificate is for another key; next try in



=== issuers of one certificate are asked for the same
--- http_config
    acme_issuer a { uri https://localhost/dir; }
    acme_issuer b { uri https://localhost/dir; }
--- config
    acme_certificate a a.test;
    acme_certificate b b.test;
--- must_die
--- error_log
"acme_certificate": issuers that are asked one after the other need the same names and the same "key"



=== a server has a certificate of each kind of key
--- http_config
    acme_issuer example { uri http://127.0.0.1:1/dir; state_path off; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        server_name a.test;
        ssl_protocols TLSv1.2;
        acme_certificate example;
        acme_certificate example key=rsa:2048;
        location / { return 200 $ssl_cipher; }
    }
--- config
    location = /ecdsa {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;
    }
    location = /rsa {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/;
        proxy_ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256;
    }
--- request eval
["GET /ecdsa", "GET /rsa"]
--- response_body eval
["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"]



=== a kind of key that no certificate has
--- http_config
    acme_issuer example { uri http://127.0.0.1:1/dir; state_path off; }
    server {
        listen $TEST_NGINX_RAND_PORT_1;
        server_name a.test;
        acme_certificate example;
        location / { content_by_lua_block {
            local v = ngx.var
            ngx.say(#v.acme_certificate > 9, #v.acme_certificate_ecdsa > 9,
                    #v.acme_certificate_key_ecdsa > 9)
            ngx.say("[", v.acme_certificate_rsa or "none", "] [",
                    v.acme_certificate_key_rsa or "none", "]")
            ngx.say(v.acme_certificate == v.acme_certificate_ecdsa)
        } }
    }
--- config
    location = /t { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location = /none {
        return 200 "[$acme_certificate] [$acme_certificate_ecdsa]\n";
    }
--- request eval
["GET /t", "GET /none"]
--- response_body eval
["truetruetrue\n[none] [none]\ntrue\n", "[] []\n"]


=== names in other scripts are ordered as DNS has them, and asked for so
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_SERVER_PORT;
        server_name bücher.test;
        acme_certificate example;
        location = /t { return 200 $server_name; }
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_SERVER_PORT default_server;
        location /ca/ { content_by_lua_block { require("acme_ca").serve {} } }
    }
--- config
    location = /t { return 200 "another"; }
--- more_headers
Host: xn--bcher-kva.test
--- response_body: bücher.test
--- error_log
ca: ordered {"identifiers":[{"type":"dns","value":"xn--bcher-kva.test"}]}



=== a hundred names are one order
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config eval
"acme_certificate example " . join(" ", map { "n$_.test" } 1 .. 100) . ";"
. 'location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve { order = function(ca, protected, payload)
                local _, names = payload:gsub([["type":"dns"]], "")
                ngx.log(ngx.NOTICE, "ca: ", names, " names")
                require("acme_ca").problem(403, "rejectedIdentifier")
            end }
        }
    }
    location = /t { return 200; }'
--- error_log
ca: 100 names



=== and no more
--- http_config
    acme_issuer example { uri https://localhost/dir; }
--- config eval
"acme_certificate example " . join(" ", map { "n$_.test" } 1 .. 101) . ";"
--- must_die
--- error_log
acme_certificate: too many names "n101.test"



=== what is known of it is in the tree, and counted
--- http_config
    acme_issuer example { uri http://127.0.0.1:1/dir; state_path off; }
--- config
    acme_certificate example a.test b.test key=rsa:2048;
    location /status/ { api /status/; }
    location = /metrics { prometheus; }
    location = /t {
        content_by_lua_block {
            local json = require "cjson"
            local has

            for _ = 1, 50 do
                for _, c in pairs(json.decode(ngx.location.capture(
                        "/status/http/acme_clients").body)) do has = c end
                if has.details ~= "" then break end
                ngx.sleep(0.1)
            end
            ngx.say(has.state, " ", has.certificate, " ", has.issuer, " ",
                    has.key, " ", table.concat(has.names, " "))
            ngx.say(has.details, " ", has.failures, " ", has.issued, " ",
                    has.next_run:match "^%d+%-%d%d%-%d%dT" ~= nil, " ",
                    has.validity == nil)
            local text = ngx.location.capture("/metrics").body
            ngx.say(text:match "acme_certificate_failures{[^}]*} (%d+)", " ",
                    text:match "acme_certificate_own{[^}]*} (%d+)")
        }
    }
--- response_body
failed missing example RSA (2048 bits) a.test b.test
reading the directory: not reached 1 0 true true
1 1
--- error_log
not reached



=== a text that is no certificate is not in the log
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        set $secret "not for the log";
        ssl_certificate "data:$secret";
        ssl_certificate_key "data:$secret";
    }
--- config
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say((sock:sslhandshake(nil, "a.test", false)))
        }
    }
--- response_body
nil
--- error_log
cannot load certificate "data:..."
--- no_error_log
not for the log



=== dns-01 needs somebody who sets records
--- http_config
    acme_issuer example { uri https://localhost/dir; challenge dns-01; }
--- config
--- must_die
--- error_log
acme_issuer: challenge "dns-01" needs "dns_update" or "dns_hook"



=== of the name's zone, or of one that an alias leads to
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:1/dir; challenge dns; state_path off;
        dns_update 127.0.0.1 zone=a.test;
        dns_update ns.b.test:5353 zone=b.test ttl=5s key=data:k:c2VjcmV0;
    }
--- config
    acme_certificate example *.a.test b.test xa.test;
    location = /t { return 200; }
--- error_log
"acme_certificate": no "dns_update" has a zone for "xa.test": "_acme-challenge.xa.test" has to be an alias



=== an address has no records
--- http_config
    acme_issuer example {
        uri https://localhost/dir; challenge dns; dns_hook http://localhost/;
    }
--- config
    acme_certificate example 127.0.0.1;
--- must_die
--- error_log
"acme_certificate": dns-01 is for no address "127.0.0.1"



=== a key is one
--- http_config
    acme_issuer example {
        uri https://localhost/dir; challenge dns;
        dns_update 127.0.0.1 zone=a.test key=data:secret;
    }
--- config
--- must_die
--- error_log
dns_update: this is no key: NAME:BASE64, or a file of tsig-keygen



=== a record is set, and taken back, by a script
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        challenge dns-01; dns_wait 0;
        dns_hook http://127.0.0.1:$TEST_NGINX_SERVER_PORT/hook;
    }
--- config
    acme_certificate example *.a.test;
    location = /hook {
        content_by_lua_block {
            ngx.req.read_body()
            local args = ngx.req.get_post_args()
            ngx.log(ngx.NOTICE, "hook: ", args.hook, " ", args.challenge, " ",
                    args.client, " ", args.domain, " ", args.name, " ",
                    #args.value, " ", args.keyauth:match "^tok%-1%." ~= nil)
        }
    }
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                kind = "dns-01",
                chall = function ()
                    ngx.log(ngx.NOTICE, "ca: looks")
                    require("acme_ca").problem(403, "dns")
                end
            }
        }
    }
    location = /t { return 200; }
--- error_log
hook: add dns example a.test _acme-challenge.a.test 43 true
ca: looks
hook: remove dns example a.test _acme-challenge.a.test 43 true
answering a challenge: told so (dns); next try in



=== or not
--- main_config
    stream {
        lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
        lua_shared_dict dns 1m;
        server {
            listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3 udp;
            content_by_lua_block { require("dns_zone").questions {} }
        }
    }
--- http_config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        challenge dns-01; dns_update 127.0.0.1:1 zone=a.test;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block { require("acme_ca").serve { kind = "dns-01" } }
    }
    location = /t { return 200; }
--- error_log
record "_acme-challenge.a.test" cannot be set: not reached
no record could be set for "a.test": not reached; next try in



=== by a server that has the key of its zone
--- main_config
    stream {
        lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
        lua_shared_dict dns 1m;
        server {
            listen 127.0.0.1:$TEST_NGINX_RAND_PORT_3 udp;
            content_by_lua_block { require("dns_zone").questions {} }
        }
        server {
            listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
            content_by_lua_block {
                local sock = ngx.req.socket()
                local a, b = sock:receive(2):byte(1, 2)
                local text = sock:receive(a * 256 + b)
                ngx.log(ngx.NOTICE, "dns: ",
                        text:find("\15_acme-challenge\1a\4test\0\0\16\0\1", 1, true) ~= nil, " ",
                        text:find("\11hmac-sha256\0", 1, true) ~= nil)
                text = text:sub(1, 2) .. "\168\9\0\0\0\0\0\0\0\0"
                sock:send("\0\12" .. text)
            }
        }
    }
--- http_config
    resolver 127.0.0.1:$TEST_NGINX_RAND_PORT_3;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        challenge dns-01;
        dns_update 127.0.0.1:$TEST_NGINX_RAND_PORT_1 zone=test key=data:k:c2VjcmV0;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block { require("acme_ca").serve { kind = "dns-01" } }
    }
    location = /t { return 200; }
--- error_log
dns: true true
record "_acme-challenge.a.test" cannot be set: NOTAUTH



=== what is on demand has somebody who says whether
--- http_config
    acme_issuer example { uri https://localhost/dir; }
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; acme_on_demand example rate=1r/m; }
--- config
--- must_die
--- error_log
"acme_on_demand" must have "ask" parameter



=== and a place
--- http_config
    acme_issuer example { uri https://localhost/dir; state_path off; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://localhost/may;
    }
--- config
--- must_die
--- error_log
"acme_on_demand": no "state_path" of issuer "example"



=== a name that may have one is ordered, once: its first clients wait for it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path on_demand;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://127.0.0.1:$TEST_NGINX_SERVER_PORT/may?key=1;
    }
--- config
    location = /may { return 200 "yes"; }
    location /ca/ { content_by_lua_block { require("acme_ca").serve {} } }
    location = /t {
        content_by_lua_block {
            local function shake()
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                ngx.say((select(2, sock:sslhandshake(nil, "A.test", true))))
                sock:close()
            end

            for _ = 1, 3 do ngx.thread.spawn(shake) end
        }
    }
--- timeout: 20
--- response_body
20: unable to get local issuer certificate
20: unable to get local issuer certificate
20: unable to get local issuer certificate
--- grep_error_log: ca: ordered
--- grep_error_log_out
ca: ordered
--- error_log
ca: ordered {"identifiers":[{"type":"dns","value":"a.test"}]}
certificate "example/name-a.test" is issued
--- no_error_log
[alert]



=== they wait no longer than it takes to fail
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path failing;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://127.0.0.1:$TEST_NGINX_SERVER_PORT/may
                       wait=1m;
    }
--- config
    location = /may { return 200 "yes"; }
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                certificate = "$TEST_NGINX_CERT_DIR/server.crt"
            }
        }
    }
    location = /t {
        content_by_lua_block {
            for _ = 1, 2 do
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                ngx.say((select(2, sock:sslhandshake(nil, "a.test", true))))
                sock:close()
            end
        }
    }
--- timeout: 20
--- response_body
18: self-signed certificate
18: self-signed certificate
--- error_log
reading the certificate: the certificate is for another key; next try in



=== or than wait= says
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/slow; state_path slow;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://127.0.0.1:$TEST_NGINX_SERVER_PORT/slow
                       wait=300ms;
    }
--- config
    location = /slow { content_by_lua_block { ngx.sleep(10) ngx.exit(404) } }
    location = /t {
        content_by_lua_block {
            local sock, from = ngx.socket.tcp(), ngx.now()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            ngx.say((select(2, sock:sslhandshake(nil, "a.test", true))))
            ngx.update_time()
            ngx.say(ngx.now() - from >= 0.3, " ", ngx.now() - from < 8)
            sock:close()
        }
    }
--- timeout: 20
--- response_body
18: self-signed certificate
true true



=== names of devices are no files on Windows
--- http_config
    acme_issuer example { uri http://127.0.0.1:1/dir; state_path devices; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        server_name nul.test;
        acme_certificate example;
        acme_certificate example aux com1.test key=rsa:2048;
    }
--- config
    location = /t { return 200; }
--- error_log
acme: "example/_nul.test-
acme: "example/_aux-
is signed by itself until issuer "example" gives a certificate



=== a client that leaves while it waits leaves nothing
--- http_config
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/slow; state_path leaving;
    }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://127.0.0.1:$TEST_NGINX_SERVER_PORT/slow;
    }
--- config
    location = /slow { content_by_lua_block { ngx.sleep(3) ngx.exit(404) } }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:settimeout(200)
            ngx.say((select(2, sock:sslhandshake(nil, "a.test", true))))
            sock:close()
        }
    }
--- response_body
timeout
--- no_error_log
[alert]
[error]



=== a thousand names at once: ten are asked about, none is ordered, nothing grows
--- http_config
    lua_shared_dict asked 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca; state_path thousand;
    }
    acme_shared_zone zone=small:32k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        acme_on_demand example ask=http://127.0.0.1:$TEST_NGINX_SERVER_PORT/may;
    }
--- config
    location = /may {
        content_by_lua_block {
            ngx.shared.asked:incr(ngx.var.arg_domain, 1, 0)
            ngx.exit(404)
        }
    }
    location = /ca { return 200 "{}"; }
    location = /t {
        content_by_lua_block {
            local dict = ngx.shared.asked

            local names = jit.os == "Windows" and 300 or 1000 -- Wine is slow

            local function some(first)
                for i = first, names, 100 do
                    local sock = ngx.socket.tcp()
                    assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                    sock:sslhandshake(nil, "n" .. i .. ".test", false)
                    sock:close()
                end
            end

            -- Not across two minutes.
            if ngx.time() % 60 > 40 then ngx.sleep(61 - ngx.time() % 60) end

            local threads, most = {}, 0
            for i = 1, 100 do threads[i] = ngx.thread.spawn(some, i) end
            for i = 1, 100 do ngx.thread.wait(threads[i]) end
            for _ = 1, 80 do
                if #dict:get_keys() == 10 then break end
                ngx.sleep(0.1)
            end
            for _, name in ipairs(dict:get_keys()) do
                most = math.max(most, dict:get(name))
            end
            ngx.say(#dict:get_keys(), " names, each ", most, " time")
        }
    }
--- timeout: 45
--- response_body
10 names, each 1 time
--- error_log
more than 10 names in a minute are asked for on demand of issuer "example"
is not to have a certificate on demand: it was refused
--- no_error_log
reading the directory
[alert]



=== a thousand certificates: an authority that has had enough is left alone
--- http_config eval
'lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
 lua_shared_dict ca 1m;
 acme_shared_zone zone=large:16m;
 acme_issuer example {
    uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
 }' . join(" ", map { "server { listen 127.0.0.1:" . '$TEST_NGINX_RAND_PORT_1'
                      . " ssl; server_name n$_.test;"
                      . " acme_certificate example; }" } 1 .. 1000)
--- skip_windows: a thousand keys at a start take a busy Wine too long
--- config
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve { order = function ()
                ngx.log(ngx.NOTICE, "ca: order ", ngx.shared.ca:incr("n", 1, 0))
                ngx.header["Retry-After"] = 4711
                require("acme_ca").problem(429, "rateLimited")
            end }
        }
    }
    location = /t { content_by_lua_block { ngx.sleep(5) ngx.say "quiet" } }
--- timeout: 20
--- response_body
quiet
--- grep_error_log: ca: order
--- grep_error_log_out
ca: order
--- no_error_log
[alert]



=== a thousand orders with one that lets four hundred through at a time: as many questions as it takes
--- http_config eval
'lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
 lua_shared_dict ca 4m;
 acme_shared_zone zone=large:16m;
 acme_issuer example {
    uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
 }' . join(" ", map { "server { listen 127.0.0.1:" . '$TEST_NGINX_RAND_PORT_1'
                      . " ssl; server_name n$_.test;"
                      . " acme_certificate example; }" } 1 .. 1000)
--- skip_windows: six thousand questions take a busy Wine minutes
--- config
    location /ca/ {
        access_log off;
        content_by_lua_block {
            local ca, dict = require "acme_ca", ngx.shared.ca

            ca.serve { ready = true, order = function (self, ...)
                local n = dict:incr("asked", 1, 0)
                if dict:get("until") then
                    dict:incr("too soon", 1, 0)
                end
                if (dict:get("orders") or 0) % 400 == 399 and not dict:get(n - 1) then
                    dict:set(n, true)
                    dict:set("until", true, 2)
                    ngx.header["Retry-After"] = 2
                    return ca.problem(429, "rateLimited")
                end
                return ca.pages.order(self, ...)
            end, cert = function (self, _, _, id)
                dict:incr("issued", 1, 0)
                ngx.print(dict:get("cert " .. id))
                dict:delete("cert " .. id)
            end }
        }
    }
    location = /t {
        content_by_lua_block {
            local dict = ngx.shared.ca
            for _ = 1, 1200 do
                if dict:get("issued") == 1000 then break end
                ngx.sleep(0.1)
            end
            ngx.sleep(0.5)
            ngx.say(dict:get("issued"), " issued, ", dict:get("orders"),
                    " orders, ", dict:get("asked"), " asked for, ",
                    dict:get("too soon") or 0, " too soon")
        }
    }
--- timeout: 140
--- response_body
1000 issued, 1000 orders, 1002 asked for, 0 too soon
--- no_error_log
[alert]



=== a profile is asked for, six days, and an order goes with it
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        profile shortlived require;
    }
--- config
    acme_certificate example a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                life = 518400,
                more = [[,"meta":{"profiles":{"shortlived":"six days"}}]]
            }
        }
    }
    location = /t { return 200; }
--- error_log
"profile":"shortlived"
is issued, good until



=== one that is required, and that the authority has not, is no order
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        profile shortlived require;
    }
--- config
    acme_certificate example a.test;
    location /ca/ { content_by_lua_block { require("acme_ca").serve {} } }
    location = /t { return 200; }
--- error_log
profile
next try in
--- no_error_log
ca: ordered



=== addresses, of both families, are ordered as such
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
    }
--- config
    acme_certificate example 127.0.0.1 ::1;
    location /ca/ { content_by_lua_block { require("acme_ca").serve {} } }
    location = /t { return 200; }
--- error_log
{"type":"ip","value":"127.0.0.1"},{"type":"ip","value":"::1"}



=== dns-persist-01 is answered by nobody here: the authority is told to look
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    lua_shared_dict ca 1m;
    acme_issuer example {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/ca/dir; state_path off;
        challenge dns-persist-01;
    }
--- config
    acme_certificate example *.a.test;
    location /ca/ {
        content_by_lua_block {
            require("acme_ca").serve {
                kind = "dns-persist-01",
                chall = function (ca, _, _, id)
                    ngx.log(ngx.NOTICE, "ca: looks")
                    ngx.shared.ca:set("valid " .. id, true)
                    ngx.print "{}"
                end
            }
        }
    }
    location = /t { return 200; }
--- error_log
ca: looks
is issued, good until



=== before there is a certificate neither it nor its key is empty
--- http_config
    acme_issuer example { uri http://127.0.0.1:1/dir; state_path off; }
--- config
    server_name a.test;
    acme_certificate example;
    location = /t { return 200 "$acme_cert_example $acme_cert_key_example"; }
--- response_body_like
^data:-----BEGIN CERTIFICATE-----[^ ]*
[\s\S]* data:-----BEGIN [A-Z ]*PRIVATE KEY-----



=== an authority that is slow, or closes, is asked again later
--- http_config
    acme_issuer closing {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/close; state_path off;
    }
    acme_issuer half {
        uri http://127.0.0.1:$TEST_NGINX_SERVER_PORT/half; state_path off;
    }
--- config
    acme_certificate closing a.test;
    acme_certificate half a.test;
    location = /close { return 444; }
    location = /half {
        content_by_lua_block {
            ngx.header.content_length = 1000
            ngx.print '{"newNonce":'
            ngx.flush(true)
            ngx.exit(444)
        }
    }
    location = /t { return 200; }
--- error_log
issuer "closing": reading the directory: 
next try in

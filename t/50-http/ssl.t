no_root_location();

__DATA__


=== a server speaks TLS, and its requests know it
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        return 200 "$scheme $https $ssl_protocol $ssl_cipher $ssl_server_name";
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port, { name = "localhost" }))))
        }
    }
--- response_body
https on TLSv1.3 TLS_AES_256_GCM_SHA384 localhost




=== plain HTTP is told so
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            local answer = sock:receive("*a")
            ngx.say(answer:match("^[^\r]+"))
            ngx.say(answer:match("<title>(.-)</title>"))
        }
    }
--- response_body
HTTP/1.1 400 Bad Request
400 The plain HTTP request was sent to HTTPS port
--- error_log
client sent plain HTTP request to HTTPS port while reading client request headers, client: 




=== error_page may answer plain HTTP
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    error_page 497 =302 https://localhost$request_uri;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:send("GET /x HTTP/1.0\r\n\r\n")
            ngx.say(sock:receive("*a"):match("Location: ([^\r]+)"))
        }
    }
--- response_body
https://localhost/x




=== a name chooses the server and its certificate
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name other.test;
             ssl_certificate $TEST_NGINX_CERT_DIR/other.crt;
             ssl_certificate_key $TEST_NGINX_CERT_DIR/other.key;
             return 200 other; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name *.example.com;
             return 200 wild; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name ~^r[0-9]+$;
             return 200 regex; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 default; }
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            for _, name in ipairs { "other.test", "a.example.com", "localhost" } do
                ngx.say((select(2, https.get(port, { name = name, verify = true }))))
            end
            ngx.say((select(2, https.get(port, { name = "r12" }))))
        }
    }
--- response_body
other
wild
default
regex




=== without a Host the name of the handshake counts
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name other.test;
             return 200 other; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:sslhandshake(nil, "other.test")
            sock:send("GET /\r\n")
            ngx.say((sock:receive("*a")))
        }
    }
--- response_body
other




=== a handshake can be refused
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl default_server;
             ssl_reject_handshake on; }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 mine; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((https.get(port, { name = "localhost" })))
            ngx.say(https.get(port, { name = "stranger" }))
        }
    }
--- response_body
200
nilhandshake failed
--- error_log eval
qr/\[info\] .* handshake rejected while SSL handshaking/
--- no_error_log
callback failed




=== a name's server says which versions it speaks
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name two.test;
             ssl_protocols TLSv1.2; return 200 "two $ssl_protocol"; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name three.test;
             ssl_protocols TLSv1.3; return 200 "three $ssl_protocol"; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name any.test;
             return 200 "any $ssl_protocol"; }
--- config
    location = /t { content_by_lua_block {
        local https = require "https"
        for _, name in ipairs { "two.test", "three.test", "any.test", "none.test" } do
            local ok, said = https.get($TEST_NGINX_RAND_PORT_1, { name = name })
            ngx.say(name, ": ", ok and said or "refused")
        end
    } }
--- request
GET /t
--- response_body
two.test: two TLSv1.2
three.test: three TLSv1.3
any.test: any TLSv1.3
none.test: two TLSv1.2




=== a client that speaks one version finds who speaks it
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name two.test;
             ssl_protocols TLSv1.2; return 200 "two $ssl_protocol"; }
    server { listen $TEST_NGINX_RAND_PORT_1 ssl; server_name three.test;
             ssl_protocols TLSv1.3; return 200 "three $ssl_protocol"; }
    init_by_lua_block {
        function ask(names)
            local https = require "https"
            for _, name in ipairs(names) do
                local ok, said = https.get($TEST_NGINX_RAND_PORT_1, { name = name })
                ngx.say(name, ": ", ok and said or "refused")
            end
        end
    }
--- config
    location = /2 { lua_ssl_protocols TLSv1.2; content_by_lua_block { ask { "two.test", "three.test" } } }
    location = /3 { lua_ssl_protocols TLSv1.3; content_by_lua_block { ask { "two.test", "three.test" } } }
--- request eval
["GET /2", "GET /3"]
--- response_body eval
["two.test: two TLSv1.2\nthree.test: refused\n", "two.test: refused\nthree.test: three TLSv1.3\n"]




=== a large file, and a large body
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    client_body_buffer_size 10m;
    location = /echo { echo_read_request_body; echo_request_body; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:sslhandshake()
            local body = ("0123456789abcdef"):rep(200000)
            sock:send("POST /echo HTTP/1.0\r\nContent-Length: " .. #body
                      .. "\r\n\r\n" .. body)
            local answer = sock:receive("*a"):gsub("^.-\r\n\r\n", "")
            ngx.say(#answer, answer == body)
        }
    }
--- response_body
3200000true




=== a file goes out in records
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_buffer_size 4k;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say(#(select(2, https.get(port, { path = "/big.bin" }))))
        }
    }
--- response_body
300000
--- user_files eval
[[ "big.bin" => "x" x 300000 ]]




=== requests follow each other on a connection
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 "$connection_requests$ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:sslhandshake()
            local get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            sock:send(get .. get .. get)
            for i = 1, 4 do
                sock:receiveuntil("\r\n\r\n")()
                ngx.say((sock:receive(2)))
                if i == 3 then sock:send(get) end
            end
        }
    }
--- response_body
1.
2.
3.
4.




=== who does not shake hands in time is hung up on
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    client_header_timeout 200ms;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:send("\22\3\1")
            ngx.say(sock:receive(1))
        }
    }
--- response_body
nilclosed
--- error_log
client timed out




=== a client that leaves in the handshake
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", port)
            sock:send("\22\3\1")
            sock:close()
            ngx.say("left")
        }
    }
--- response_body
left
--- error_log
peer closed connection in SSL handshake while SSL handshaking




=== RSA for those who know no other
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    ssl_certificate $TEST_NGINX_CERT_DIR/rsa.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/rsa.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 $ssl_cipher; }
    location = /t {
        lua_ssl_protocols TLSv1.2;
        lua_ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256;
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))))
        }
    }
--- response_body
ECDHE-RSA-AES128-GCM-SHA256




=== protocols and ciphers are chosen
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_protocols TLSv1.2;
    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384;
    ssl_prefer_server_ciphers on;
    ssl_ecdh_curve secp384r1;
    location = / { return 200 "$ssl_protocol $ssl_cipher $ssl_curve"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))))
        }
    }
--- response_body
TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256 secp384r1




=== a key under a password
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/locked.key;
    ssl_password_file $TEST_NGINX_CERT_DIR/passwords;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / { return 200 open; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            ngx.say((select(2, https.get(port))))
        }
    }
--- response_body
open



=== HTTP/2 over TLS
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = / {
        return 200 "$server_protocol $http2 $scheme";
    }
    location /t {
        content_by_lua_block {
            ngx.header.location = "https://127.0.0.1:$TEST_NGINX_RAND_PORT_1/"
            ngx.status = 302
            ngx.print("")
        }
    }
--- http2
--- curl_options: -k -L
--- error_code: 302
--- response_body_like: ^HTTP/2 200(?s:.*)HTTP/2\.0 h2 https$



=== a listener for TLS has no HTTP/2 without TLS
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    http2 on;
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            ngx.say(sock:receive())
        }
    }
--- response_body
HTTP/1.1 400 Bad Request




=== names of certificates may have variables
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    lua_ssl_trusted_certificate $TEST_NGINX_CERT_DIR/ca.crt;
    map $ssl_server_name $file {
        other.test  other;
        default     server;
    }
    ssl_certificate $TEST_NGINX_CERT_DIR/$file.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/$file.key;
    ssl_certificate_cache max=4;
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl default_server;
        ssl_certificate $TEST_NGINX_CERT_DIR/no$ssl_server_name.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/no$ssl_server_name.key;
    }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    server_name *.test *.com;
    location = / { return 200 "$ssl_server_name $uri $ssl_session_reused"; }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            for _, name in ipairs { "other.test", "a.example.com", "other.test", "where" } do
                ngx.say((select(2, https.get(port, { name = name, verify = true }))))
            end
        }
    }
--- request
GET /t
--- response_body_like chop
^other.test / .
a.example.com / .
other.test / .
.*handshake failed
--- error_log
nowhere.crt": BIO_new_file() failed (SSL: error:
while SSL handshaking, client: 127.0.0.1

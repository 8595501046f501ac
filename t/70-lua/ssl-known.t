# What ngx.ssl knows of a session of TLS.

__DATA__


=== both sides' random bytes, and the secret that they agreed on
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_protocols TLSv1.2;
    location = / {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            for _, name in ipairs { "client_random", "server_random",
                                    "session_master_key" }
            do
                local get = ssl["get_" .. name]
                ngx.say(name, " ", get(0), " ", #get(), " ", #get(5), " ",
                        get(5) == get():sub(1, 5))
            end
            ngx.say(ssl.get_client_random() ~= ssl.get_server_random())
        }
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.print((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
client_random 32 32 5 true
server_random 32 32 5 true
session_master_key 48 48 5 true
true



=== suites that both sides have, and whether a session goes on
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_protocols TLSv1.2;
    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;
    location = / {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            local ids = ssl.get_req_shared_ssl_ciphers()
            local shared
            for _, id in ipairs(ids) do
                shared = shared or id == 0xc02b
                assert(id % 0x1000 ~= 0xa0a)
            end
            local reused = ssl.ssl_session_reused(ssl.get_req_ssl_pointer())
            ngx.say(reused or shared, " ", reused)
        }
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            local port = $TEST_NGINX_RAND_PORT_1
            local _, text, session = https.get(port)
            ngx.print(text, (select(2, https.get(port, { session = session }))))
        }
    }
--- response_body
true false
true true



=== suites that both sides have, as lua-resty-core declares the function
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_protocols TLSv1.2;
    location = /ids {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            pcall(ffi.cdef, [[
            int ngx_http_lua_ffi_req_shared_ssl_ciphers(void *r,
                unsigned short *ciphers, unsigned short *nciphers,
                int filter_grease, char **err);
            ]])
            local ids = ffi.new("unsigned short[256]")
            local n, err = ffi.new("unsigned short[1]"), base.get_errmsg_ptr()
            local function ask(room, flag)
                ffi.fill(ids, 512, 0xee)
                n[0] = room
                local rc = ffi.C.ngx_http_lua_ffi_req_shared_ssl_ciphers(
                               base.get_request(), ids, n, flag, err)
                if rc ~= 0 then
                    ngx.say(rc, ffi.string(err[0]))
                    return
                end
                local list = require("ngx.ssl").get_req_shared_ssl_ciphers(flag == 1)
                ngx.say(n[0] == math.min(room, #list), " ",
                        n[0] == 0 or ids[0] == list[1], " ", ids[n[0]] == 0xeeee)
            end
            ask(255, 1) ask(255, 0) ask(2, 1) ask(0, 0)
        }
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.print((select(2, https.get($TEST_NGINX_RAND_PORT_1,
                                         { path = "/ids" }))))
            local here = ngx.location.capture("/ids")
            ngx.print(here.body)
        }
    }
--- response_body
true true true
true true true
true true true
true true true
-1bad request
-1bad request
-1bad request
-1bad request



=== Debian's: suites that both sides have, as older ones declare it
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path "/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_protocols TLSv1.2;
    location = / {
        content_by_lua_block {
            local ffi = require "ffi"
            local base = require "resty.core.base"
            ffi.cdef [[
            int ngx_http_lua_ffi_req_shared_ssl_ciphers(void *r,
                unsigned short *ciphers, unsigned short *nciphers, char **err);
            ]]
            local ids = ffi.new("unsigned short[256]")
            local n, err = ffi.new("unsigned short[1]", 255), base.get_errmsg_ptr()
            ngx.say(ffi.C.ngx_http_lua_ffi_req_shared_ssl_ciphers(
                        base.get_request(), ids, n, err), " ", n[0] > 0)
        }
    }
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.print((select(2, https.get($TEST_NGINX_RAND_PORT_1))))
        }
    }
--- response_body
0 true



=== where there is no TLS
--- config
    location = /t {
        content_by_lua_block {
            local ssl = require "ngx.ssl"
            ngx.say(ssl.get_server_random())
            ngx.say(ssl.get_session_master_key())
            ngx.say(ssl.get_req_shared_ssl_ciphers())
            ngx.say(ssl.get_upstream_ssl_pointer())
            ngx.say(ssl.ssl_session_reused(nil))
        }
    }
--- response_body
nilbad request
nilbad request
nilbad request
nilbad upstream connection
nilbad ssl



=== a server that takes the certificate of one with a script has to have one
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        server_name localhost;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_certificate_by_lua_block { ngx.log(ngx.WARN, "it runs") }
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        server_name test2.com;
    }
--- config
    location = /t {
        content_by_lua_block {
            local https = require "https"
            ngx.say(https.get($TEST_NGINX_RAND_PORT_1, { name = "test2.com" }))
        }
    }
--- response_body
nilhandshake failed
--- error_log
[alert]
no ssl_certificate_by_lua* defined in server test2.com



=== what a handshake has left in ngx.ctx is there for each request
--- http_config
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_client_hello_by_lua_block { ngx.ctx.hello = "hello" }
    ssl_certificate_by_lua_block {
        ngx.sleep(0.01)
        ngx.ctx.cert = ngx.ctx.hello .. " cert"
    }
    location = / {
        content_by_lua_block {
            local seen = ngx.ctx.own
            ngx.ctx.own = "own"
            ngx.say(ngx.ctx.cert, " ", seen, " ", rawget(ngx.ctx, "cert"))
        }
    }
    location = /t {
        content_by_lua_block {
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            sock:sslhandshake(false, "localhost")
            for _, last in ipairs { "keep-alive", "close" } do
                sock:send("GET / HTTP/1.1\r\nHost: localhost\r\n"
                          .. "Connection: " .. last .. "\r\n\r\n")
            end
            local text = sock:receive("*a")
            for line in text:gmatch "hello cert[^\n]*" do
                ngx.say(line)
            end
        }
    }
--- response_body
hello cert nil nil
hello cert nil nil



=== a worker that ends has connections whose handshake left something in ngx.ctx
--- master_on
--- http_config
    lua_shared_dict d 1m;
    init_by_lua_block { require("ngx.process").enable_privileged_agent(100) }
    init_worker_by_lua_block {
        if require("ngx.process").type() ~= "privileged agent" then
            return
        end
        ngx.timer.at(0, function ()
            local sock = ngx.socket.tcp()
            sock:settimeout(5000)
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            assert(sock:sslhandshake())
            assert(sock:send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
            sock:receiveuntil("\r\n\r\n")()
            ngx.shared.d:set("answer", sock:receive(4))
            sock:receive()
        end)
    }
    server {
        listen $TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_certificate_by_lua_block { ngx.ctx.kept = true }
        location / { return 200 "here"; }
    }
--- config
    location = /t {
        content_by_lua_block {
            for _ = 1, 100 do
                if ngx.shared.d:get("answer") then break end
                ngx.sleep(0.05)
            end
            ngx.say(ngx.shared.d:get("answer"))
            assert(require("lunette.spec.io").tell(require("ngx.process").get_master_pid(), "reload", 5000))
        }
    }
--- response_body
here
--- error_log eval
qr/\[notice\].* worker process \d+ exited with code 0/
--- no_error_log
exited on signal

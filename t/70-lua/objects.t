__DATA__


=== a socket is no socket of the other kind, nor anything else
--- config
    location = /t {
        content_by_lua_block {
            local tcp, udp = ngx.socket.tcp(), ngx.socket.udp()
            tcp:connect("127.0.0.1", ngx.var.server_port)
            udp:setpeername("127.0.0.1", ngx.var.server_port)

            local function try(f, ...)
                local ok, err = f(...)
                ngx.say(ok, " ", err)
            end
            try(udp.send, tcp, "x")
            try(tcp.send, udp, "x")
            for _, box in ipairs({ newproxy(), io.stdout, 1, {}, "x" }) do
                try(tcp.send, { box }, "x")
                try(udp.send, { box }, "x")
            end
            ngx.say(tcp:send("GET / HTTP/1.0\r\n\r\n"), " ", udp:send("x"))
        }
    }
--- response_body
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
nil closed
18 1



=== a socket of the other kind begins anew when it connects
--- config
    location = /t {
        content_by_lua_block {
            local tcp, udp = ngx.socket.tcp(), ngx.socket.udp()
            udp:setpeername("127.0.0.1", ngx.var.server_port)
            ngx.say(tcp.connect(udp, "127.0.0.1", ngx.var.server_port))
            ngx.say(tcp.send(udp, "GET / HTTP/1.0\r\n\r\n"))
            collectgarbage()
            ngx.say(udp:send("x"))
        }
    }
--- response_body
1
18
nilclosed



=== what is no semaphore
--- config
    location = /t {
        content_by_lua_block {
            local sem = require("ngx.semaphore").new(1)
            for _, sema in ipairs({ newproxy(), io.stdout, ngx.null, 1 }) do
                for _, name in ipairs({ "post", "count", "wait" }) do
                    ngx.say(select(2, pcall(sem[name], { sem = sema }, 1)))
                end
            end
            ngx.say(sem:count())
        }
    }
--- response_body_like chop
^(not a semaphore instance
){12}1$



=== what is no dictionary
--- http_config
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            local dogs, ffi = ngx.shared.dogs, require "ffi"
            dogs:set("k", 1)
            for _, zone in ipairs({ ffi.new("int[4]"), ffi.cast("void *", 8),
                                    newproxy(), 1, "x" }) do
                ngx.say(select(2, pcall(dogs.get, { zone }, "k")))
                ngx.say(select(2, pcall(dogs.ttl, { zone }, "k")))
                ngx.say(select(2, pcall(dogs.set, { zone }, "k", 2)))
            end
            ngx.say(dogs:get("k"))
        }
    }
--- response_body_like chop
^(bad "zone" argument
){15}1$



=== what is no certificate and no key
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        ssl_certificate_by_lua_block {
            local ssl = require "ngx.ssl"
            said = {}
            for _, what in ipairs({ newproxy(), io.stdout, ngx.null, 1 }) do
                table.insert(said, select(2, ssl.set_cert(what)))
                table.insert(said, select(2, ssl.set_priv_key(what)))
                table.insert(said, tostring(ssl.verify_client(what, 1, what)))
            end
        }
        location / { content_by_lua_block { ngx.say(table.concat(said, "\n")) } }
    }
--- config
    location = /t {
        proxy_pass https://127.0.0.1:$TEST_NGINX_RAND_PORT_1;
    }
--- response_body_like chop
^(invalid certificate chain
invalid private key failed
true
){4}$

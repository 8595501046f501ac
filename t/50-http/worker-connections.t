__DATA__


=== idle connections give way to new ones, the oldest first
--- config
    location = /s { return 200 "here"; }
    location = /t {
        content_by_lua_block {
            local conns = {}
            for i = 1, 45 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", ngx.var.server_port))
                conns[i]:send("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
                local _, err = conns[i]:receiveuntil("here")()
                if err then return ngx.say(i, ": ", err) end
            end
            conns[1]:settimeout(20000)
            conns[45]:settimeout(100)
            ngx.say(select(2, conns[1]:receive()))
            ngx.say(select(2, conns[45]:receive()))
        }
    }
--- response_body
closed
timeout
--- error_log
[warn]
64 worker_connections are not enough, reusing connections



=== those over TLS as well
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    server { listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl; return 200 "here"; }
--- config
    location = /t {
        content_by_lua_block {
            local conns = {}
            for i = 1, 45 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                assert(conns[i]:sslhandshake(nil, "localhost"))
                conns[i]:send("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
                local _, err = conns[i]:receiveuntil("here")()
                if err then return ngx.say(i, ": ", err) end
            end
            conns[1]:settimeout(20000)
            conns[45]:settimeout(100)
            ngx.say(select(2, conns[1]:receive()))
            ngx.say(select(2, conns[45]:receive()))
        }
    }
--- response_body
closed
timeout
--- error_log
64 worker_connections are not enough, reusing connections



=== clients that have not said a word give way, too
--- config
    location = /s { return 200 "here"; }
    location = /t {
        content_by_lua_block {
            local silent = {}
            for i = 1, 50 do
                silent[i] = ngx.socket.tcp()
                assert(silent[i]:connect("127.0.0.1", ngx.var.server_port))
                ngx.sleep(0.001)
            end
            local last = ngx.socket.tcp()
            last:settimeout(20000)
            assert(last:connect("127.0.0.1", ngx.var.server_port))
            last:send("GET /s HTTP/1.0\r\n\r\n")
            ngx.say(last:receive())
            silent[1]:settimeout(20000)
            ngx.say(select(2, silent[1]:receive()))
        }
    }
--- response_body
HTTP/1.1 200 OK
closed
--- error_log
64 worker_connections are not enough, reusing connections



=== a client that was served again is not the one idle for longest
--- config
    location = /s { return 200 "here"; }
    location = /t {
        content_by_lua_block {
            local conns = {}
            local function ask(i)
                conns[i]:send("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
                return (select(2, conns[i]:receiveuntil("here")()))
            end
            for i = 1, 35 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", ngx.var.server_port))
                local err = ask(i) or ask(1)
                if err then return ngx.say(i, ": ", err) end
            end
            ngx.say(ask(1), " ", ask(2))
        }
    }
--- response_body_like: ^nil (closed|connection reset by peer)$
--- error_log
64 worker_connections are not enough, reusing connections



=== a client that is being served does not give way
--- http_config
    init_worker_by_lua_block { inside, free = false, false }
--- config
    location = /slow {
        content_by_lua_block {
            inside = true
            while not free do ngx.sleep(0.01) end
            ngx.print("late")
        }
    }
    location = /s { return 200 "here"; }
    location = /t {
        content_by_lua_block {
            local conns = {}
            for i = 1, 45 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", ngx.var.server_port))
                conns[i]:send("GET /" .. (i == 1 and "slow" or "s")
                              .. " HTTP/1.1\r\nHost: a\r\n\r\n")
                while not inside do ngx.sleep(0.01) end
                if i > 1 then assert(conns[i]:receiveuntil("here")()) end
            end
            free = true
            ngx.say(conns[1]:receive())
        }
    }
--- response_body
HTTP/1.1 200 OK
--- error_log
64 worker_connections are not enough, reusing connections



=== who had to wait is served when a busy client has become idle
--- http_config
    init_worker_by_lua_block { inside, free = 0, false }
--- config
    location = /slow {
        content_by_lua_block {
            inside = inside + 1
            while not free do ngx.sleep(0.01) end
            ngx.print("late")
        }
    }
    location = /t {
        content_by_lua_block {
            local conns = {}
            for i = 1, 36 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", ngx.var.server_port))
                conns[i]:send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            end
            local log = assert(io.open(ngx.config.prefix() .. "logs/error.log"))
            local text = ""
            repeat
                ngx.sleep(0.02)
                text = text .. log:read("*a")
            until text:find("waiting for some to close", 1, true)
            log:close()
            ngx.say(inside < 36)
            free = true
            ngx.say(conns[36]:receiveuntil("late")() ~= nil)
        }
    }
--- response_body
true
true
--- error_log
64 worker_connections are not enough, waiting for some to close



=== HTTP/2 connections without streams are told, and closed
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        return 200 "here";
    }
--- config
    location = /t {
        content_by_lua_block {
            local settings = "\0\0\0\4\0\0\0\0\0"
            local get = "\0\0\6\1\5\0\0\0\1\x82\x86\x84\x41\1a"
            local conns = {}
            for i = 1, 45 do
                conns[i] = ngx.socket.tcp()
                conns[i]:settimeout(20000)
                assert(conns[i]:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
                conns[i]:send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" .. settings .. get)
                local _, err = conns[i]:receiveuntil("here")()
                if err then return ngx.say(i, ": ", err) end
            end
            conns[1]:settimeout(20000)
            local _, _, rest = conns[1]:receive(1000)
            ngx.say("GOAWAY: ", rest and rest:sub(-17):byte(4))
        }
    }
--- response_body
GOAWAY: 7
--- error_log
64 worker_connections are not enough, reusing connections



=== connections that wait for a server give way when no client does
--- http_config
    init_worker_by_lua_block { inside = 0 }
    upstream b { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 64; }
    upstream c { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive 64; }
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        location / {
            content_by_lua_block {
                local sock = ngx.req.socket(true)
                inside = inside + 1
                while inside < tonumber(ngx.var.arg_all) do ngx.sleep(0.01) end
                sock:send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                sock:settimeout(20000)
                print("answered, then ", select(2, sock:receive()))
            }
        }
    }
--- config
    location = /p { proxy_pass http://$arg_to; }
    location = /s { return 200 "here"; }
    location = /t {
        content_by_lua_block {
            local some, more = {}, {}
            for i = 1, 20 do some[i] = { "/p?to=b&all=20" } end
            for i = 1, 12 do more[i] = { "/p?to=c&all=32" } end
            ngx.location.capture_multi(some)
            ngx.location.capture_multi(more)
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /s HTTP/1.0\r\n\r\n")
            ngx.say(sock:receive())
        }
    }
--- response_body
HTTP/1.1 200 OK
--- error_log
answered, then client aborted

# Several requests on one connection to a server of HTTP/2.

__DATA__


=== requests share a connection
--- http_config
    lua_shared_dict d 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.shared.d:incr("in", 1, 0)
                while ngx.shared.d:get("in") < tonumber(ngx.var.arg_n) do ngx.sleep(0.01) end
                ngx.print(ngx.var.connection)
            }
        }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p?n=1").body
            local n, all = 0, {}
            for i = 1, 20 do all[i] = { "/p?n=21" } end
            for _, res in ipairs { ngx.location.capture_multi(all) } do
                n = n + (res.status == 200 and res.body == first and 1 or 0)
            end
            ngx.print(n)
        }
    }
--- request: GET /t
--- response_body eval: "20"



=== over TLS as well, by gRPC
--- http_config
    lua_shared_dict d 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1 ssl;
        http2 on;
        ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
        ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
        location / {
            content_by_lua_block {
                ngx.shared.d:incr("in", 1, 0)
                while ngx.shared.d:get("in") < tonumber(ngx.var.arg_n) do ngx.sleep(0.01) end
                ngx.print(ngx.var.connection)
            }
        }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location = /p { grpc_pass grpcs://u; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p?n=1").body
            local a, b = ngx.location.capture_multi { { "/p?n=3" }, { "/p?n=3" } }
            ngx.print(a.body == first, " ", b.body == first)
        }
    }
--- request: GET /t
--- response_body eval: "true true"



=== no more than the server takes, and than a connection may have
--- http_config
    lua_shared_dict d 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        http2_max_concurrent_streams 2;
        location / {
            content_by_lua_block {
                local wanted = tonumber(ngx.var.arg_n)
                ngx.shared.d:incr(wanted, 1, 0)
                while ngx.shared.d:get(wanted) < wanted do ngx.sleep(0.01) end
                ngx.print(ngx.var.connection)
            }
        }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; keepalive_requests 4; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p?n=1").body
            local a, b, c = ngx.location.capture_multi { { "/p?n=3" }, { "/p?n=3" }, { "/p?n=3" } }
            ngx.print(a.body == first, " ", b.body == first, " ", c.body == first, " ")
            a, b = ngx.location.capture_multi { { "/p?n=2" }, { "/p?n=2" } }
            ngx.print((a.body == first) ~= (b.body == first))
        }
    }
--- request: GET /t
--- response_body eval: "true true false true"



=== who does not read stalls nobody else
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { add_header X-C $connection; return 200 "small"; }
        location = /p/big {
            content_by_lua_block {
                ngx.header["X-C"] = ngx.var.connection
                for i = 1, 400 do ngx.print(("0123456789abcdef"):rep(4096)) end
            }
        }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location /p { proxy_http_version 2; proxy_buffering off; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local first = ngx.location.capture("/p/small").header["X-C"]
            local sock = ngx.socket.tcp()
            sock:settimeout(20000)
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET /p/big HTTP/1.0\r\n\r\n")
            local head = assert(sock:receiveuntil("\r\n\r\n")())
            ngx.sleep(0.3)
            for i = 1, 3 do
                local res = ngx.location.capture("/p/small")
                ngx.print(res.body, " ", res.header["X-C"] == first, " ")
            end
            ngx.print(head:match("X%-C: (%d+)") == first, " ", #assert(sock:receive("*a")))
        }
    }
--- request: GET /t
--- response_body eval: "small true small true small true true 26214400"



=== who leaves ends nobody else's request
--- http_config
    lua_shared_dict d 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.shared.d:incr("in", 1, 0)
                while not ngx.shared.d:get("go") do ngx.sleep(0.01) end
                ngx.print(ngx.var.connection)
            }
        }
        location = /p/go { return 200 $connection; }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local function ask()
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /p/wait HTTP/1.0\r\n\r\n")
                return sock
            end
            local first = ngx.location.capture("/p/go").body
            local leaves, stays = ask(), ask()
            while ngx.shared.d:get("in") ~= 2 do ngx.sleep(0.01) end
            leaves:close()
            ngx.sleep(0.1)
            ngx.print(ngx.location.capture("/p/go").body == first, " ")
            ngx.shared.d:set("go", 1)
            ngx.print(stays:receive("*a"):match("\r\n\r\n(.*)") == first)
        }
    }
--- request: GET /t
--- response_body eval: "true true"
--- no_error_log
[error]



=== bodies of several requests share the windows of a server
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        client_max_body_size 10m;
        client_body_buffer_size 10m;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.print(ngx.var.connection, " ", ngx.md5(ngx.req.get_body_data() or ""))
            }
        }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    location = /p { client_max_body_size 10m; proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local first, all, n = ngx.location.capture("/p").body:match("%d+"), {}, 0
            for i = 1, 5 do
                all[i] = { "/p", { method = ngx.HTTP_POST, body = ("body " .. i):rep(100000) } }
            end
            for i, res in ipairs { ngx.location.capture_multi(all) } do
                n = n + (res.body == first .. " " .. ngx.md5(all[i][2].body) and 1 or 0)
            end
            ngx.print(n)
        }
    }
--- request: GET /t
--- response_body eval: "5"



=== a server that goes away answers what it began, and the others are asked elsewhere
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2, held = require "h2_server"
        h2.serve(function(kind, stream, data, connection)
            if kind ~= h2.HEADERS then return "" end
            if connection == 2 or stream == 1 then return h2.answer(stream, connection .. ":" .. stream) end
            if not held then held = stream return "" end
            return h2.frame(h2.GOAWAY, 0, 0, h2.u32(held) .. h2.u32(0)) .. h2.answer(held, "1:" .. held)
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            local post = { "/p", { method = ngx.HTTP_POST, body = "hello" } }
            ngx.print(ngx.location.capture("/p").body)
            for _, res in ipairs { ngx.location.capture_multi { post, post } } do
                ngx.print(" ", res.body)
            end
        }
    }
--- request: GET /t
--- response_body eval: "1:1 1:3 2:1"
--- error_log
upstream sent goaway with error 0



=== a stream that is refused has another one
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2 = require "h2_server"
        h2.serve(function(kind, stream, data, connection)
            if kind ~= h2.HEADERS then return "" end
            if stream == 3 then return h2.frame(h2.RST, 0, 3, h2.u32(7)) end
            return h2.answer(stream, connection .. ":" .. stream)
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/p").body, " ")
            ngx.print(ngx.location.capture("/p", { method = ngx.HTTP_POST, body = "hello" }).body)
        }
    }
--- request: GET /t
--- response_body eval: "1:1 2:1"
--- error_log
upstream rejected request with error 7



=== a stream that is too slow is given up, and no other
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2, fast = require "h2_server"
        h2.serve(function(kind, stream, data)
            if kind == h2.RST then return h2.answer(fast, stream .. " " .. data:byte(4)) end
            if kind ~= h2.HEADERS then return "" end
            if stream == 1 then return h2.answer(1, "first ") end
            fast = data:find("/fast", 1, true) and stream or fast
            return ""
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 4; }
--- config
    location = /slow { proxy_http_version 2; proxy_read_timeout 300ms; proxy_pass http://u; }
    location = /fast { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/fast").body)
            local slow, fast = ngx.location.capture_multi { { "/slow" }, { "/fast" } }
            ngx.print(slow.status, " ", fast.body)
        }
    }
--- request: GET /t
--- response_body eval: "first 504 3 8"
--- error_log
upstream timed out



=== a frame that nobody asked for ends them all
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2, streams = require "h2_server", 0
        h2.serve(function(kind, stream, data)
            if kind ~= h2.HEADERS then return "" end
            if stream == 1 then return h2.answer(1, "first") end
            streams = streams + 1
            return streams == 2 and h2.frame(h2.DATA, 0, 99, "?") or ""
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/p").body)
            for _, res in ipairs { ngx.location.capture_multi { { "/p" }, { "/p" } } } do
                ngx.print(" ", res.status)
            end
        }
    }
--- request: GET /t
--- response_body eval: "first 502 502"
--- error_log
upstream sent frame for unknown stream 99



=== a body that turns out to be empty follows its header
--- http_config
    lua_shared_dict d 100k;
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.print(ngx.var.request_method, " ", ngx.req.get_body_data() or "nothing")
            }
        }
        location /slow { content_by_lua_block { ngx.shared.d:set("slow", 1) ngx.sleep(0.5) } }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1 max_conns=1; queue 5; }
--- config
    location /p { proxy_http_version 2; proxy_request_buffering off; proxy_pass http://u/; }
    location = /t {
        content_by_lua_block {
            local function ask(text)
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send(text)
                return sock
            end
            local first = ask("GET /p/slow HTTP/1.0\r\n\r\n")
            while not ngx.shared.d:get("slow") do ngx.sleep(0.01) end
            local second = ask("POST /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
            ngx.sleep(0.1)
            second:send("0\r\n\r\n")
            first:receive("*a")
            ngx.print(second:receive("*a"):match("POST %w+"))
        }
    }
--- request: GET /t
--- response_body eval: "POST nothing"



=== a server that refuses streams is not asked again and again
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2 = require "h2_server"
        h2.serve(function(kind, stream, data, connection)
            if kind ~= h2.HEADERS then return "" end
            if connection == 2 or stream == 1 then return h2.answer(stream, connection .. ":" .. (h2.refused or 0)) end
            if stream == 3 then return "" end
            h2.refused = (h2.refused or 0) + 1
            return h2.frame(h2.RST, 0, stream, h2.u32(7))
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 4; }
--- config
    location = /p { proxy_http_version 2; proxy_pass http://u; }
    location = /held { proxy_http_version 2; proxy_read_timeout 1s; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/p").body)
            local held, other = ngx.location.capture_multi { { "/held" }, { "/p" } }
            ngx.print(" ", held.status, " ", other.body)
        }
    }
--- request: GET /t
--- response_body eval: "1:0 504 2:1"



=== a body whose file has become shorter
--- http_config
    server {
        listen 127.0.0.1:$TEST_NGINX_RAND_PORT_1;
        http2 on;
        location / { content_by_lua_block { ngx.req.read_body() ngx.print("all of it") } }
    }
    upstream u { server 127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- config
    rewrite_by_lua_block {
        if ngx.var.uri:find("^/p") then
            local name = ngx.var.document_root .. ngx.var.uri
            local function write(text)
                local file = assert(io.open(name, "wb"))
                file:write(text)
                file:close()
            end
            write(("x"):rep(100000))
            ngx.req.read_body()
            ngx.req.set_body_file(name)
            write("")
        end
    }
    location = /p1 { proxy_pass http://u; }
    location = /p2 { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            for n = 1, 2 do
                local sock = ngx.socket.tcp()
                sock:settimeout(20000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("POST /p" .. n .. " HTTP/1.0\r\nContent-Length: 1\r\n\r\nx")
                ngx.say((sock:receive()))
            end
        }
    }
--- request: GET /t
--- response_body
HTTP/1.1 500 Internal Server Error
HTTP/1.1 500 Internal Server Error
--- error_log
was truncated while it was being sent



=== interim answers of one stream have an end, whatever others bring
--- stream_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- stream_server_config
    content_by_lua_block {
        local h2, body, hints = require "h2_server"
        h2.serve(function(kind, stream, data)
            if kind ~= h2.HEADERS then return "" end
            if stream == 1 then return h2.answer(1, "first") end
            if data:find("/body", 1, true) then body = stream else hints = stream end
            if not (body and hints) then return "" end
            ngx.print(h2.frame(h2.HEADERS, 4, body, "\136"))
            for i = 1, 10 do
                ngx.print((h2.frame(h2.DATA, 0, body, "x"):rep(10)
                           .. h2.frame(h2.HEADERS, 4, hints, "\8\003103")):rep(20))
                ngx.flush(true)
                ngx.sleep(0.05)
            end
            return h2.frame(h2.DATA, 1, body, "end") .. h2.answer(hints, "hints")
        end)
    }
--- http_config
    upstream u { server 127.0.0.1:$TEST_NGINX_STREAM_PORT; keepalive 4; }
--- config
    location /p/ { proxy_http_version 2; proxy_pass http://u; }
    location = /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/p/first").body)
            local body, hints = ngx.location.capture_multi { { "/p/body" }, { "/p/hints" } }
            ngx.print(" ", #body.body, " ", hints.status)
        }
    }
--- request: GET /t
--- response_body eval: "first 2003 502"
--- error_log
upstream sent too many interim responses

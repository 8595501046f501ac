__DATA__


=== a file that is not whole is fetched again
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.print(string.rep("x", 100000)) } }
    location /cut {
        content_by_lua_block {
            local md5 = ngx.md5("k")
            local path = "$TEST_NGINX_SERVER_ROOT/cache/" .. md5:sub(-1) .. "/" .. md5:sub(-3, -2) .. "/" .. md5
            local f = assert(io.open(path, "rb"))
            local text = f:read("*a")
            f:close()
            f = assert(io.open(path, "wb"))
            f:write(text:sub(1, 70000))
            f:close()
            ngx.print(#text > 100000)
        }
    }
--- request eval
["GET /t", "GET /t", "GET /cut", "GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT", "", "X-C: MISS", "X-C: HIT"]
--- response_body eval
["x" x 100000, "x" x 100000, "true", "x" x 100000, "x" x 100000]



=== one that is another's is not taken for one's own
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_key $arg_k; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b?$args; }
    location /b { content_by_lua_block { ngx.print(string.rep(ngx.var.arg_k, 100000)) } }
    location /swap {
        content_by_lua_block {
            local root = "$TEST_NGINX_SERVER_ROOT/cache/"
            os.remove(root .. ngx.md5("b"))
            ngx.print(os.rename(root .. ngx.md5("a"), root .. ngx.md5("b")))
        }
    }
--- request eval
["GET /t?k=a", "GET /t?k=b", "GET /swap", "GET /t?k=b", "GET /t?k=a"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "", "X-C: MISS", "X-C: MISS"]
--- response_body eval
["a" x 100000, "b" x 100000, "true", "b" x 100000, "a" x 100000]



=== an answer that breaks off is not kept
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /t { content_by_lua_block { ngx.print(ngx.location.capture("/c").status, " ", (io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k")))) } }
--- tcp_listen: $TEST_NGINX_RAND_PORT_1
--- tcp_reply eval
"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"
--- response_body chomp
200 nil
--- error_log
prematurely closed



=== what is too much goes, and nobody waits for that
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m max_size=300k;
    lua_shared_dict d 1m;
--- config
    location /c { proxy_cache one; proxy_cache_key $arg_k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b?$args; }
    location /b { content_by_lua_block { ngx.shared.d:incr("n", 1, 0) ngx.print(string.rep("x", 100000)) } }
    location /t {
        content_by_lua_block {
            local count = 0
            for i = 1, 8 do ngx.location.capture("/c", { args = { k = i } }) end
            for i = 1, 8 do
                local f = io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5(tostring(i)))
                if f then count = count + 1 f:close() end
            end
            ngx.print(count)
        }
    }
--- response_body chomp
3



=== what nobody has asked for in a while goes
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m inactive=1s;
--- config
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
    location /t {
        content_by_lua_block {
            ngx.location.capture("/c")
            for i = 1, 200 do
                local f = io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k"))
                if not f then return ngx.print("gone") end
                f:close()
                ngx.sleep(0.1)
            end
            ngx.print("there")
        }
    }
--- timeout: 30
--- response_body chomp
gone



=== a folder that cannot be written to costs nobody an answer
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
    location /break { content_by_lua_block { os.remove("$TEST_NGINX_SERVER_ROOT/cache/.aside") os.rename("$TEST_NGINX_SERVER_ROOT/cache/.aside", "$TEST_NGINX_SERVER_ROOT/cache/was") local f = assert(io.open("$TEST_NGINX_SERVER_ROOT/cache/.aside", "w")) f:close() } }
--- request eval
["GET /break", "GET /t", "GET /t"]
--- response_headers eval
["", "X-C: MISS", "X-C: MISS"]
--- response_body eval
["", "x", "x"]



=== an answer without an end is not kept, and read for nobody
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m max_size=500k;
    lua_shared_dict d 1m;
--- config
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b {
        lua_check_client_abort on;
        content_by_lua_block {
            local piece = string.rep("x", 16384)
            for i = 1, 4000 do
                ngx.print(piece)
                if not ngx.flush(true) then break end
                ngx.shared.d:set("sent", i)
                ngx.sleep(0.001)
            end
        }
        log_by_lua_block { ngx.shared.d:set("ended", true) }
    }
    location /t {
        content_by_lua_block {
            local s = ngx.socket.tcp()
            assert(s:connect("127.0.0.1", ngx.var.server_port))
            s:send("GET /c HTTP/1.0\r\n\r\n")
            s:receive(100)
            s:close()
            for i = 1, 300 do
                if ngx.shared.d:get("ended") then break end
                ngx.sleep(0.1)
            end
            ngx.print(ngx.shared.d:get("ended"), " ", ngx.shared.d:get("sent") < 4000, " ",
                      (io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k"))))
        }
    }
--- timeout: 60
--- response_body chomp
true true nil



=== a file of another version is fetched again, and the log says so
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.print(string.rep("x", 100000), (ngx.shared.d:incr("n", 1, 0))) } }
    location /t {
        content_by_lua_block {
            local function ask()
                local body = ngx.location.capture("/c").body
                ngx.say(#body, " ", body:sub(-1))
            end
            ask()
            local f = assert(io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k"), "r+b"))
            f:seek("set", 4)
            f:write("\99")
            f:close()
            ask()
            ask()
        }
    }
--- response_body
100001 1
100001 2
100001 2
--- error_log
version mismatch



=== a disk with less room than min_free has no files, and everybody an answer
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m min_free=1000000g manager_sleep=10;
--- config
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
    location /t {
        content_by_lua_block {
            ngx.print(ngx.location.capture("/c").body)
            for i = 1, 300 do
                local f = io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k"))
                if not f then break end
                f:close()
                ngx.sleep(0.1)
            end
            ngx.print((io.open("$TEST_NGINX_SERVER_ROOT/cache/" .. ngx.md5("k"))), ngx.location.capture("/c").body)
        }
    }
--- timeout: 60
--- response_body chomp
xnilx



=== what a killed worker has begun to write is cleared away
--- workers: 2
--- master_on
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
    init_by_lua_block {
        function begun()
            local io, n = require "lunette.spec.io", 0
            for _, one in ipairs(io.list("$TEST_NGINX_SERVER_ROOT/cache/.aside")) do
                n = n + #(io.list("$TEST_NGINX_SERVER_ROOT/cache/.aside/" .. one) or {})
            end
            return n
        end
    }
--- config
    location = /c {
        proxy_cache one;
        proxy_cache_key $arg_n;
        proxy_cache_valid 1m;
        body_filter_by_lua_block {
            if ngx.var.arg_not ~= tostring(ngx.worker.pid()) and begun() ~= 0 then os.exit(3) end
        }
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /pid {
        content_by_lua_block {
            local pid = ngx.worker.pid() .. "\n"
            ngx.header.content_length = #pid
            ngx.print(pid)
        }
    }
    location = /b { content_by_lua_block { for i = 1, 300 do ngx.print(("x"):rep(5000)) ngx.flush(true) end } }
    location = /t {
        content_by_lua_block {
            local mine, held = tostring(ngx.worker.pid()), {}
            for _ = 1, 200 do      -- until the other worker has one
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /pid HTTP/1.1\r\nHost: a\r\n\r\n")
                repeat until sock:receive() == ""
                held[#held + 1] = sock
                if sock:receive() ~= mine then break end
            end
            local sock = held[#held]
            sock:send("GET /c?n=1&not=" .. mine .. " HTTP/1.0\r\n\r\n")
            sock:receive("*a")
            for i = 1, 300 do
                if begun() == 0 then return ngx.print("cleared") end
                ngx.sleep(0.1)
            end
        }
    }
--- timeout: 40
--- response_body eval: "cleared"
--- error_log
exited with code 3



=== what is over, and of no use any more, is known without its file
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location = /a { proxy_cache one; proxy_cache_key a; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /r { proxy_cache one; proxy_cache_key r; proxy_cache_revalidate on; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /v { proxy_cache one; proxy_cache_key v; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/w; }
    location = /b { add_header X-Accel-Expires @1; return 200 x; }
    location = /w { add_header X-Accel-Expires @1; add_header Vary X-Kind; return 200 x; }
    location = /t { content_by_lua_block {
        local function ask(uri)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
            return sock:receive("*a"):match("X%-C: (%u+)")
        end
        for _, uri in ipairs { "/a", "/r", "/v" } do
            local first = ask(uri)
            os.remove(ngx.config.prefix() .. "cache/" .. ngx.md5(uri:sub(2)))
            ngx.say(uri, " ", first, " ", ask(uri))
        end
    } }
--- response_body
/a MISS EXPIRED
/r MISS MISS
/v MISS MISS



=== an answer that may be sent for longer by its own word is opened
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache keys_zone=one:1m;
--- config
    location = /a { proxy_cache one; proxy_cache_valid 200 1s; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location = /b { content_by_lua_block {
        ngx.header["Cache-Control"] = "max-age=1, stale-if-error=60"
        if ngx.var.http_fail then return ngx.exit(444) end
        ngx.print("x")
    } }
    location = /s { content_by_lua_block { ngx.sleep(2.1) } }
--- request eval
["GET /a", "GET /s", "GET /a"]
--- more_headers eval
["", "", "Fail: 1"]
--- response_headers eval
["X-C: MISS", "", "X-C: STALE"]

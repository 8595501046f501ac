__DATA__


=== the second request is answered by the cache
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.print("n", (ngx.shared.d:incr("n", 1, 0))) } }
--- request eval
["GET /t", "GET /t", "GET /t?x", "HEAD /t", "POST /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT", "X-C: MISS", "X-C: HIT", "X-C: "]
--- response_body eval
["n1", "n1", "n2", "", "n3"]



=== what is kept is the server's, whichever location asks for it
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    proxy_cache one;
    proxy_cache_valid 1m;
    add_header X-C "$upstream_cache_status $upstream_cache_key";
    location /t/ { proxy_pass http://localhost:$TEST_NGINX_SERVER_PORT/b/; }
    location /u/ { proxy_pass http://localhost:$TEST_NGINX_SERVER_PORT/b/; }
    location /v/ { set $to 127.0.0.1; proxy_pass http://$to:$TEST_NGINX_SERVER_PORT/b/a; }
    location /b/ { return 200 b; }
--- request eval
["GET /t/a?x", "GET /u/a?x", "GET /v/y"]
--- raw_response_headers_like eval
["X-C: MISS http://localhost:\\d+/b/a\\?x\r\n", "X-C: HIT http://localhost:\\d+/b/a\\?x\r\n", "X-C: MISS http://127.0.0.1:\\d+/b/a\r\n"]
--- response_body eval
["b", "b", "b"]



=== an answer of no known length, and its headers
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.header["X-A"] = { "1", "2" } ngx.header.content_type = "a/b; charset=x" ngx.status = 200 ngx.print("abc") ngx.flush(true) ngx.print("def") } }
--- request eval
["GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS\nX-A: 1, 2", "X-C: HIT\nX-A: 1, 2\nContent-Type: a/b; charset=x\nContent-Length: 6"]
--- response_body eval
["abcdef", "abcdef"]



=== a large answer, from its file
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { for i = 1, 30 do ngx.print(string.rep(string.char(96 + i % 26), 10007)) end } }
--- request eval
["GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT\nContent-Length: 300210"]
--- response_body eval
[join("", map { chr(96 + $_ % 26) x 10007 } 1 .. 30), join("", map { chr(96 + $_ % 26) x 10007 } 1 .. 30)]



=== what an answer says of being kept
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid any 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.header[ngx.var.arg_n] = ngx.unescape_uri(ngx.var.arg_v) ngx.print("x") } }
--- request eval
["GET /t?n=Cache-Control&v=no-store", "GET /t?n=Cache-Control&v=no-store",
 "GET /t?n=Cache-Control&v=max-age=60", "GET /t?n=Cache-Control&v=max-age=60",
 "GET /t?n=Set-Cookie&v=a", "GET /t?n=Set-Cookie&v=a",
 "GET /t?n=X-Accel-Expires&v=0", "GET /t?n=X-Accel-Expires&v=0",
 "GET /t?n=X-Accel-Expires&v=9", "GET /t?n=X-Accel-Expires&v=9",
 "GET /t?n=Expires&v=0", "GET /t?n=Expires&v=0",
 "GET /t?n=Vary&v=*", "GET /t?n=Vary&v=*"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: MISS", "X-C: HIT", "X-C: MISS", "X-C: MISS",
 "X-C: MISS", "X-C: MISS", "X-C: MISS", "X-C: HIT", "X-C: MISS", "X-C: MISS",
 "X-C: MISS", "X-C: MISS"]



=== headers that are not listened to
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid any 1m; proxy_ignore_headers Set-Cookie Cache-Control; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { add_header Set-Cookie a; add_header Cache-Control private; return 200 x; }
--- request eval
["GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT"]



=== answers vary by what requests say
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid any 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { add_header Vary X-A; return 200 "$http_x_a"; }
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-A: a", "X-A: b", "X-A: a", "X-A: b", "X-A: c , d", "X-A: c,d"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: HIT", "X-C: HIT", "X-C: MISS", "X-C: HIT"]
--- response_body eval
["a", "b", "a", "b", "c , d", "c , d"]



=== an answer that varies by too much is not kept
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid any 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.header.Vary = string.rep("X-A,", 32) .. string.rep("a", tonumber(ngx.var.arg_n)) } }
--- request eval
["GET /t?n=1", "GET /t?n=1", "GET /t?n=0", "GET /t?n=0"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: MISS", "X-C: HIT"]



=== bypassed, and not kept
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_cache_bypass $arg_by; proxy_no_cache $arg_no; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.print((ngx.shared.d:incr("n", 1, 0))) } }
--- request eval
["GET /t?no=1", "GET /t", "GET /t?by=0", "GET /t?by=1", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: HIT", "X-C: BYPASS", "X-C: HIT"]
--- response_body eval
["1", "2", "2", "3", "3"]



=== only what is asked for often is kept
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_min_uses 2; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: HIT"]



=== ranges and conditions, of what is kept and of what comes
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files eval
[["a.txt", "0123456789", "202601021530.00"]]
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Range: bytes=2-4", "Range: bytes=-3", "If-None-Match: \"6957e478-a\"", ""]
--- error_code eval
[206, 206, 304, 200]
--- response_headers eval
["X-C: MISS\nContent-Range: bytes 2-4/10", "X-C: HIT\nContent-Range: bytes 7-9/10", "X-C: HIT", "X-C: HIT"]
--- response_body eval
["234", "789", "", "0123456789"]



=== a range that begins too far is the server's
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_max_range_offset 4; proxy_cache_valid 200 206 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
--- user_files
>>> a.txt
0123456789
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Range: bytes=4-5", "Range: bytes=4-5", "Range: bytes=3-4", "Range: bytes=4-5"]
--- error_code eval
[206, 206, 206, 206]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: MISS", "X-C: HIT"]
--- response_body eval
["45", "45", "34", "45"]



=== what is over, where servers fail
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { proxy_cache one; proxy_cache_use_stale http_500; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { if ngx.shared.d:incr("n", 1, 0) > 1 then return ngx.exit(500) end ngx.header["X-Accel-Expires"] = "@1" ngx.print("old") } }
--- request eval
["GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: STALE"]
--- response_body eval
["old", "old"]



=== what is over, where there is no server
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_key k; proxy_cache_use_stale error; set $port $TEST_NGINX_SERVER_PORT; if ($arg_off) { set $port 1; } add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$port/b; }
    location /b { add_header X-Accel-Expires @1; return 200 old; }
--- request eval
["GET /t", "GET /t", "GET /t?off=1"]
--- response_headers eval
["X-C: MISS", "X-C: EXPIRED", "X-C: STALE"]
--- response_body eval
["old", "old", "old"]



=== asked whether it has changed
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { proxy_cache one; proxy_cache_revalidate on; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { local n = ngx.shared.d:incr("n", 1, 0) ngx.header["X-Accel-Expires"] = n == 1 and "@1" or "60" if ngx.var.http_if_none_match == '"x"' then return ngx.exit(304) end ngx.header.ETag = '"x"' ngx.print("n", n) } }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: REVALIDATED", "X-C: HIT"]
--- response_body eval
["n1", "n1", "n1"]



=== updated in the background
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { proxy_cache one; proxy_cache_use_stale updating; proxy_cache_background_update on; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { local n = ngx.shared.d:incr("n", 1, 0) ngx.header["X-Accel-Expires"] = n == 1 and "@1" or "60" ngx.print("n", n) } }
    location /s { content_by_lua_block { while ngx.shared.d:get("n") < 2 do ngx.sleep(0.01) end ngx.sleep(0.2) } }
--- request eval
["GET /t", "GET /t", "GET /s", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: STALE", "", "X-C: HIT"]
--- response_body eval
["n1", "n1", "", "n2"]



=== an update that is not kept keeps nobody else from trying
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location = /t {
        proxy_cache one;
        proxy_cache_key k;
        proxy_no_cache $arg_no;
        proxy_cache_use_stale updating;
        proxy_cache_background_update on;
        add_header X-C $upstream_cache_status;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /b { add_header X-Accel-Expires @1; content_by_lua_block { ngx.print((ngx.shared.d:incr("n", 1, 0))) } }
    location = /s { content_by_lua_block { while ngx.shared.d:get("n") < tonumber(ngx.var.arg_n) do ngx.sleep(0.01) end ngx.sleep(0.2) } }
--- request eval
["GET /t", "GET /t?no=1", "GET /s?n=2", "GET /t?no=1", "GET /s?n=3", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: STALE", "", "X-C: STALE", "", "X-C: STALE"]
--- response_body eval
["1", "1", "", "1", "", "1"]



=== nor does one whose worker is killed
--- workers: 2
--- master_on
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location = /c {
        proxy_cache one;
        proxy_cache_key k;
        proxy_cache_use_stale updating;
        proxy_cache_background_update on;
        add_header X-C $upstream_cache_status;
        header_filter_by_lua_block {
            local not_mine = ngx.var.arg_not
            if not_mine and not_mine ~= tostring(ngx.worker.pid())
               and ngx.var.upstream_cache_status == "STALE"
            then os.exit(3) end
        }
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b;
    }
    location = /b { add_header X-Accel-Expires @1; return 200 x; }
    location = /t {
        content_by_lua_block {
            local function ask(uri)
                local sock = ngx.socket.tcp()
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
                return (sock:receive("*a") or ""):match("X%-C: (%u+)")
            end
            ask("/c")
            while ask("/c?not=" .. ngx.worker.pid()) do end
            for i = 1, 100 do
                if ask("/c") == "STALE" then return ngx.say("another tries") end
                ngx.sleep(0.05)
            end
        }
    }
--- timeout: 20
--- response_body
another tries
--- error_log
exited with code 3



=== who comes at the same time waits for the one who asks
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    location /t { content_by_lua_block { local r = { ngx.location.capture_multi { { "/c" }, { "/c" }, { "/c" } } } for i = 1, 3 do ngx.print(r[i].body, " ") end } }
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_cache_lock on; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.sleep(0.2) ngx.print("n", (ngx.shared.d:incr("n", 1, 0))) } }
--- response_body chomp
n1 n1 n1 



=== who waits is woken, and need not look whether it is there
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t {
        content_by_lua_block {
            local began = ngx.now()
            for i = 1, 20 do ngx.location.capture_multi { { "/c?" .. i }, { "/c?" .. i } } end
            ngx.update_time()
            ngx.say(ngx.now() - began < 8)
        }
    }
    location /c { proxy_cache one; proxy_cache_key $args; proxy_cache_valid 1m; proxy_cache_lock on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.sleep(0.02) ngx.print("b") } }
--- response_body
true
--- timeout: 30



=== a wait has an end
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { content_by_lua_block { local r = { ngx.location.capture_multi { { "/c?s=2" }, { "/c?s=0" } } } ngx.print(r[2].body) } }
    location /c { proxy_cache one; proxy_cache_key k; proxy_cache_valid 1m; proxy_cache_lock on; proxy_cache_lock_timeout 50ms; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b?$args; }
    location /b { content_by_lua_block { ngx.sleep(tonumber(ngx.var.arg_s)) ngx.print("s", ngx.var.arg_s) } }
--- response_body chomp
s0
--- error_log
cache lock timeout



=== an error page is kept as well
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    lua_shared_dict d 1m;
--- config
    error_page 404 /e;
    location /e { return 200 "n"; }
    location /t { proxy_cache one; proxy_cache_valid 404 1m; proxy_intercept_errors on; add_header X-C $upstream_cache_status always; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.status = ngx.shared.d:incr("n", 1, 0) == 1 and 404 or 200 ngx.print("b") } }
--- request eval
["GET /t", "GET /t"]
--- error_code eval
[404, 404]
--- response_body eval
["n", "n"]



=== one key is purged
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    map $request_method $purge { PURGE 1; default 0; }
--- config
    location /t { proxy_cache one; proxy_cache_key $uri; proxy_cache_valid 1m; proxy_cache_purge $purge; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
--- request eval
["GET /t", "PURGE /t", "PURGE /t", "GET /t", "GET /t"]
--- error_code eval
[200, 204, 404, 200, 200]
--- response_headers eval
["X-C: MISS", "", "", "X-C: MISS", "X-C: HIT"]



=== a key is purged with all of its variants
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    map $request_method $purge { PURGE 1; default 0; }
--- config
    location /t { proxy_cache one; proxy_cache_key $uri; proxy_cache_valid 1m; proxy_cache_purge $purge; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { add_header Vary X-A; return 200 "$http_x_a"; }
--- request eval
["GET /t", "GET /t", "GET /t", "PURGE /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-A: a", "X-A: b", "X-A: b", "", "X-A: a", "X-A: b", "X-A: b"]
--- error_code eval
[200, 200, 200, 204, 200, 200, 200]
--- response_headers eval
["X-C: MISS", "X-C: MISS", "X-C: HIT", "", "X-C: MISS", "X-C: MISS", "X-C: HIT"]



=== Cache-Status says what happened
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_valid 1h; proxy_cache_status_header on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
--- request eval
["GET /t", "GET /t"]
--- response_headers_like eval
["Cache-Status: lunette; fwd=uri-miss; stored; ttl=3600", "Cache-Status: lunette; hit; ttl=3(600|5\\d\\d)"]



=== parts of an answer are kept one by one
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
    log_format c "$http_range";
--- config
    location /t { slice 4; proxy_cache one; proxy_cache_key $uri$slice_range; proxy_cache_valid 200 206 1m; proxy_set_header Range $slice_range; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/a.txt; }
    location /a { access_log logs/parts.log c; }
    location /log { default_type text/plain; alias logs/parts.log; }
--- user_files eval
[["a.txt", "0123456789"]]
--- request eval
["GET /t", "GET /t", "GET /log"]
--- response_body eval
["0123456789", "0123456789", "bytes=0-3\nbytes=4-7\nbytes=8-11\n"]



=== a cache that nobody has declared
--- config
    location /t { proxy_cache none; proxy_pass http://127.0.0.1:1; }
--- must_die
--- error_log
"proxy_cache" zone "none" is unknown



=== a cache by variable
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache $arg_c; proxy_cache_key k; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { return 200 x; }
--- request eval
["GET /t?c=one", "GET /t?c=one", "GET /t?c=off", "GET /t", "GET /t?c=two"]
--- response_headers eval
["X-C: MISS", "X-C: HIT", "X-C: ", "X-C: ", ""]
--- error_code eval
[200, 200, 200, 200, 500]



=== words may come in several directives, and a first field counts
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_ignore_headers Set-Cookie; proxy_ignore_headers Cache-Control; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { add_header X-Accel-Expires 60; add_header X-Accel-Expires 0; add_header Set-Cookie a; return 200 x; }
--- request eval
["GET /t", "GET /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT"]



=== an answer to a HEAD is none for a GET
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_convert_head off; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.print("body") } }
--- request eval
["HEAD /t", "HEAD /t", "GET /t", "GET /t", "HEAD /t"]
--- response_headers eval
["X-C: MISS", "X-C: HIT", "X-C: MISS", "X-C: HIT", "X-C: HIT"]
--- response_body eval
["", "", "body", "body", ""]



=== HEAD with a key of its own is kept as what it is
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { proxy_cache one; proxy_cache_convert_head off; proxy_cache_key $request_method$uri; proxy_cache_valid 1m; add_header X-C $upstream_cache_status; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b/length { return 200 "body"; }
    location /b/none { content_by_lua_block { ngx.print("body") } }
--- request eval
["HEAD /t/length", "HEAD /t/length", "GET /t/length", "HEAD /t/none", "HEAD /t/none"]
--- response_headers eval
["X-C: MISS\nContent-Length: 4", "X-C: HIT\nContent-Length: 4", "X-C: MISS", "X-C: MISS\nContent-Length: ", "X-C: HIT\nContent-Length: "]
--- response_body eval
["", "", "body", "", ""]



=== all keys that begin alike are purged
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /t { content_by_lua_block {
        local function ask(uri)
            local r = ngx.location.capture(uri)
            ngx.print(r.status == 200 and r.header["X-S"] or r.status, " ")
        end
        ask("/c/a1") ask("/c/a2") ask("/c/b") ask("/c/a1") ask("/c/b")
        ngx.sleep(0.02)
        ngx.print(ngx.location.capture("/p/a*").status, " ")
        ngx.sleep(0.02)
        ask("/c/a1") ask("/c/a2") ask("/c/b") ask("/c/a1")
    } }
    location ~ ^/c/(.*) { set $k $1; proxy_cache one; proxy_cache_key $k; proxy_cache_valid 1m; rewrite ^ /b break; header_filter_by_lua_block { ngx.header["X-S"] = ngx.var.upstream_cache_status } proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT; }
    location ~ ^/p/(.*) { set $k $1; proxy_cache one; proxy_cache_key $k; proxy_cache_purge 1; proxy_pass http://127.0.0.1:1; }
    location = /b { return 200 x; }
--- response_body chomp
MISS MISS MISS HIT HIT 204 MISS MISS HIT HIT 



=== stale-if-error is about servers without an answer
--- http_config
    proxy_cache_path ife keys_zone=ife:1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        if ($arg_e) { return 500; }
        add_header Cache-Control "max-age=1, stale-if-error=60"; return 200 "kept";
    } }
--- config
    proxy_cache ife;
    proxy_cache_key $uri;
    add_header S $upstream_cache_status always;
    location /a { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /b { proxy_cache_use_stale http_500; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
    location /c { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; if ($arg_e) { proxy_pass http://127.0.0.1:1; } }
    location /wait { content_by_lua_block { ngx.sleep(2.1) } }
--- request eval
["GET /a", "GET /b", "GET /c", "GET /wait", "GET /a?e=1", "GET /b?e=1", "GET /c?e=1"]
--- error_code eval
[200, 200, 200, 200, 500, 200, 200]
--- response_headers eval
["S: MISS", "S: MISS", "S: MISS", "", "S: EXPIRED", "S: STALE", "S: STALE"]



=== stale-while-revalidate is about them as well, unless stale-if-error says less
--- http_config
    proxy_cache_path swr keys_zone=swr:1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / {
        add_header Cache-Control "max-age=1, stale-while-revalidate=60$arg_more"; return 200 "kept";
    } }
--- config
    proxy_cache swr;
    proxy_cache_key $uri;
    add_header S $upstream_cache_status always;
    location ~ ^/[ab] { proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; if ($arg_e) { proxy_pass http://127.0.0.1:1; } }
    location /wait { content_by_lua_block { ngx.sleep(2.1) } }
--- request eval
["GET /a", "GET /b?more=,stale-if-error=0", "GET /wait", "GET /a?e=1", "GET /b?e=1"]
--- error_code eval
[200, 200, 200, 200, 502]
--- response_headers eval
["S: MISS", "S: MISS", "", "S: STALE", "S: EXPIRED"]



=== proxy_force_ranges: of what comes one range, of what is kept any number
--- http_config
    proxy_cache_path force keys_zone=force:1m;
    server { listen $TEST_NGINX_RAND_PORT_1; location / { content_by_lua_block { ngx.header.content_length = 10; ngx.print("0123456789") } } }
--- config
    location /t { proxy_force_ranges on; proxy_cache force; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_RAND_PORT_1; }
--- more_headers
Range: bytes=0-1, 3-4
--- request eval
["GET /t", "GET /t"]
--- error_code eval
[200, 206]
--- response_body_like eval
["^0123456789\$", "bytes 0-1/10\r\n\r\n01\r\n.*bytes 3-4/10\r\n\r\n34\r\n--"]



=== what forbids keeping counts wherever it stands
--- http_config
    proxy_cache_path $TEST_NGINX_SERVER_ROOT/cache levels=1:2 keys_zone=one:1m;
--- config
    location /c { proxy_cache one; proxy_cache_valid 1m; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/b; }
    location /b { content_by_lua_block { ngx.header["Cache-Control"] = ngx.unescape_uri(ngx.var.args) ngx.print(ngx.now(), ngx.var.connection) } }
    location = /t {
        content_by_lua_block {
            for _, value in ipairs {
                "max-age=60;private", "MAX-AGE=60; no-store", '"private", max-age=60',
                "private-x, max-age=60", 'ext="a, no-cache", max-age=60',
                "max-age=60 Private", "max-age=60;s-maxage=0", 'ext="a, max-age=0',
                "max-age=60, stale-if-error=x", "max-age=60", "max-age=60;public",
                "x=1;max-age=60" }
            do
                local uri = "/c?" .. ngx.escape_uri(value)
                local first = ngx.location.capture(uri).body
                ngx.say(ngx.location.capture(uri).body == first and "HIT" or "MISS")
            end
        }
    }
--- response_body eval
("MISS\n" x 9) . ("HIT\n" x 3)

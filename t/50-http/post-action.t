# post_action

__DATA__


=== the request goes there when it has been answered
--- http_config
    lua_shared_dict seen 1m;
--- config
    post_action /after;
    location = /t { return 200 "$uri"; }
    location = /after { content_by_lua_block {
        ngx.shared.seen:set("line", ngx.var.uri .. " " .. ngx.var.request_uri .. " " .. ngx.var.request_method)
        ngx.say("nobody gets this")
    } }
    location = /seen { post_action off; content_by_lua_block { ngx.say(ngx.shared.seen:get("line")) } }
--- request eval
["GET /t?a", "GET /seen"]
--- response_body eval
["/t", "/after /t?a GET\n"]



=== a named location, and a log that is kept there
--- http_config
    log_format there "there $uri $status $request_uri";
--- config
    location = /t { post_action @after; return 200 "here"; }
    location @after { access_log logs/there.log there; return 204; }
    location = /read { content_by_lua_block {
        local f
        repeat ngx.sleep(0.01) f = io.open(ngx.config.prefix() .. "/logs/there.log") until f
        ngx.print(f:read("*a"))
    } }
--- request eval
["GET /t", "GET /read"]
--- response_body eval
["here", "there /t 200 /t\n"]



=== a body that nobody has read is none there, nor is its length
--- http_config
    lua_shared_dict seen 1m;
--- config
    location = /t { post_action /after; return 200 "here"; }
    location = /after { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/back; }
    location = /back { content_by_lua_block { ngx.shared.seen:set("length", ngx.var.http_content_length or "none") } }
    location = /seen { content_by_lua_block {
        for _ = 1, 1000 do
            if ngx.shared.seen:get("length") then break end
            ngx.sleep(0.01)
        end
        ngx.print(ngx.shared.seen:get("length"))
    } }
--- request eval
["POST /t\nhello", "GET /seen"]
--- response_body eval
["here", "none"]



=== an answer has gone before the action is over
--- config
    location = /t { post_action /slow; return 200 "here"; }
    location = /slow { content_by_lua_block { ngx.sleep(0.5) ngx.log(ngx.WARN, "slow is over") } }
    location = /client { content_by_lua_block {
        local s = ngx.socket.tcp()
        assert(s:connect("127.0.0.1", ngx.var.server_port))
        local from = ngx.now()
        s:send("GET /t HTTP/1.1\r\nHost: h\r\n\r\n")
        s:receive()
        ngx.update_time()
        ngx.say(ngx.now() - from < 0.4)
        s:send("GET /t HTTP/1.1\r\nHost: h\r\n\r\n")
        for i = 1, 20 do
            if s:receive():match("^hereHTTP/1.1 200") then break end
        end
        ngx.update_time()
        ngx.say(ngx.now() - from > 0.45)
    } }
--- request
GET /client
--- response_body
true
true
--- error_log
slow is over



=== one that is nowhere
--- config
    location = /t { post_action @none; return 200 "here"; }
--- response_body chomp
here
--- error_log
could not find named location "@none"



=== after an error page, and not again after itself
--- http_config
    lua_shared_dict seen 1m;
--- config
    post_action /after;
    error_page 404 /page;
    location = /page { return 200 "a page"; }
    location = /after { content_by_lua_block { ngx.shared.seen:incr("n", 1, 0) } }
    location = /seen { post_action off; content_by_lua_block { ngx.say(ngx.shared.seen:get("n")) } }
--- request eval
["GET /nothing", "GET /seen"]
--- error_code eval
[404, 200]
--- response_body eval
["a page", "1\n"]



=== it waits until a slow client has the whole answer
--- http_config
    lua_shared_dict seen 1m;
--- config
    location = /big { post_action /after; content_by_lua_block {
        local piece = ("x"):rep(1048576)
        for _ = 1, 16 do ngx.print(piece) end
    } }
    location = /file { post_action /after; try_files /big.txt =404; }
    location = /after { content_by_lua_block { ngx.shared.seen:incr("n", 1, 0) } }
    location = /t { content_by_lua_block {
        local seen = ngx.shared.seen
        seen:delete("n")
        for i, uri in ipairs { "/big", "/file" } do
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:send("GET " .. uri .. " HTTP/1.0\r\n\r\n")
            sock:receive("*l")
            ngx.sleep(0.2)
            ngx.say(seen:get("n"))
            sock:settimeout(20000)
            sock:receive("*a")
            for _ = 1, 1000 do
                if seen:get("n") == i then break end
                ngx.sleep(0.01)
            end
            ngx.say(seen:get("n"))
        end
    } }
--- user_files eval
[["big.txt", "x" x 16777216]]
--- timeout: 30
--- response_body
nil
1
1
2
